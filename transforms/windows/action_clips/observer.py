"""Action clips as spans, where nobody made a table of them: an observer of event tuples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ontology.errors import UserError
from ontology.records import Books, Code, Rejected, Span, VideoEvidence
from ontology.times import SECOND_US
from transforms.timeline import Timeline
from transforms.windows.action_clips.adapter import derived_clips, instants_of
from transforms.windows.action_clips.clips import Clip, Stretch
from transforms.windows.action_clips.derive import context_of
from transforms.windows.action_clips.laid_over import KIND, UNIT
from transforms.windows.action_clips.settings import ActionLimits

ORIGIN, OF = "action_clips", "action_clip"
"""What made the spans, and the kind of fact that they are."""
SETTINGS = ("shortest", "reach", "purity", "centrality")


def limits_of(settings: Mapping[str, Any]) -> ActionLimits:
    """The rule that settings say; a least share above 0 leaves clips out.

    Raises:
        UserError: there is no such setting, or it is no number from 0 on.
    """
    for name, value in settings.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if name not in SETTINGS or not number:
            raise UserError(
                f"the observer of action clips has no {name!r} of {value!r}",
                expected=f"a number from 0 on for {', '.join(SETTINGS)}", found=f"{name}: {value}",
            )  # fmt: skip
    strict = settings.get("purity", 0) > 0 or settings.get("centrality", 0) > 0
    return replace(ActionLimits(strict=strict), **settings)


def action_clips(
    evidence: VideoEvidence, timeline: Timeline | None, limits: ActionLimits
) -> VideoEvidence:
    """The evidence with its derived action clips, and what gave none on its books."""
    video = evidence.video
    if timeline is None:
        why = "no instruments are annotated at instants, so no action can be told"
        reject = Rejected("read", video.key, Code.NO_EVIDENCE, why, UNIT)
        return _with(evidence, (), (reject,), Books("read", f"videos of {UNIT}", 1, 0, 1))
    made = derived_clips(timeline, limits)
    rejected = tuple(replace(one, stage="read") for one in made.rejected)
    books = replace(made.books, stage="read", unit=f"seconds of {UNIT}")
    if not made.clips.clips and not rejected:
        # The context is of cholecystectomies; what has none of its phases has no clips.
        why = "no phase of the context of action clips is labelled"
        rejected = (Rejected("read", video.key, Code.NO_EVIDENCE, why, UNIT),)
        books = Books("read", f"videos of {UNIT}", 1, 0, 1)
    spans = tuple(map(_span, made.clips.clips))
    unseen = _unseen(made.clips.clips, context_of(instants_of(timeline)[0], limits))
    return replace(_with(evidence, spans, rejected, books), unseen=(*evidence.unseen, *unseen))


def _unseen(clips: Sequence[Clip], context: Sequence[Stretch]) -> list[tuple[str, int, int]]:
    """What lies between two clips, or before or after all of them in the context."""
    if not clips:
        return []
    ends = [context[0][0] - 1, *(clip.end for clip in clips)]
    starts = [*(clip.start for clip in clips), context[-1][1] + 1]
    return [(OF, (end + 1) * SECOND_US, start * SECOND_US)
            for end, start in zip(ends, starts, strict=True) if end + 1 < start]  # fmt: skip


def _span(clip: Clip) -> Span:
    """A clip as a span that begins and ends between two seconds; its place is in time."""
    start_us, end_us = clip.start * SECOND_US, (clip.end + 1) * SECOND_US
    told = ", ".join(
        f"{name} {share:.2f}"
        for name, share in (("purity", clip.purity), ("centrality", clip.centrality))
        if share is not None
    )
    pointer = f"seconds {clip.start} to {clip.end}, {told}".removesuffix(", ")
    return Span(KIND, clip.action, start_us, end_us, "", pointer, origin=ORIGIN)


def _with(
    evidence: VideoEvidence, spans: tuple[Span, ...], rejected: tuple[Rejected, ...], books: Books
) -> VideoEvidence:
    order = sorted((*evidence.spans, *spans), key=lambda one: (one.kind, one.start_us, one.end_us))
    return replace(
        evidence, spans=tuple(order) if spans else evidence.spans,
        rejected=(*evidence.rejected, *rejected), books=(*evidence.books, books),
    )  # fmt: skip
