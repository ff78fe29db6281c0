"""Actions of an observed video: what was told, made exact by the contact that it tells of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ontology.concepts import vocabulary
from ontology.knowledge import admissible
from ontology.moments import Moment
from transforms.readers.base.observed.moments import Observed, Row, box_of, named, place

DOUBTS = ("weak_speech", "tool_not_seen")
"""Flags of anchors whose words alone are no evidence."""


def actions_of(seen: Observed) -> list[Moment]:
    """One action for each anchor that tells one.

    The first contact of a fitting tool and tissue around the words is the action; else it is
    known from speech alone, and coarsely: one that is announced begins after the words.
    """
    contacts = [(n, row) for n, row in enumerate(seen.tables.get("happenings", ()))
                if row["kind"] == "contact"
                and row["end_us"] - row["time_us"] >= seen.limits.contact_us]  # fmt: skip
    taken: set[int] = set()
    out: list[Moment] = []
    for number, anchor in enumerate(seen.tables.get("anchors", ())):
        if anchor["action"] not in vocabulary("verbs"):
            continue
        fitting = (n for n, row in contacts if n not in taken and _fits(anchor, row, seen))
        found = next(fitting, None)
        if found is not None:
            taken.add(found)
            out += _seen(number, anchor, found, seen)
        elif not set(DOUBTS) & set(anchor["flags"] or ()):
            out += _told(number, anchor, seen)
    return out


def _fits(anchor: Row, contact: Row, seen: Observed) -> bool:
    """Whether a contact may be what an anchor tells: same tissue, a tool that does this."""
    limits, start = seen.limits, contact["time_us"]
    early = 0 if anchor["intent"] else limits.before_us
    if not anchor["start_us"] - early <= start <= anchor["end_us"] + limits.after_us:
        return False
    tool, tissue = seen.tool(contact["track"]), seen.tissue(contact["other_track"])
    if not tool or not tissue or tissue != anchor["tissue"]:
        return False
    if anchor["tool"]:
        return bool(anchor["tool"] == tool)
    return admissible(tool, anchor["action"], tissue) is True


def _seen(number: int, anchor: Row, found: int, seen: Observed) -> Iterator[Moment]:
    """From the first sign of the contact to its end."""
    rows = seen.tables["happenings"]
    contact = rows[found]
    onset = _onset(contact, rows, seen)
    at = f"{place('anchors', number)}; {place('happenings', found)}"
    begins = contact
    if onset is not None:
        at, begins = f"{at}; {place('happenings', onset)}", rows[onset]
    yield from _action(
        seen, anchor, (begins["time_us"], contact["end_us"]), begins["resolution_us"], at,
        tool=seen.tool(contact["track"]), target=seen.tissue(contact["other_track"]),
        box_xyxy=box_of(begins), group=str(contact["track"]), origin="speech and tracks",
    )  # fmt: skip


def _onset(contact: Row, rows: Sequence[Row], seen: Observed) -> int | None:
    """The last candidate of an onset of the same two, at the contact's start or just before."""
    start = contact["time_us"]
    found = [
        (row["time_us"], n)
        for n, row in enumerate(rows)
        if row["kind"] == "onset" and row["track"] == contact["track"]
        and row["other_track"] == contact["other_track"]
        and start - seen.limits.onset_us <= row["time_us"] <= start
    ]  # fmt: skip
    return max(found)[1] if found else None


def _told(number: int, anchor: Row, seen: Observed) -> Iterator[Moment]:
    """An action that only words tell of."""
    spoken = seen.limits.spoken_us
    span = anchor["start_us"], max(anchor["end_us"], anchor["start_us"] + 1)
    if anchor["intent"]:
        span = anchor["end_us"], anchor["end_us"] + spoken
    yield from _action(seen, anchor, span, spoken, place("anchors", number), "anchors",
                       origin="speech", **named(anchor))  # fmt: skip


def _action(
    seen: Observed, anchor: Row, span: tuple[int, int], resolution_us: int, pointer: str,
    table: str = "happenings", **more: Any,
) -> Iterator[Moment]:  # fmt: skip
    verb = anchor["action"]
    yield from seen.moment("action", verb, span, resolution_us, pointer, table, verb=verb, **more)
