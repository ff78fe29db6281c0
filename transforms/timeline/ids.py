"""Ids of the rows of ``evidence/``: an answer's proof and the tables name them alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ontology.moments import Moment
from ontology.records import Span, VideoLabel


def segment_ids(spans: Iterable[Span]) -> list[str]:
    """``<kind>-<start>-<label>``, with subject, rater and a number where those are needed."""
    seen: dict[str, int] = {}
    out = []
    for span in spans:
        parts = (span.kind, str(span.start_us), span.label, span.subject, span.rater)
        name = "-".join(filter(None, parts))
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return out


def region_ids(kind: str, frames: Sequence[int], labels: Sequence[str | None]) -> list[str]:
    """``<kind>-<frame>-<label>-<k>``, k counted from 1 within frame and label."""
    seen: dict[tuple[int, str | None], int] = {}
    out = []
    for key in zip(frames, labels, strict=True):
        seen[key] = seen.get(key, 0) + 1
        number = f"-{seen[key]}" if key[1] else ""
        out.append(f"{kind}-{key[0]}-{key[1] or 'none'}{number}")
    return out


def label_id(label: VideoLabel) -> str:
    """``<kind>-<label>``, with the rater where there is one."""
    return "-".join(filter(None, (label.kind, label.label, label.rater)))


def moment_ids(moments: Iterable[Moment]) -> list[str]:
    """``<kind>-<start>-<label>`` with tool, verb, target and group, and a number if needed."""
    seen: dict[str, int] = {}
    out = []
    for one in moments:
        own = one.label if one.kind != "said" else ""
        parts = (one.kind, str(one.start_us), own, one.tool, one.verb, one.target, one.group)
        name = "-".join(filter(None, parts))
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return out
