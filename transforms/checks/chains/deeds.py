"""What instruments do, from the written tables: stated actions, and runs of triplets.

A run holds one (tool, verb, target) over neighbouring instants at which it is known what every
instrument does: from the first instant to one label period beyond the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ontology.knowledge import effect_of, effects
from transforms.checks.chains.base import Chain, Missing
from transforms.checks.evidence import Box, Event, Moment, VideoView
from transforms.checks.rules.base import Undecided

GAP_PERIODS = 1.5
"""Instants further apart than so many label periods are not neighbours."""

Act = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Deed:
    """One action of one instrument.

    Attributes:
        tool, verb, target: ids, ``""`` where not known or where there is none.
        start_us, end_us: half open.
        first: rows that begin it.
        rows: all its rows.
        boxes: of its first rows, as far as they have one.
    """

    tool: str
    verb: str
    target: str
    start_us: int
    end_us: int
    resolution_us: int
    first: frozenset[str]
    rows: frozenset[str]
    boxes: tuple[Box, ...]

    @property
    def act(self) -> Act:
        """Tool, verb and target."""
        return self.tool, self.verb, self.target

    @property
    def does(self) -> tuple[str, str]:
        """Verb and target."""
        return self.verb, self.target

    @property
    def stretch(self) -> tuple[int, int]:
        """Start and end."""
        return self.start_us, self.end_us


def deeds_of(video: VideoView) -> list[Deed]:
    """All deeds of a video by start and end; made once."""
    if "deeds" not in video.memory:
        found = [*_stated(video), *_runs(video)]
        video.memory["deeds"] = sorted(found, key=lambda d: (d.start_us, d.end_us, d.act))
    return video.memory["deeds"]


def moments_of(video: VideoView, kind: str) -> list[Moment]:
    """Moments of a kind, in the table's order."""
    return [one for one in video.moments if one.kind == kind]


def _stated(video: VideoView) -> Iterator[Deed]:
    for one in moments_of(video, "action"):
        rows = frozenset([one.id])
        yield Deed(one.tool, one.verb or one.label, one.target, one.start_us, one.end_us,
                   one.resolution_us, rows, rows, (one.box,) if one.box else ())  # fmt: skip


def _runs(video: VideoView) -> Iterator[Deed]:
    at: dict[int, dict[Act, list[Event]]] = {time: {} for time in video.instants}
    for event in video.events:
        if event.pairs is None:
            at.pop(event.time_us, None)
            continue
        if event.time_us not in at:
            continue
        for verb, target in event.pairs:
            if verb != "null_verb":
                act = event.label, verb, "" if target == "null_target" else target
                at[event.time_us].setdefault(act, []).append(event)
    going: dict[Act, list[list[Event]]] = {}
    before = None
    for time in sorted(at):
        near = before is not None and time - before <= GAP_PERIODS * video.period_us
        for act in sorted(set(going) - set(at[time]) if near else going):
            yield _run(act, going.pop(act), video)
        for act, rows in at[time].items():
            going.setdefault(act, []).append(rows)
        before = time
    for act in sorted(going):
        yield _run(act, going[act], video)


def _run(act: Act, rows: list[list[Event]], video: VideoView) -> Deed:
    first, last = rows[0], rows[-1]
    end = min(last[0].time_us + video.period_us, video.duration_us)
    return Deed(
        *act, first[0].time_us, end, video.period_us,
        frozenset(event.event_id for event in first),
        frozenset(event.event_id for here in rows for event in here),
        tuple(event.box for event in first if event.box),
    )  # fmt: skip


def deed_named(chain: Chain, act: Act, slot: str) -> Deed:
    """The deed that a slot names and a pointer leads to."""
    named = [d for d in deeds_of(chain.video) if d.act == act and d.rows & chain.pointed]
    found = [d for d in named if chain.event in d.first] or named
    if not found:
        raise Missing(f"no pointer leads to the deed of slot {slot!r}, {', '.join(act)}")
    if len(found) > 1:
        raise Undecided(f"slot {slot!r} fits {len(found)} deeds that are pointed to")
    return found[0]


def begun_by(chain: Chain, *deeds: Deed) -> None:
    """One of the deeds must begin with the row that the chain names as its event."""
    if not any(chain.event in deed.first for deed in deeds):
        raise Missing(f"row {chain.event!r} begins none of the deeds that are asked about")


def alike(one: Deed, other: Deed) -> bool:
    """The name of one would fit the other: what is not known fits all."""
    return all(not a or not b or a == b for a, b in zip(one.act, other.act, strict=True))


def others_alike(video: VideoView, *deeds: Deed) -> list[Deed]:
    """Other deeds that the name of one of these would fit."""
    return [
        other
        for other in deeds_of(video)
        if other not in deeds and any(alike(other, deed) for deed in deeds)
    ]


def effect_id(video: VideoView, deed: Deed) -> str | None:
    """Id of what a deed brings about: as annotated, else that of its verb."""
    for one in moments_of(video, "affordance"):
        same = (one.tool, one.target, one.start_us) == (deed.tool, deed.target, deed.start_us)
        if same and one.label in effects():
            return one.label
    found = effect_of(deed.verb, deed.target)
    return found.id if found else None


def phase_at(video: VideoView, first_us: int, last_us: int) -> str | None:
    """The one phase, or step where there are no phases, that holds all the way.

    Returns:
        ``""`` where the video has neither; None where none or several hold.
    """
    for kind in ("phase", "step"):
        spans = [span for span in video.spans if span.kind == kind]
        if spans:
            held = [s.label for s in spans if s.start_us <= first_us and last_us <= s.end_us]
            return held[0] if len(held) == 1 else None
    return ""
