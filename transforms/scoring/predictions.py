"""Read files of predictions (a model's responses), and files that list what the model was asked.

Only items and rounds that the model was asked are scored, and their share is reported. They are
listed in a file of ``surgqa jobs``, or in the record that ``surgqa infer`` writes next to its
predictions. An asked item without a response counts as wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.errors import FileMissing, RowInvalid, RowTwice, UserError
from surgqa.ontology.files import read_bytes, read_text
from surgqa.ontology.times import SECOND_US
from surgqa.ontology.units import CLIP
from surgqa.transforms.inference.predictions import asked_path

PredictionKey = tuple[str, int | None]
"""(item id, round index or None)."""

EXAMPLE = '{"item_id": "0f3a…", "round_index": null, "response": "B"}'


def load_predictions(path: Path | str) -> dict[PredictionKey, str]:
    """Return the responses by item id and round.

    Each line is ``{"item_id": text, "round_index": integer or null, "response": text}``.
    ``round_index`` may be absent.  Other keys and empty lines are ignored.

    Raises:
        SourceMissing: the file does not exist.
        SourceBroken: the file cannot be read or is not UTF-8.
        UserError: a line is not a prediction, or an earlier line has the same item and round.
    """
    path = Path(path)
    text = read_text(read_bytes(path, str(path)), str(path))
    responses: dict[PredictionKey, str] = {}
    lines: dict[PredictionKey, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        key, response = _prediction(line, where)
        if key in responses:
            raise RowTwice(
                f"item {_named(key)} is answered twice",
                expected="one line per item and round",
                found=f"lines {lines[key]} and {number}",
                where=where,
                fix="keep one of the two lines",
            )
        responses[key], lines[key] = response, number
    return responses


def _prediction(line: str, where: str) -> tuple[PredictionKey, str]:
    try:
        entry = orjson.loads(line)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise _wrong("a prediction is not JSON", str(error), where) from None
    if not isinstance(entry, dict):
        raise _wrong("a prediction is not a JSON object", _kind(entry), where)
    for name in ("item_id", "response"):
        if name not in entry:
            raise _wrong(f"a prediction has no {name}", ", ".join(entry) or "no keys", where)
        if not isinstance(entry[name], str):
            raise _wrong(f"{name} is not text", f"{name}: {_kind(entry[name])}", where)
    index = entry.get("round_index")
    if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
        raise _wrong("round_index is not an integer or null", _kind(index), where)
    return (entry["item_id"], index), entry["response"]


def _wrong(summary: str, found: str, where: str) -> UserError:
    return RowInvalid(
        summary,
        expected=EXAMPLE,
        found=found,
        where=where,
        fix="correct the line, or leave it out: its item then counts as missing",
    )


def _kind(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 60 else f"{text[:57]}…"


def _named(key: PredictionKey) -> str:
    return key[0] if key[1] is None else f"{key[0]} round {key[1]}"


ITEMS, ASKED, PARTLY = "items", "asked", "partly"
WHOLE: frozenset[int | None] = frozenset({None})
"""Stands for the rounds of an item that has none."""


@dataclass(frozen=True, slots=True)
class AskedIds:
    """The items and rounds that a model was asked.

    Attributes:
        source: path of the file that lists the ids.
        keys: (item id, round index or None) of each.
    """

    source: str
    keys: frozenset[PredictionKey]


@dataclass(slots=True)
class AskedBooks:
    """Counts how much of a dataset a model was asked.

    Attributes:
        asked: what was asked; None if everything was.
        counts: for each benchmark, the number of items with a scorer, of fully asked items, and of
            items of which only some rounds were asked.
        left: ids of items that were not fully asked.
        known: ids of all items.
    """

    asked: AskedIds | None = None
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)

    def take(self, benchmark: str, item_id: str, rounds: frozenset[int | None]) -> bool:
        """Count an item; return whether all its rounds were asked, so that it is scored."""
        mine = self.counts.setdefault(benchmark, Counter())
        mine[ITEMS] += 1
        self.known.add(item_id)
        keys = {(item_id, one) for one in rounds}
        there = len(keys) if self.asked is None else len(keys & self.asked.keys)
        if there == len(keys):
            mine[ASKED] += 1
            return True
        mine[PARTLY] += bool(there)
        self.left.add(item_id)
        return False

    def report(self, predicted: set[str]) -> AskedReport | None:
        """Return the report; None if no file lists what was asked.

        Args:
            predicted: ids of the items that have a response.
        """
        if self.asked is None:
            return None
        strange = {item_id for item_id, _ in self.asked.keys} - self.known
        counts = {name: {key: mine[key] for key in (ITEMS, ASKED, PARTLY)}
                  for name, mine in sorted(self.counts.items())}  # fmt: skip
        return AskedReport(self.asked.source, counts, len(predicted & self.left), len(strange))


@dataclass(frozen=True, slots=True)
class AskedReport:
    """How many of a dataset's items a model was asked.

    Attributes:
        source: path of the file that lists what was asked.
        counts: for each benchmark, the number of items, of items that were asked (and are scored),
            and of items of which only some rounds were asked (which are not scored).
        answered: number of items that have a response but are not scored, because they were not
            fully asked.
        strange: number of asked items that are not in the dataset or have no scorer.
    """

    source: str
    counts: dict[str, dict[str, int]]
    answered: int
    strange: int

    @property
    def total(self) -> dict[str, int]:
        """The counts, summed over all benchmarks."""
        return {key: sum(one[key] for one in self.counts.values())
                for key in (ITEMS, ASKED, PARTLY)}  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a dictionary for JSON."""
        return {
            "source": Path(self.source).name, "benchmarks": self.counts, **self.total,
            "answered_and_not_asked": self.answered, "not_in_the_dataset": self.strange,
        }  # fmt: skip

    def table(self) -> list[list[object]]:
        """Return the table to print, header first."""
        rows: list[list[object]] = [["benchmark", "asked", "of items", "percent", "rounds missing"]]
        return rows + [
            [name, one[ASKED], one[ITEMS], f"{100 * one[ASKED] / one[ITEMS]:.2f}",
             one[PARTLY]]
            for name, one in self.counts.items()
        ]  # fmt: skip


