"""A judge's ratings in a file, and how scoring uses them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from ontology.errors import UserError
from ontology.files import read_bytes, read_text
from transforms.places import write_whole
from transforms.scoring.outputs.content import JUDGE, rate_by_stand_in
from transforms.scoring.outputs.items import Ask, Item
from transforms.scoring.outputs.judging import JudgeCase, case_of, rating_of
from transforms.scoring.outputs.rubric import SCALES, Rating
from transforms.scoring.predictions import PredictionKey

JUDGED, UNREAD, STALE, ABSENT = "judged", "unread", "stale", "absent"
"""What happened to an open answer: rated by the judge; or by the stand-in, because the judge's
reply could not be read, was about another answer, or does not exist."""

EXAMPLE = (
    '{"item_id": "0f3a…", "round_index": null, "case_id": "77b1…", "judge": "NAME", '
    '"correctness": 2, "evidence_grounding": 1, "safety": 1, "raw": "…"}'
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's rating of one output; ``rating`` is None if the reply could not be read."""

    case_id: str
    judge: str
    rating: Rating | None


@dataclass(slots=True)
class RatedBy:
    """Rates open answers that differ from the expected words, and counts who rated them.

    Attributes:
        judgements: None if no judge was used.
        counts: number of outputs by what happened to them.
    """

    judgements: Mapping[PredictionKey, Judgement] | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def rate(self, item: Item, ask: Ask, output: str) -> tuple[float, str]:
        """Return the content of an output, from the judge or, if that fails, the stand-in."""
        if self.judgements is None or item.rubric is None:
            self.counts[ABSENT] += 1
            return rate_by_stand_in(item, ask, output)
        judgement = self.judgements.get((item.item_id, ask.round_index))
        fate = _fate(judgement, item, ask, output)
        self.counts[fate] += 1
        if fate != JUDGED or judgement is None or judgement.rating is None:
            return rate_by_stand_in(item, ask, output)
        return judgement.rating.score, JUDGE

    @property
    def judges(self) -> list[str]:
        """Names of the judges, sorted."""
        return sorted({one.judge for one in (self.judgements or {}).values()})

    def line(self) -> str:
        """Return a phrase that states who rated the open answers."""
        total = sum(self.counts.values())
        if self.judgements is None:
            return f"{total:,} rated by the deterministic stand-in"
        names = ", ".join(self.judges) or "nobody"
        left = total - self.counts[JUDGED]
        return f"{self.counts[JUDGED]:,} rated by {names}, {left:,} by the deterministic stand-in"

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        by = "stand_in" if self.judgements is None else "judge"
        total = sum(self.counts.values())
        names = (JUDGED, UNREAD, STALE, ABSENT)
        counts = {} if self.judgements is None else {name: self.counts[name] for name in names}
        return {"by": by, "judges": self.judges, "open_outputs": total, **counts}


def _fate(judgement: Judgement | None, item: Item, ask: Ask, output: str) -> str:
    if judgement is None:
        return ABSENT
    if judgement.case_id != case_of(item, ask, output).id:
        return STALE
    return UNREAD if judgement.rating is None else JUDGED


def judgement_line(key: PredictionKey, case: JudgeCase, judge: str, reply: str) -> bytes:
    """Return one line of the file of judgements, with its line end."""
    rating = rating_of(reply)
    told = {"unread": rating} if isinstance(rating, str) else {
        name: getattr(rating, name) for name in SCALES
    }  # fmt: skip
    line = {"item_id": key[0], "round_index": key[1], "case_id": case.id, "judge": judge}
    return orjson.dumps(line | told | {"raw": reply}, option=orjson.OPT_APPEND_NEWLINE)


def write_judgements(
    path: Path,
    cases: Iterable[tuple[PredictionKey, JudgeCase]],
    judge: str,
    replies: Mapping[str, str],
) -> int:
    """Write one line for every case that has a reply.

    Args:
        replies: reply by case id.

    Returns:
        The number of lines.

    Raises:
        UserError: the file cannot be written.
    """
    lines = [judgement_line(key, case, judge, replies[case.id])
             for key, case in cases if case.id in replies]  # fmt: skip
    try:
        write_whole(path, b"".join(lines))
    except OSError as error:
        raise UserError(
            f"{path} cannot be written",
            found=error.strerror or str(error),
            where="--to",
            fix="name a file in a folder that exists and may be written",
        ) from None
    return len(lines)


def load_judgements(path: Path) -> dict[PredictionKey, Judgement]:
    """Return judgements by item id and round, from a file that ``surgqa judge`` wrote.

    The scores are read from their fields; the stored reply is not parsed again.

    Raises:
        SourceMissing: the file does not exist.
        SourceBroken: the file cannot be read or is not UTF-8.
        UserError: a line is not a judgement, or an earlier line judges the same output.
    """
    out: dict[PredictionKey, Judgement] = {}
    text = read_text(read_bytes(path, str(path)), str(path))
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        key, judgement = _judgement(line, where)
        if key in out:
            raise UserError("an output is judged twice", found=key[0], where=where,
                            fix="keep one of the two lines")  # fmt: skip
        out[key] = judgement
    return out


def _judgement(line: str, where: str) -> tuple[PredictionKey, Judgement]:
    try:
        entry = orjson.loads(line)
        texts = [entry[name] for name in ("item_id", "case_id", "judge")]
        index = entry["round_index"]
        whole = index is None or type(index) is int
        if not whole or not all(isinstance(text, str) for text in texts):
            raise TypeError("a field has a wrong type")
        rating = None if "unread" in entry else _rating(entry)
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise UserError(
            "a line is not a judgement",
            expected=EXAMPLE,
            found=f"no {error}" if isinstance(error, KeyError) else str(error),
            where=where,
            fix="write the judgements again with 'surgqa judge'",
        ) from None
    return (texts[0], index), Judgement(texts[1], texts[2], rating)


def _rating(entry: Mapping[str, Any]) -> Rating:
    for name, most in SCALES.items():
        if type(entry[name]) is not int or not 0 <= entry[name] <= most:
            raise TypeError(f"{name} is not a whole number from 0 to {most}")
    return Rating(**{name: entry[name] for name in SCALES})
