"""Compares rows of evidence with what label files state at the places that the rows refer to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from surgqa.transforms.checks.sources.claims import Claim
from surgqa.transforms.checks.sources.spec import SourceReading

Row = Mapping[str, Any]
Problem = tuple[str, str]
"""(code, what the evidence states and what the file states)"""

Claims = Mapping[int, Sequence[Claim]]

BOOK = 10**9
"""File number n of a kind starts at place n times this number, so that places of files differ."""
CLOSE = 1e-6
"""Largest difference between equal boxes, as a share of the frame: files have rounded numbers."""


class Spot(NamedTuple):
    """What a pointer refers to: the first and last place in a file, and the thing there."""

    place: int
    to: int
    part: str | None


def spot_of(reading: SourceReading, pointer: str) -> Spot | None:
    """Return what a pointer's text refers to; None if the text does not match the pattern."""
    match = reading.pointer.fullmatch(pointer)
    if match is None:
        return None
    groups = match.groupdict()
    place = _place(groups, "") or 0
    return Spot(place, _place(groups, "to") or place, groups.get("part"))


def _place(groups: Mapping[str, str | None], end: str) -> int | None:
    """Return the number of a place, including the number of its file (see :data:`BOOK`)."""
    place = groups.get(end or "place")
    return None if place is None else int(place) + BOOK * int(groups.get(f"{end}book") or 0)


def instant_problems(
    row: Row, spot: Spot, claims: Claims, together: Iterable[Row]
) -> Iterator[Problem]:
    """Yield each difference between an instrument or region and its label file.

    Args:
        row: row of ``evidence/events`` or ``regions``. A row without a label states that nothing is
            in view.
        together: all rows of the same table, kind and time.
    """
    here = _of_kind(claims.get(spot.place, ()), row)
    if not here:
        yield "source_pointer_broken", "there is no such place in the file"
        return
    if row["time_us"] not in {one.start_us for one in here}:
        yield "source_time_differs", _differs(row["time_us"], [one.start_us for one in here])
    claimed = _things((one.label, one.box) for one in here)
    kept = _things((one["label"], _box(one)) for one in together)
    if claimed != kept:
        yield "source_absence_differs", _differs(kept, [claimed])
    if row["label"] is not None:
        yield from _thing_problems(row, spot, [one for one in here if one.label is not None])


def _thing_problems(row: Row, spot: Spot, here: Sequence[Claim]) -> Iterator[Problem]:
    mine = [one for one in here if one.part == spot.part]
    if not any(one.label == row["label"] for one in mine):
        yield "source_label_differs", _differs(row["label"], [one.label for one in mine])
        return
    if not any(_same_box(one.box, _box(row)) for one in mine):
        yield "source_box_differs", _differs(_box(row), [one.box for one in mine])
        return
    if row.get("pairs") is not None:
        kept = {(pair["verb"], pair["target"]) for pair in row["pairs"]}
        box = _box(row)
        boxed = [one for one in here if one.box is not None and _same_box(one.box, box)]
        mine = [one for one in here if one.part == spot.part] + boxed
        claimed = {(one.verb, one.target) for one in mine if one.label == row["label"]}
        if kept != claimed:
            yield "source_label_differs", _differs(sorted(kept), sorted(map(str, claimed)))


def span_problems(
    row: Row, spot: Spot, claims: Claims, order: Sequence[int], sides: bool
) -> Iterator[Problem]:
    """Yield each difference between a labelled interval and its label file.

    Args:
        order: all places of the file, ascending; empty if places are not ordered in time.
        sides: True if the places just before and after the interval must have other labels.
    """
    first, last = (_of_kind(claims.get(at, ()), row) for at in (spot.place, spot.to))
    if not first or not last:
        yield "source_pointer_broken", "there is no such place in the file"
        return
    ends = [[one for one in here if _says(one, row)] for here in (first, last)]
    if not all(ends):
        found = [_named(one) for one in (first, last)[bool(ends[0])]]
        yield "source_label_differs", _differs(_name(row), found)
        return
    for what, here in (("start_us", ends[0]), ("end_us", ends[1])):
        claimed = [getattr(one, what) for one in here]
        if not _near(row[what], claimed):
            yield "source_time_differs", _differs(row[what], claimed)
    if not any(_same_value(one.value, row["value"]) for one in ends[0]):
        yield "source_label_differs", _differs(row["value"], [one.value for one in ends[0]])
    yield from _run_problems(row, spot, claims, order, sides and spot.to > spot.place)


def _run_problems(
    row: Row, spot: Spot, claims: Claims, order: Sequence[int], sides: bool
) -> Iterator[Problem]:
    """Check that all places of an interval have its label, and the places around it have not."""
    begin, end = bisect_left(order, spot.place), bisect_right(order, spot.to)
    for at in order[begin:end]:
        if not any(_says(one, row) for one in claims[at]):
            yield "source_label_differs", f"at place {at} the file does not say {_name(row)}"
            return
    before = [one.end_us for one in (claims[order[begin - 1]] if begin else ()) if _says(one, row)]
    after = [one.start_us for one in (claims[order[end]] if end < len(order) else ())
             if _says(one, row)]  # fmt: skip
    if sides and _near(row["start_us"], before):
        yield "source_time_differs", "the file says the same just before"
    if sides and _near(row["end_us"], after):
        yield "source_time_differs", "the file says the same just after"


