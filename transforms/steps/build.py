"""The composites that a build is made of, one verb each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apache_beam as beam
import orjson

from transforms.steps.balance import balance
from transforms.steps.merge import merge_parts
from transforms.steps.pool import Spread
from transforms.steps.tasks import AskSettings, Info, WriteTask
from transforms.steps.video import DONE, ask_video
from transforms.steps.write import SLIM_INDEX, plan_files, write_file


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
    told: list[Info], settings: AskSettings, formats: tuple[str, ...], shard_rows: int,
    forgiven: int, modal_cap: float | None,
) -> list[WriteTask]:  # fmt: skip
    """Write ``index.json`` and give the files to write; none if too many videos failed."""
    infos = [orjson.loads(Path(settings.work, DONE, one["part"]).read_bytes()) for one in told]
    ordered = sorted(infos, key=lambda info: (info["dataset"], info["video_id"]))
    whole = [info for info in ordered if not info["failed"]]
    failed = [info for info in ordered if info["failed"]]
    work, folder = Path(settings.work), Path(settings.cache or settings.work) / "parts"
    index = {"parts": whole, "failed": failed}
    (work / "index.json").write_bytes(orjson.dumps(index))
    if len(failed) > forgiven or any(info["unbalanced"] for info in whole):
        return []
    keep = ("part", "split", "dataset", "templates")
    slim = {
        "folder": str(folder),
        "parts": [{key: info[key] for key in keep} for info in whole],
        "runs": merge_parts(folder, whole, work),
        "formats": list(formats),
    }
    (work / SLIM_INDEX).write_bytes(orjson.dumps(slim))
    if modal_cap is not None:
        balance(settings.work, modal_cap)
    return plan_files(whole, shard_rows)


def record_files(files: list[Info], work: str) -> int:
    """Write ``files.json``; returns the number of files."""
    ordered = sorted(files, key=lambda f: f["path"])
    Path(work, "files.json").write_bytes(orjson.dumps(ordered))
    return len(ordered)
