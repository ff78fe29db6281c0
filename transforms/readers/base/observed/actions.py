"""Actions of an observed video: what was told and seen to happen.

Words alone make no action: who announces may not do it, and who tells does not say how long it
takes.  They stay what is said, and cues.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ontology.concepts import vocabulary
from ontology.knowledge import admissible
from ontology.moments import Moment
from transforms.readers.base.observed.moments import Observed, Row, box_of, place


def told(seen: Observed) -> list[tuple[int, Row]]:
    """Number and row of each anchor that tells an action."""
    verbs = vocabulary("verbs")
    rows = enumerate(seen.tables.get("anchors", ()))
    return [(number, row) for number, row in rows if row["action"] in verbs]


def actions_of(seen: Observed) -> list[Moment]:
    """One action for each anchor that tells one which is seen.

    The first contact of a fitting tool and tissue around the words is the action.  Where tools of
    two kinds fit, what the words do not tell apart is unknown.
    """
    contacts = [(n, row) for n, row in enumerate(seen.tables.get("happenings", ()))
                if row["kind"] == "contact"
                and row["end_us"] - row["time_us"] >= seen.limits.contact_us]  # fmt: skip
    taken: set[int] = set()
    out: list[Moment] = []
    for number, anchor in told(seen):
        fitting = [(n, row) for n, row in contacts if n not in taken and _fits(anchor, row, seen)]
        if len({seen.tool(row["track"]) for _, row in fitting}) == 1:
            found = fitting[0][0]
            taken.add(found)
            out += _seen(number, anchor, found, seen)
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
    yield from seen.moment(
        "action", anchor["action"], (begins["time_us"], contact["end_us"]),
        begins["resolution_us"], at, verb=anchor["action"], tool=seen.tool(contact["track"]),
        target=seen.tissue(contact["other_track"]), box_xyxy=box_of(begins),
        group=str(contact["track"]), origin="speech and tracks",
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
