"""Read Cataract-101: ``annotations.csv``, ``videos.csv`` and ``phases.csv``, for all videos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ontology.concepts import label_map
from ontology.errors import SourceBroken
from ontology.records import Code, Source, Span, VideoEvidence, VideoLabel
from ontology.times import frame_to_us
from transforms.readers.base import (
    Claimed,
    Delimited,
    Ledger,
    Row,
    checked_spans,
    concept_of,
    parsed_once,
    read_delimited,
    whole_number,
)
from transforms.readers.base import Reader as BaseReader

STARTS, VIDEOS, PHASES = "annotations.csv", "videos.csv", "phases.csv"
COLUMNS = {
    STARTS: ("VideoID", "FrameNo", "Phase"),
    VIDEOS: ("VideoID", "Frames", "FPS", "Surgeon", "Experience"),
    PHASES: ("Phase", "Meaning"),
}


@dataclass(frozen=True, slots=True)
class Start:
    """A row of ``annotations.csv``; a field is None if its value is invalid."""

    row: Row
    frame: int | None
    phase: str | None


class Reader(BaseReader):
    """Reader of Cataract-101; the dataset may be incomplete."""

    name = "cataract101"
    version = 1
    replayable = True
    span_kinds = ("phase",)
    label_kinds = ("experience",)

    def found(self) -> list[str]:
        """Videos that a table lists."""
        there = [name for name in (VIDEOS, STARTS) if (self.root / name).is_file()]
        return sorted({video for name in there for video in self._rows(name)[0]})

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one video."""
        starts, starts_from = self._rows(STARTS)
        videos, videos_from = self._rows(VIDEOS)
        data, phases_from = self._source(PHASES)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        facts = _facts(videos, video_id)
        frames, fps = _positive(facts, "frames"), _positive(facts, "fps")
        duration_us = frame_to_us(int(frames), fps)
        rows = starts.get(video_id, ())
        told = _starts(rows, parsed_once(data, phases_from, _phases), ledger)
        spans = checked_spans(_claimed(told, fps, duration_us), ledger)
        labels = _experience(facts, videos_from, ledger)
        video = self._record(
            video_id,
            (starts_from, videos_from, phases_from),
            fps=fps,
            duration_us=duration_us,
            media=self._recording(f"videos/case_{video_id}.mp4").media,
        )
        books = ledger.books(len(rows) + 1, len(spans) + len(labels))
        return VideoEvidence(video, None, spans, ledger.entries(), (books,), labels)

    def _rows(self, name: str) -> tuple[Mapping[str, tuple[Row, ...]], Source]:
        data, source = self._source(name)
        return parsed_once(data, source, _by_video), source


def _by_video(data: bytes, name: str) -> Mapping[str, tuple[Row, ...]]:
    """The rows of each video, in the order of the file."""
    out: dict[str, list[Row]] = {}
    table = _table(data, name)
    for row in table.rows:
        if not row["videoid"].isdecimal():
            raise _bad(table.place(row), "an integer as VideoID", row["videoid"])
        out.setdefault(row["videoid"], []).append(row)
    return {video: tuple(rows) for video, rows in out.items()}


def _phases(data: bytes, name: str) -> Mapping[str, str]:
    return {row["phase"]: row["meaning"] for row in _table(data, name).rows}


def _table(data: bytes, name: str) -> Delimited:
    table = read_delimited(data, name, COLUMNS[name], delimiter=";")
    table.refuse_bad()
    return table


def _bad(where: str, expected: str, found: str) -> SourceBroken:
    summary = f"{where.partition(':')[0]} has an invalid row"
    fix = "download the table again, or correct this row"
    return SourceBroken(summary, expected=expected, found=repr(found), where=where, fix=fix)


def _facts(videos: Mapping[str, tuple[Row, ...]], video_id: str) -> Row:
    """The only row of a video in ``videos.csv``, which states its rate and length."""
    rows = videos.get(video_id, ())
    if len(rows) == 1:
        return rows[0]
    line = rows[1].line if rows else max((r[-1].line for r in videos.values()), default=1)
    raise _bad(f"{VIDEOS}:{line}", f"one row for video {video_id}", f"{len(rows)} rows")


def _positive(facts: Row, column: str) -> Fraction:
    number = whole_number(facts[column])
    if number is None or not 0 < number < 10**8:
        raise _bad(f"{VIDEOS}:{facts.line}", f"{column}: an integer above 0", facts[column])
    return Fraction(number)


def _starts(rows: tuple[Row, ...], phases: Mapping[str, str], ledger: Ledger) -> list[Start]:
    """The rows sorted by frame; invalid rows are rejected.

    If a frame number is invalid, the end of the previous phase is unknown too.
    """
    known = label_map(Reader.name)
    out: list[Start] = []
    for row in rows:
        where = f"{STARTS}:{row.line}"
        frame, name = whole_number(row["frameno"]), phases.get(row["phase"])
        phase = concept_of("phase", name, known) if name is not None else None
        if frame is None or frame < 0:
            reason = f"the start {row['frameno']!r} is not a frame number"
            ledger.reject((row.line,), Code.BAD_TIME, reason, where)
            if out and out[-1].phase:
                reason = "the next start can't be read, so the end of this phase is not known"
                at = out[-1].row.line
                ledger.reject((at,), Code.INCOMPLETE_INSTANT, reason, f"{STARTS}:{at}")
                out[-1] = Start(out[-1].row, out[-1].frame, None)
            continue
        if not isinstance(phase, str):
            reason = phase[1] if phase else f"phase {row['phase']!r} has no meaning"
            reason = f"{reason} (see {PHASES})"
            ledger.reject((row.line,), Code.UNKNOWN_LABEL, reason, where)
        out.append(Start(row, frame, phase if isinstance(phase, str) else None))
    return sorted(out, key=lambda start: start.frame or 0)


def _claimed(starts: list[Start], fps: Fraction, duration_us: int) -> list[Claimed]:
    """Each known phase up to the next start; the last one up to the end of the video."""
    times = [frame_to_us(start.frame or 0, fps) for start in starts] + [duration_us]
    out = []
    for number, start in enumerate(starts):
        if start.phase is not None:
            line = start.row.line
            end = min(times[number + 1], duration_us)
            span = Span("phase", start.phase, times[number], end, STARTS, f"line {line}")
            out.append(Claimed(span, (line,), f"{STARTS}:{line}"))
    return out


def _experience(facts: Row, source: Source, ledger: Ledger) -> tuple[VideoLabel, ...]:
    level = concept_of("experience", facts["experience"], label_map(Reader.name))
    if isinstance(level, str):
        where = f"line {facts.line}"
        return (VideoLabel("experience", level, None, "", source.path, where),)
    ledger.reject((0,), *level, f"{VIDEOS}:{facts.line}")
    return ()
