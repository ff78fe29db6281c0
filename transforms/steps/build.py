"""The composite Beam transforms of a build.

Their elements are names and small descriptions. The rows are in files that all workers can reach,
so that no engine has to hold or shuffle them.
"""

from __future__ import annotations

from collections.abc import Sequence

import apache_beam as beam
import orjson

from surgqa.ontology.garbage import give_back
from surgqa.transforms.places import place
from surgqa.transforms.steps.choose import Chooser
from surgqa.transforms.steps.files import put, read_all
from surgqa.transforms.steps.merge import merge_parts, plan_merging, sorted_files
from surgqa.transforms.steps.pieces import ask, put_together, wholes
from surgqa.transforms.steps.pool import Spread, Together
from surgqa.transforms.steps.tasks import FILES, INDEX, AskSettings, Info, MergeTask, WriteTask
from surgqa.transforms.steps.video import DONE
from surgqa.transforms.steps.write import SLIM_INDEX, Parts, plan_files, write_file


@beam.ptransform_fn
def AskAboutVideos(videos, settings: AskSettings, workers: int, divided: bool):
    """Process some videos at a time; return the names of their intermediate files.

    Label files are read, tracks are linked, clips are cut and templates are asked.

    Args:
        divided: True if each element is a piece of the work on a video. The results of the pieces
            are then combined.
    """
    asked = videos | "Ask" >> beam.ParDo(Spread(ask, workers, settings))
    if not divided:
        return asked
    return (
        asked
        | "All pieces" >> Together()
        | "Pieces of a video" >> beam.FlatMap(wholes)
        | "Spread videos" >> beam.Reshuffle()
        | "Put together" >> beam.ParDo(Spread(put_together, workers, settings))
    )


@beam.ptransform_fn
def MergeParts(parts, settings: AskSettings, forgiven: int, workers: int):
    """Index the videos' intermediate files and merge them; returns names of the merged files."""
    return (
        parts
        | "All parts" >> Together()
        | "Index" >> beam.FlatMap(index_parts, settings, forgiven)
        | "Spread runs" >> beam.Reshuffle()
        | "Merge" >> beam.ParDo(Spread(merge_parts, workers, settings))
    )


@beam.ptransform_fn
def PlanFiles(
    runs, settings: AskSettings, formats: Sequence[str], shard_rows: int, forgiven: int,
    chooser: Chooser,
):  # fmt: skip
    """Plan which files contain which rows; the only step that gets the names of all files."""
    return (
        runs
        | "All runs" >> Together()
        | "Plan" >> beam.FlatMap(plan_writing, settings, formats, shard_rows, forgiven, chooser)
        | "Spread files" >> beam.Reshuffle()
    )


@beam.ptransform_fn
def WriteFiles(files, work: str, workers: int):
    """Write shards, evidence tables and rejections."""
    return files | "Write" >> beam.ParDo(Spread(write_file, workers, work))


@beam.ptransform_fn
def RecordAccounts(files, work: str):
    """Write the list of all output files, which the run's report needs."""
    return files | "All files" >> Together() | "Record" >> beam.Map(record_files, work)


def index_parts(summaries: list[Info], settings: AskSettings, forgiven: int) -> list[MergeTask]:
    """Write the list of all videos' files; return what to merge, or [] after many failures."""
    work = place(settings.work)
    # Sorted by name first, so that a repeated step writes the same index.
    names = sorted(one["part"] for one in summaries)
    infos = [orjson.loads(data) for data in read_all([work / DONE / name for name in names])]
    ordered = sorted(infos, key=lambda info: (info["dataset"], info["video_id"]))
    whole = [info for info in ordered if not info["failed"]]
    failed = [info for info in ordered if info["failed"]]
    put(work / INDEX, orjson.dumps({"parts": whole, "failed": failed}))
    return plan_merging(whole) if _usable(whole, failed, forgiven) else []


def _usable(whole: Sequence[Info], failed: Sequence[Info], forgiven: int) -> bool:
    return len(failed) <= forgiven and not any(info["unbalanced"] for info in whole)


def plan_writing(
    runs: list[str], settings: AskSettings, formats: Sequence[str], shard_rows: int,
    forgiven: int, chooser: Chooser,
) -> list[WriteTask]:  # fmt: skip
    """Decide which items are rejected; return the files to write, none if too many videos failed.

    Args:
        runs: names of the merged files; as an argument, so that merging is done before this step.
        forgiven: number of videos that may fail.
    """
    work = place(settings.work)
    index = orjson.loads((work / INDEX).read_bytes())
    whole = index["parts"]
    if not _usable(whole, index["failed"], forgiven):
        return []
    folder = place(settings.cache or settings.work) / "parts"
    keep = ("part", "split", "dataset", "templates")
    slim = {
        "folder": str(folder),
        "parts": [{key: info[key] for key in keep} for info in whole],
        "runs": sorted_files(whole, folder, work),
        "formats": list(formats),
    }
    put(work / SLIM_INDEX, orjson.dumps(slim))
    chooser.choose(settings.work, settings.templates)
    give_back()
    return plan_files(whole, shard_rows, Parts(work))


def record_files(files: list[Info], work: str) -> int:
    """Write the list of files; return their number."""
    ordered = sorted(files, key=lambda f: f["path"])
    put(place(work) / FILES, orjson.dumps(ordered))
    return len(ordered)
