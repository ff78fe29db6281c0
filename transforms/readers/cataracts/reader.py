"""Read CATARACTS: one table of instruments and one of steps per video, in three layouts."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from ontology.records import Clock, Code, InstrumentTable, Source, Span, VideoEvidence
from ontology.times import frame_to_us, period_us
from transforms.readers.base import InstrumentRows, Ledger, instants_of, instrument_table, spans_of
from transforms.readers.base import Reader as BaseReader
from transforms.readers.cataracts.tables import Frames, frames_of

FOLDERS = re.compile(r"(train|test)(_labels)?|(tool|phase|step)_annotations|\d\d", re.IGNORECASE)
VIDEO = re.compile(r"(train|test)\d+")


class Reader(BaseReader):
    """Reader of CATARACTS; instruments, steps or videos may be missing."""

    name = "cataracts"
    version = 1
    replayable = True
    span_kinds = ("step",)

    def found(self) -> list[str]:
        """Videos that have a table."""
        return sorted(self._tables())

    def _tables(self) -> dict[str, list[str]]:
        """Video -> paths of its tables; in folders such as ``01``, a table may have any name."""
        out: dict[str, list[str]] = {}
        for folder in filter(FOLDERS.fullmatch, self._names("")):
            for file in self._names(folder):
                stem = file.removesuffix(".csv")
                if stem != file and (VIDEO.fullmatch(stem) or folder.isdecimal()):
                    video_id = stem if VIDEO.fullmatch(stem) else folder
                    out.setdefault(video_id, []).append(f"{folder}/{file}")
        return out

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one video."""
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        parts: dict[str, tuple[Frames, Source]] = {}
        for path in self._tables().get(video_id, [f"tool_annotations/{video_id}.csv"]):
            data, source = self._source(path)
            kind = "step" if b"step" in data.partition(b"\n")[0].lower() else "instrument"
            if kind not in parts:  # a second table of this kind is a copy in another layout
                parts[kind] = frames_of(data, path, kind, ledger), source
        sources = [source for _, source in parts.values()]
        films = [f"train/{video_id}.mp4", f"test/{video_id}.mp4"]
        films += [source.path.replace(".csv", ".mp4") for source in sources]
        film = self._recording(*films, probed=True)
        fps = film.fps or self.rate
        rate = fps or Fraction(1)
        ends = {s.path: int(f.index[-1]) + 1 if f.index.size else 0 for f, s in parts.values()}
        last = max(1, *ends.values())
        for path in (path for path in ends if ends[path] < last):
            reason = f"ends at frame {ends[path]}, the other table at {last}: is it cut short?"
            ledger.repair((ends[path],), Code.INCOMPLETE_INSTANT, reason, f"{path}:{ends[path]}")
        table = _instruments(*parts["instrument"], rate) if "instrument" in parts else None
        spans = _steps(*parts["step"], rate) if "step" in parts else ()
        video = self._record(
            video_id,
            sources,
            fps=rate,
            duration_us=max(frame_to_us(last, rate), film.duration_us or 0),
            media=film.media if film.fps else self._pictures(video_id, []),
            vocabulary=table.labels if table else (),
            clock=Clock.TIME if fps else Clock.ORDER,
        )
        kept = sum(frames.index.size for frames, _ in parts.values())
        books = ledger.books(sum(frames.read for frames, _ in parts.values()), kept)
        return VideoEvidence(video, table, spans, ledger.entries(), (books,))


def _instruments(frames: Frames, source: Source, fps: Fraction) -> InstrumentTable:
    order = np.argsort(frames.labels)
    sample, label = np.nonzero(frames.values[:, order])
    nowhere = np.full((sample.size, 4), np.nan)
    rows = InstrumentRows(sample, label, nowhere, label * 0 + 1.0, label * 0 - 1, order[label])
    pointer = f"{source.path} Frame {{frame}} and instrument {{row}}, both counted from 0"
    times = instants_of(frames.index, fps)
    return instrument_table(times, frames.index, rows, sorted(frames.labels), (), pointer)


def _steps(frames: Frames, source: Source, fps: Fraction) -> tuple[Span, ...]:
    return spans_of(
        "step",
        instants_of(frames.index, fps),
        frames.values[:, 0].astype(np.int64),
        frames.labels,
        period_us(fps),
        source.path,
        lambda first, last: f"Frame {frames.index[first] + 1} to {frames.index[last] + 1}",
    )
