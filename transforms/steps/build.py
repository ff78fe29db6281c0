"""The composites that a build is made of, one verb each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apache_beam as beam
import orjson

from transforms.steps.balance import balance
from transforms.steps.pool import Spread
from transforms.steps.tasks import AskSettings, Info, WriteTask
from transforms.steps.video import ask_video
from transforms.steps.write import plan_files, write_file


class AskAboutVideos(beam.PTransform):
    """Read, structure, cut and ask, video by video; gives what each part holds."""

    def __init__(self, settings: AskSettings, workers: int) -> None:
        super().__init__()
        self.settings = settings
        self.workers = workers

    def expand(self, videos):
        return videos | "Ask" >> beam.ParDo(Spread(ask_video, self.workers, self.settings))


class IndexParts(beam.PTransform):
    """Put the parts in order and plan the files; the one place that sees all videos."""

    def __init__(
        self, settings: AskSettings, formats: Sequence[str], shard_rows: int, forgiven: int,
        modal_cap: float | None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.arguments = (settings, tuple(formats), shard_rows, forgiven, modal_cap)

    def expand(self, parts):
        return (
            parts
            | "Together" >> beam.combiners.ToList()
            | "Index" >> beam.FlatMap(index_parts, *self.arguments)
            | "Spread files" >> beam.Reshuffle()
        )


class WriteFiles(beam.PTransform):
    """Write shards, evidence tables and rejects."""

    def __init__(self, work: str, workers: int) -> None:
        super().__init__()
        self.work = work
        self.workers = workers

    def expand(self, files):
        return (
            files
            | "Write" >> beam.ParDo(Spread(write_file, self.workers, self.work))
            | "Flatten" >> beam.FlatMap(list)
        )


class RecordAccounts(beam.PTransform):
    """Leave the list of files where the run reads its accounts."""

    def __init__(self, work: str) -> None:
        super().__init__()
        self.work = work

    def expand(self, files):
        return (
            files
            | "All files" >> beam.combiners.ToList()
            | "Record" >> beam.Map(record_files, self.work)
        )


def index_parts(
    infos: list[Info], settings: AskSettings, formats: tuple[str, ...], shard_rows: int,
    forgiven: int, modal_cap: float | None,
) -> list[WriteTask]:  # fmt: skip
    """Write ``index.json`` and give the files to write; none if too many videos failed."""
    ordered = sorted(infos, key=lambda info: (info["dataset"], info["video_id"]))
    whole = [info for info in ordered if not info["failed"]]
    failed = [info for info in ordered if info["failed"]]
    index = {
        "folder": str(Path(settings.cache or settings.work) / "parts"),
        "parts": whole,
        "failed": failed,
        "formats": list(formats),
    }
    Path(settings.work, "index.json").write_bytes(orjson.dumps(index))
    if len(failed) > forgiven or any(info["unbalanced"] for info in whole):
        return []
    if modal_cap is not None:
        balance(settings.work, modal_cap)
    return plan_files(whole, shard_rows)


def record_files(files: list[Info], work: str) -> int:
    """Write ``files.json``; returns the number of files."""
    ordered = sorted(files, key=lambda f: f["path"])
    Path(work, "files.json").write_bytes(orjson.dumps(ordered))
    return len(ordered)
