"""Score sets and sequences of records; each record is a line with labels, times and boxes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from transforms.scoring.case import Case, Field, Mark, printed_box
from transforms.scoring.measures import iou, rouge_l, score, set_f1
from transforms.scoring.parse import read_boxes, read_pair, read_times, says_none
from transforms.scoring.text import tidy
from transforms.scoring.typed.parts import bounds_of, label_of
from transforms.scoring.typed.tokens import NULLS, tracks

_CUT = re.compile(r"\n|;|[-=]+>|\bthen\b", re.IGNORECASE)
_LABELS = ("track", "subject", "verb", "target", "label")


@dataclass(frozen=True, slots=True)
class Line:
    """The values that one line of an answer states."""

    labels: tuple[str, ...]
    times_s: tuple[float, ...]
    boxes: tuple[Any, ...]


def mark_records(field: Field, text: str, case: Case) -> Mark | None:
    """Return the mean of three scores: of labels, of times and of boxes, if the records have them.

    Labels are scored by ROUGE-L (sequence) or F1 (set); times and boxes only in matched lines.
    Return None if no line of the text states any value.
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
        return Mark(float(not mine), accuracy=float(not mine))
    overlaps = _boxes(pairs, mine, right) if any(one.boxes for one in right) else None
    return Mark(sum(parts) / len(parts), overlaps, None, float(all(one == 1 for one in parts)))


def _lines(text: str, values: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Return the lines of a text that state any value; an empty list if the text says "none"."""
    pieces = [piece for piece in _CUT.split(tidy(text)) if piece.strip()]
    lines = [_stated(piece, values[0] if values else {}) for piece in pieces]
    kept = [one for one in lines if one.labels or one.times_s or one.boxes]
    return [] if len(kept) == 1 and not kept[0].times_s and says_none(text) else kept


def _stated(piece: str, like: Mapping[str, Any]) -> Line:
    found: list[str] = []
    if "track" in like or "subject" in like:
        found += [name for name, _ in tracks(piece)][:1]
    pair = read_pair(piece) if "verb" in like else None
    found += list(pair or ())
    return Line(tuple(found), tuple(read_times(piece)), tuple(read_boxes(piece)))


def _line(value: Mapping[str, Any], case: Case) -> Line:
    labels = [label_of(value[name]) for name in _LABELS if name in value]
    if "verb" in value:
        labels = [one if one is not None else "null_target" for one in labels]
    times = [case.seconds(_at(value[name])) for name in ("start", "end") if name in value]
    boxes = [printed_box(value[name]) for name in ("start_box", "end_box") if value.get(name)]
    if value.get("verb") in NULLS:
        labels[labels.index("null_target")] = "null_verb"
    return Line(tuple(one for one in labels if one), tuple(times), tuple(boxes))


def _at(value: Any) -> int:
    return int(value["time_us"] if isinstance(value, Mapping) else value)


def _label_score(field: Field, mine: Sequence[Line], right: Sequence[Line]) -> float:
    if field.type.name == "set":
        return set_f1(_numbered(mine), _numbered(right))
    return rouge_l([one for line in mine for one in line.labels],
                   [one for line in right for one in line.labels])  # fmt: skip


def _numbered(lines: Sequence[Line]) -> list[str]:
    """Return lines as members of a set; a number distinguishes lines with the same labels."""
    seen: Counter[tuple[str, ...]] = Counter()
    out = []
    for one in lines:
        out.append(f"{' '.join(one.labels)}#{seen[one.labels]}")
        seen[one.labels] += 1
    return out


def _pairs(
    mine: Sequence[Line], right: Sequence[Line], values: Sequence[Any], by_label: bool
) -> list[tuple[int, int]]:
    """Return matched (line, record) indices: matched by order, or by their labels."""
    if not by_label:
        return list(zip(range(len(mine)), range(len(right)), strict=False))
    names, wanted = _numbered(mine), _numbered(right)
    place = {name: k for k, name in enumerate(names)}
    return [(place[name], k) for k, name in enumerate(wanted) if name in place]


def _times(
    pairs: Sequence[tuple[int, int]], values: Sequence[Mapping[str, Any]],
    mine: Sequence[Line], case: Case,
) -> float:  # fmt: skip
    """Return the mean over all records of 1 - error / length of the window."""
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


def _boxes(pairs: Sequence[tuple[int, int]], mine: Sequence[Line], right: Sequence[Line]) -> float:
    """Return the mean over all records of the IoU of their boxes."""
    total = 0.0
    for line, index in pairs:
        both = zip(mine[line].boxes, right[index].boxes, strict=False)
        total += sum(iou(a, b) for a, b in both) / max(len(right[index].boxes), 1)
    return total / max(len(right), len(mine))
