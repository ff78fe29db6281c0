"""Causal action ordering: which of two deeds comes first, by the arithmetic of intervals."""

from __future__ import annotations

from ontology.knowledge import rule_between
from transforms.checks.chains.base import Q1, Chain, Key, Task, Truth, Value
from transforms.checks.chains.deeds import (
    Deed,
    begun_by,
    deed_named,
    deeds_of,
    moments_of,
    others_alike,
    phase_at,
)
from transforms.checks.chains.names import deeds_in
from transforms.checks.chains.segments import stage_target
from transforms.checks.evidence import Moment, VideoView
from transforms.checks.rules.base import Undecided

MILESTONES = ("clipped", "divided")
"""States of a tissue that mark the key step of an action on it."""


def truth(chain: Chain) -> Truth:
    """The relation of the two deeds, the first of them, and its key step."""
    video = chain.video
    one, other = (deed_named(chain, chain.act(name), name) for name in ("one", "other"))
    if one is other:
        raise Undecided("both slots name one deed")
    begun_by(chain, one, other)
    first, second = sorted((one, other), key=lambda deed: deed.start_us)
    _linked(chain, first, second)
    step = _milestone(video, first)
    near = [deed for deed in deeds_of(video) if deed not in (first, second)]
    same = [deed for deed in near if deed.act == first.act]
    known = {first.resolution_us, second.resolution_us}
    phase = phase_at(video, first.start_us, first.start_us + 1) or ""
    rule = rule_between(video.header["procedure"], first.does, second.does)
    return Truth(
        what={"relation": _relation(first, second, "one" if one is first else "other")},
        shown=(first.start_us, second.start_us),
        target=first.stretch,
        time_us=step.start_us if step else first.start_us,
        resolution_us=step.resolution_us if step else first.resolution_us,
        resolutions=frozenset(known | ({step.resolution_us} if step else set())),
        key=Key(first.verb, first.target, phase=phase),
        first_key=Key(target=first.target if first.target == second.target else "", phase=phase),
        rule=rule[0].reason if rule and rule[1] else "",
        same=[deed.stretch for deed in same],
        also=[deed.start_us for deed in same],
        twins=[deed.stretch for deed in others_alike(video, first, second)],
        boxes=([step.box] if step.box else []) if step else list(first.boxes),
        places=list(first.boxes),
    )  # fmt: skip


def _relation(first: Deed, second: Deed, name: str) -> str:
    other = "other" if name == "one" else "one"
    return f"{name}_before_{other}" if first.end_us <= second.start_us else f"{name}_starts_first"


def _linked(chain: Chain, first: Deed, second: Deed) -> None:
    """The two have something to do with one another, and an order that is known and sound."""
    gap = second.start_us - first.start_us
    coarsest = max(first.resolution_us, second.resolution_us)
    chain.note("order_tie", Q1, f"{gap} us apart, known to {coarsest} us", gap < 2 * coarsest)
    rule = rule_between(chain.video.header["procedure"], first.does, second.does)
    shared = first.target == second.target != "" or first.tool == second.tool != ""
    acts = f"{', '.join(first.act)}; {', '.join(second.act)}"
    chain.note("order_unlinked", Q1, acts, not shared and rule is None)
    broken = rule is not None and rule[0].force == "always" and not rule[1]
    if broken and not _explained(chain.video, second):
        chain.note("rule_broken", Q1, f"{rule[0].id}: {acts}" if rule else acts)


def _explained(video: VideoView, second: Deed) -> bool:
    """Something went wrong before the second deed began."""
    starts = [one.start_us for one in moments_of(video, "anomaly")]
    starts += [span.start_us for span in video.spans if span.kind == "event"]
    return any(start <= second.start_us for start in starts)


def _milestone(video: VideoView, first: Deed) -> Moment | None:
    """The first lasting change of the tissue in what Q2 asks for: the deed, or its opening."""
    if not first.target:
        return None
    start, end = stage_target(first.stretch, first.resolution_us)
    steps = [
        one
        for one in moments_of(video, "state")
        if one.label in MILESTONES and one.target == first.target and start <= one.start_us < end
    ]
    return min(steps, key=lambda one: one.start_us, default=None)


def read(chain: Chain, _: Truth, text: str) -> Value | None:
    """The relation that a text states; None where it names neither deed, or no order."""
    slots = {name: chain.act(name) for name in ("one", "other")}
    told = [name for found in deeds_in(text) for name in slots if found.means(*slots[name])]
    if not told:
        return None
    words = text.casefold()
    if "overlap" in words or "at the same time" in words:
        return {"relation": f"{told[0]}_starts_first"}
    if len(set(told)) < 2:
        return None
    first, second = told[0], next(name for name in told if name != told[0])
    if " after " in words:
        first, second = second, first
    elif not any(word in words for word in (" before ", " then ", " followed by ")):
        return None
    return {"relation": f"{first}_before_{second}"}


def holds(_: Chain, truth: Truth, value: Value) -> bool:
    """Only one of the four relations is true."""
    return value == truth.what


def told(chain: Chain, truth: Truth, text: str) -> bool:
    """A context states the relation."""
    return read(chain, truth, text) == truth.what


ORDER = Task(truth, read, holds, told)
