"""The contents of labelling tools' exports, independent of the format: images, videos, shapes.

Coordinates are in [0, 1] of the image. Only this module interpolates a track's boxes between two
keyframes, in a straight line.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from surgqa.ontology.boxes import Box
from surgqa.ontology.errors import SourceBroken

MOST_FRAMES = 5_000_000
"""More than a day at 50 frames a second; a larger frame number is an error."""

Outline = Callable[[], str | None]
"""Function that returns a mask's run lengths; '' for an empty mask, None for an invalid one."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One label on one image.

    Attributes:
        box: box that is not cut at the image's edge; None without a box.
        where: place in the file.
        problem: why there is no box although something was drawn.
        drawn: True if a person or model drew the shape, False if it was interpolated.
        track: the source's name of the track, '' without one.
    """

    label: str
    box: Box | None
    where: str
    problem: str = ""
    outline: Outline | None = None
    track: str = ""
    score: float = 1.0
    drawn: bool = True
    attributes: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnnotatedPicture:
    """One annotated image.

    Attributes:
        path: path of the image as the file states it.
        video, frame, stop: video, frame number (from 0) and number of frames, if the file has them.
        size: width and height in pixels, or None.
        reviewed: False if the file states that nobody has reviewed the image.
    """

    path: str
    where: str
    shapes: tuple[Shape, ...] = ()
    video: str = ""
    frame: int | None = None
    size: tuple[int, int] | None = None
    reviewed: bool = True
    stop: int = MOST_FRAMES


@dataclass(frozen=True, slots=True)
class ShapeKeyframe:
    """A drawn frame of a track: shape (None: not in view), and whether the object then stays."""

    frame: int
    shape: Shape | None
    goes_on: bool


@dataclass(frozen=True, slots=True)
class AnnotatedFilm:
    """A video that was annotated as a whole: every frame counts as annotated.

    Attributes:
        path: path of the video as the file states it.
        frames: the frames that were shown to people.
        tracks: for each track, its keyframes in the order of time.
    """

    path: str
    where: str
    frames: range
    tracks: tuple[tuple[ShapeKeyframe, ...], ...]
    rate: Fraction | None = None
    size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ExportContent:
    """The contents of one file that a labelling tool exported.

    Attributes:
        labels: all names that the file could use.
        left_out: (label, sentence, place) of annotations that are neither box, mask nor track, by
            the path of the video or image.
        known: False if the file has no known format.
    """

    name: str
    labels: tuple[str, ...]
    pictures: tuple[AnnotatedPicture, ...] = ()
    films: tuple[AnnotatedFilm, ...] = ()
    left_out: Mapping[str, tuple[tuple[str, str, str], ...]] = field(default_factory=dict)
    known: bool = True


def pictures_of(film: AnnotatedFilm, video: str) -> list[AnnotatedPicture]:
    """Return the frames of a video, with boxes interpolated between keyframes.

    Raises:
        SourceBroken: more frames than a recording has.
    """
    if len(film.frames) > MOST_FRAMES:
        raise SourceBroken(
            f"{film.where} lists {len(film.frames)} frames",
            expected=f"at most {MOST_FRAMES}", where=film.where, fix="export the file again",
        )  # fmt: skip
    shapes: dict[int, list[Shape]] = {frame: [] for frame in film.frames}
    for track in film.tracks:
        for frame, shape in _shown(track, film.frames):
            shapes.setdefault(frame, []).append(shape)
    return [
        AnnotatedPicture(film.path, film.where, tuple(shapes[frame]), video, frame, film.size,
                         stop=film.frames.stop) for frame in sorted(shapes)
    ]  # fmt: skip


def _shown(track: Sequence[ShapeKeyframe], frames: range) -> Iterator[tuple[int, Shape]]:
    for key, after in pairwise(track):
        if key.shape is None:
            continue
        yield key.frame, key.shape
        if key.goes_on:
            for frame in frames[bisect_right(frames, key.frame) : bisect_left(frames, after.frame)]:
                share = (frame - key.frame) / (after.frame - key.frame)
                yield frame, _between(key.shape, after.shape, share)
    last = track[-1]
    if last.shape is not None:
        yield last.frame, last.shape
        for frame in frames[bisect_right(frames, last.frame) :] if last.goes_on else ():
            yield frame, _between(last.shape, None, 0.0)


def _between(one: Shape, other: Shape | None, share: float) -> Shape:
    """Return a shape with its box interpolated; without a next box, the box is unchanged."""
    box = one.box
    if box and other and other.box:
        x1, y1, x2, y2 = (a + (b - a) * share for a, b in zip(box, other.box, strict=True))
        box = (x1, y1, x2, y2)
    return Shape(one.label, box, one.where, one.problem, None, one.track, one.score, False,
                 one.attributes)  # fmt: skip


def attributes_of(given: Any, without: Sequence[str] = ()) -> dict[str, float | str]:
    """Return the numbers, words and true/false values of a mapping, with names in lower case."""
    out: dict[str, float | str] = {}
    for name, value in given.items() if isinstance(given, Mapping) else ():
        key = re.sub(r"\W+", "_", str(name).casefold()).strip("_")
        if key in without or not key:
            continue
        if isinstance(value, (bool, int, float)) and value == value and abs(value) < 1e15:
            out[key] = float(value)
        elif isinstance(value, str) and value.strip():
            out[key] = value.strip()
    return out


def numbers(values: Any, count: int) -> list[float] | None:
    """Return that many finite numbers; None for anything else."""
    if not isinstance(values, (list, tuple)) or len(values) != count:
        return None
    if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in values):
        return None
    out = [float(value) for value in values]
    return out if all(abs(value) < 1e12 for value in out) else None


def around(points: Sequence[float]) -> Box | None:
    """Return the box around ``[x1, y1, x2, y2, …]``, None for fewer than three points."""
    if len(points) < 6 or len(points) % 2:
        return None
    xs, ys = points[::2], points[1::2]
    return min(xs), min(ys), max(xs), max(ys)


def scaled(box: Box, width: float, height: float) -> Box:
    """Return a box in pixels as shares of the picture's width and height."""
    return box[0] / width, box[1] / height, box[2] / width, box[3] / height
