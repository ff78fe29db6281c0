"""A whole answer: which of the values that a text states are which of its parts.

The row's own printed answer says in which order the parts are told: a part is read from where its
value stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transforms.scoring.case import Case, Field, Mark
from transforms.scoring.text import tidy
from transforms.scoring.typed.parts import fits, label_of, measure, sorts_of
from transforms.scoring.typed.records import mark_records
from transforms.scoring.typed.tokens import tokens, tracks

ALL = "all "


@dataclass(slots=True)
class _Need:
    """One token that a part is read from.

    Attributes:
        part, place: index of the part, and which of its tokens.
        at: where the printed answer states it among the tokens of its sort; None if nowhere.
    """

    sort: str
    part: int
    place: int
    at: int | None = None


def mark_answer(text: str, case: Case) -> Mark | None:
    """The mean of the marks of an answer's parts; None where a text states none of them.

    Args:
        text: tidy.
        case: with the parts of the answer.
    """
    marks = marks_of(text, case)
    if all(one is None for one in marks):
        return None
    return mean_of([one or missing(field) for one, field in zip(marks, case.fields, strict=True)])


def marks_of(text: str, case: Case) -> list[Mark | None]:
    """The mark of each part of an answer; None of one that a text does not state."""
    said, gold = stated(text, case), stated(tidy(case.printed), case)
    return [
        None if mine[0] is None
        else mark_records(field, text, case) if sorts_of(field) == ("records",)
        else measure(field, mine, right, case)
        for field, mine, right in zip(case.fields, said, gold, strict=True)
    ]  # fmt: skip


def mean_of(marks: Sequence[Mark]) -> Mark:
    """One mark of several: means; the categorical part is right where all of it is."""
    exact = [one.accuracy for one in marks if one.accuracy is not None]
    return Mark(
        sum(one.score for one in marks) / len(marks),
        _mean(one.iou for one in marks),
        _mean(one.hit for one in marks),
        float(all(value == 1 for value in exact)) if exact else None,
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def missing(field: Field) -> Mark:
    """The mark of a part that is not stated."""
    name = field.type.name
    if name == "box":
        return Mark(0.0, 0.0, 0.0)
    return Mark(0.0, accuracy=None if name in ("instant", "duration", "stretch", "point") else 0.0)


def stated(text: str, case: Case) -> list[list[Any]]:
    """Of each part its tokens in a text: one, or two for a stretch; None for one it lacks."""
    printed = tidy(case.printed)
    needs = _needs(case)
    known = _known(case)
    out: list[list[Any]] = [[None] * len(sorts_of(field)) for field in case.fields]
    for sort in dict.fromkeys(need.sort for need in needs):
        mine = [need for need in needs if need.sort == sort]
        found, there = _read(sort, text, known), _read(sort, printed, known)
        if sort == "number" and not any(one.percent for one in there):
            found = [one for one in found if not one.percent or not _whole(mine, case)]
        _placed(mine, there, case)
        for need, token in zip(mine, _taken(mine, found, there), strict=True):
            out[need.part][need.place] = token
    return out


def _whole(needs: Sequence[_Need], case: Case) -> bool:
    """Whether only things are counted, so that a share is none of the numbers."""
    return all(isinstance(case.fields[need.part].value, int) for need in needs)


def _needs(case: Case) -> list[_Need]:
    return [_Need(sort, part, place) for part, field in enumerate(case.fields)
            for place, sort in enumerate(sorts_of(field))]  # fmt: skip


def _read(sort: str, text: str, known: Mapping[str, tuple[str, ...]]) -> Sequence[Any]:
    """Tokens of a sort; all of them are one token of a set or sequence."""
    if sort == "records":
        return [text] if text else []
    name = sort.removeprefix(ALL)
    extra = known["word" if name == "word" else "label"]
    found = tracks(text, extra) if name == "track" else tokens(
        name, text, extra if name == "word" or name.startswith("label:") else ())  # fmt: skip
    return [found] if found and sort.startswith(ALL) else found


def _placed(needs: Sequence[_Need], there: Sequence[Any], case: Case) -> None:
    """Find where the printed answer states each part."""
    free = list(range(len(there)))
    for need in needs:
        if need.sort.startswith(ALL) or need.sort in ("records", "text"):
            need.at = 0
            continue
        field = case.fields[need.part]
        need.at = next(
            (k for k in free if fits(field, need.sort, need.place, there[k], case)), None
        )
        if need.at is not None:
            free.remove(need.at)


def _taken(needs: Sequence[_Need], found: Sequence[Any], there: Sequence[Any]) -> list[Any]:
    """Of each need its token: at its place where a text states as many as the printed answer.

    A text that states fewer or more tells the parts in the printed order and nothing before them.
    """
    if len(found) == len(there):
        places = [need.at for need in needs]
    else:
        order = sorted(range(len(needs)), key=lambda k: (needs[k].at is None, needs[k].at or 0, k))
        places = [None if needs[k].at is None and there else order.index(k)
                  for k in range(len(needs))]  # fmt: skip
    if any(need.sort.startswith(ALL) or need.sort in ("records", "text") for need in needs):
        places = [0] * len(needs)
    return [found[at] if at is not None and at < len(found) else None for at in places]


def _known(case: Case) -> Mapping[str, tuple[str, ...]]:
    """Labels and words of the answer itself, which need not stand in any vocabulary."""
    labels: dict[str, None] = {}
    words: dict[str, None] = {}
    for field in case.fields:
        values = field.value if isinstance(field.value, list) else [field.value]
        for value in values:
            if field.type.name == "word" or field.type.of == "word":
                words |= {value: None} if isinstance(value, str) else {}
            elif isinstance(value, str) or (isinstance(value, Mapping) and label_of(value)):
                name = label_of(value)
                labels |= {name: None} if isinstance(name, str) else {}
    return {"label": tuple(labels), "word": tuple(words)}
