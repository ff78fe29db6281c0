"""Action clips as spans, where nobody made a table of them: an observer of event tuples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from ontology.action_clips import KIND
from ontology.errors import UserError
from ontology.records import Span, VideoEvidence
from ontology.times import SECOND_US
from transforms.evidence.action_clips.derive import ActionLimits, Derived, derived_clips
from transforms.evidence.action_clips.runs import Calibration, calibrated

ORIGIN, OF = "action_clips", "action_clip"
"""What made the spans, and the kind of fact that they are."""


def limits_of(settings: Mapping[str, Any]) -> ActionLimits:
    """The rule that settings say; a least share above 0 leaves clips out.

    Raises:
        UserError: there is no such setting, or it is no number from 0 on.
    """
    known = [one.name for one in fields(ActionLimits)]
    for name, value in settings.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if name not in known or not number:
            raise UserError(
                f"the observer of action clips has no {name!r} of {value!r}",
                expected=f"a number from 0 on for {', '.join(known)}", found=f"{name}: {value}",
            )  # fmt: skip
    return ActionLimits(**settings)


def action_clips(evidence: VideoEvidence, limits: ActionLimits) -> VideoEvidence:
    """The evidence with its derived action clips, and what gave none on its books."""
    made = derived_clips(evidence, limits)
    order = sorted((*evidence.spans, *_spans(made)), key=lambda s: (s.kind, s.start_us, s.end_us))
    return replace(
        evidence, spans=tuple(order) if made.clips.clips else evidence.spans,
        rejected=(*evidence.rejected, *made.rejected), books=(*evidence.books, made.books),
        unseen=(*evidence.unseen, *_unseen(made)),
    )  # fmt: skip


def _spans(made: Derived) -> Iterator[Span]:
    """Clips as spans that begin and end between two seconds; their place is in time."""
    for clip in made.clips.clips:
        shares = (("purity", clip.purity), ("centrality", clip.centrality))
        told = [f"{name} {share:.2f}" for name, share in shares if share is not None]
        pointer = ", ".join([f"seconds {clip.start} to {clip.end}", *told])
        yield Span(KIND, clip.action, clip.start * SECOND_US, (clip.end + 1) * SECOND_US, "",
                   pointer, origin=ORIGIN)  # fmt: skip


def _unseen(made: Derived) -> list[tuple[str, int, int]]:
    """What lies between two clips, or before or after all of them in the context."""
    clips = made.clips.clips
    if not clips:
        return []
    ends = [made.context[0][0] - 1, *(clip.end for clip in clips)]
    starts = [*(clip.start for clip in clips), made.context[-1][1] + 1]
    return [(OF, (end + 1) * SECOND_US, start * SECOND_US)
            for end, start in zip(ends, starts, strict=True) if end + 1 < start]  # fmt: skip


__all__ = [
    "ActionLimits",
    "Calibration",
    "action_clips",
    "calibrated",
    "derived_clips",
    "limits_of",
]
