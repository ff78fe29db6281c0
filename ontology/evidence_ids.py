"""Ids of rows of ``evidence/``; an item names by these ids the rows that prove its answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from surgqa.ontology.moments import Moment
from surgqa.ontology.records import Span, VideoLabel


def segment_ids(spans: Iterable[Span]) -> list[str]:
    """Return ids ``<kind>-<start>-<label>``, with subject, rater and a number if needed."""
    return _numbered((s.kind, str(s.start_us), s.label, s.subject, s.rater) for s in spans)


def moment_ids(moments: Iterable[Moment]) -> list[str]:
    """Return ids ``<kind>-<start>-<label>``, with tool, verb, target, group, a number if needed."""
    return _numbered(
        (m.kind, str(m.start_us), m.label if m.kind != "said" else "", m.tool, m.verb, m.target,
         m.group)
        for m in moments
    )  # fmt: skip


def label_id(label: VideoLabel) -> str:
    """Return the id ``<kind>-<label>``, with the rater if there is one."""
    return "-".join(filter(None, (label.kind, label.label, label.rater)))


def event_ids(frames: Sequence[int], labels: Sequence[str | None]) -> list[str]:
    """Return ids ``<frame>-<label>-<k>``; k counts from 1 within a frame and label.

    A frame may be on screen at several instants of the table, so k counts on over instants. The
    first instant of a frame without a label has no number.
    """
    seen = Counter[tuple[int, str | None]]()
    out = []
    for frame, label in zip(frames, labels, strict=True):
        seen[frame, label] += 1
        k = seen[frame, label]
        number = f"-{k}" if label or k > 1 else ""
        out.append(f"{frame}-{label or 'none'}{number}")
    return out


def region_ids(kind: str, frames: Sequence[int], labels: Sequence[str | None]) -> list[str]:
    """Return the ids of :func:`event_ids` after ``<kind>-``."""
    return [f"{kind}-{one}" for one in event_ids(frames, labels)]


def _numbered(parts: Iterable[Sequence[str | None]]) -> list[str]:
    seen = Counter[str]()
    out = []
    for name in ("-".join(filter(None, one)) for one in parts):
        seen[name] += 1
        out.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return out
