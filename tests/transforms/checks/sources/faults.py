"""What a reader with an error would give instead of what its files say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surgqa.ontology.records import InstrumentTable, VideoEvidence
from tests.transforms.checks.sources.made import Change

S = 1_000_000
OfTable = Callable[[InstrumentTable], InstrumentTable]
OfRow = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Fault:
    """A change of evidence, and the codes of which one must be found."""

    change: Change
    codes: frozenset[str]


def places(change: OfTable) -> Change:
    """The same change of instruments and of everything that has a place."""

    def changed(evidence: VideoEvidence) -> VideoEvidence:
        tools = evidence.instruments
        regions = {kind: change(table) for kind, table in evidence.regions.items()}
        return replace(evidence, instruments=change(tools) if tools else None, regions=regions)

    return changed


def _next(rows: tuple[Any, ...], change: OfRow) -> tuple[Any, ...]:
    """Every row changed by the one that follows, the last one by the first."""
    return tuple(change(one, other) for one, other in zip(rows, rows[1:] + rows[:1], strict=True))


def spans(change: OfRow) -> Change:
    return lambda one: replace(one, spans=_next(one.spans, change))


def labels(change: OfRow) -> Change:
    return lambda one: replace(one, labels=_next(one.labels, change))


def moments(change: OfRow) -> Change:
    return lambda one: replace(one, moments=_next(one.moments, change))


def late(table: InstrumentTable) -> InstrumentTable:
    """Every instant takes place when the next one does."""
    times = table.instants_us
    return replace(table, instants_us=np.append(times[1:], times[-1:] + S))


def halved(table: InstrumentTable) -> InstrumentTable:
    box = table.box_xyxy.copy()
    box[:, 2] = (box[:, 0] + box[:, 2]) / 2
    return replace(table, box_xyxy=box)


def label_of_the_next(table: InstrumentTable) -> InstrumentTable:
    return replace(table, label=np.roll(table.label, -1))


def one_lost(table: InstrumentTable) -> InstrumentTable:
    """The first thing of every instant is overlooked."""
    return _only(table, np.flatnonzero(np.diff(table.sample, prepend=-1) == 0))


def nothing_seen(table: InstrumentTable) -> InstrumentTable:
    """An absence where the file has something."""
    return _only(table, np.zeros(0, dtype=np.int64))


def _only(table: InstrumentTable, kept: np.ndarray) -> InstrumentTable:
    columns = ("sample", "label", "box_xyxy", "score", "pairs", "track", "row")
    some = {name: getattr(table, name)[kept] for name in columns}
    masks = tuple(table.masks[k] for k in kept) if table.masks else ()
    more = tuple(replace(one, values=one.values[kept]) for one in table.attributes)
    origin = table.box_origin
    origin = origin if isinstance(origin, str) else tuple(origin[k] for k in kept)
    return replace(table, **some, masks=masks, attributes=more, box_origin=origin)


def _later(one: Any, _: Any) -> Any:
    return replace(one, start_us=one.start_us + (one.end_us - one.start_us) // 2)


def _longer(one: Any, _: Any) -> Any:
    return replace(one, end_us=one.end_us + S)


def _labelled(one: Any, other: Any) -> Any:
    return replace(one, label=other.label if other.label != one.label else "another")


def _valued(one: Any, _: Any) -> Any:
    return one if one.value is None else replace(one, value=one.value + 1)


def _later_moment(one: Any, _: Any) -> Any:
    return replace(one, start_us=one.start_us + S, end_us=one.end_us + S)


def _done(one: Any, other: Any) -> Any:
    """Another tool, and the words of the next one."""
    return replace(one, tool="scissors" if one.tool != "scissors" else "hook", text=other.text)


def _half_as_wide(one: Any, _: Any) -> Any:
    if one.box_xyxy is None:
        return one
    x1, y1, x2, y2 = one.box_xyxy
    return replace(one, box_xyxy=(x1, y1, (x1 + x2) / 2, y2))


TIME, LABEL = "source_time_differs", "source_label_differs"
BOX, ABSENCE = "source_box_differs", "source_absence_differs"
FAULTS: Mapping[str, Fault] = {
    name: Fault(change, frozenset(codes))
    for name, change, codes in (
        ("time of the next", places(late), [TIME]),
        ("half a box", places(halved), [BOX]),
        ("label of the next", places(label_of_the_next), [LABEL, ABSENCE]),
        ("one overlooked", places(one_lost), [ABSENCE]),
        ("nothing seen", places(nothing_seen), [ABSENCE]),
        ("later span", spans(_later), [TIME]),
        ("longer span", spans(_longer), [TIME]),
        ("span of the next", spans(_labelled), [LABEL]),
        ("label of the next recording's", labels(_labelled), [LABEL]),
        ("a value more", labels(_valued), [LABEL]),
        ("later moment", moments(_later_moment), [TIME]),
        ("another moment", moments(_done), [LABEL]),
        ("half a moment's box", moments(_half_as_wide), [BOX]),
    )
}
