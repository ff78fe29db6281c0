"""Prostatectomies whose labels lie in COCO's form: the reader that PSI-AVA and GraSP share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from ontology.errors import SourceMissing
from ontology.records import (
    UNKNOWN,
    Clock,
    Code,
    InstrumentTable,
    Media,
    MediaKind,
    Source,
    Span,
    VideoEvidence,
)
from ontology.times import frame_to_us, period_us
from transforms.readers.base.contract import Reader
from transforms.readers.base.intervals import sorted_spans
from transforms.readers.base.ledger import Ledger
from transforms.readers.base.masks import area_of
from transforms.readers.base.objects import Thing, table_of_things
from transforms.readers.base.prostatectomy.rows import (
    CocoFile,
    Moment,
    Part,
    coco_file,
    concepts,
    moments_of,
    seconds_of,
    where_of,
)
from transforms.readers.base.shared import parsed_once
from transforms.readers.base.table import instants_of, spans_of


def workflow_spans(
    moments: Sequence[Moment], part: Part, fps: Fraction, ledger: Ledger
) -> list[Span]:
    """Phases and steps as intervals; a picture stands for one second."""
    seconds = [moment.second for moment in moments]
    instants = instants_of(np.array(seconds, dtype=np.int64), fps)
    out: list[Span] = []
    for kind in ("phase", "step"):
        labels = concepts(part.kinds[kind])
        codes = [_agreed(moment, kind, labels, part, ledger) for moment in moments]
        out += spans_of(
            kind, instants, np.array(codes, dtype=np.int64), labels, period_us(fps),
            part.source.path, lambda a, b: f"seconds {seconds[a]} to {seconds[b]}",
        )  # fmt: skip
    return out


def _agreed(moment: Moment, kind: str, labels: Sequence[str], part: Part, ledger: Ledger) -> int:
    told = sorted({getattr(meaning, kind) for meaning in moment.meanings} - {""})
    if len(told) > 1:
        row = moment.meanings[0].row
        reason = f"rows of one picture name {' and '.join(told)}: no {kind} is taken from it"
        ledger.repair((part.place, row), Code.CONTRADICTION, reason, where_of(part, row))
    return labels.index(told[0]) if len(told) == 1 else UNKNOWN


def action_spans(moments: Sequence[Moment], part: Part, fps: Fraction) -> list[Span]:
    """What an instrument does at a picture, as an interval of one second."""
    out: dict[tuple[int, str, str], Span] = {}
    for moment in moments:
        start = frame_to_us(moment.second, fps)
        for meaning in moment.meanings:
            for action in meaning.actions:
                key = (start, action, meaning.instrument)
                end, where = start + period_us(fps), f"annotations[{meaning.row}]"
                span = Span("action", action, start, end, part.source.path, where,
                            subject=meaning.instrument)  # fmt: skip
                out.setdefault(key, span)
    return list(sorted_spans(out.values()))


def instrument_moments(
    moments: Sequence[Moment], part: Part, fps: Fraction, case: str
) -> InstrumentTable:
    """The table of a case: every picture is an instant, also one without instruments."""
    seconds = np.array([moment.second for moment in moments], dtype=np.int64)
    things = [
        Thing(
            sample, meaning.instrument, meaning.box, row=row, mask=meaning.mask,
            attributes={"area": area_of(meaning.mask)} if meaning.mask else {},
        )
        for sample, moment in enumerate(moments)
        for row, meaning in enumerate(moment.meanings)
    ]  # fmt: skip
    pointer = f"second {{frame}} of {case}, row {{row}} of the picture"
    labels = concepts(part.kinds["instrument"])
    return table_of_things(instants_of(seconds, fps), seconds, things, labels, pointer)


class CocoReader(Reader):
    """Reads one case of files in COCO's form; subclasses say where they lie."""

    replayable = True
    span_kinds = ("action", "phase", "step")

    @abstractmethod
    def _groups(self) -> tuple[Sequence[str], Sequence[str]]:
        """Files of phases and steps alone, and files of instances, that are there.

        Of each group the first file that has a case tells all of it.
        """

    @abstractmethod
    def _expected(self, case: str) -> str:
        """The file that ought to hold a case of which nothing was found."""

    @abstractmethod
    def _folders(self, case: str, digits: int) -> Iterable[str]:
        """Where pictures of a case may lie that are numbered by the second."""

    def found(self) -> list[str]:
        """Cases that any label file lists."""
        names = [name for group in self._groups() for name in group]
        return sorted({case for name in names for case in self._parsed(name)[0].cases})

    def read(self, video_id: str) -> VideoEvidence:
        """All that the dataset says of one case."""
        parts = self._parts(video_id)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        seconds, clock = seconds_of(parts)
        ordered = clock is Clock.ORDER
        fps = (self.rate if ordered else None) or Fraction(1)
        spans: list[Span] = []
        table: InstrumentTable | None = None
        kept = 0
        for part in parts:
            moments = moments_of(part, seconds, bool(part.place), part is parts[0], ledger)
            kept += sum(len(moment.meanings) for moment in moments)
            if part is parts[0]:
                spans += workflow_spans(moments, part, fps, ledger)
            if part.place:
                spans += action_spans(moments, part, fps)
                table = instrument_moments(moments, part, fps, video_id)
        read = sum(len(picture.rows) for part in parts for picture in part.pictures)
        video = self._record(
            video_id, [part.source for part in parts], fps=fps,
            duration_us=frame_to_us(max(seconds.values()) + 1, fps),
            media=self._media_of(video_id, parts, min(seconds.values())),
            vocabulary=table.labels if table else (), clock=Clock.TIME if self.rate else clock,
        )  # fmt: skip
        books = (ledger.books(read, kept),)
        return VideoEvidence(video, table, sorted_spans(spans), ledger.entries(), books)

    def _parsed(self, name: str) -> tuple[CocoFile, Source]:
        data, source = self._source(name)
        return parsed_once(data, source, coco_file), source

    def _parts(self, case: str) -> list[Part]:
        parts = []
        for place, group in enumerate(self._groups()):
            for name in group:
                file, source = self._parsed(name)
                if case in file.cases:
                    parts.append(Part(place, source, file.kinds, file.cases[case]))
                    break
        if not parts:
            name = self._expected(case)
            self._source(name)
            raise SourceMissing(f"{name} does not list {case}", expected=case, where=name,
                                fix=self.card.how_to_get)  # fmt: skip
        return parts

    def _media_of(self, case: str, parts: Sequence[Part], first: int) -> Media:
        digits = max(picture.digits for part in parts for picture in part.pictures)
        for folder in self._folders(case, digits):
            media = self._pictures(folder, [first])
            if media.kind is not MediaKind.ABSENT:
                return media
        return Media(MediaKind.ABSENT)
