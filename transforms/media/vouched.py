"""Which times of a file can be vouched for.

A damaged index or clock gives pictures other times without any error.  What a file says
twice must agree, and a recording at a steady rate keeps its step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import av
import numpy as np
from av.format import Flags

from transforms.media import boxes, ebml, flv, gif, packets, riff
from transforms.places import Place

WALKED = {
    "matroska,webm": ebml.bad_bytes,
    "gif": gif.bad_bytes,
    "mpegts": packets.bad_bytes,
    "flv": flv.bad_bytes,
}
"""FFmpeg's name of a format -> what finds its damaged bytes."""
CLOCKED = (".avi", ".mp4", ".mov", ".mkv", ".webm", ".flv", ".ts", ".mts", ".m2ts", ".wmv", ".asf")
"""Names of files that have a clock; a bare stream under one of them has lost it."""
DELAYS = 17
"""Frames that a decoder may hold back, and none."""
FEW = 6
"""Frames from which on a step counts as usual."""

Ranges = tuple[tuple[int, int], ...]


def bad_bytes(path: Place, container: av.container.InputContainer) -> Ranges:
    """Ranges [first, last) of bytes that are not what was written, as far as the format tells."""
    if container.format.name not in WALKED:
        return ()
    stat = path.stat()
    return _walked(path, container.format.name, stat.st_size, getattr(stat, "st_mtime", 0.0))


@lru_cache(maxsize=64)
def _walked(path: Place, form: str, size: int, changed: float) -> Ranges:
    with path.open("rb") as data:
        return tuple(WALKED[form](data, size))


def contradiction(path: Place, container: av.container.InputContainer) -> str:
    """What a file's index contradicts itself in, in words; empty if in nothing."""
    if container.format.flags & Flags.no_timestamps.value and path.suffix.lower() in CLOCKED:
        return f"it is read as a bare stream without a clock, and named {path.suffix}"
    if "mov" not in container.format.name.split(","):
        return ""
    with path.open("rb") as data:
        return boxes.contradiction(data, path.stat().st_size)


def counted_to(path: Place, container: av.container.InputContainer) -> int | None:
    """The byte up to which frames that are counted are surely those; None for the whole file."""
    if container.format.name != "avi":
        return None
    with path.open("rb") as data:
        return riff.broken_at(data, path.stat().st_size)


def unordered(
    ticks: np.ndarray, step: int, held: int, stopped: bool, harmed: Sequence[int]
) -> np.ndarray:
    """Frames near a loss, of a file whose order of frames a decoder alone tells.

    It may hand out one picture more or less for a damaged one, and all behind come late or early.

    Args:
        ticks: int64 (F,), presentation times, ascending.
        step: usual ticks from frame to frame.
        held: frames that the decoder holds back for others.
        stopped: frames are missing at the end.
        harmed: indices of frames that are damaged or lost, which may have stood elsewhere.

    Returns:
        bool (F,).
    """
    out = np.zeros(len(ticks), dtype=bool)
    losses = np.flatnonzero(np.diff(ticks) > step * 3 // 2) if step else np.zeros(0, np.int64)
    for last in (*losses.tolist(), *([len(ticks) - 1] if stopped else [])):
        out[max(last + 1 - held, 0) : last + 1 + held] = True
    for frame in harmed:
        out[max(frame - held, 0) :] = True
    return out


def doubtful(
    ticks: np.ndarray, doubled: Sequence[int], decoding: np.ndarray | None, step: int, runs: bool
) -> np.ndarray:
    """Frames whose time cannot be vouched for.

    Args:
        ticks: int64 (F,), presentation times, ascending.
        doubled: times at which more than one frame is said to be shown.
        decoding: int64 (P,), decoding times of all packets, of a file that states both; else
            None.
        step: usual ticks from frame to frame of a steady recording; 0 where there is none.
        runs: times are stated as runs, so that behind a wrong one all may be wrong; else each
            frame states its own.

    Returns:
        bool (F,).
    """
    out = np.isin(ticks, np.array(sorted(doubled), dtype=np.int64))
    if step and len(ticks) >= FEW:
        odd = np.abs(np.diff(ticks) / step - np.round(np.diff(ticks) / step)) > 1 / 4
        out[1:-1] |= odd[1:] & odd[:-1]
        out[-1] |= odd[-1]
    if decoding is not None and len(decoding) >= FEW:
        out |= _alone(ticks, decoding, step)
        if out.any() and (runs or out[0]):  # all times count from the first one
            out[int(np.argmax(out)) :] = True
    return out


def _alone(ticks: np.ndarray, decoding: np.ndarray, step: int) -> np.ndarray:
    """Frames at whose time none is decoded, and the last ones from a longer step on."""
    times, held = _decoded_times(ticks, decoding)
    told = len(ticks) - held
    out = ~np.isin(ticks, times)
    out &= ~_behind_pauses(ticks, times, out, step)
    out[told:] = np.logical_or.accumulate(np.diff(ticks)[told - 1 :] * 2 > step * 3) if step else 0
    return out


def _behind_pauses(
    ticks: np.ndarray, times: np.ndarray, alone: np.ndarray, step: int
) -> np.ndarray:
    """The first frames after a pause of the recording, which the decoding clock explains.

    That clock runs ahead by the frames that are held back.  At a pause it goes on by as many
    steps before it jumps, so as many frames behind the pause are decoded at no time of their
    own.  A clock that jumps because it is damaged takes the frames out of their order, and does
    not go on from the last one that is shown.

    Args:
        times: int64, presentation times as the decoding times have them.
        alone: bool (F,), frames at whose time none is decoded.
    """
    out = np.zeros(len(ticks), dtype=bool)
    for last in np.flatnonzero(np.diff(ticks) * 2 > step * 3).tolist() if step else ():
        between = np.sort(times[(times > ticks[last]) & (times < ticks[last + 1])])
        goes_on = np.array_equal(between, ticks[last] + step * np.arange(1, len(between) + 1))
        follows = alone[last + 1 : last + 2 + len(between)]
        if goes_on and follows[: len(between)].all() and not follows[len(between) :].any():
            out[last + 1 : last + 1 + len(between)] = True
    return out


def _decoded_times(ticks: np.ndarray, decoding: np.ndarray) -> tuple[np.ndarray, int]:
    """Presentation times as the decoding times have them, and of how many at the end none are.

    A frame is decoded at the time at which another one is shown, a fixed delay before: with the
    right delay most times agree.  The last ones have none to agree with.
    """
    best, theirs = (-1, 0, 0), decoding[-len(ticks) :]
    for held in range(min(DELAYS, len(ticks) // 2)):
        pairs = zip(ticks.tolist(), theirs[held:].tolist(), strict=False)
        apart = Counter(shown - decoded for shown, decoded in pairs)
        delay = min(apart, key=lambda one: (-apart[one], one))
        agree = int(np.isin(ticks, decoding + delay).sum())
        best = max(best, (agree, -held, delay))
        if agree == len(ticks):
            break
    times = decoding + best[2]
    return times, min(int((ticks > times.max()).sum()), DELAYS)
