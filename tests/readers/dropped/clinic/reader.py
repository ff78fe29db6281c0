"""Reads the clinic's CSV files: second, instrument, verb, target and a box in shares."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from surgqa.ontology.concepts import label_map
from surgqa.ontology.files import listed
from surgqa.ontology.records import Code, VideoEvidence
from surgqa.transforms.readers.base import (
    DelimitedLine,
    Ledger,
    Thing,
    clipped_box,
    concept_of,
    instants_of,
    number,
    read_delimited,
    table_of_things,
    whole_number,
)
from surgqa.transforms.readers.base import Reader as BaseReader

COLUMNS = ("second", "instrument", "verb", "target", "x", "y", "width", "height")
FPS = Fraction(1)


class Reader(BaseReader):
    """The clinic's videos, whole or in part."""

    name = "clinic"
    version = 1
    replayable = True

    def found(self) -> list[str]:
        folder = self.root / "labels"
        files = listed(folder) if folder.is_dir() else []
        return [path.stem for path in files if path.suffix == ".csv"]

    def read(self, video_id: str) -> VideoEvidence:
        data, source = self._source(f"labels/{video_id}.csv")
        table = read_delimited(data, source.path, COLUMNS)
        ledger = Ledger(f"{self.name}/{video_id}", "rows")
        table.reject_bad(ledger)
        rows = [(row, self._thing(row, table.place(row), ledger)) for row in table.rows]
        kept = [(int(row["second"]), row.line, thing) for row, thing in rows if thing]
        frames = np.array(sorted({second for second, _, _ in kept}), dtype=np.int64)
        where = {second: sample for sample, second in enumerate(frames.tolist())}
        things = [
            Thing(where[second], t.label, t.box_xyxy, t.pairs, row=line)
            for second, line, t in kept
            if t.label
        ]
        words = sorted(set(map(str, label_map("cholect50")["instrument"].values())))
        instruments = table_of_things(
            instants_of(frames, FPS), frames, things, words, "second {frame}, line {row}"
        )
        end = (int(frames[-1]) + 1 if frames.size else 1) * 1_000_000
        video = self._record(video_id, [source], fps=FPS, duration_us=end, vocabulary=words)
        books = ledger.books(table.read, len(kept))
        return VideoEvidence(video, instruments, (), ledger.entries(), (books,))

    def _thing(self, row: DelimitedLine, where: str, ledger: Ledger) -> Thing | None:
        """The row's instrument (label '' where it says that there is none), None if bad."""
        second = whole_number(row["second"])
        if second is None or not 0 <= second < 10**6:
            ledger.reject((row.line,), Code.BAD_FRAME, f"{row['second']!r} is no second", where)
            return None
        if not row["instrument"]:
            return Thing(0, "")
        found = [concept_of(kind, row[kind], label_map("cholect50"))
                 for kind in ("instrument", "verb", "target")]  # fmt: skip
        for problem in found:
            if isinstance(problem, tuple):
                ledger.reject((row.line,), *problem, where)
                return None
        edges = [number(row[name]) for name in ("x", "y", "width", "height")]
        x, y, w, h = (-1.0 if edge is None else edge for edge in edges)
        box = clipped_box((x, y, x + w, y + h))
        if None in edges or box is None or min(w, h) <= 0:
            ledger.reject((row.line,), Code.BAD_BOX, f"no box: {row.cells}", where)
            return None
        label, verb, target = map(str, found)
        return Thing(0, label, box, ((verb, target),))
