"""Micro-transition localisation: an instrument passes from one deed to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from transforms.checks.chains.base import (
    Q1,
    SECOND_US,
    Chain,
    Key,
    Missing,
    Task,
    Truth,
    Value,
    meets,
)
from transforms.checks.chains.deeds import Deed, deeds_of, moments_of, phase_at
from transforms.checks.chains.names import Told, deeds_in
from transforms.checks.evidence import Box, VideoView
from transforms.checks.rules.base import Undecided

GAP_US = SECOND_US
"""Deeds further apart do not follow one directly upon the other, unless labels are coarser."""

Does = tuple[str, str]


class Change(NamedTuple):
    """A transition: rows that begin it, the instrument, (verb, target) on both sides.

    ``begun_us`` is where the deed before it begins.
    """

    first: frozenset[str]
    tool: str
    before: Does
    after: Does
    begun_us: int
    time_us: int
    resolution_us: int
    boxes: tuple[Box, ...]


def truth(chain: Chain) -> Truth:
    """The transition that the chain's event begins."""
    video, tool = chain.video, chain.text("tool")
    change = _change(chain, tool)
    phase = phase_at(video, change.begun_us, change.time_us + 1)
    if phase is None:
        chain.note("transition_gap", Q1, f"no one phase holds from {change.begun_us} to "
                   f"{change.time_us}")  # fmt: skip
    elif phase != chain.text("phase"):
        raise Undecided(f"phase {phase!r} at {change.time_us}, slot {chain.text('phase')!r}")
    others = [
        other.time_us
        for other in _changes(video)
        if (other.before, other.after) == (change.before, change.after)
        and tool == other.tool
        and other.time_us != change.time_us
    ]
    return Truth(
        what={"before": _named(change.before), "after": _named(change.after)},
        shown=(change.time_us, change.time_us),
        target=(change.time_us, change.time_us),
        time_us=change.time_us,
        resolution_us=change.resolution_us,
        resolutions=frozenset([change.resolution_us]),
        key=Key(*change.after, phase=chain.text("phase")),
        same=[(time, time) for time in others],
        also=others,
        twins=[(time, time) for time in others],
        boxes=list(change.boxes),
    )


def _named(does: Does) -> dict[str, str]:
    return {"verb": does[0], "target": does[1]}


def _change(chain: Chain, tool: str) -> Change:
    """The stated transition, or the deed and what comes before it."""
    for one in _stated(chain.video):
        if chain.event in one.first and one.tool == tool:
            return one
    mine = [deed for deed in deeds_of(chain.video) if deed.tool == tool]
    found = [deed for deed in mine if chain.event in deed.first]
    if not found:
        raise Missing(f"row {chain.event!r} begins nothing that the {tool} does")
    if len(found) > 1:
        raise Undecided(f"row {chain.event!r} begins {len(found)} deeds")
    earlier = [deed for deed in mine if deed.start_us < found[0].start_us]
    if not earlier:
        raise Undecided(f"the {tool} does nothing before {found[0].start_us}")
    before, after = earlier[-1], found[0]
    wrong = apart(before, after, mine)
    chain.note("transition_gap", Q1, f"{wrong}: {before.act}, {after.act}", bool(wrong))
    return _between(before, after)


def apart(before: Deed, after: Deed, mine: list[Deed]) -> str:
    """Why one deed does not follow directly upon the other; ``""`` where it does."""
    gap = after.start_us - before.end_us
    if not 0 <= gap <= max(GAP_US, before.resolution_us):
        return f"{gap} us between the two"
    if before.does == after.does:
        return "the same twice"
    both = before.start_us, after.end_us
    others = [deed for deed in mine if deed not in (before, after) and meets(deed.stretch, both)]
    return f"{len(others)} other deeds meanwhile" if others else ""


def _changes(video: VideoView) -> list[Change]:
    """All transitions of a video; made once."""
    if "changes" not in video.memory:
        video.memory["changes"] = [*_stated(video), *_followed(video)]
    return video.memory["changes"]


def _followed(video: VideoView) -> Iterator[Change]:
    """One deed directly upon the other."""
    by_tool: dict[str, list[Deed]] = {}
    for deed in deeds_of(video):
        if deed.tool:
            by_tool.setdefault(deed.tool, []).append(deed)
    for tool in sorted(by_tool):
        mine = by_tool[tool]
        for before, after in zip(mine, mine[1:], strict=False):
            if not apart(before, after, mine):
                yield _between(before, after)


def _between(before: Deed, after: Deed) -> Change:
    return Change(after.first, after.tool, before.does, after.does, before.start_us,
                  after.start_us, after.resolution_us, after.boxes)  # fmt: skip


def _stated(video: VideoView) -> Iterator[Change]:
    for one in moments_of(video, "transition"):
        sides = [tuple((*side.split(","), "")[:2]) for side in one.label.split(">")]
        if len(sides) == 2:
            before, after = ((side[0], side[1]) for side in sides)
            yield Change(frozenset([one.id]), one.tool, before, after, one.start_us, one.start_us,
                         one.resolution_us, (one.box,) if one.box else ())  # fmt: skip


def read(chain: Chain, truth: Truth, text: str) -> Value | None:
    """The two deeds that a text names, in its order."""
    named = deeds_in(text)
    if len(named) != 2:
        return None
    sides = zip(("before", "after"), named, strict=True)
    return {side: _chosen(found, truth.what[side]) for side, found in sides}


def _chosen(found: Told, likely: dict[str, str]) -> dict[str, str]:
    """The deed that words mean: the likely one if they fit it."""
    if found.means("", likely["verb"], likely["target"]):
        return likely
    return {"verb": min(found.verbs), "target": min(found.targets)}


def holds(chain: Chain, truth: Truth, value: Value) -> bool:
    """The instrument makes the transition at some time of the window."""
    if value == truth.what:
        return True
    start, end = chain.window(Q1)
    return any(
        (_named(one.before), _named(one.after)) == (value["before"], value["after"])
        for one in _changes(chain.video)
        if one.tool == chain.text("tool") and start <= one.time_us < end
    )


def told(_: Chain, truth: Truth, text: str) -> bool:
    """A context names both deeds in their order."""
    named = deeds_in(text)
    wanted = [truth.what[side] for side in ("before", "after")]
    return len(named) == len(wanted) and all(
        found.means("", side["verb"], side["target"])
        for found, side in zip(named, wanted, strict=True)
    )


TRANSITIONS = Task(truth, read, holds, told)
