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


def region_ids(kind: str, frames: Sequence[int], labels: Sequence[str | None]) -> list[str]:
    """Return ids ``<kind>-<frame>-<label>-<k>``; k counts from 1 within a frame and label."""
    seen = Counter[tuple[int, str | None]]()
    out = []
    for key in zip(frames, labels, strict=True):
        seen[key] += 1
        number = f"-{seen[key]}" if key[1] else ""
        out.append(f"{kind}-{key[0]}-{key[1] or 'none'}{number}")
    return out


def _numbered(parts: Iterable[Sequence[str | None]]) -> list[str]:
    seen = Counter[str]()
    out = []
    for name in ("-".join(filter(None, one)) for one in parts):
        seen[name] += 1
        out.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return out
