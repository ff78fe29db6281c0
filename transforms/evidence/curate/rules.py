"""Rules for one video: each compares a measure with a limit and states a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from surgqa.ontology.observed import DECISIONS
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.base import round_score
from surgqa.transforms.evidence.curate.duplicates import RULE, copy_of
from surgqa.transforms.evidence.curate.harmonise import harmonise
from surgqa.transforms.evidence.curate.settings import CurateSettings
from surgqa.transforms.evidence.curate.states import (
    BLURRED,
    DARK,
    GOOD,
    OUTSIDE,
    UNKNOWN,
    column,
    ends_us,
    runs,
    states,
)  # fmt: skip

VIDEO = "video"
Facts = Mapping[str, Any]
Tables = Mapping[str, pa.Table]


@dataclass(frozen=True, slots=True)
class RuleResult:
    """Result of one rule.

    Attributes:
        measured: the measured value; None if unknown, and the rule then neither passes nor fails.
        threshold: the limit.
        unit: unit of the measure and the limit.
        high: True if the limit is the highest allowed value, False if it is the lowest.
        reason: text for people.
    """

    measured: float | None
    threshold: float
    unit: str
    reason: str
    high: bool = False

    def row(self, rule: str) -> dict[str, Any]:
        """Return the finding as a row of ``DECISIONS``."""
        value = None if self.measured is None else float(round_score(self.measured))
        passed = None
        if value is not None:
            passed = value <= self.threshold if self.high else value >= self.threshold
        return {
            "rule": rule, "subject": VIDEO, "measured": value, "threshold": self.threshold,
            "unit": self.unit, "passed": passed, "reason": self.reason,
        }  # fmt: skip


def decide(facts: Facts, tables: Tables, settings: CurateSettings) -> pa.Table:
    """Return the rows of ``DECISIONS`` for one video, one per rule.

    For a rule without facts, the measure and ``passed`` are null.

    Args:
        facts: facts about the medium (``kind``, ``duration_us``, ``promised_us``,
            ``stopped_why``, ``fps`` as two ints, ``width``, ``height``), with
            ``sound_heard`` and ``metadata``.  Any may be missing.
        tables: ``frames`` and ``utterances`` of the video; either may be missing.
    """
    rows = [rule(facts, tables, settings).row(name) for name, rule in sorted(RULES.items())]
    return pa.Table.from_pylist(rows, schema=DECISIONS)


def _complete(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    promised, read = facts.get("promised_us"), facts.get("duration_us")
    if not promised or read is None:
        why = "the container states no length"
        stopped = facts.get("stopped_us") is not None
        share = None if not stopped else 0.0
        why = f"{why}, and reading broke off" if stopped else why
        return RuleResult(share, settings.complete, "share", why)
    stop_reason = facts.get("stopped_why")
    reason = f"{_s(read)} s of {_s(promised)} s can be read" + (
        f": {stop_reason}" if stop_reason else ""
    )
    return RuleResult(min(1.0, read / promised), settings.complete, "share", reason)


def _length(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    read = facts.get("duration_us")
    seconds = None if read is None else read / SECOND_US
    return RuleResult(seconds, settings.short_us / SECOND_US, "s", "length that can be read")


def _resolution(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    width, height = facts.get("width"), facts.get("height")
    if not width or not height:
        return RuleResult(None, settings.side, "px", "size not known")
    return RuleResult(min(width, height), settings.side, "px", f"{width} x {height}")


def _rate(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    fps = facts.get("fps")
    if facts.get("kind", "video") != "video" or not fps:
        return RuleResult(None, settings.rate, "fps", "no video file, so no rate of its own")
    return RuleResult(fps[0] / fps[1], settings.rate, "fps", f"{fps[0]}/{fps[1]} frames a second")


def _damaged(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    found = _states(tables, settings)
    if not len(found):
        return RuleResult(None, settings.damaged, "share", "no picture was looked at", high=True)
    bad = int(np.count_nonzero(found == UNKNOWN))
    reason = f"{bad} of {len(found)} samples have no trusted picture"
    return RuleResult(bad / len(found), settings.damaged, "share", reason, high=True)


def _share(state: int, words: str) -> Callable[[Facts, Tables, CurateSettings], RuleResult]:
    def rule(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
        limit = settings.dark_share if state == DARK else settings.outside_share
        found = _states(tables, settings)
        known = int(np.count_nonzero(found != UNKNOWN))
        if not known:
            return RuleResult(None, limit, "share", "no trusted picture", high=True)
        count = int(np.count_nonzero(found == state))
        return RuleResult(
            count / known, limit, "share", f"{count} of {known} pictures {words}", True
        )

    return rule


def _outside_longest(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    limit = settings.outside_us / SECOND_US
    found = _states(tables, settings)
    if not np.count_nonzero(found != UNKNOWN):
        return RuleResult(None, limit, "s", "no trusted picture", high=True)
    times = tables["frames"]["time_us"].to_numpy()
    ends = ends_us(times)
    lengths = [int(ends[b] - times[a]) for state, a, b in runs(found) if state == OUTSIDE]
    longest = max(lengths, default=0)
    return RuleResult(longest / SECOND_US, limit, "s", "longest stretch from outside", high=True)


def _sharp(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    found = _states(tables, settings)
    good, blurred = (int(np.count_nonzero(found == state)) for state in (GOOD, BLURRED))
    if not good + blurred:
        reason = "no picture from inside"
        return RuleResult(None, settings.sharp_share, "share", reason)
    reason = f"{good} of {good + blurred} pictures from inside are sharp"
    return RuleResult(good / (good + blurred), settings.sharp_share, "share", reason)


def _overlay(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    frames = tables.get("frames")
    values = np.array([]) if frames is None else column(frames, "overlay_share")
    values = values[~np.isnan(values)]
    if not len(values):
        reason = "nothing moves, so overlays cannot be told"
        return RuleResult(None, settings.overlay, "share", reason, high=True)
    reason = f"mean over {len(values)} pictures"
    return RuleResult(float(values.mean()), settings.overlay, "share", reason, high=True)


def _narrated(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    heard = facts.get("sound_heard") or {}
    sound, said, length = heard.get("sound"), tables.get("utterances"), facts.get("duration_us")
    if not sound or said is None or not length:
        return RuleResult(None, settings.speech, "share", "nothing was listened to")
    if sound.get("chosen") is None:
        return RuleResult(0.0, settings.speech, "share", sound.get("why") or "no sound track")
    spoken = _covered(said["start_us"].to_numpy(), said["end_us"].to_numpy(), length)
    reason = f"{_s(spoken)} s of speech in {_s(length)} s"
    if sound.get("silent"):
        reason = "the sound track is silent"
    return RuleResult(spoken / length, settings.speech, "share", reason)


def _metadata(facts: Facts, tables: Tables, settings: CurateSettings) -> RuleResult:
    wanted = settings.metadata
    known, _ = harmonise(facts.get("metadata") or {})
    missing = [name for name in wanted if known.get(name) in (None, "")]
    share = 1.0 if not wanted else 1 - len(missing) / len(wanted)
    return RuleResult(
        share, 1.0, "share", f"missing: {', '.join(missing)}" if missing else "all there"
    )


def _states(tables: Tables, settings: CurateSettings) -> np.ndarray:
    frames = tables.get("frames")
    return np.array([], dtype=np.int8) if frames is None else states(frames, settings)


def _covered(starts: np.ndarray, ends: np.ndarray, length: int) -> int:
    """Number of microseconds of [0, length) that the intervals cover; they may overlap."""
    total, reached = 0, 0
    for start, end in sorted(zip(starts.tolist(), ends.tolist(), strict=True)):
        start, end = max(start, reached), min(end, length)
        if end > start:
            total, reached = total + end - start, end
    return total


def _s(time_us: int) -> str:
    return f"{time_us / SECOND_US:.1f}"


RULES: Mapping[str, Callable[[Facts, Tables, CurateSettings], RuleResult]] = {
    "complete": _complete,
    "damaged": _damaged,
    "dark": _share(DARK, "are dark"),
    "length": _length,
    "metadata": _metadata,
    "narrated": _narrated,
    "outside": _share(OUTSIDE, "are from outside"),
    "outside_longest": _outside_longest,
    "overlay": _overlay,
    "rate": _rate,
    "resolution": _resolution,
    "sharp": _sharp,
}
"""Rules by name."""


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
    """Return whether one video is kept, and why.

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
