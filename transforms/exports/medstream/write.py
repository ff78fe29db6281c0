"""Writes the export: rows with answers, rows for models, names of videos, counts and digests."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from surgqa.ontology.units import RECORDING
from surgqa.transforms.exports import writing
from surgqa.transforms.exports.medstream.media import MediaMap, media_map
from surgqa.transforms.exports.medstream.rows import COLUMNS, TickClock, clock_of, exported, shown
from surgqa.transforms.exports.medstream.taking import TAKING, temporal
from surgqa.transforms.places import Place
from surgqa.transforms.store import OutputFolder

MODES = ("retrospective", "present", "future", "proactive")
FOLDERS = ("annotations", "model")
MAP = "media_map.jsonl"


class MedStreamRows:
    """The rows of a finished dataset in the format of MedStreamBench.

    Args:
        folder: the dataset. It is read once when the object is made, to find names that reveal
            answers, and once by each call of :meth:`rows`.
    """

    def __init__(self, folder: OutputFolder) -> None:
        self.folder = folder
        self.media: MediaMap = media_map(folder)
        names = ["dataset", "video_id", "clock", "period_us", "duration_us"]
        videos = folder.evidence("videos").select(names).to_pylist()
        self._videos = {(one["dataset"], one["video_id"]): one for one in videos}

    def rows(self, own: bool = False) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield (row with its answer, row for models), in the order of the shards.

        Args:
            own: True for the rows of the benchmark ``medstream`` only.
        """
        for row in TAKING.rows(self.folder, COLUMNS):
            if own and row["benchmark"] != TAKING.benchmark:
                continue
            row = temporal(row)
            recording = self.media.of(row)
            full = exported(row, recording, self._clock(row))
            yield full, shown(full, recording)

    def _clock(self, row: Mapping[str, Any]) -> TickClock:
        video = self._videos[row["dataset"], row["video_id"]]
        return clock_of(dict(row), video["clock"], video["period_us"])

    def durations(self) -> dict[tuple[str, str], float]:
        """Return (dataset, video id in the rows) -> end of the video, in the unit of the rows."""
        out = {}
        for one in self.media:
            video = self._videos[one.dataset, one.video_id]
            row = {"media": {"kind": one.kind}, "unit": RECORDING, "start_us": 0,
                   "end_us": video["duration_us"]}  # fmt: skip
            clock = clock_of(row, video["clock"], video["period_us"])
            out[one.dataset, one.shown_id] = float(
                clock.printed(clock.ticks(video["duration_us"])) or 0
            )
        return out


@dataclass(slots=True)
class _Spool:
    """Lines in a temporary file, and the positions of the lines of each dataset in it."""

    file: BinaryIO
    places: dict[str, list[tuple[str, int, int, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    modes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    rounds: Counter[str] = field(default_factory=Counter)

    def add(self, full: Mapping[str, Any], short: Mapping[str, Any]) -> None:
        """Write one row with its answer, and the same row for models."""
        name, at = full["dataset"], self.file.tell()
        lines = [writing.line(one) for one in (full, short)]
        self.file.write(b"".join(lines))
        self.places[name].append((full["sample_id"], at, len(lines[0]), len(lines[1])))
        self.modes[name][full["temporal_mode"]] += 1
        self.rounds[name] += len(full.get("rounds", ()))

    def lines(self, dataset: str, which: int) -> Iterator[bytes]:
        """Yield a dataset's lines sorted by id; ``which``: 0 with answers, 1 for models."""
        for _, at, first, second in sorted(self.places[dataset]):
            self.file.seek(at + (first if which else 0))
            yield self.file.read(second if which else first)


def write(folder: OutputFolder, to: Path, media: Mapping[str, Place]) -> Sequence[Sequence[object]]:
    """Write all questions that the format can represent.

    Rows are kept in a temporary file, and about a hundred bytes for each row in memory.

    Args:
        to: an existing, empty folder.
        media: ignored.

    Returns:
        A table: the numbers of items of each dataset by temporal mode, and of rounds.
    """
    export = MedStreamRows(folder)
    files: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryFile(dir=to.parent) as file:
        spool = _Spool(file)
        for full, short in export.rows():
            spool.add(full, short)
        for which, name in enumerate(FOLDERS):
            for dataset in sorted(spool.places):
                path = f"{name}/{dataset}.jsonl"
                files[path] = _file_entry(writing.written(to / path, spool.lines(dataset, which)))
    files[MAP] = _file_entry(writing.write_lines(to / MAP, (one.line() for one in export.media)))
    _describe(to, export, spool, files)
    return _table(spool)


def _describe(
    to: Path, export: MedStreamRows, spool: _Spool, files: dict[str, dict[str, Any]]
) -> None:
    items = {
        name: {
            "items": len(places),
            "rounds": spool.rounds[name],
            "by_temporal_mode": dict(sorted(spool.modes[name].items())),
        }
        for name, places in sorted(spool.places.items())
    }
    manifest = {
        "datasets": items,
        "hidden_names": export.media.hidden(),
        "files": dict(sorted(files.items())),
    }
    text = (
        writing.rendered("medstream/readme.md.jinja", **manifest).encode().splitlines(keepends=True)
    )
    manifest["files"]["README.md"] = _file_entry(writing.written(to / "README.md", text))
    writing.write_record(export.folder, to, "medstreambench", **manifest)


def _file_entry(file: writing.WrittenFile) -> dict[str, Any]:
    return {"lines": file.pieces, "sha256": file.sha256}


def _table(spool: _Spool) -> list[list[object]]:
    head: list[object] = ["dataset", "items", *MODES, "rounds"]
    return [head] + [
        [name, len(places), *(spool.modes[name][mode] for mode in MODES), spool.rounds[name]]
        for name, places in sorted(spool.places.items())
    ]
