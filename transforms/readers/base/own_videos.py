"""User-supplied videos: the table of videos, the media files and the time scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from surgqa.ontology.errors import RateMissing, SourceBroken
from surgqa.ontology.records import Clock, Media, MediaKind
from surgqa.ontology.sections import fraction
from surgqa.ontology.times import SECOND_US, round_half_up
from surgqa.transforms.media.found import STILLS, MediaRecord, still
from surgqa.transforms.readers.base.contract import Reader
from surgqa.transforms.readers.base.moments import ORDER, clock
from surgqa.transforms.readers.base.patterns import PathPattern, match_end
from surgqa.transforms.readers.base.tables.grid import ParsedTable
from surgqa.transforms.readers.base.tables.plan import MappingPlan, TablePlan
from surgqa.transforms.readers.base.tables.timing import Timing

FILMS = (".mp4", ".avi", ".mkv", ".mov", ".mpg", ".mpeg", ".m4v", ".wmv", ".webm", ".ts")
FINE = Fraction(1000)
"""Frames per second if only seconds are stated: one frame per millisecond."""


@dataclass(frozen=True, slots=True)
class VideoRow:
    """A row of the table of videos; None or '' for a value that is not stated.

    Attributes:
        duration: seconds.
        frames: number of frames of the video.
    """

    patient: str = ""
    rate: Fraction | None = None
    duration: Fraction | None = None
    frames: int | None = None


@dataclass(frozen=True, slots=True)
class VideoClock:
    """The time scale of a video's labels."""

    clock: Clock
    timing: Timing


def facts_by_video(
    grid: ParsedTable, columns: Mapping[str, str], picture: str = ""
) -> dict[str, VideoRow]:
    """Return the rows of the table of videos, by video id.

    Args:
        picture: pattern such as ``{video}_{frame}.png``, if the column of the video contains names
            of images; '' if it contains the id of the video.

    Raises:
        SourceBroken: a column is missing, a value is missing or invalid, or a video occurs twice.
    """
    grid.refuse_bad()
    for name in columns.values():
        if grid.column(name) is None:
            _refuse(grid, 1, f"a column {name!r}", ", ".join(grid.columns))
    out: dict[str, VideoRow] = {}
    for line, cells in grid.rows:
        texts = {role: cells[grid.column(name) or 0] for role, name in columns.items()}
        video = texts["video"]
        if picture:
            video = (match_end(picture, video) or {}).get("video", "")
        if not video or video in out:
            _refuse(grid, line, "each video once", texts["video"] or "an empty cell")
        seconds = texts.get("duration", "")
        rate, frames = (_number(grid, line, texts.get(key, "")) for key in ("rate", "frames"))
        duration = clock(seconds) if ":" in seconds else _number(grid, line, seconds)
        if seconds and duration is None:
            _refuse(grid, line, "seconds or HH:MM:SS", seconds)
        out[video] = VideoRow(
            texts.get("patient", ""), rate, duration, None if frames is None else int(frames)
        )
    return out


def _number(grid: ParsedTable, line: int, text: str) -> Fraction | None:
    """Return a number above 0; None for an empty cell."""
    if not text:
        return None
    value = fraction(text.replace(",", ".") if grid.decimal_comma else text)
    if value is None or value <= 0:
        _refuse(grid, line, "a number above 0", text)
    return value


def _refuse(grid: ParsedTable, line: int, expected: str, found: str) -> None:
    raise SourceBroken(
        f"{grid.name}, the table of videos, can't be understood",
        expected=expected,
        found=found,
        where=grid.place(line),
        fix="correct the table, or its columns in the mapping",
    )


def media_of(
    reader: Reader,
    patterns: Sequence[PathPattern],
    clips: Sequence[str],
    probed: bool,
    first: int = 0,
) -> MediaRecord:
    """Return the video file, the folder of images or the single image of a video, or ABSENT.

    Args:
        patterns: possible paths of the media, with the video filled in.
        clips: paths that are known to exist; they are tried first.
        probed: read from the video file what the tables do not state.
        first: number of the first image in a folder of images.
    """
    names = list(clips)
    for pattern in patterns:
        there = [(pattern.text, {})] if pattern.plain else pattern.found(reader._names)
        names += [name for name, _ in there]
    films = [name for name in names if name.lower().endswith(FILMS)]
    if films:
        film = reader._recording(*films, probed=probed)
        if film.media.kind != MediaKind.ABSENT:
            return film
    for name in (name for name in names if name not in films):
        if name.lower().endswith(STILLS):
            if reader._optional(name) is not None:
                return MediaRecord(still(reader.root, name))
        else:
            media = reader._pictures(name, (), first)
            if media.kind != MediaKind.ABSENT:
                return MediaRecord(media)
    return MediaRecord(Media(MediaKind.ABSENT))


def clock_of(
    plan: MappingPlan, tables: Iterable[TablePlan], facts: VideoRow,
    media: MediaRecord, rate: Fraction | None, usual: Fraction | None = None,
) -> VideoClock:  # fmt: skip
    """Return the time scale, from every source that states a frame rate or a length.

    Args:
        tables: the tables that have rows about the video.
        rate: frames per second that the user passed to the reader.
        usual: frames per second if nothing else states them.

    Raises:
        UserError: some tables use seconds, others frame numbers, and no rate is known.
    """
    timed = [table for table in tables if table.timed]
    if timed and all(table.single for table in timed):
        return VideoClock(Clock.WHOLE, Timing(Fraction(1), SECOND_US))
    if timed and all(table.time.unit == ORDER for table in timed):
        return VideoClock(Clock.ORDER, Timing(Fraction(1), None))
    stated = facts.rate or plan.rate or rate or media.fps or usual
    counted = [table for table in timed if table.counts_frames]
    own = sorted({table.time.rate for table in timed if table.time.rate})
    length = media.duration_us
    if facts.duration is not None:
        length = round_half_up(facts.duration * SECOND_US)
    if stated is None and counted:
        if len(counted) < len(timed):
            _no_rate(counted[0])
        ticks = None if facts.frames is None else facts.frames * SECOND_US
        return VideoClock(Clock.ORDER, Timing(Fraction(1), ticks))
    fps = stated or (own[-1] if own else FINE)
    if facts.frames and facts.duration is None and stated:
        length = round_half_up(Fraction(facts.frames * SECOND_US) / stated)
    if not timed and length is None:
        return VideoClock(Clock.WHOLE, Timing(Fraction(1), SECOND_US))
    return VideoClock(Clock.TIME, Timing(fps, length))


def _no_rate(table: TablePlan) -> None:
    raise RateMissing(
        f"the frame rate is unknown: table {table.name} has frame numbers, another has seconds",
        expected="rate: 25 for all videos, or a column rate in the table of videos",
        where=table.where,
        fix="add 'rate:' with the frames per second to which the frame numbers refer",
    )
