"""Questions as raters see them, without anything that shows which option is correct."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow.parquet as pq

from surgqa.ontology.errors import Mismatched
from surgqa.ontology.times import print_seconds
from surgqa.ontology.units import COLUMNS as UNIT
from surgqa.ontology.units import asked_us
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.store.folder import readable

COLUMNS = [
    "item_id", "benchmark", "task", "dataset", "video_id", "specialty", "start_us", "end_us",
    "media", "question", "answer", "options", "answer_key", "knowledge", "clue", "context", *UNIT,
]  # fmt: skip

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """One blinded question.

    Attributes:
        kind: the question's task.
        media: path of the video or its frames in the dataset's folder, '' if there are none.
        asked_us: time at which the question is asked, None if it is about the whole window.
        options: letter and text, in the order that every rater sees.
        context, knowledge, clue: texts that a model may get besides the question, '' if there is
            none.
        proposed: the correct answer if the question has no options, because raters can only judge
            such a question if they see its answer; for a stream, the expected response at each
            time. '' if the question has options.
    """

    item_id: str
    kind: str
    dataset: str
    video_id: str
    media: str
    start_us: int
    end_us: int
    asked_us: int | None
    question: str
    options: tuple[tuple[str, str], ...]
    context: str
    knowledge: str
    clue: str
    proposed: str

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters that may be chosen; none for an open question."""
        return tuple(letter for letter, _ in self.options)


def question_of(row: Row) -> Question:
    """Return the blinded question of a row."""
    options = tuple((one["key"], one["text"]) for one in row["options"] or ())
    return Question(
        item_id=row["item_id"],
        kind=row["task"],
        dataset=row["dataset"],
        video_id=row["video_id"],
        media=(row["media"] or {}).get("path") or "",
        start_us=row["start_us"],
        end_us=row["end_us"],
        asked_us=asked_us(row),
        question=row["question"],
        options=options,
        context=row["context"] or "",
        knowledge=row["knowledge"] or "",
        clue=row["clue"] or "",
        proposed="" if options else _proposed(row),
    )


def _proposed(row: Row) -> str:
    rounds = sorted(row.get("rounds") or (), key=lambda one: one["round_index"])
    entries = (
        f"at {print_seconds(one['current_us'])} s: {one['expected_output']}" for one in rounds
    )
    return "; ".join(entries) or row["answer"]


def reference(row: Row) -> str | None:
    """Return the letter of the correct option, None for an open question."""
    return row["answer_key"] if row["options"] else None


def rows_of(out: OutputFolder, item_ids: Iterable[str]) -> dict[str, Row]:
    """Return the rows of these items, by item id.

    Raises:
        Mismatched: an item is not in the output.
    """
    wanted = sorted(item_ids)
    found: dict[str, Row] = {}
    for benchmark in out.benchmarks():
        for shard in out.shards(benchmark):
            if shard.suffix == ".parquet":
                filters = [("item_id", "in", wanted)]
                there = set(pq.read_schema(readable(shard)).names)
                columns = [name for name in COLUMNS if name in there]
                table = pq.read_table(readable(shard), columns=columns, filters=filters)
                found |= {row["item_id"]: row for row in table.to_pylist()}
                continue
            known = set(wanted)
            with shard.open("rb") as lines:
                rows = (row for row in map(orjson.loads, lines) if row["item_id"] in known)
                found |= {row["item_id"]: {key: row.get(key) for key in COLUMNS} for row in rows}
    missing = [item_id for item_id in wanted if item_id not in found]
    if missing:
        raise Mismatched(
            "the output lacks an item of the sample", expected=missing[0],
            where=str(out.path), fix="name the output that the sample was drawn from",
        )  # fmt: skip
    return found


def staged(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of one unit (a chain or a single item), in the order of its stages."""
    return sorted(rows, key=lambda row: (row["stage"] or 0, row["item_id"]))
