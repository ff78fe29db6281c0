"""Detect cuts, changes of light, and the shots between cuts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.transforms.evidence.derive.rows import Happening, StretchRow
from surgqa.transforms.evidence.derive.settings import ShotLimits
from surgqa.transforms.evidence.derive.steps import (
    CHUNK,
    compared,
    dhash_distance,
    fill_steps,
    gradient_likeness,
    pictures,
    usable_rows,
)
from surgqa.transforms.evidence.derive.tracks import earlier

LUMA = "share of white"
COLOUR = "bhattacharyya"


@dataclass(frozen=True, slots=True, eq=False)
class _Measures:
    """Measures of the N trusted frames that have them.

    Attributes:
        time_us: int64 (N,).
        luma: float64 (N,), mean grey, [0, 1].
        dhash: uint64 (N,), difference hash of the frame.
        luma_step, colour_step: float64 (N,), from the frame before; NaN if not known.
        thumbs, histograms: of each frame, or None if the store no longer has them.
    """

    time_us: np.ndarray
    luma: np.ndarray
    dhash: np.ndarray
    luma_step: np.ndarray
    colour_step: np.ndarray
    thumbs: np.ndarray | None
    histograms: np.ndarray | None


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """P comparisons of the frames at indices ``now`` with those at indices ``then``."""

    now: np.ndarray
    then: np.ndarray
    luma: np.ndarray
    colour: np.ndarray
    cut: np.ndarray
    light: np.ndarray


def changes_of_picture(frames: pa.Table, limits: ShotLimits) -> list[Happening]:
    """``cut`` and ``illumination`` happenings, ordered by time.

    Each frame is compared with the frame before it. If there are thumbnails and histograms, it is
    also compared with the frame nearest to ``lag_us`` earlier, which detects fades. A change above
    a limit is a cut, or a change of light if the structure stays the same.
    """
    measures = _measures(frames)
    sudden = _sudden(measures, limits)
    found = list(_at_once(measures, sudden, limits))
    if measures.thumbs is not None:
        found += _slowly(measures, _gradual(measures, limits, sudden), limits)
    return sorted(found, key=lambda one: (one.time_us, one.kind))


def shots(cuts: Sequence[Happening], duration_us: int) -> Iterator[StretchRow]:
    """Yield ``shot`` stretches that tile the video; the score is that of the cut at the start."""
    inner = {c.time_us: c for c in cuts if c.kind == "cut" and 0 < c.time_us < duration_us}
    edges = [0, *sorted(inner), duration_us]
    for start, end in zip(edges[:-1], edges[1:], strict=True):
        score = inner[start].value if start in inner else None
        yield StretchRow(start, end, "shot", None, 1, score, "derive.shots")


def _measures(frames: pa.Table) -> _Measures:
    if not len(frames):
        none = np.zeros(0)
        return _Measures(
            none.astype(np.int64), none, none.astype(np.uint64), none, none, None, None
        )
    usable = usable_rows(frames)
    if usable.any() and frames["luma_step"].null_count == len(frames):
        frames = fill_steps(frames)
    trusted = pc.and_(pc.fill_null(frames["trusted"], False), pc.is_valid(frames["luma"]))
    known = np.asarray(trusted.to_numpy(), bool)
    part = frames.filter(pa.array(known))
    whole = bool(known.any()) and bool(usable[known].all())
    thumbs, histograms = pictures(frames, known) if whole else (None, None)
    return _Measures(
        part["time_us"].to_numpy(), part["luma"].to_numpy(),
        pc.fill_null(part["dhash"], 0).to_numpy(), *(
            pc.fill_null(part[name], float("nan")).to_numpy()
            for name in ("luma_step", "colour_step")
        ), thumbs, histograms,
    )  # fmt: skip


def _sudden(measures: _Measures, limits: ShotLimits) -> _Compared:
    """Compare consecutive frames that are near enough in time."""
    near = np.diff(measures.time_us) <= limits.reach_us
    now = np.flatnonzero(near & ~np.isnan(measures.luma_step[1:])) + 1
    luma, colour = measures.luma_step[now], measures.colour_step[now]
    return _judged(measures, limits, now, now - 1, luma, colour)


def _gradual(measures: _Measures, limits: ShotLimits, sudden: _Compared) -> _Compared:
    """Compare frames about ``lag_us`` apart that have no sudden change between them."""
    assert measures.thumbs is not None and measures.histograms is not None
    then = earlier(measures.time_us, limits.lag_us)
    index = np.arange(len(then))
    span = measures.time_us - measures.time_us[then]
    usable = (then >= 0) & (span <= limits.reach_us)
    # Consecutive frames were already compared, except across a gap (no trusted frames).
    unseen = np.ones(len(then), bool)
    unseen[sudden.now] = False
    usable &= (then < index - 1) | unseen
    events = np.zeros(len(then), np.int64)
    events[sudden.now[sudden.cut | sudden.light]] = 1
    so_far = np.cumsum(events)
    usable &= so_far == so_far[then]
    now = np.flatnonzero(usable)
    luma, colour = compared(measures.thumbs, measures.histograms, now, then[now])
    return _judged(measures, limits, now, then[now], luma, colour)


def _judged(
    measures: _Measures, limits: ShotLimits, now: np.ndarray, then: np.ndarray,
    luma: np.ndarray, colour: np.ndarray,
) -> _Compared:  # fmt: skip
    other = (luma > limits.luma_step) | (colour > limits.colour_step)
    lit = np.abs(measures.luma[now] - measures.luma[then]) >= limits.light
    asked = np.flatnonzero(other | lit)
    same = np.zeros(len(now), bool)
    same[asked] = _same_structure(measures, limits, now[asked], then[asked])
    return _Compared(now, then, luma, colour, other & ~same, (other | lit) & same)


def _same_structure(
    measures: _Measures, limits: ShotLimits, now: np.ndarray, then: np.ndarray
) -> np.ndarray:
    """Return bool (P,): are the hashes (unless both are 0) or the gradients nearly equal?"""
    a, b = measures.dhash[now], measures.dhash[then]
    same = (dhash_distance(a, b) <= limits.same_bits) & ((a != 0) | (b != 0))
    if measures.thumbs is not None:
        for start in range(0, len(now), CHUNK):
            part = slice(start, start + CHUNK)
            alike = gradient_likeness(measures.thumbs[now[part]], measures.thumbs[then[part]])
            same[part] |= alike >= limits.same_gradient
    return same


def _at_once(measures: _Measures, sudden: _Compared, limits: ShotLimits) -> Iterator[Happening]:
    for kind, hit in (("cut", sudden.cut), ("illumination", sudden.light)):
        for at in np.flatnonzero(hit).tolist():
            time = int(measures.time_us[sudden.now[at]])
            width = time - int(measures.time_us[sudden.then[at]])
            word, *measure = _measure(measures, sudden, at, kind, limits)
            yield Happening(
                time, time, kind, word, f"derive.{kind}.sudden", width,
                value=measure[0], unit=measure[1],
            )  # fmt: skip


def _slowly(measures: _Measures, gradual: _Compared, limits: ShotLimits) -> Iterator[Happening]:
    """Yield one row for each run of frame pairs that differ, at the middle of the run.

    A fade begins and ends with pairs of the same structure.  If any pair of a run differs in
    structure, the run is a cut.
    """
    at = np.flatnonzero(gradual.cut | gradual.light)
    time = measures.time_us[gradual.now[at]]
    for part in np.split(at, np.flatnonzero(np.diff(time) > limits.lag_us // 2) + 1):
        if not len(part):
            continue
        kind = "cut" if gradual.cut[part].any() else "illumination"
        ends = part[[0, -1]]
        spans = measures.time_us[np.concatenate([gradual.now[ends], gradual.then[ends]])]
        middle = int(spans.sum()) // 4
        near = int(measures.time_us[np.argmin(np.abs(measures.time_us - middle))])
        most = int(part[np.argmax(gradual.luma[part] + gradual.colour[part])])
        word, *measure = _measure(measures, gradual, most, kind, limits)
        yield Happening(
            near, near, kind, word, f"derive.{kind}.gradual", int(spans.max() - spans.min()),
            value=measure[0], unit=measure[1],
        )  # fmt: skip


def _measure(
    measures: _Measures, pairs: _Compared, at: int, kind: str, limits: ShotLimits
) -> tuple[str | None, float, str]:
    """Return label, value and unit of a row: by how much grey or colour changed."""
    luma, colour = float(pairs.luma[at]), float(pairs.colour[at])
    change = float(measures.luma[pairs.now[at]] - measures.luma[pairs.then[at]])
    if kind == "illumination" and abs(change) >= limits.light:
        return ("brighter" if change > 0 else "darker"), change, LUMA
    word = "colour" if kind == "illumination" else None
    if np.isnan(colour) or luma > colour:
        return word, luma, LUMA
    return word, colour, COLOUR
