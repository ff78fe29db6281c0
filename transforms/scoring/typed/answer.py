"""Score a whole answer: decide which value in the text belongs to which field.

Each field of a response is read from the position that it has in the row's printed answer.
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
    """One token that a field is read from.

    Attributes:
        part, place: index of the field, and index of the token within the field.
        at: its position in the printed answer among tokens of its sort; None if it is not there.
    """

    sort: str
    part: int
    place: int
    at: int | None = None


def mark_answer(text: str, case: Case) -> Mark | None:
    """Return the mean mark of an answer's fields; None if the text states none of them.

    Args:
        text: a tidy text.
        case: the gold answer with its fields.
    """
    marks = marks_of(text, case)
    if all(one is None for one in marks):
        return None
    return mean_of([one or missing(field) for one, field in zip(marks, case.fields, strict=True)])


def marks_of(text: str, case: Case) -> list[Mark | None]:
    """Return the mark of each field of an answer; None for a field that the text lacks."""
    said, gold = stated(text, case), stated(tidy(case.printed), case)
    return [
        None if mine[0] is None
        else mark_records(field, text, case) if sorts_of(field) == ("records",)
        else measure(field, mine, right, case)
        for field, mine, right in zip(case.fields, said, gold, strict=True)
    ]  # fmt: skip


def mean_of(marks: Sequence[Mark]) -> Mark:
    """Return the mean of several marks; its accuracy is 1 only if every accuracy is 1."""
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
    """Return the mark of a field that the text does not state."""
    name = field.type.name
    if name == "box":
        return Mark(0.0, 0.0, 0.0)
    return Mark(0.0, accuracy=None if name in ("instant", "duration", "stretch", "point") else 0.0)


def stated(text: str, case: Case) -> list[list[Any]]:
    """Return the tokens of each field: one, or two for a stretch; None for a missing token."""
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
    """Return whether all gold values are counts, so that no percentage can be one of them."""
    return all(isinstance(case.fields[need.part].value, int) for need in needs)


def _needs(case: Case) -> list[_Need]:
    return [_Need(sort, part, place) for part, field in enumerate(case.fields)
            for place, sort in enumerate(sorts_of(field))]  # fmt: skip


def _read(sort: str, text: str, known: Mapping[str, tuple[str, ...]]) -> Sequence[Any]:
    """Return the tokens of a sort; for a set or sequence, all of them as a single token."""
    if sort == "records":
        return [text] if text else []
    name = sort.removeprefix(ALL)
    extra = known["word" if name == "word" else "label"]
    found = tracks(text, extra) if name == "track" else tokens(
        name, text, extra if name == "word" or name.startswith("label:") else ())  # fmt: skip
    return [found] if found and sort.startswith(ALL) else found


def _placed(needs: Sequence[_Need], there: Sequence[Any], case: Case) -> None:
    """Set the position at which the printed answer states each field."""
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
    """Return the token of each field, from the field's position in the printed answer.

    If the text states fewer or more tokens than the printed answer, they are assigned to the
    fields in the printed order, from the first token on.
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
    """Return the labels and words in the gold answer, which may be in no vocabulary."""
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
