"""Actions of an observed video that were both narrated and seen.

An anchor is a phrase of speech that names a phase, an action, a tool or a tissue. An anchor alone
gives no action: a speaker may announce an action and not do it, and does not say how long it takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.knowledge import admissible
from surgqa.ontology.moments import Moment
from surgqa.transforms.readers.observed.moments import Observed, Row, SpokenLimits, box_of, place


def narrated_anchors(seen: Observed) -> list[tuple[int, Row]]:
    """Return number and row of each anchor that names an action."""
    verbs = vocabulary("verbs")
    rows = enumerate(seen.tables.get("anchors", ()))
    return [(number, row) for number, row in rows if row["action"] in verbs]


def actions_of(seen: Observed) -> list[Moment]:
    """Return one action for each anchor whose action is also seen.

    The action is the first contact of a fitting tool and tissue around the words.  If tools of two
    kinds fit, the anchor gives no action, because it is unknown which tool is meant.
    """
    contacts = [(n, row) for n, row in enumerate(seen.tables.get("happenings", ()))
                if row["kind"] == "contact" and _dated(row, seen.limits)]  # fmt: skip
    taken: set[int] = set()
    out: list[Moment] = []
    for number, anchor in narrated_anchors(seen):
        fitting = [(n, row) for n, row in contacts if n not in taken and _fits(anchor, row, seen)]
        if len({seen.tool(row["track"]) for _, row in fitting}) == 1:
            found = fitting[0][0]
            taken.add(found)
            out += _seen(number, anchor, found, seen)
    return out


def _dated(contact: Row, limits: SpokenLimits) -> bool:
    """True if a contact is long enough, and its start is known precisely enough."""
    fine = contact["resolution_us"]
    lasts = contact["end_us"] - contact["time_us"]
    return fine is not None and fine <= limits.slack_us and lasts >= limits.contact_us


def _fits(anchor: Row, contact: Row, seen: Observed) -> bool:
    """True if a contact may be the action of an anchor: same tissue, and a tool that can do it."""
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
    """Yield the action, from the start to the end of the contact."""
    contact = seen.tables["happenings"][found]
    at = f"{place('anchors', number)}; {place('happenings', found)}"
    yield from seen.moment(
        "action", anchor["action"], (contact["time_us"], contact["end_us"]),
        contact["resolution_us"], at, verb=anchor["action"], tool=seen.tool(contact["track"]),
        target=seen.tissue(contact["other_track"]), box_xyxy=box_of(contact),
        group=str(contact["track"]), origin="speech and tracks",
    )  # fmt: skip
