"""Decide whether a video is kept, from its decisions and the rules that are enabled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from surgqa.transforms.evidence.curate.duplicates import RULE, copy_of
from surgqa.transforms.evidence.curate.settings import CurateSettings


@dataclass(frozen=True, slots=True)
class VideoVerdict:
    """Whether a video is kept, and why.

    Attributes:
        keep: False if at least one rule that drops videos failed.
        reasons: ``rule: reason`` of the failed rules, sorted.
        noted: the same for failed rules that drop nothing.
    """

    keep: bool
    reasons: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()


def verdict(
    decisions: pa.Table,
    settings: CurateSettings,
    key: str | None = None,
    duplicates: pa.Table | None = None,
) -> VideoVerdict:
    """Return the verdict on one video.

    Args:
        decisions: rows of :func:`~transforms.evidence.curate.rules.decide`.
        key: the video's name in ``duplicates``.
        duplicates: rows of near-duplicates of all videos.
    """
    failed = [(r["rule"], r["reason"]) for r in decisions.to_pylist() if r["passed"] is False]
    if duplicates is not None:
        for row in duplicates.to_pylist():
            dropped, kept = copy_of(row["subject"])
            if row["passed"] is False and dropped == key:
                failed.append((RULE, f"copy of {kept}, {row['reason']}"))
    return VideoVerdict(
        keep=not any(rule in settings.drops for rule, _ in failed),
        reasons=_reasons(pair for pair in failed if pair[0] in settings.drops),
        noted=_reasons(pair for pair in failed if pair[0] not in settings.drops),
    )


def _reasons(failed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(f"{rule}: {reason}" for rule, reason in sorted(failed))
