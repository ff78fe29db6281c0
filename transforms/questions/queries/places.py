"""Where in the picture a region lies."""

from __future__ import annotations

import numpy as np

from ontology.records import Window
from transforms.questions.queries.common import asked_kind, channel_kind
from transforms.questions.queries.found import Choice, Found, Named, Search, note_of
from transforms.timeline.facts import Channel

THIRDS = (("left", "centre", "right"), ("upper", "middle", "lower"))
EDGE = 0.02
"""Distance from a third's border below which a place is not asserted, in parts of the frame."""

Box = tuple[float, float, float, float]


def place_now(search: Search, channel: Channel, window: Window) -> Found | str:
    """In which ninth of the picture the only region of the kind lies."""
    time_us = window.end_us
    if channel.instants_us is None:
        return "labelled by spans, which have no place in the picture"
    boxes = boxes_at(search, channel, time_us)
    if len(boxes) != 1 or boxes[0] is None:
        return "not exactly one region with a box"
    x1, y1, x2, y2 = boxes[0]
    place = place_of((x1 + x2) / 2, (y1 + y2) / 2)
    if place is None:
        return "the region lies on a border between two parts of the picture"
    fact = channel.meeting(time_us, time_us)[0]
    named = Named(channel_kind(channel), fact.label)
    others = search.key.extended(time_us).ordered(one for one in PLACES if one != place)
    return Found(
        window=window,
        query_us=time_us,
        fields={"label": named, "place": place},
        slots={"about": asked_kind(channel), "label": fact.label},
        value={"kind": named.kind, "label": fact.label, "region": place},
        pointers=tuple(p for p in fact.pointers(time_us) if p.start_us == time_us),
        note=note_of(named.kind, named.term.display, fact),
        names=((place, place.replace("centre", "center")),),
        right=place,
        wrong=tuple(Choice(text, "other_place") for text in others[:3]),
    )


def boxes_at(search: Search, channel: Channel, time_us: int) -> list[Box | None]:
    """Boxes of all regions of the kind at an instant, None for one without."""
    table = search.book.regions.get(channel_kind(channel))
    if table is None:
        return []
    sample = int(np.searchsorted(table.instants_us, time_us))
    if sample == len(table.instants_us) or table.instants_us[sample] != time_us:
        return []
    rows = table.box_xyxy[table.sample == sample].tolist()
    return [tuple(row) if row[0] == row[0] else None for row in rows]


PLACES = tuple(f"{down} {across}" for down in THIRDS[1] for across in THIRDS[0])


def place_of(x: float, y: float) -> str | None:
    """The ninth of the picture that a point lies in; None on a border."""
    if any(abs(v - edge) < EDGE for v in (x, y) for edge in (1 / 3, 2 / 3)):
        return None
    across, down = (min(int(v * 3), 2) for v in (x, y))
    return f"{THIRDS[1][down]} {THIRDS[0][across]}"
