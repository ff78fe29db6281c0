"""What the surgeon does next, asked with one picture: the action clips of SAP-Bench.

Clips that people made stand in the evidence as spans of kind ``next_action`` and are asked
about where a video has them; of any other video they are derived from its event tuples and
phases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ontology.next_actions import action_ids, display
from ontology.records import Check, Code, Pointer
from ontology.times import SECOND_US
from transforms.questions.queries.action_proof import Proof, derived_proof, imported_proof
from transforms.questions.queries.found import Choice, Found, Missed, Named, Results, Search
from transforms.timeline.facts import FactBook
from transforms.windows.action_clips import (
    ActionLimits,
    Clip,
    Sample,
    VideoClips,
    answer_value,
    derived_clips,
    samples_of,
    slots,
    with_phases,
)
from transforms.windows.queries import query_window

KIND = "next_action"
ABOUT = {"about": {"kind": KIND}}
NEXT = ", then "
"""Stands between the actions of a plan."""


@dataclass(frozen=True)
class Clips:
    """The action clips of one video, and how they are proved."""

    samples: tuple[Sample, ...]
    proof: Proof
    missed: tuple[Missed, ...]
    how: dict[str, Any]


def next_action(search: Search) -> Results:
    """Which of the five actions begins on the second after the picture."""
    clips = clips_of(search)
    yield from clips.missed
    for sample in clips.samples:
        yield _of_one(search, clips, sample)


def next_action_told(search: Search) -> Results:
    """The same, with the last few actions told."""
    clips = clips_of(search)
    most = int(str(search.query.args["last"]))
    yield from clips.missed
    for sample in clips.samples:
        yield _of_one(search, clips, sample, sample.history[-most:])


def action_plan(search: Search) -> Results:
    """The next few actions, in order."""
    clips = clips_of(search)
    horizon = int(str(search.query.args["horizon"]))
    yield from clips.missed
    for sample in clips.samples:
        if len(sample.plan) < horizon:
            yield Missed(Code.NO_FILLING, "fewer actions follow than are asked for")
        else:
            yield _of_plan(search, clips, sample, horizon)


def clips_of(search: Search) -> Clips:
    """Clips and samples of the video, by the template's settings; made once for each."""
    args = search.query.args
    how = {name: float(str(args[name])) for name in ("purity", "centrality")}
    how |= {name: int(str(args[name])) for name in ("shortest", "reach")}
    key = (KIND, *how.values())
    memo = search.book.memo
    if key not in memo:
        memo[key] = _imported(search) if _facts(search.book) else _derived(search, how)
    return memo[key]


def _facts(book: FactBook) -> Sequence[Any]:
    return book.channels[KIND].facts if KIND in book.channels else ()


