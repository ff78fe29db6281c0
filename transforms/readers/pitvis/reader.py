"""Read PitVis: one table per video with a row per second, and two lists of names."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from surgqa.ontology.concepts import label_map
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Code, InstrumentTable, Source, Span, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.readers.base import (
    DelimitedLine,
    Ledger,
    Thing,
    concept_of,
    parsed_once,
    read_delimited,
    sorted_spans,
    whole_number,
)
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.lines import numbered_rows, refuse_empty, spans_of_rows
from surgqa.transforms.readers.base.objects import table_by_frame

COLUMNS = ("int_video", "int_time", "int_step", "int_instrument1", "int_instrument2")
OUTSIDE, NOTHING_SEEN, NO_SECOND = -1, 0, -2
MAPS = {"step": ("map_steps.csv", "map_step.csv"),
        "instrument": ("map_instruments.csv", "map_instrument.csv")}  # fmt: skip


class PitVisSecond(NamedTuple):
    """A valid row; ``step`` and ``seen`` are None while the camera is outside the patient."""

    time_us: int
    row: DelimitedLine
    step: str | None
    seen: tuple[str, ...] | None


class Reader(BaseReader):
    """Reader of PitVis; the folder may hold only some of its videos."""

    name = "pitvis"
    version = 1
    replayable = True
    span_kinds = ("event", "step")

    def found(self) -> list[str]:
        """Return the videos that have a table; the dataset has none for video 19."""
        files = (re.fullmatch(r"annotations_(\d\d)\.csv", name) for name in self._names(""))
        return sorted(match[1] for match in files if match)

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        data, source = self._source(f"annotations_{video_id}.csv")
        maps = {kind: self._map(names) for kind, names in MAPS.items()}
        names = {kind: parsed_once(*map_file, _names_of) for kind, map_file in maps.items()}
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        table = read_delimited(data, source.path, COLUMNS)
        rows = numbered_rows(table, "inttime", ledger)
        _leave_last(rows, source.path, ledger)
        seconds = []
        for time, row in rows[:-1]:
            second = _second(time, row, int(video_id), names)
            if isinstance(second, PitVisSecond):
                seconds.append(second)
                if row["intinstrument2"] == "0":
                    reason = "the second instrument is 0, which is read as none"
                    ledger.repair((row.line,), Code.BAD_VALUE, reason, table.place(row))
            else:
                ledger.reject((row.line,), *second, table.place(row))
        refuse_empty(table, seconds)
        instruments = _instruments(seconds)
        video = self._record(
            video_id,
            [source, *(map_file for _, map_file in maps.values())],
            fps=Fraction(1),
            duration_us=seconds[-1].time_us + SECOND_US,
            media=self._recording(f"video_{video_id}.mp4").media,
            vocabulary=instruments.labels,
        )
        books = ledger.books(table.read, len(seconds))
        spans = _spans(seconds, source.path)
        return VideoEvidence(video, instruments, spans, ledger.entries(), (books,))

    def _map(self, names: tuple[str, ...]) -> tuple[bytes, Source]:
        """Return a list of names; the dataset's read-me uses another file name."""
        there = [name for name in names if name in self._names("")]
        return self._source((there or names)[0])


def _names_of(data: bytes, name: str) -> dict[int, str]:
    """Return the name of each id from 1; -1 and 0 have several names, which are not needed."""
    table = read_delimited(data, name, (), header=("id", "name"))
    table.refuse_bad()
    out: dict[int, str] = {}
    for row in table.rows[1:]:
        number = whole_number(row["id"])
        if number is None or number in out:
            raise SourceBroken(
                f"{name} has an invalid row",
                expected="an integer and a name, with each integer from 1 on only once",
                found=repr(row["id"][:40]),
                where=table.place(row),
                fix="download the file again",
            )
        if number > 0:
            out[number] = row["name"]
    return out


def _leave_last(rows: list[tuple[int, DelimitedLine]], path: str, ledger: Ledger) -> None:
    """Reject the last row, which in the release is later than the video's last frame."""
    if rows:
        row = rows[-1][1]
        code, reason = Code.BAD_TIME, "the last row stands after the last picture of the film"
        if row["intstep"] != str(OUTSIDE):
            code = Code.INCOMPLETE_INSTANT
            reason = "the file ends without the row of background that all have: it is cut short"
        ledger.reject((row.line,), code, reason, f"{path}:{row.line}")


def _second(
    time: int, row: DelimitedLine, video: int, names: dict[str, dict[int, str]]
) -> PitVisSecond | tuple[Code, str]:
    """Return the second that a row describes, or why the row is invalid."""
    numbers = [whole_number(row[column.replace("_", "")]) for column in COLUMNS]
    if None in numbers:
        return Code.BAD_ROW, "a cell of this row is not a whole number"
    number, _, step, first, second = (value or 0 for value in numbers)
    if number != video:
        return Code.CONTRADICTION, f"the row is of video {number} and the file of {video}"
    if (step == OUTSIDE) != (first == OUTSIDE) or (second > 0 and first <= 0):
        return Code.CONTRADICTION, f"step {step} goes not with instruments {first} and {second}"
    if step == OUTSIDE:
        return PitVisSecond(time * SECOND_US, row, None, None)
    codes = [("step", step)]
    codes += [("instrument", tool) for tool in (first, second)
             if tool not in (NOTHING_SEEN, NO_SECOND)]  # fmt: skip
    labels = []
    for kind, code in codes:
        if code not in names[kind]:
            return Code.UNKNOWN_LABEL, f"{kind} {code} is not in the list of names"
        name, known = names[kind][code], label_map("pitvis")
        plain = " ".join(name.replace("_", " ").lower().split())
        label = concept_of(kind, plain if plain in known[kind] else name, known)
        if not isinstance(label, str):
            return label
        labels.append(label)
    return PitVisSecond(time * SECOND_US, row, labels[0], tuple(labels[1:]))


def _instruments(seconds: list[PitVisSecond]) -> InstrumentTable:
    """Return the table of the seconds inside the patient; instruments outside are not annotated."""
    by_second = {
        one.time_us // SECOND_US: [Thing(0, label, row=n) for n, label in enumerate(one.seen, 1)]
        for one in seconds if one.seen is not None
    }  # fmt: skip
    labels = label_map("pitvis")["instrument"].values()
    return table_by_frame(by_second, Fraction(1), labels, "int_time {frame}, int_instrument{row}")


def _spans(seconds: list[PitVisSecond], path: str) -> tuple[Span, ...]:
    """Return steps, and times outside the patient between the first and the last step."""
    steps = [(s.time_us, s.row, s.step) for s in seconds if s.step is not None]
    out = label_map("pitvis")["event"][str(OUTSIDE)]
    pauses = [(s.time_us, s.row, out) for s in seconds if steps and s.step is None
              and steps[0][0] < s.time_us < steps[-1][0]]  # fmt: skip
    spans_by_kind = (spans_of_rows(kind, rows, SECOND_US, path)
            for kind, rows in (("event", pauses), ("step", steps)))  # fmt: skip
    return sorted_spans(span for spans in spans_by_kind for span in spans)
