"""Observer that derives action clips from event tuples, if there is no table of clips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from surgqa.ontology.action_clips import KIND
from surgqa.ontology.errors import ValueInvalid
from surgqa.ontology.records import Span, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.action_clips.derive import ActionLimits, Derived, derived_clips
from surgqa.transforms.evidence.action_clips.runs import Calibration, calibrated

ORIGIN, OF = "action_clips", "action_clip"
"""Origin of the spans, and the kind of fact that they are."""


def limits_of(settings: Mapping[str, Any]) -> ActionLimits:
    """Return the limits that the settings name, and the defaults of all others.

    Raises:
        UserError: a setting does not exist, or is not a number of at least 0.
    """
    known = [one.name for one in fields(ActionLimits)]
    for name, value in settings.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if name not in known or not number:
            raise ValueInvalid(
                f"action clips: setting {name!r} cannot be {value!r}",
                expected=f"a number of at least 0 for {', '.join(known)}", found=f"{name}: {value}",
            )  # fmt: skip
    return ActionLimits(**settings)


def action_clips(evidence: VideoEvidence, limits: ActionLimits) -> VideoEvidence:
    """Return the evidence, with clips, rejections, counts, and times without clips added."""
    made = derived_clips(evidence, limits)
    order = sorted((*evidence.spans, *_spans(made)), key=lambda s: (s.kind, s.start_us, s.end_us))
    return replace(
        evidence, spans=tuple(order) if made.clips.clips else evidence.spans,
        rejected=(*evidence.rejected, *made.rejected), books=(*evidence.books, made.books),
        unseen=(*evidence.unseen, *_unseen(made)),
    )  # fmt: skip


def _spans(made: Derived) -> Iterator[Span]:
    """Yield the clips as spans; a span's ``pointer`` is text such as "seconds 3 to 9"."""
    for clip in made.clips.clips:
        shares = (("purity", clip.purity), ("centrality", clip.centrality))
        parts = [f"{name} {share:.2f}" for name, share in shares if share is not None]
        pointer = ", ".join([f"seconds {clip.start} to {clip.end}", *parts])
        yield Span(KIND, clip.action, clip.start * SECOND_US, (clip.end + 1) * SECOND_US, "",
                   pointer, origin=ORIGIN)  # fmt: skip


def _unseen(made: Derived) -> list[tuple[str, int, int]]:
    """Return (kind, start, end) in us of the times between clips, whose action is unknown."""
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