def whole_problems(row: Row, spot: Spot, claims: Claims) -> Iterator[Problem]:
    """Yield each difference between a label of a whole video and its label file."""
    here = _of_kind(claims.get(spot.place, ()), row)
    if not here:
        yield "source_pointer_broken", "there is no such place in the file"
        return
    mine = [one for one in here if _says(one, row) and _same_value(one.value, row["value"])]
    if not mine:
        kept = (row["label"], row["value"], row["rater"])
        yield "source_label_differs", _differs(kept, [(c.label, c.value, c.rater) for c in here])


def moment_problems(row: Row, spot: Spot, claims: Claims) -> Iterator[Problem]:
    """Yield each difference between a moment and its label file; a missing time is not compared."""
    here = [one for one in _of_kind(claims.get(spot.place, ()), row) if one.part == spot.part]
    if not here:
        yield "source_pointer_broken", "there is no such place in the file"
        return
    kept = tuple(row[name] or None for name in ("label", "tool", "verb", "target", "text"))
    mine = [one for one in here if _deed(one) == kept and _same_value(one.value, row["value"])]
    if not mine:
        yield "source_label_differs", _differs(kept, [_deed(one) for one in here])
        return
    for what in ("start_us", "end_us"):
        claimed = [getattr(one, what) for one in mine]
        if None not in claimed and not _near(row[what], claimed):
            yield "source_time_differs", _differs(row[what], claimed)
    if not any(_same_box(one.box, _box(row)) for one in mine):
        yield "source_box_differs", _differs(_box(row), [one.box for one in mine])


def _deed(one: Claim) -> tuple[str | None, ...]:
    return one.label, one.subject, one.verb, one.target, one.text


def claims_without_row(rows: Iterable[Row], claims: Claims) -> list[Claim]:
    """Return the claims of label files that no row of the evidence has at the same time.

    Args:
        rows: rows of ``evidence/events``, ``regions`` or ``segments``, all of one video.
    """
    known: dict[tuple[Any, Any], list[tuple[int, int]]] = {}
    for row in rows:
        start = row["time_us"] if "time_us" in row else row["start_us"]
        end = row.get("end_us", start + 1)
        known.setdefault((row.get("kind"), row["label"]), []).append((start, end))
    for spans in known.values():
        spans.sort()
    return [one for at in sorted(claims) for one in claims[at]
            if one.label is not None and one.start_us is not None
            and not _covered(known.get((one.kind, one.label), []), one.start_us)]  # fmt: skip


def _covered(spans: Sequence[tuple[int, int]], time_us: int) -> bool:
    before = bisect_right(spans, (time_us + 1, inf))
    return any(start <= time_us + 1 and time_us < end for start, end in reversed(spans[:before]))


def _near(time_us: int, claimed: Iterable[int | None]) -> bool:
    """Return whether a file states this time, up to the rounding of frame times."""
    return any(one is not None and abs(time_us - one) <= 1 for one in claimed)


def _of_kind(claims: Iterable[Claim], row: Row) -> list[Claim]:
    return [one for one in claims if one.kind == row.get("kind")]


def _says(claim: Claim, row: Row) -> bool:
    mine = (claim.kind, claim.label, claim.subject, claim.rater)
    return mine == (row["kind"], row["label"], row.get("subject"), row["rater"])


def _same_box(one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
    if one is None or other is None:
        return one is other
    return all(abs(a - b) <= CLOSE for a, b in zip(one, other, strict=True))


def _same_value(one: float | None, other: float | None) -> bool:
    return one == other or (one is not None and other is not None and abs(one - other) <= CLOSE)


def _box(row: Row) -> tuple[float, ...] | None:
    return None if row["x1"] is None else tuple(row[side] for side in ("x1", "y1", "x2", "y2"))


def _things(found: Iterable[tuple[str | None, Sequence[float] | None]]) -> list[str]:
    """Return the sorted labels of things; things with equal labels and boxes count once."""
    boxes, bare = set(), []
    for label, box in found:
        if label is not None and box is None:
            bare.append(label)
        elif label is not None and box is not None:
            boxes.add((label, *(round(side, 5) for side in box)))
    return sorted([*bare, *(str(one[0]) for one in boxes)])


def _name(row: Row) -> str:
    return " of ".join(filter(None, (row["label"], row.get("subject"))))


def _named(claim: Claim) -> str:
    return " of ".join(filter(None, (claim.label, claim.subject)))


def _differs(kept: object, claimed: Sequence[object]) -> str:
    shown = ", ".join(dict.fromkeys(map(str, claimed))) or "nothing"
    return f"the evidence says {kept}, the file says {shown}"
