"""Find the times of exported images."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from surgqa.ontology.records import Clock
from surgqa.ontology.times import SECOND_US, frame_to_us
from surgqa.transforms.readers.base.exports.build import ShownPicture
from surgqa.transforms.readers.base.media import MediaRecord
from surgqa.transforms.readers.base.shapes import AnnotatedFilm
from surgqa.transforms.readers.base.tables.build import Timing


@dataclass(frozen=True, slots=True)
class PictureClock:
    """Rate and length of a video, and the meaning of its times.

    Attributes:
        period_us: between two annotated pictures.
    """

    clock: Clock
    timing: Timing
    period_us: int


@dataclass(slots=True)
class Gathered:
    """The parts of all files that concern one video.

    Attributes:
        stills: paths of pictures without a frame number.
    """

    seen: list[ShownPicture] = field(default_factory=list)
    films: list[AnnotatedFilm] = field(default_factory=list)
    stills: list[str] = field(default_factory=list)
    patients: set[str] = field(default_factory=set)


def clock_of_pictures(
    mine: Gathered, rate: Fraction | None, stills: bool, media: MediaRecord
) -> PictureClock:
    """Return times in seconds if a rate is known, else only the order.

    Args:
        mine: the images, at least one.
        stills: True if all images are stills without a frame number.
    """
    if stills:
        return PictureClock(Clock.WHOLE, Timing(Fraction(1), SECOND_US), SECOND_US)
    fps = rate or Fraction(1)
    frames = sorted({one.frame for one in mine.seen})
    period = Timing(fps, None).period(frames, None)
    ends = [frame_to_us(film.frames.stop, fps) for film in mine.films]
    ends.append(frame_to_us(frames[-1], fps) + period)
    if rate and media.duration_us:
        ends.append(media.duration_us)
    clock = Clock.TIME if rate else Clock.ORDER
    return PictureClock(clock, Timing(fps, max(ends)), period)
