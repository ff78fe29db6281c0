"""Detect frame times that are unreliable.

A damaged index or clock gives frames wrong times without any error.  So values that a file
states twice must agree, and a video at a steady rate must keep its step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import av
import numpy as np
from av.format import Flags

from surgqa.transforms.media import boxes, ebml, flv, gif, packets, riff
from surgqa.transforms.places import Place

WALKED = {
    "matroska,webm": ebml.bad_bytes,
    "gif": gif.bad_bytes,
    "mpegts": packets.bad_bytes,
    "flv": flv.bad_bytes,
}
"""FFmpeg's name of a format -> function that finds damaged bytes."""
CLOCKED = (".avi", ".mp4", ".mov", ".mkv", ".webm", ".flv", ".ts", ".mts", ".m2ts", ".wmv", ".asf")
"""Extensions of formats with a clock; a file read as a bare stream has lost it."""
DELAYS = 17
"""Number of delays that are tried: a decoder may hold back 0 to 16 frames."""
FEW = 6
"""Fewest frames from which a usual step is derived."""

Ranges = tuple[tuple[int, int], ...]


def bad_bytes(path: Place, container: av.container.InputContainer) -> Ranges:
    """Ranges [first, last) of bytes that are damaged or missing, as far as the format shows it."""
    if container.format.name not in WALKED:
        return ()
    stat = path.stat()
    return _walked(path, container.format.name, stat.st_size, getattr(stat, "st_mtime", 0.0))


@lru_cache(maxsize=64)
def _walked(path: Place, form: str, size: int, changed: float) -> Ranges:
    with path.open("rb") as data:
        return tuple(WALKED[form](data, size))


def contradiction(path: Place, container: av.container.InputContainer) -> str:
    """Return a contradiction in the file's index, as text; empty if there is none."""
    if container.format.flags & Flags.no_timestamps.value and path.suffix.lower() in CLOCKED:
        return f"it is read as a bare stream without a clock, and named {path.suffix}"
    if "mov" not in container.format.name.split(","):
        return ""
    with path.open("rb") as data:
        return boxes.contradiction(data, path.stat().st_size)


def counted_to(path: Place, container: av.container.InputContainer) -> int | None:
    """Return the byte up to which counted frames have reliable numbers; None for the whole file."""
    if container.format.name != "avi":
        return None
    with path.open("rb") as data:
        return riff.broken_at(data, path.stat().st_size)


def unordered(
    ticks: np.ndarray, step: int, held: int, stopped: bool, harmed: Sequence[int]
) -> np.ndarray:
    """Mark frames near a loss, for a file whose frame order is known only from decoding.

    For a damaged frame a decoder may give a frame too many or too few; all later times are wrong.

    Args:
        ticks: int64 (F,), presentation times, ascending.
        step: usual ticks between frames; 0 where there is none.
        held: frames that the decoder holds back for reordering.
        stopped: frames are missing at the end.
        harmed: indices of frames that are damaged or lost and may belong elsewhere.

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
    """Mark frames whose time is unreliable.

    Args:
        ticks: int64 (F,), presentation times, ascending.
        doubled: times that the file states for more than one frame.
        decoding: int64 (P,), decoding times of all packets, if the file states both times;
            otherwise None.
        step: usual ticks between frames of a steady video; 0 where there is none.
        runs: True if times are stored as runs, so that all times after a wrong time may be wrong.
            Otherwise each frame has its own time.

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
    """Mark frames whose time is not a decoding time, and the last frames after a longer step."""
    times, held = _decoded_times(ticks, decoding)
    first_held = len(ticks) - held
    out = ~np.isin(ticks, times)
    out &= ~_behind_pauses(ticks, times, out, step)
    out[first_held:] = (
        np.logical_or.accumulate(np.diff(ticks)[first_held - 1 :] * 2 > step * 3) if step else 0
    )
    return out


def _behind_pauses(
    ticks: np.ndarray, times: np.ndarray, alone: np.ndarray, step: int
) -> np.ndarray:
    """Mark the first frames after a pause of the recording, where the decoding clock explains them.

    The decoding clock is ahead by the frames that the decoder holds back.  At a pause it
    continues by as many steps before it jumps.  So as many frames after the pause have no
    decoding time of their own.  A damaged clock breaks the order of frames and does not continue
    from the last frame shown.

    Args:
        times: int64, decoding times shifted to presentation times.
        alone: bool (F,), frames whose time is not a decoding time.
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
    """Shift decoding times to presentation times; also count the last frames without one.

    Frames are decoded a fixed delay before they are shown. With the correct delay, most decoding
    times equal the presentation time of some frame. The last frames have no such decoding time.
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
