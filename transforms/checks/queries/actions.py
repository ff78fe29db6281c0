"""What the surgeon does next, after the picture: SAP-Bench's questions from action clips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ontology.concepts import vocabulary
from transforms.checks.queries.base import SECOND_US, Query, Value
from transforms.checks.queries.clips import (
    DERIVED,
    IMPORTED,
    KIND,
    ORDER,
    ActionClip,
    Limits,
    derived_clips,
    imported_clips,
    source_of,
)
from transforms.checks.queries.units import (
    NotThePicture,
    Problem,
    choice_problems,
    compare_measured,
    compare_slots,
    unit,
)
from transforms.checks.rules.base import BadSlot, Undecided

RULE_VERSION = 1
SHOWN_BEFORE = 6
"""Frames spread over the clip that ends, the current one the last."""
THEN = ", then "
"""Stands between the actions of a plan."""
PLANS = 4


class Asked(NamedTuple):
    """The clip that is asked for.

    Attributes:
        clips: all of the video.
        number: its place among them.
        ahead: it and what follows it: imported clips over holes, derived ones up to a hole.
        how: what the derivation says beside the frames.
    """

    clips: list[ActionClip]
    number: int
    ahead: list[ActionClip]
    how: dict[str, Any]

    @property
    def before(self) -> ActionClip:
        """The clip that ends with, or before, the picture."""
        return self.clips[self.number - 1]

    @property
    def clip(self) -> ActionClip:
        """The clip itself."""
        return self.clips[self.number]

    @property
    def frame(self) -> int:
        """The picture's."""
        return self.clip.first - 1

    @property
    def following(self) -> str | None:
        """The action after the asked one."""
        return self.ahead[1].action if len(self.ahead) > 1 else None


def clips_of(query: Query) -> tuple[list[ActionClip], dict[str, Any]]:
    """Clips of the video, and how the derivation tells that they were made."""
    source = source_of(query.video)
    if source == IMPORTED:
        return imported_clips(query.video), {"source": source}
    limits = limits_of(query)
    return derived_clips(query.video, limits), {"source": source, **limits._asdict()}


def limits_of(query: Query) -> Limits:
    """The settings that the derivation names."""
    told = query.value.get("derivation")
    if not isinstance(told, dict):
        raise BadSlot("the answer value has no 'derivation'")
    found: dict[str, Any] = {name: told.get(name) for name in Limits._fields}
    for name, one in found.items():
        whole = name in ("shortest", "reach")
        number = isinstance(one, int if whole else int | float) and not isinstance(one, bool)
        if not number or not (one >= 1 if whole else 0 <= one <= 1):
            raise BadSlot(f"derivation has no possible {name!r}: {one!r}")
    return Limits(**found)


def asked_of(query: Query) -> Asked:
    """The clip that begins on the second after the question; it must follow another."""
    clips, how = clips_of(query)
    if len(clips) < 2:
        raise Undecided(f"{len(clips)} action clips in the video")
    for k in range(1, len(clips)):
        if (clips[k].first - 1) * SECOND_US == query.query_us:
            if how["source"] == DERIVED and not joined(clips[k - 1], clips[k]):
                raise NotThePicture(f"nothing is known directly before the clip {clips[k][:3]}")
            return Asked(clips, k, _ahead(clips, k, how["source"]), how)
    raise NotThePicture(f"no action begins on the second after {query.query_us}")


def joined(before: ActionClip, after: ActionClip) -> bool:
    """One begins on the frame after the other's last."""
    return before.last + 1 == after.first


def _ahead(clips: Sequence[ActionClip], first: int, source: str) -> list[ActionClip]:
    out = [clips[first]]
    for clip in clips[first + 1 :]:
        if source == DERIVED and not joined(out[-1], clip):
            break
        out.append(clip)
    return out


def slots_of(asked: Asked) -> dict[str, Any]:
    """What the slots of all three questions say."""
    before, clip, frame = asked.before, asked.clip, asked.frame
    spread = SHOWN_BEFORE - 1
    return {
        "current_s": frame,
        "clip_start_s": before.first,
        "clip_end_s": before.last,
        "next_clip_start_s": clip.first,
        "next_clip_end_s": clip.last,
        "previous": before.action,
        "next": clip.action,
        "after_next": asked.following,
        "phase": before.phase,
        "context_start_s": asked.clips[0].first,
        "context_end_s": asked.clips[-1].last,
        "clip_number": asked.number,
        "clips": len(asked.clips),
        "until_action_s": 1,
        "hole_s": frame - before.last,
        "purity": clip.purity,
        "centrality": clip.centrality,
        "history": [one.action for one in asked.clips[: asked.number]],
        "near_frames": [before.first + k * (frame - before.first) // spread
                        for k in range(SHOWN_BEFORE)],
    }  # fmt: skip


