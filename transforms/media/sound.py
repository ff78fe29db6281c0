"""Sound of a video: mono, 16 kHz, on the video's own clock, in pieces cut at quiet places.

Speech models count samples as time: after a late start or a gap (missing samples), words would
get too early times.  So samples are placed by presentation time, and silence fills gaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import av
import numpy as np

from surgqa.ontology.times import SECOND_US, print_seconds, round_half_up
from surgqa.transforms.media.batches import SOUND_RATE, Sound
from surgqa.transforms.media.container import Packets, opened_any
from surgqa.transforms.media.probe import track_of
from surgqa.transforms.media.table import zero_time
from surgqa.transforms.places import Place

ALIGN = SOUND_RATE // 1000
"""Samples in a millisecond.  Pieces start at whole milliseconds, so microseconds are exact."""
BLOCK = 10 * SOUND_RATE
"""Samples of silence generated at a time."""
LONGEST_US = 300 * SECOND_US
HOLE_US = 50_000
"""A jump of the sound's clock above this is a gap (or an overlap).  A smaller jump is drift, or
rounding of the container's time stamps (at most 1 ms, in Matroska)."""
LONGEST_HOLE_US = 600 * SECOND_US
"""A jump above this means a broken clock, and reading stops."""
SEARCH_US = 60 * SECOND_US
"""Length of the last part of a piece in which a quiet place for the cut is searched; surgeons pause
far more often."""
HOP = SOUND_RATE // 100
"""Samples between the places that are tried."""
QUIET = 10
"""Length in hops of the place that must be quiet, about a pause between words."""
SILENT_PEAK = 32
"""Maximum sample value of a silent track, of 32,767 (-60 dB)."""
CLIPPED_PEAK = 32_767
"""Samples at or above this are clipped."""
HOLES_TOLD = 100
"""Maximum number of gaps that the facts list by time; all are counted."""


class SoundTrack:
    """The sound of one file.

    Args:
        path: the file.
        name: the file's path relative to the dataset's root, for messages.

    Attributes:
        facts: plain JSON, complete after all pieces were read: ``tracks``, ``chosen`` (index into
            the tracks, or None), ``why`` there is no sound or it ended early, ``start_us``,
            ``end_us``, ``holes`` (gaps) as [start, end] with ``hole_count``, ``overlaps``,
            ``bad_packets``, ``peak``, ``clipped_share``, ``silent``, ``pieces``.

    Raises:
        SourceMissing: no such file.
        SourceBroken: not a container that can be opened.
    """

    def __init__(self, path: Place, name: str) -> None:
        self.path, self.name, self.zero = path, name, zero_time(path, name)
        self.facts: dict[str, Any] = {}

    def pieces(self, longest_us: int = LONGEST_US) -> Iterator[Sound]:
        """Yield pieces of at most ``longest_us`` in order; the pieces together are the whole sound.

        Only one piece is in memory at a time. A file without sound gives no pieces.
        """
        chosen = self._chosen()
        with opened_any(self.path, self.name) as container:
            tracks = container.streams.audio
            self.facts = _no_facts([asdict(track_of(s)) for s in tracks], chosen)
            if chosen is None:
                return
            line = _Line(self.facts)
            cutter = Cutter(longest_us)
            for block in self._blocks(container, tracks[chosen], line):
                for piece in cutter.add(block):
                    yield self._sound(line, piece)
            for piece in cutter.rest():
                yield self._sound(line, piece)
            line.sum_up()

    def _chosen(self) -> int | None:
        """Return the index of the first track that is not silent; None if none can be decoded.

        The track marked as default is tried first. If all are silent, it is returned.
        """
        with opened_any(self.path, self.name) as container:
            found = _by_preference(container.streams.audio)
        return next((n for n in found if len(found) == 1 or self._loud(n)), next(iter(found), None))

    def _loud(self, track: int) -> bool:
        """Whether a track has sound; reading stops at the first that is heard."""
        with opened_any(self.path, self.name) as container:
            line = _Line(_no_facts([], track))
            blocks = self._blocks(container, container.streams.audio[track], line)
            return any(line.facts["peak"] > SILENT_PEAK for _ in blocks)

    def _sound(self, line: _Line, samples: np.ndarray) -> Sound:
        start = line.first + line.handed
        line.handed += len(samples)
        self.facts["pieces"] += 1
        return Sound(round_half_up(Fraction(start * SECOND_US, SOUND_RATE)), samples)

    def _blocks(
        self, container: av.container.InputContainer, stream: av.AudioStream, line: _Line
    ) -> Iterator[np.ndarray]:
        """Yield samples in order of time, with silence in the gaps."""
        stream.thread_type = "NONE"
        run: _Run | None = None
        source = Packets(container, stream)
        for frame in _decoded(source, stream, line.facts):
            time = None if frame.pts is None else frame.pts * frame.time_base - self.zero
            if run is None or not run.goes_on(frame, time):
                if run is not None:
                    yield from line.put(run.at, run.flush())
                    line.facts["why"] = line.broken(time)
                    if line.facts["why"]:
                        return
                run = _Run(frame, time or Fraction(0))
            at = run.at
            yield from line.put(at, run.resampled(frame))
        if run is not None:
            yield from line.put(run.at, run.flush())
        line.facts["why"] = source.broke or line.facts["why"]


