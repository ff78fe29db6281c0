"""Report what could not be read of a medium: one rejection per problem, and sample counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from surgqa.ontology.records import Code, Rejected
from surgqa.ontology.times import print_seconds
from surgqa.transforms.media.batches import FrameTable, SampleFault

if TYPE_CHECKING:
    from surgqa.transforms.media.folders import Listing

STAGE = "observe"
NAMED = 3
"""Maximum number of names that a reason lists; the rest is counted."""
WORDS = {
    SampleFault.DAMAGED: "rest on damaged data",
    SampleFault.MISSING: "gave no picture",
    SampleFault.OTHER_SIZE: "are not of the size of the first frame",
    SampleFault.UNSURE: "are of a time that cannot be vouched for",
}


def video_problems(name: str, table: FrameTable) -> tuple[Rejected, ...]:
    """Return problems of a video file that its packets show, before any frame is used."""
    out = []
    if table.stopped_us is not None:
        promised = "no stated length"
        if table.promised_us is not None:
            promised = f"{print_seconds(table.promised_us)} s promised"
        if table.promised is not None:
            promised += f" in {table.promised} frames"
        reason = (
            f"reading stopped at {print_seconds(table.stopped_us)} s, {promised}, "
            f"{len(table.ticks)} frames read: {table.stopped_why}"
        )
        lost = (table.promised or 0) - len(table.ticks) - table.doubled - table.unshown
        out.append(_row(name, Code.UNREADABLE, reason, max(lost, 1)))
    counted = (
        (table.damaged, Code.BAD_FRAME, "packets cannot be read or hold no time"),
        (table.doubled, Code.DUPLICATE_FRAME, "frames are shown at the time of another"),
        (table.unshown, Code.BAD_FRAME, "frames at the beginning need what was cut away"),
    )
    out += [_row(name, code, f"{n} {words}", n) for n, code, words in counted if n]
    if table.bad:
        first, last = table.bad[0]
        more = f" and {len(table.bad) - 1} more stretches" if len(table.bad) > 1 else ""
        reason = f"bytes {first} to {last}{more} of the file are damaged or missing"
        out.append(_row(name, Code.BAD_FRAME, reason, len(table.bad)))
    if len(table.unsure):
        why = f": {table.unsure_why}" if table.unsure_why else ""
        reason = f"{len(table.unsure)} frames are of a time that cannot be vouched for{why}"
        out.append(_row(name, Code.BAD_FRAME, reason, len(table.unsure)))
    if table.absent:
        out.append(_row(name, Code.BAD_FRAME, _gaps(table), table.absent))
    return tuple(out)


def _gaps(table: FrameTable) -> str:
    steps = np.diff(table.starts_us)
    usual = int(np.median(steps))
    wide = np.flatnonzero(steps > usual * 3 // 2)
    at = table.starts_us
    parts = [
        f"{print_seconds(int(at[n]))} to {print_seconds(int(at[n + 1]))} s" for n in wide[:NAMED]
    ]
    more = f" and {len(wide) - NAMED} more gaps" if len(wide) > NAMED else ""
    return f"{table.absent} frames are missing by the clock: {', '.join(parts)}{more}"


def folder_problems(name: str, found: Listing) -> tuple[Rejected, ...]:
    """Return the files in a folder of frames that are skipped."""
    out = []
    for files, code, words in (
        (found.copies, Code.DUPLICATE_FRAME, "files repeat a frame number"),
        (found.others, Code.EXCLUDED, "files are not numbered pictures"),
    ):
        if files:
            more = ", ..." if len(files) > NAMED else ""
            reason = f"{len(files)} {words}: {', '.join(files[:NAMED])}{more}"
            out.append(_row(name, code, reason, len(files)))
    return tuple(out)


def fault_problems(name: str, times_us: np.ndarray, faults: np.ndarray) -> tuple[Rejected, ...]:
    """Return one rejection for each run of samples with the same fault.

    Args:
        times_us: int64 (S,), ascending.
        faults: uint8 (S,), a :class:`SampleFault` each, as in the batches.
    """
    ends = np.flatnonzero(np.diff(faults)) + 1
    out = []
    for run in np.split(np.arange(len(faults)), ends):
        if len(run) and faults[run[0]]:
            first, last = int(times_us[run[0]]), int(times_us[run[-1]])
            reason = (
                f"{len(run)} samples from {print_seconds(first)} to {print_seconds(last)} s "
                f"{WORDS[SampleFault(int(faults[run[0]]))]}"
            )
            out.append(_row(name, Code.BAD_FRAME, reason, len(run)))
    return tuple(out)


def sound_problems(name: str, sound: Mapping[str, Any] | None) -> tuple[Rejected, ...]:
    """Return the sound tracks of a video that are not used, because only one is.

    Args:
        sound: the facts of a :class:`~surgqa.transforms.media.sound.SoundTrack`, if any.
    """
    if sound is None or sound["chosen"] is None or len(sound["tracks"]) == 1:
        return ()
    tracks = len(sound["tracks"])
    reason = f"of {tracks} sound tracks only number {sound['chosen'] + 1} is transcribed"
    return (_row(name, Code.EXCLUDED, reason, tracks - 1),)


def _row(name: str, code: Code, reason: str, count: int) -> Rejected:
    return Rejected(STAGE, name, code, reason, name, count)
