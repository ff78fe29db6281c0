"""Checks that an item's window, window id and query time follow from its template's unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from surgqa.transforms.checks.proof.head import digest
from surgqa.transforms.checks.proof.numbers import SECOND_US
from surgqa.transforms.checks.proof.rows import Problem, ProofRow

PICTURE = (0, 1)
"""Length in microseconds of the window of a single frame."""

Clips = frozenset[tuple[str, int, int]]
"""(id, start, end) of the clips of a video, from ``evidence/segments``, in microseconds."""


def window_problems(
    asked: ProofRow, duration_us: int, clips: Clips, instants: Sequence[int] = ()
) -> Iterator[Problem]:
    """Yield (code, detail) for errors in an item's window and query time.

    Args:
        duration_us: duration of the video.
        clips: clip windows of the video.
        instants: annotated instants of the video, ascending.
    """
    row, unit = asked.row, asked.program.unit
    start, end, now = row["start_us"], row["end_us"], row["query_us"]
    if not 0 <= start < end:
        yield "window_differs", f"[{start}, {end}) is not a valid window"
    kind = unit.kind
    if kind == "clip":
        if (row["window_id"], start, end) not in clips:
            yield (
                "window_differs",
                f"{row['window_id']} [{start}, {end}) is not a clip of the video",
            )
        return
    if kind in ("recording", "still") and (start, end) != (0, duration_us):
        yield "window_differs", f"[{start}, {end}), the video is [0, {duration_us})"
    if kind in ("now", "stream") and now is not None:
        yield from _timed(asked, now, duration_us)
    if kind in ("now", "stream") and unit.now is None and now is not None:
        yield from _at_any(now, duration_us, instants)
    key = f"{row['dataset']}/{row['video_id']}"
    if row["window_id"] != window_id(kind, key, start, end):
        yield "window_differs", f"{row['window_id']} is not the id of [{start}, {end})"


def window_id(kind: str, key: str, start_us: int, end_us: int) -> str:
    """Return the id of a window: 32 hexadecimal characters of a SHA-256 digest."""
    whole = kind in ("recording", "still")
    return digest(kind, key) if whole else digest(kind, key, str(start_us), str(end_us))


def _timed(asked: ProofRow, now: int, duration_us: int) -> Iterator[Problem]:
    """Check a window that ends at the query time ``now``, or of a stream, that begins at it."""
    row, unit = asked.row, asked.program.unit
    start, end = row["start_us"], row["end_us"]
    if not 0 <= now < duration_us:
        yield "query_window_differs", f"{now} is not in the video of {duration_us}"
    if unit.kind == "now":
        first = 0 if unit.see is None else max(now - unit.see, 0)
        if (start, end) != (first, now + 1):
            yield "query_window_differs", f"[{start}, {end}), expected [{first}, {now + 1})"
        if end - start < unit.shortest and (start, end) != PICTURE:
            yield "query_window_differs", f"{end - start} us is shorter than {unit.shortest}"
        return
    low, high = unit.length
    length = end - start
    whole = length % SECOND_US == 0 and low <= length <= high
    cut = end == duration_us and low <= length < high
    if start != now or not (whole or cut):
        wanted = f"from {now} for {low} to {high} us in whole seconds"
        yield "query_window_differs", f"[{start}, {end}), expected {wanted}"


def _at_any(now: int, duration_us: int, instants: Sequence[int]) -> Iterator[Problem]:
    """Check that ``now`` is an annotated instant or, if there are none, a whole second."""
    if instants and now not in set(instants):
        yield "query_window_differs", f"{now} is not an annotated instant"
    if not instants and now % SECOND_US:
        yield "query_window_differs", f"{now} is not a whole second"