def compare(query: Query, asked: Asked, used: int) -> None:
    """Note slots and measured values that differ.

    Args:
        used: clips, from the asked one on, that the answer rests on.
    """
    if query.kind != KIND:
        query.note("slot_differs", f"about {query.kind}, not {KIND}")
    compare_slots(query, slots_of(asked))
    behind = asked.clips[asked.number - 1 : asked.number + used]
    ends = max(clip.end_us for clip in behind)
    compare_measured(query, {
        "look_ahead_s": (ends - query.query_us) / SECOND_US,
        "purity": asked.clip.purity,
        "centrality": asked.clip.centrality,
    })  # fmt: skip


def derivation(asked: Asked, rule: str) -> dict[str, Any]:
    """How the answer tells that it was found."""
    return {
        "rule": rule,
        "rule_version": RULE_VERSION,
        "current_frame": asked.frame,
        "next_clip": [asked.clip.first, asked.clip.last],
        **asked.how,
    }


def elapsed(asked: Asked) -> float:
    """Share of the clips' frames up to the picture, six decimals, halves up."""
    shown = total = 0
    for k, clip in enumerate(asked.clips):
        frames = clip.last - clip.first + 1
        total += frames
        shown += frames if k < asked.number else 0
    millionths = (2 * shown * 10**6 + total) // (2 * total)
    return millionths / 10**6


def named(option: Mapping[str, Any]) -> str:
    """The text of an option."""
    return option["text"]


def display(action: str) -> str:
    """Display name of an action."""
    return vocabulary(f"{KIND}s")[action].display


def read_action(text: str) -> str | None:
    """The action of that display name."""
    return next((action for action in ORDER if display(action) == text), None)


def five(query: Query, truth: Value) -> Iterator[Problem]:
    """The options are the names of all actions in their fixed order."""
    texts = [named(option) for option in query.row["options"] or ()]
    wanted = [display(action) for action in ORDER]
    if texts != wanted:
        yield "options_malformed", f"{texts}, not {wanted}"
        return
    yield from choice_problems(query.row, len(ORDER), truth["action"], read_action)


@unit("next_action", "future", five)
def next_action(query: Query) -> Value:
    """The action of the clip that begins on the next second."""
    asked = asked_of(query)
    compare(query, asked, min(2, len(asked.ahead)))
    action = asked.clip.action
    return {
        "kind": KIND,
        "action": action,
        "index": ORDER.index(action),
        "following": asked.following,
        "previous": asked.before.action,
        "elapsed": elapsed(asked),
        "derivation": derivation(asked, "action_after_frame"),
    }


@unit("next_action_history", "future", five)
def next_action_history(query: Query) -> Value:
    """The same; what is told are the last actions before it."""
    truth = next_action(query)
    asked = asked_of(query)
    told = query.slots.get("told")
    if not isinstance(told, list) or not told:
        raise BadSlot("slot 'told' lists no action")
    history = [clip.action for clip in asked.clips[: asked.number]]
    wrong = told != history[-len(told) :]
    query.note("slot_differs", f"told: {told}, the last actions are {history[-5:]}", wrong)
    return truth


def read_plan(text: str) -> tuple[str, ...] | None:
    """The actions that a plan names, in order."""
    found = [read_action(part) for part in text.split(THEN)]
    plan = tuple(action for action in found if action is not None)
    return plan if len(plan) == len(found) else None


def plans(query: Query, truth: Value) -> Iterator[Problem]:
    """Options of as many actions each; derived clips never show one twice in a row."""
    derived = truth["derivation"]["source"] == DERIVED
    for option in query.row["options"] or ():
        plan = read_plan(named(option)) or ()
        if plan and len(plan) != truth["horizon"]:
            yield "options_malformed", f"{named(option)}: not {truth['horizon']} actions"
        if derived and any(a == b for a, b in zip(plan, plan[1:], strict=False)):
            yield "options_malformed", f"{named(option)}: an action follows itself"
    yield from choice_problems(query.row, PLANS, tuple(truth["plan"]), read_plan)


@unit("plan", "future", plans)
def plan(query: Query) -> Value:
    """The actions of the next clips, as many as the question says."""
    horizon = query.slots.get("horizon")
    if isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < 1:
        raise BadSlot(f"slot 'horizon' is {horizon!r}")
    asked = asked_of(query)
    if len(asked.ahead) < horizon:
        raise Undecided(f"{len(asked.ahead)} actions follow, not {horizon}")
    compare(query, asked, horizon)
    return {
        "kind": KIND,
        "plan": [clip.action for clip in asked.ahead[:horizon]],
        "horizon": horizon,
        "derivation": derivation(asked, "action_after_frame"),
    }