def _by_preference(tracks: tuple[av.AudioStream, ...]) -> list[int]:
    """Return the indices of tracks that can be decoded; those marked as default come first."""
    usable = [n for n, stream in enumerate(tracks) if stream.codec_context is not None]
    default = av.stream.Disposition.default
    return sorted(usable, key=lambda n: not tracks[n].disposition & default)


def _no_facts(tracks: list[dict[str, Any]], chosen: int | None) -> dict[str, Any]:
    why = "" if chosen is not None else "no sound track"
    if tracks and chosen is None:
        why = "no sound track that can be decoded"
    return {
        "tracks": tracks, "chosen": chosen, "why": why, "start_us": None, "end_us": None,
        "holes": [], "hole_count": 0, "overlaps": 0, "bad_packets": 0, "peak": 0,
        "clipped_share": 0.0, "silent": True, "pieces": 0,
    }  # fmt: skip


def _decoded(
    source: Packets, stream: av.AudioStream, facts: dict[str, Any]
) -> Iterator[av.AudioFrame]:
    for packet in source:
        try:
            frames = stream.codec_context.decode(packet)
        except av.error.FFmpegError:
            facts["bad_packets"] += 1
            continue
        yield from frames
    facts["bad_packets"] += source.errors
    try:
        yield from stream.codec_context.decode(None)
    except av.error.FFmpegError:
        facts["bad_packets"] += 1


class _Run:
    """A stretch of sound of one format without a gap.

    Attributes:
        at: position of the next sample, in samples from the video's time 0.
    """

    def __init__(self, frame: av.AudioFrame, time: Fraction) -> None:
        self.expected = time
        self.at = round_half_up(time * SOUND_RATE)
        self.format = _format(frame)
        self.resampler = av.AudioResampler(format="s16", layout="mono", rate=SOUND_RATE)

    def goes_on(self, frame: av.AudioFrame, time: Fraction | None) -> bool:
        """Whether a frame continues the run without a jump in time and in the same format."""
        late = 0 if time is None else time - self.expected
        return _format(frame) == self.format and abs(late) * SECOND_US <= HOLE_US

    def resampled(self, frame: av.AudioFrame) -> np.ndarray:
        self.expected += Fraction(frame.samples, frame.sample_rate)
        frame.pts = None
        return self._out(frame)

    def flush(self) -> np.ndarray:
        return self._out(None)

    def _out(self, frame: av.AudioFrame | None) -> np.ndarray:
        parts = [part.to_ndarray()[0] for part in self.resampler.resample(frame)]
        out = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int16)
        self.at += len(out)
        return out


def _format(frame: av.AudioFrame) -> tuple[str, str, int]:
    return frame.format.name, frame.layout.name, frame.sample_rate


