"""Rules for one video: each compares a measure with a limit and states a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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


RuleMeasure = tuple[float | None, str]
"""The value of a rule (None if it is not known), and a reason for people."""
KNOWN = (GOOD, DARK, OUTSIDE, BLURRED)
"""States of samples with a trusted picture."""


@dataclass(frozen=True, slots=True, eq=False)
class VideoFacts:
    """The arguments of :func:`decide` for one video, and the states of its samples.

    Attributes:
        states: int8 (F,), the state of each sample; empty without frames.
    """

    facts: Facts
    tables: Tables
    states: np.ndarray
    settings: CurateSettings


def decide(facts: Facts, tables: Tables, settings: CurateSettings) -> pa.Table:
    """Return the rows of ``DECISIONS`` for one video, one per rule.

    If the facts that a rule needs are missing, its measure and ``passed`` are null.

    Args:
        facts: facts about the medium (``kind``, ``duration_us``, ``promised_us``,
            ``stopped_why``, ``fps`` as two ints, ``width``, ``height``), with
            ``sound_heard`` and ``metadata``.  Any may be missing.
        tables: ``frames`` and ``utterances`` of the video; either may be missing.
    """
    frames = tables.get("frames")
    found = np.zeros(0, np.int8) if frames is None else states(frames, settings)
    video = VideoFacts(facts, tables, found, settings)
    rows = []
    for name, (measure, limit, unit, high) in sorted(RULES.items()):
        threshold = getattr(settings, limit) if isinstance(limit, str) else limit
        if unit == "s":
            threshold /= SECOND_US
        measured, reason = measure(video)
        value = None if measured is None else float(round_score(measured))
        passed = None if value is None else value <= threshold if high else value >= threshold
        rows.append({"rule": name, "subject": VIDEO, "measured": value, "threshold": threshold,
                     "unit": unit, "passed": passed, "reason": reason})  # fmt: skip
    return pa.Table.from_pylist(rows, schema=DECISIONS)


def _complete(video: VideoFacts) -> RuleMeasure:
    promised, read = video.facts.get("promised_us"), video.facts.get("duration_us")
    if not promised or read is None:
        why = "the container states no length"
        stopped = video.facts.get("stopped_us") is not None
        return (0.0, f"{why}, and reading broke off") if stopped else (None, why)
    reason = f"{_s(read)} s of {_s(promised)} s can be read"
    why = video.facts.get("stopped_why")
    return min(1.0, read / promised), f"{reason}: {why}" if why else reason


def _length(video: VideoFacts) -> RuleMeasure:
    read = video.facts.get("duration_us")
    return None if read is None else read / SECOND_US, "length that can be read"


def _resolution(video: VideoFacts) -> RuleMeasure:
    width, height = video.facts.get("width"), video.facts.get("height")
    if not width or not height:
        return None, "size not known"
    return min(width, height), f"{width} x {height}"


def _rate(video: VideoFacts) -> RuleMeasure:
    fps = video.facts.get("fps")
    if video.facts.get("kind", "video") != "video" or not fps:
        return None, "no video file, so no rate of its own"
    return fps[0] / fps[1], f"{fps[0]}/{fps[1]} frames a second"


def _share(
    state: int, among: Sequence[int], words: str, without: str
) -> Callable[[VideoFacts], RuleMeasure]:
    """Return the measure: samples in ``state`` as a share of the samples in the states ``among``.

    Args:
        words: describes the samples in the reason.
        without: the reason if no sample is in these states.
    """

    def measure(video: VideoFacts) -> RuleMeasure:
        count = int(np.count_nonzero(video.states == state))
        total = int(np.isin(video.states, among).sum())
        return (count / total, f"{count} of {total} {words}") if total else (None, without)

    return measure


def _outside_longest(video: VideoFacts) -> RuleMeasure:
    if not np.count_nonzero(video.states != UNKNOWN):
        return None, NO_PICTURE
    times = video.tables["frames"]["time_us"].to_numpy()
    ends = ends_us(times)
    lengths = [int(ends[b] - times[a]) for state, a, b in runs(video.states) if state == OUTSIDE]
    return max(lengths, default=0) / SECOND_US, "longest stretch from outside"


def _overlay(video: VideoFacts) -> RuleMeasure:
    frames = video.tables.get("frames")
    values = np.array([]) if frames is None else column(frames, "overlay_share")
    values = values[~np.isnan(values)]
    if not len(values):
        return None, "nothing moves, so overlays cannot be told"
    return float(values.mean()), f"mean over {len(values)} pictures"


def _narrated(video: VideoFacts) -> RuleMeasure:
    sound = (video.facts.get("sound_heard") or {}).get("sound")
    said, length = video.tables.get("utterances"), video.facts.get("duration_us")
    if not sound or said is None or not length:
        return None, "nothing was listened to"
    if sound.get("chosen") is None:
        return 0.0, sound.get("why") or "no sound track"
    spoken = _covered(said["start_us"].to_numpy(), said["end_us"].to_numpy(), length)
    reason = f"{_s(spoken)} s of speech in {_s(length)} s"
    return spoken / length, "the sound track is silent" if sound.get("silent") else reason


def _metadata(video: VideoFacts) -> RuleMeasure:
    wanted = video.settings.metadata
    known, _ = harmonise(video.facts.get("metadata") or {})
    missing = [name for name in wanted if known.get(name) in (None, "")]
    share = 1.0 if not wanted else 1 - len(missing) / len(wanted)
    return share, f"missing: {', '.join(missing)}" if missing else "all there"


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


NO_PICTURE = "no trusted picture"
RULES: Mapping[str, tuple[Callable[[VideoFacts], RuleMeasure], str | float, str, bool]] = {
    "complete": (_complete, "complete", "share", False),
    "damaged": (_share(UNKNOWN, (UNKNOWN, *KNOWN), "samples have no trusted picture",
                       "no picture was looked at"), "damaged", "share", True),
    "dark": (_share(DARK, KNOWN, "pictures are dark", NO_PICTURE), "dark_share", "share", True),
    "length": (_length, "short_us", "s", False),
    "metadata": (_metadata, 1.0, "share", False),
    "narrated": (_narrated, "speech", "share", False),
    "outside": (_share(OUTSIDE, KNOWN, "pictures are from outside", NO_PICTURE), "outside_share",
                "share", True),
    "outside_longest": (_outside_longest, "outside_us", "s", True),
    "overlay": (_overlay, "overlay", "share", True),
    "rate": (_rate, "rate", "fps", False),
    "resolution": (_resolution, "side", "px", False),
    "sharp": (_share(GOOD, (GOOD, BLURRED), "pictures from inside are sharp",
                     "no picture from inside"), "sharp_share", "share", False),
}  # fmt: skip
"""Name of a rule -> its measure, its limit (or the setting with it), the unit of both (limits in
``s`` are set in microseconds), and whether the limit is the highest allowed value."""


@dataclass(frozen=True, slots=True)
class VideoVerdict:
    """Whether a video is kept, and why.

    Attributes:
        keep: False if at least one rule that drops videos failed.
        reasons: ``rule: reason (measured value, limit)`` of the failed rules, sorted.
        noted: ``rule: reason`` of the failed rules that drop nothing.
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
    failed = [(r["rule"], f"{r['reason']} (measured {r['measured']:g}, limit {r['threshold']:g} "
               f"{r['unit']})" if r["rule"] in settings.drops else r["reason"])
              for r in decisions.to_pylist() if r["passed"] is False]  # fmt: skip
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