def rounds_of(row: Mapping[str, Any]) -> frozenset[int | None]:
    """Return the numbers of a row's rounds, or only None if it has no rounds."""
    return frozenset(one["round_index"] for one in row.get("rounds") or ()) or WHOLE


def asked_of(predictions: Path, jobs: Path | None) -> AskedIds | None:
    """Return the items and rounds that were asked; None if no file lists them.

    Args:
        predictions: file of predictions; the record next to it is used if ``jobs`` is None.
        jobs: a file of ``surgqa jobs``, or any JSON Lines with ``item_id`` and ``round_index``.

    Raises:
        SourceMissing: the jobs file does not exist.
        UserError: a line does not name an item.
    """
    record = asked_path(predictions)
    if jobs is None and not record.is_file():
        return None
    path = jobs or record
    if not path.is_file():
        raise FileMissing(f"{path} is missing", expected="a file that 'surgqa jobs' wrote",
                          where="--jobs", fix="surgqa jobs OUT --to JOBS")  # fmt: skip
    with path.open("rb") as lines:
        keys = frozenset(
            _key(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()
        )
    return AskedIds(str(path), keys)


def _key(line: bytes, where: str) -> PredictionKey:
    found = "no JSON object"
    try:
        entry = orjson.loads(line)
        item_id, index = entry["item_id"], entry.get("round_index")
        if isinstance(item_id, str) and (index is None or type(index) is int):
            return item_id, index
        found = f"item_id {item_id!r}, round_index {index!r}"
    except KeyError:
        found = "no item_id"
    except (orjson.JSONDecodeError, TypeError, AttributeError):
        pass
    raise RowInvalid(
        "a line does not name an item", found=found, where=where,
        expected='"item_id" and "round_index", as in a line that \'surgqa jobs\' wrote',
        fix="name the file that 'surgqa jobs' wrote",
    )  # fmt: skip


def submission(
    rows: Iterable[Mapping[str, Any]], asked: AskedIds | None,
    responses: Mapping[PredictionKey, str], model: str, dataset: str,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Yield a prediction for every question that was asked, sorted by item and round.

    The resulting file also lists what was asked: if it is given as ``--jobs`` when it is scored,
    the scores are the same.

    Args:
        rows: rows of the dataset, with ``item_id`` and ``rounds``.
        asked: the items and rounds that were asked; None if all were.
        responses: response by item and round; '' is written for a missing response.
        dataset: digest of the dataset.
    """
    known = {(row["item_id"], index) for row in rows for index in rounds_of(row)}
    keys = known if asked is None else known & asked.keys
    for item_id, index in sorted(keys, key=lambda key: (key[0], -1 if key[1] is None else key[1])):
        yield {"item_id": item_id, "round_index": index,
               "response": responses.get((item_id, index), ""), "model": model,
               "dataset": dataset}  # fmt: skip


_FRACTION = re.compile(r"\bt\s?[=:]\s?(0?\.\d+|0|1|0\.|1\.0*)(?!\d|\.\d|\s?s)", re.IGNORECASE)


def in_seconds(
    predictions: Mapping[PredictionKey, str], rows: Iterable[Mapping[str, Any]]
) -> dict[PredictionKey, str]:
    """Return predictions in which times of a clip such as ``t=0.480`` were converted to seconds.

    Args:
        rows: rows of ``data/``, with ``item_id``, ``unit``, ``start_us`` and ``end_us``.
    """
    lengths = {row["item_id"]: (row["end_us"] - row["start_us"]) / SECOND_US
               for row in rows if row["unit"] == CLIP}  # fmt: skip
    return {key: _in_video_seconds(text, lengths[key[0]]) if key[0] in lengths else text
            for key, text in predictions.items()}  # fmt: skip


def _in_video_seconds(text: str, length_s: float) -> str:
    return _FRACTION.sub(lambda found: f"{float(found[1]) * length_s:.2f} s", text)