class _Line:
    """The time line on which samples are placed; records gaps and loudness."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts
        self.first = self.next = self.handed = 0
        self.begun = False
        self.clipped = self.real = 0

    def put(self, at: int, samples: np.ndarray) -> Iterator[np.ndarray]:
        """Yield samples whose first is at ``at``, after silence that fills the gap before them.

        Where samples overlap earlier samples, the earlier samples are kept.
        """
        if not len(samples):
            return
        if not self.begun:
            self.begun, self.first = True, at // ALIGN * ALIGN
            self.next = self.first
            yield np.zeros(at - self.first, dtype=np.int16)
            self.next = at
        if at > self.next:
            yield from self._silence(at)
        elif at < self.next:
            self.facts["overlaps"] += 1
            samples = samples[self.next - at :]
        self._measure(samples)
        self.next += len(samples)
        yield samples

    def broken(self, time: Fraction | None) -> str:
        """Return the reason to stop reading at a jump of the clock; empty if reading can go on."""
        late = 0 if time is None else time * SECOND_US - self.time_us(self.next)
        if abs(late) <= LONGEST_HOLE_US:
            return ""
        return f"the sound's clock jumps by {print_seconds(int(late))} s"

    def sum_up(self) -> None:
        """Compute the facts that are known only at the end."""
        self.facts["start_us"] = self.time_us(self.first) if self.begun else None
        self.facts["end_us"] = self.time_us(self.next) if self.begun else None
        self.facts["clipped_share"] = round(self.clipped / max(self.real, 1), 6)
        self.facts["silent"] = self.facts["peak"] <= SILENT_PEAK

    @staticmethod
    def time_us(at: int) -> int:
        """Convert a number of samples to microseconds."""
        return round_half_up(Fraction(at * SECOND_US, SOUND_RATE))

    def _silence(self, end: int) -> Iterator[np.ndarray]:
        self.facts["hole_count"] += 1
        if len(self.facts["holes"]) < HOLES_TOLD:
            self.facts["holes"].append([self.time_us(self.next), self.time_us(end)])
        while self.next < end:
            count = min(BLOCK, end - self.next)
            self.next += count
            yield np.zeros(count, dtype=np.int16)

    def _measure(self, samples: np.ndarray) -> None:
        if not len(samples):
            return
        loud = np.abs(samples.astype(np.int32))
        self.facts["peak"] = max(self.facts["peak"], int(loud.max()))
        self.clipped += int((loud >= CLIPPED_PEAK).sum())
        self.real += len(samples)


class Cutter:
    """Collects samples and returns them in pieces.

    The end of a piece depends only on the piece's own samples. So the pieces do not depend on how
    the samples were passed in.

    Args:
        longest_us: maximum length of a piece.
    """

    def __init__(self, longest_us: int) -> None:
        # Multiples of hops, so that every piece starts at a whole millisecond.
        self.longest = max(_samples(longest_us) // HOP, 2 * QUIET) * HOP
        self.search = max(min(_samples(SEARCH_US), self.longest // 2) // HOP, QUIET) * HOP
        self.parts: list[np.ndarray] = []
        self.held = 0

    def add(self, samples: np.ndarray) -> Iterator[np.ndarray]:
        """Add samples; yield the pieces that are now complete."""
        self.parts.append(samples)
        self.held += len(samples)
        while self.held > self.longest:
            whole = np.concatenate(self.parts)
            cut = self._cut(whole)
            yield whole[:cut]
            self.parts, self.held = [whole[cut:]], len(whole) - cut

    def rest(self) -> Iterator[np.ndarray]:
        """Yield the remaining samples, if there are any."""
        if self.held:
            yield np.concatenate(self.parts)

    def _cut(self, whole: np.ndarray) -> int:
        """Return the middle of the quietest place in the last part; if several, of the last."""
        begin = self.longest - self.search
        part = whole[begin : self.longest].astype(np.int64)
        hops = (part * part).reshape(-1, HOP).sum(axis=1)
        sums = np.concatenate([[0], np.cumsum(hops)])
        places = sums[QUIET:] - sums[:-QUIET]
        best = len(places) - 1 - int(np.argmin(places[::-1]))
        return begin + (best + QUIET // 2) * HOP


def _samples(time_us: int) -> int:
    return time_us * SOUND_RATE // SECOND_US
