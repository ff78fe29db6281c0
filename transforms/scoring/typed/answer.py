"""Score an answer with one or more fields: find out which value in a text belongs to which field.

A field is read from the position that it has in the correct answer as printed. A *record* is a
member of a set or sequence that has several values; in a text, it is one line with labels, times
and boxes. A *token* is one value that a text states.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.transforms.scoring.case import Field, GoldCase, PredictionScore, printed_box
from surgqa.transforms.scoring.measures import iou, rouge_l, score, set_f1
from surgqa.transforms.scoring.parse import read_boxes, read_pair, read_times, says_none
from surgqa.transforms.scoring.reporting import mean
from surgqa.transforms.scoring.text import tidy
from surgqa.transforms.scoring.typed.parts import bounds_of, fits, label_of, measure, sorts_of
from surgqa.transforms.scoring.typed.tokens import NULLS, tokens, tracks

_CUT = re.compile(r"\n|;|[-=]+>|\bthen\b", re.IGNORECASE)
_LABELS = ("track", "subject", "verb", "target", "label")


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """The values that one line of a text states."""

    labels: tuple[str, ...]
    times_s: tuple[float, ...]
    boxes: tuple[Any, ...]


def mark_records(field: Field, text: str, case: GoldCase) -> PredictionScore | None:
    """Return the mean of the scores of labels, times and boxes, as far as the records have them.

    Labels are scored by ROUGE-L (sequence) or F1 (set), times and boxes only in lines that match a
    record. Return None if no line states a value.
    """
    values: Sequence[Mapping[str, Any]] = field.value or ()
    mine = _lines(text, values)
    if not mine and not says_none(text):
        return None
    right = [_line(one, case) for one in values]
    pairs = _pairs(mine, right, values, field.type.name == "set")
    parts = [_label_score(field, mine, right)] if any(one.labels for one in right) else []
    if any(one.times_s for one in right):
        parts.append(_times(pairs, values, mine, case))
    if any(one.boxes for one in right):
        parts.append(_boxes(pairs, mine, right))
    if not values:
        return PredictionScore(float(not mine), accuracy=float(not mine))
    overlaps = _boxes(pairs, mine, right) if any(one.boxes for one in right) else None
    return PredictionScore(
        sum(parts) / len(parts), overlaps, None, float(all(one == 1 for one in parts))
    )


def _lines(text: str, values: Sequence[Mapping[str, Any]]) -> list[AnswerLine]:
    """Return the lines of a text that state a value; [] if the text states "none"."""
    pieces = [piece for piece in _CUT.split(tidy(text)) if piece.strip()]
    lines = [_stated(piece, values[0] if values else {}) for piece in pieces]
    kept = [one for one in lines if one.labels or one.times_s or one.boxes]
    return [] if len(kept) == 1 and not kept[0].times_s and says_none(text) else kept


def _stated(piece: str, like: Mapping[str, Any]) -> AnswerLine:
    found: list[str] = []
    if "track" in like or "subject" in like:
        found += [name for name, _ in tracks(piece)][:1]
    pair = read_pair(piece) if "verb" in like else None
    found += list(pair or ())
    return AnswerLine(tuple(found), tuple(read_times(piece)), tuple(read_boxes(piece)))


def _line(value: Mapping[str, Any], case: GoldCase) -> AnswerLine:
    labels = [label_of(value[name]) for name in _LABELS if name in value]
    if "verb" in value:
        labels = [one if one is not None else "null_target" for one in labels]
    times = [case.seconds(_at(value[name])) for name in ("start", "end") if name in value]
    boxes = [printed_box(value[name]) for name in ("start_box", "end_box") if value.get(name)]
    if value.get("verb") in NULLS:
        labels[labels.index("null_target")] = "null_verb"
    return AnswerLine(tuple(one for one in labels if one), tuple(times), tuple(boxes))


def _at(value: Any) -> int:
    return int(value["time_us"] if isinstance(value, Mapping) else value)


def _label_score(field: Field, mine: Sequence[AnswerLine], right: Sequence[AnswerLine]) -> float:
    if field.type.name == "set":
        return set_f1(_numbered(mine), _numbered(right))
    return rouge_l([one for line in mine for one in line.labels],
                   [one for line in right for one in line.labels])  # fmt: skip


def _numbered(lines: Sequence[AnswerLine]) -> list[str]:
    """Return a text for each line; a number distinguishes lines with the same labels."""
    seen: Counter[tuple[str, ...]] = Counter()
    out = []
    for one in lines:
        out.append(f"{' '.join(one.labels)}#{seen[one.labels]}")
        seen[one.labels] += 1
    return out


def _pairs(
    mine: Sequence[AnswerLine], right: Sequence[AnswerLine], values: Sequence[Any], by_label: bool
) -> list[tuple[int, int]]:
    """Return (line, record) indices that belong together, by their order or by their labels."""
    if not by_label:
        return list(zip(range(len(mine)), range(len(right)), strict=False))
    names, wanted = _numbered(mine), _numbered(right)
    place = {name: k for k, name in enumerate(names)}
    return [(place[name], k) for k, name in enumerate(wanted) if name in place]


def _times(
    pairs: Sequence[tuple[int, int]], values: Sequence[Mapping[str, Any]],
    mine: Sequence[AnswerLine], case: GoldCase,
) -> float:  # fmt: skip
    """Return the mean of 1 - (error in time) / (length of the window) over all records."""
    total = 0.0
    for line, index in pairs:
        names = [name for name in ("start", "end") if name in values[index]]
        for k, name in enumerate(names[: len(mine[line].times_s)]):
            bounds = bounds_of(values[index][name], 1_000_000, case.zero_us)
            shown = case.seconds(_at(values[index][name]))
            said = mine[line].times_s[k]
            error = 0.0 if said == shown else bounds.error(said)
            total += score(error / case.duration_s) / len(names) if case.duration_s > 0 else 0.0
    return total / max(len(values), len(mine))


def _boxes(
    pairs: Sequence[tuple[int, int]], mine: Sequence[AnswerLine], right: Sequence[AnswerLine]
) -> float:
    """Return the mean IoU of the boxes over all records."""
    total = 0.0
    for line, index in pairs:
        both = zip(mine[line].boxes, right[index].boxes, strict=False)
        total += sum(iou(a, b) for a, b in both) / max(len(right[index].boxes), 1)
    return total / max(len(right), len(mine))


ALL = "all "


@dataclass(slots=True)
class _Need:
    """One value in a text (*token*) that a field of the answer needs.

    Attributes:
        part, place: index of the field, and index of the token within the field.
        at: the token's index among tokens of its sort in the printed answer; None if it is not
            there.
    """

    sort: str
    part: int
    place: int
    at: int | None = None


def mark_answer(text: str, case: GoldCase) -> PredictionScore | None:
    """Return the mean scores of an answer's fields; None if a text states none of them.

    Args:
        text: a tidy text.
        case: the gold answer with its fields.
    """
    marks = marks_of(text, case)
    if all(one is None for one in marks):
        return None
    return mean_of([one or missing(field) for one, field in zip(marks, case.fields, strict=True)])


def marks_of(text: str, case: GoldCase) -> list[PredictionScore | None]:
    """Return the scores of each field of an answer; None for a field that the text lacks."""
    said, gold = stated(text, case), stated(tidy(case.printed), case)
    return [
        None if mine[0] is None
        else mark_records(field, text, case) if sorts_of(field) == ("records",)
        else measure(field, mine, right, case)
        for field, mine, right in zip(case.fields, said, gold, strict=True)
    ]  # fmt: skip


def mean_of(marks: Sequence[PredictionScore]) -> PredictionScore:
    """Return the means of the scores of fields; the accuracy is 1 only if every accuracy is 1."""
    exact = [one.accuracy for one in marks if one.accuracy is not None]
    return PredictionScore(
        sum(one.score for one in marks) / len(marks),
        mean(one.iou for one in marks),
        mean(one.hit for one in marks),
        float(all(value == 1 for value in exact)) if exact else None,
    )


def missing(field: Field) -> PredictionScore:
    """Return the scores of a field that the text does not state."""
    name = field.type.name
    if name == "box":
        return PredictionScore(0.0, 0.0, 0.0)
    return PredictionScore(
        0.0, accuracy=None if name in ("instant", "duration", "stretch", "point") else 0.0
    )


def stated(text: str, case: GoldCase) -> list[list[Any]]:
    """Return the values of each field in a text: one, or two for an interval; None if missing."""
    printed = tidy(case.printed)
    needs = [_Need(sort, part, place) for part, field in enumerate(case.fields)
             for place, sort in enumerate(sorts_of(field))]  # fmt: skip
    known = _known(case)
    out: list[list[Any]] = [[None] * len(sorts_of(field)) for field in case.fields]
    for sort in dict.fromkeys(need.sort for need in needs):
        mine = [need for need in needs if need.sort == sort]
        found, there = _read(sort, text, known), _read(sort, printed, known)
        if sort == "number" and not any(one.percent for one in there):
            # A percentage is never a count, so percentages are not read if all values are counts.
            counts = all(isinstance(case.fields[need.part].value, int) for need in mine)
            found = [one for one in found if not (one.percent and counts)]
        _placed(mine, there, case)
        for need, token in zip(mine, _taken(mine, found, there), strict=True):
            out[need.part][need.place] = token
    return out


def _read(sort: str, text: str, known: Mapping[str, tuple[str, ...]]) -> Sequence[Any]:
    """Return the values of a sort, such as "time", in a text; a set counts as one value."""
    if sort == "records":
        return [text] if text else []
    name = sort.removeprefix(ALL)
    extra = known["word" if name == "word" else "label"]
    found = tracks(text, extra) if name == "track" else tokens(
        name, text, extra if name == "word" or name.startswith("label:") else ())  # fmt: skip
    return [found] if found and sort.startswith(ALL) else found


def _placed(needs: Sequence[_Need], there: Sequence[Any], case: GoldCase) -> None:
    """Find the position at which the printed answer states each field."""
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
    """Return the value of each field in a text, by the field's position in the printed answer.

    If the text has fewer or more values than the printed answer, they are assigned in order.
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


def _known(case: GoldCase) -> Mapping[str, tuple[str, ...]]:
    """Return the labels and words of the gold answer, some of which may be in no vocabulary."""
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