def _imported(search: Search) -> Clips:
    """Clips that stand in the evidence.  A hole between two is crossed: people left it."""
    facts = _facts(search.book)
    made = [
        Clip(fact.start_us // SECOND_US, max(fact.last_us // SECOND_US - 1, fact.start_us
             // SECOND_US), fact.label, where=fact.place)
        for fact in facts
    ]  # fmt: skip
    if any(a.end >= b.start for a, b in pairwise(made)):
        reason = "clips of the next action overlap, so none follows the other"
        missed = (Missed(Code.CONTRADICTION, reason),)
        return Clips((), imported_proof(()), missed, {})
    video = with_phases(VideoClips(search.video.key, tuple(made)),
                        tuple(span for span, _ in search.book.spans))  # fmt: skip
    samples = samples_of(video)
    rows = [(fact.start_us, fact.last_us, fact.marks[0][1]) for fact in facts]
    return Clips(samples, imported_proof(rows), _not_following(video), {"source": "imported"})


def _derived(search: Search, how: dict[str, Any]) -> Clips:
    timeline = search.book.timeline
    if timeline is None:
        missed = (Missed(Code.NO_EVIDENCE, "no instruments are annotated at instants"),)
        return Clips((), imported_proof(()), missed, {})
    limits = ActionLimits(
        shortest=how["shortest"], reach=how["reach"], purity=how["purity"],
        centrality=how["centrality"], strict=how["purity"] > 0 or how["centrality"] > 0,
    )  # fmt: skip
    made = derived_clips(timeline, limits)
    missed = [Missed(one.code, one.reason) for one in made.rejected]
    clips = made.clips.clips
    if not clips and not missed:
        # The context is of cholecystectomies; what has none of its phases is not asked.
        missed.append(Missed(Code.NO_EVIDENCE, "no phase of the context is labelled"))
    samples = samples_of(made.clips)
    proof = derived_proof(timeline, clips, search.book.spans)
    missed += _not_following(made.clips, f"{how['reach']} s")
    return Clips(samples, proof, tuple(missed), {"source": "derived", **how})


FIRST = Missed(Code.NO_FILLING, "the first clip of a video: none comes before it")


def _not_following(video: VideoClips, reach: str = "") -> tuple[Missed, ...]:
    """Why clips are not asked for: each video's first one, and those behind a gap."""
    gap = Missed(
        Code.NO_FILLING,
        f"what was done just before this clip is not known: its labels lie further apart than the "
        f"template's 'reach' ({reach}), or the clip before it was left out",
    )
    behind = sum(not video.follows(at) for at in range(1, len(video.clips)))
    return (FIRST,) * bool(video.clips) + (gap,) * behind


def _of_one(search: Search, clips: Clips, sample: Sample, told: Sequence[str] = ()) -> Found:
    value = answer_value(sample)
    value["derivation"] |= clips.how
    shown = {"told": list(told)} if told else {}
    return Found(
        **_frame(search, clips, sample, 1 if sample.following is None else 2),
        fields={
            "action": Named(KIND, sample.action),
            "history": ", ".join(display(one) for one in told),
        },
        slots={**ABOUT, **slots(sample), **shown},
        value={"kind": KIND, **value},
        note=_note(sample),
        right=display(sample.action),
        fixed=tuple(Choice(display(one), "other_action") for one in action_ids()),
    )


def _of_plan(search: Search, clips: Clips, sample: Sample, horizon: int) -> Found:
    plan = sample.planned(horizon)
    told = NEXT.join(display(one) for one in plan)
    derivation = answer_value(sample)["derivation"] | clips.how
    return Found(
        **_frame(search, clips, sample, horizon),
        fields={"plan": told, "horizon": horizon},
        slots={**ABOUT, **slots(sample), "horizon": horizon},
        value={"kind": KIND, "plan": list(plan), "horizon": horizon, "derivation": derivation},
        note=f"{_note(sample)} In order: {told}.",
        right=told,
        wrong=_other_plans(search, plan, sample),
    )


def _frame(search: Search, clips: Clips, sample: Sample, used: int) -> dict[str, Any]:
    """Window, time and proof of a question whose answer rests on so many clips."""
    query_us = sample.frame * SECOND_US
    pointers, until_us = clips.proof(sample, used)
    checks = [Check("look_ahead_s", (until_us - query_us) / SECOND_US, "")]
    for name in ("purity", "centrality"):
        share = getattr(sample.asked, name)
        if share is not None:
            least = clips.how.get(name)
            checks.append(Check(name, share, f">= {least:g}" if least else ""))
    return {
        "window": query_window(search.video, query_us, search.query.look_back_us),
        "query_us": query_us,
        "pointers": tuple(sorted(pointers, key=_by_time)),
        "checks": tuple(checks),
    }


def _by_time(pointer: Pointer) -> tuple[int, str, str]:
    return pointer.start_us, pointer.kind, pointer.id


def _note(sample: Sample) -> str:
    asked = sample.asked
    return (
        f"{display(sample.before.action)} until {sample.frame} s, {display(asked.action)} from "
        f"{asked.start} s to {asked.end} s."
    )


def _other_plans(search: Search, plan: tuple[str, ...], sample: Sample) -> tuple[Choice, ...]:
    """Three plans that are not the right one: its order changed, or one action of it.

    No action follows itself in them unless one does so in the right plan, so that the form of
    a plan does not give the answer away.
    """
    key = search.key.extended("plans").extended(sample.frame)
    repeats = any(a == b for a, b in pairwise(plan))
    out: dict[tuple[str, ...], Choice] = {}
    for why, plans in (("other_order", _swapped(plan)), ("other_action", _replaced(plan))):
        fair = [p for p in plans if p != plan and (repeats or all(a != b for a, b in pairwise(p)))]
        ordered = key.extended(why).ordered({" ".join(p) for p in fair})
        for one in ordered[: 1 if why == "other_order" else 3]:
            ids = tuple(one.split(" "))
            out.setdefault(ids, Choice(NEXT.join(display(part) for part in ids), why))
    return tuple(out.values())[:3]


def _swapped(plan: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for k in range(len(plan) - 1):
        yield (*plan[:k], plan[k + 1], plan[k], *plan[k + 2 :])


def _replaced(plan: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for k in range(len(plan)):
        for one in action_ids():
            yield (*plan[:k], one, *plan[k + 1 :])
