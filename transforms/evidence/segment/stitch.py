"""Join windows: one row per sample and object, one number per object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from surgqa.ontology.observed import MASKS
from surgqa.transforms.evidence.segment.masks import decode
from surgqa.transforms.evidence.segment.prompts import WINDOW_MASKS
from surgqa.transforms.evidence.segment.settings import MaskSettings

Member = tuple[int, int]
"""(window, number of the object in it)."""


@dataclass(slots=True)
class _Group:
    """One object of the video: the windows in which it has masks, and its track if it has one."""

    track: int | None
    windows: set[int] = field(default_factory=set)


def stitch(
    tables: Iterable[pa.Table], settings: MaskSettings, first_free: int | None = None
) -> pa.Table:
    """Return the masks of a video, joined from the masks of its windows in any order.

    Objects with the same track are the same object.  Objects without a track are joined between
    neighbouring windows by the overlap of their masks at shared samples (one to one, the largest
    overlap first, same label, at least ``same_iou``).  If two windows give a mask of one object at
    one sample, the one nearer in time to a prompt is used; if equal, that of the earlier window.

    Args:
        tables: schema WINDOW_MASKS, one per window.
        first_free: number of the first object without a track; by default one more than the largest
            track among the masks.  Pass one more than the largest track among the boxes, so that no
            number has two meanings.

    Returns:
        Schema MASKS, by (time, object).  Objects without a track are numbered by first appearance.
    """
    whole = pa.concat_tables([WINDOW_MASKS.empty_table(), *tables])
    whole = whole.sort_by([(n, "ascending") for n in ("window", "time_us", "object")])
    windows = whole["window"].to_numpy()
    objects = whole["object"].to_numpy()
    times = whole["time_us"].to_numpy()
    if first_free is None:
        first_free = int(objects.max(initial=-1)) + 1
    group_of = _groups(whole, windows, objects, settings)
    number = _numbers(group_of, windows, objects, times, first_free)
    kept = _nearest(times, number, whole["from_prompt_us"].to_numpy(), windows)
    final = whole.set_column(
        whole.schema.get_field_index("object"), "object", pa.array(number, pa.int32())
    )
    return final.take(kept).select(MASKS.names).cast(MASKS)


def _nearest(
    times: np.ndarray, number: np.ndarray, away: np.ndarray, windows: np.ndarray
) -> np.ndarray:
    """Return indices of the rows that are kept, by (time, object)."""
    order = np.lexsort((windows, away, number, times))
    first = np.ones(len(order), bool)
    t, n = times[order], number[order]
    first[1:] = (t[1:] != t[:-1]) | (n[1:] != n[:-1])
    return order[first]


def _groups(
    whole: pa.Table, windows: np.ndarray, objects: np.ndarray, settings: MaskSettings
) -> dict[Member, _Group]:
    """Return, for each object of each window, the object of the whole video to which it belongs."""
    members = sorted(set(zip(windows.tolist(), objects.tolist(), strict=True)))
    tracks: dict[int, _Group] = {}
    group_of: dict[Member, _Group] = {}
    for window, number in members:
        group = tracks.setdefault(number, _Group(number)) if number >= 0 else _Group(None)
        group.windows.add(window)
        group_of[window, number] = group
    for window in sorted({w for w, _ in members}):
        for one, other in _alike(whole, windows, objects, window, settings.same_iou):
            _join(group_of, one, other)
    return group_of


def _join(group_of: dict[Member, _Group], one: Member, other: Member) -> None:
    """Merge two groups, unless the object would get two tracks or two masks in a window."""
    a, b = group_of[one], group_of[other]
    if a is b or a.windows & b.windows or (a.track is not None and b.track is not None):
        return
    keep, lose = (a, b) if b.track is None else (b, a)
    keep.windows |= lose.windows
    for member, group in group_of.items():
        if group is lose:
            group_of[member] = keep


def _alike(
    whole: pa.Table, windows: np.ndarray, objects: np.ndarray, window: int, least: float
) -> list[tuple[Member, Member]]:
    """Pairs of objects of this window and the next that may be the same, most similar first."""
    here = _shared(whole, windows, objects, window, window + 1)
    there = _shared(whole, windows, objects, window + 1, window)
    pairs = []
    for a, (label, rows) in here.items():
        for b, (other, others) in there.items():
            if label == other and (a < 0 or b < 0):
                likeness = round(_iou(rows, others), 6)
                if likeness >= least:
                    pairs.append((-likeness, a, b))
    return [((window, a), (window + 1, b)) for _, a, b in sorted(pairs)]


def _shared(
    whole: pa.Table, windows: np.ndarray, objects: np.ndarray, window: int, neighbour: int
) -> dict[int, tuple[str, dict[int, np.ndarray]]]:
    """Label and masks by time of a window's objects, at samples where the neighbour has rows.

    The result is empty if all objects of both windows have tracks: none need be compared.
    """
    mine, theirs = np.flatnonzero(windows == window), np.flatnonzero(windows == neighbour)
    if not len(mine) or not len(theirs) or min(objects[mine].min(), objects[theirs].min()) >= 0:
        return {}
    times = whole["time_us"].to_numpy()
    found: dict[int, tuple[str, dict[int, np.ndarray]]] = {}
    for row in mine[np.isin(times[mine], times[theirs])]:
        cells = {k: whole[k][int(row)].as_py() for k in ("label", "counts", "height", "width")}
        mask = decode(np.array(cells["counts"]), cells["height"], cells["width"])
        _, by_time = found.setdefault(int(objects[row]), (cells["label"], {}))
        by_time[int(times[row])] = mask
    return found


def _iou(one: dict[int, np.ndarray], other: dict[int, np.ndarray]) -> float:
    """Intersection over union of two objects over the samples of both."""
    both = sum(int((one[t] & other[t]).sum()) for t in one.keys() & other.keys())
    total = sum(int(m.sum()) for masks in (one, other) for m in masks.values())
    return both / (total - both) if total > both else 1.0


def _numbers(
    group_of: dict[Member, _Group],
    windows: np.ndarray,
    objects: np.ndarray,
    times: np.ndarray,
    first_free: int,
) -> np.ndarray:
    """Return the final number of every row: its track, else counted by first appearance."""
    given: dict[int, int] = {}
    numbers = np.zeros(len(times), np.int64)
    for row in np.lexsort((np.abs(objects), windows, times)):
        group = group_of[int(windows[row]), int(objects[row])]
        if group.track is None:
            numbers[row] = given.setdefault(id(group), first_free + len(given))
        else:
            numbers[row] = group.track
    return numbers
