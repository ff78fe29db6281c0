"""Run a build: plan it, run the graph, write the documents, replace the output in one step."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from surgqa.ontology.errors import KINDS, UserError, VideosFailed
from surgqa.ontology.garbage import give_back
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import Rejected
from surgqa.pipeline.config import RunConfig
from surgqa.pipeline.documents import write_documents
from surgqa.pipeline.engines.engine import engine_of
from surgqa.pipeline.interrupts import heed
from surgqa.pipeline.manifest import make_manifest
from surgqa.pipeline.output import (
    OPTION,
    TEMPLATES,
    check_target,
    has_items,
    look_over,
    make_work,
    put_aside,
    put_in_place,
    remove_leftovers,
    restore,
    work_folder,
)
from surgqa.pipeline.plan import RunPlan, plan
from surgqa.pipeline.submit import (
    SUBMITTED,
    assert_files,
    refuse_local,
    refuse_running,
    run_graph,
    submitted,
    wait_for,
)
from surgqa.pipeline.watching import watching
from surgqa.transforms.language import templates_folder
from surgqa.transforms.language.load import files_used
from surgqa.transforms.places import Place, RemotePath, absolute, place, remove_tree
from surgqa.transforms.places.carry import FolderContents
from surgqa.transforms.places.fresh import claimed, real
from surgqa.transforms.places.locks import LOCK, only_one
from surgqa.transforms.steps.choose import REVIEWED
from surgqa.transforms.steps.files import json_lines, put
from surgqa.transforms.steps.pieces import ask
from surgqa.transforms.steps.shares import PROMISED
from surgqa.transforms.steps.tasks import FILES, INDEX, AskSettings, in_batches, in_pieces
from surgqa.transforms.steps.video import DONE
from surgqa.transforms.steps.workers import begin, close_pools, warm_up
from surgqa.transforms.steps.write import CHOSEN

if TYPE_CHECKING:
    import apache_beam as beam

MANY = 64
"""Assumed number of workers on another engine."""

LOOK_S, LOOK_REMOTE_S = 0.3, 5.0
"""Seconds between two checks of the finished videos; listing remote storage is slow."""

Progress = Callable[[str, int, int], None]
"""(stage, done, total)."""

__all__ = ["BuildResult", "RunPlan", "build", "plan", "reattach"]


@dataclass(frozen=True)
class BuildResult:
    """The result of a build.

    Attributes:
        out: folder of the result. If it has no items and the old output has some, it is next to the
            output folder.
        books: numbers of rows read, kept, rejected and failed, by stage.
        ledger: by template: number of units, of units with items, reasons for the rest.
        failed: videos that failed (within ``max_failed``).
        carried: the user's files and folders that were copied from the old output.
        damaged: keys of videos whose cached files were damaged and were made again.
    """

    out: Place
    digest: str
    items: int
    books: list[dict[str, Any]]
    ledger: dict[str, Any]
    failed: int
    carried: Sequence[str] = ()
    damaged: Sequence[str] = ()
    cost: Mapping[tuple[str, str], float] = field(default_factory=dict)


def build(
    config: RunConfig, progress: Progress | None = None, *, cost: bool = False
) -> BuildResult:
    """Build a dataset.

    Everything is written next to the output folder and renamed at the end.  A run that ends early
    leaves the old output or none, never a partial one.  User files in the old output are copied.
    Unless ``allow_empty`` is set, an output without items does not replace an old one with items,
    but is left next to it.

    Raises:
        UserError: a source is missing or broken, surgqa did not write the output folder, or
            another process writes into it.
    """
    out = real(place(config.out), OPTION)
    try:
        # The workers start while this process plans the run and imports Beam.
        warm_up(config.workers if engine_of(config.runner).is_local else 1, config.engine)
        check_target(out)
        todo = plan(config)
        with _claimed(config, out):
            return _build_beside(todo, out, progress, cost)
    except BaseException:
        close_pools(now=True)
        raise
    finally:
        close_pools()


@contextmanager
def _claimed(config: RunConfig, out: Place) -> Iterator[None]:
    """Lock the output folder and the cache against other processes."""
    with ExitStack() as held:
        held.enter_context(claimed(out, place(config.out), OPTION))
        if config.cache:
            kept = absolute(place(config.cache))
            held.enter_context(only_one(kept / LOCK, config.cache, "name another --cache"))
        restore(out)
        yield


def reattach(config: RunConfig, progress: Progress | None = None) -> BuildResult:
    """Wait for the job of a run whose client has ended, and put its output in place.

    Raises:
        UserError: no such job was submitted, or it failed.
    """
    warm_up(1, config.engine)
    todo, out = plan(config), real(place(config.out), OPTION)
    work = work_folder(out, todo.digest)
    with _claimed(config, out):
        check_target(out)
        before = look_over(out, config.benchmarks)
        job = submitted(work)
        with watch(work, len(todo.videos), progress):
            wait_for(job, work)
        try:
            return _finish(todo, work, out, before)
        finally:
            remove_tree(work)


def _build_beside(
    todo: RunPlan, out: Place, progress: Progress | None, cost: bool = False
) -> BuildResult:
    """Build in a work folder next to ``out``, and remove the work folder afterwards.

    The work folder is kept only if a job on another engine outlives this process and still writes
    into it.
    """
    check_target(out)
    work = work_folder(out, todo.digest)
    refuse_running(work)
    remove_leftovers(out)
    before = look_over(out, todo.config.benchmarks)
    make_work(work, out, ("out", "parts", DONE))
    try:
        with watch(work, len(todo.videos), progress):
            _run(todo, work, cost)
        close_pools()  # their memory is no longer needed
        give_back()
        result = _finish(todo, work, out, before)
    except BaseException as error:
        # Stop the workers first: they might still write into the folder.
        close_pools(now=True)
        if not (isinstance(error, KeyboardInterrupt) and (work / SUBMITTED).is_file()):
            remove_tree(work, quietly=True)
        raise
    remove_tree(work, quietly=True)
    return result


def _run(todo: RunPlan, work: Place, cost: bool) -> None:
    config = todo.config
    refuse_local(config.runner, {
        "--out": config.out, "--cache": config.cache,
        **{f"--root of {run.name}": run.root for run in config.datasets},
    })  # fmt: skip
    cache = str(absolute(place(config.cache))) if config.cache else None
    settings = AskSettings(todo.templates, config.seed, config.shares, str(work), cache,
                           observers=config.observers, held=config.hold_out,
                           cost=cost)  # fmt: skip
    _ = settings.observed  # report an invalid setting before any video is read
    is_local = engine_of(config.runner).is_local
    # The cache stores whole videos.
    pieces = todo.videos if cache else in_pieces(todo.videos, config.workers)
    batches = in_batches(pieces, config.workers if is_local else MANY)
    if not is_local:
        # Another engine distributes the elements itself.
        config = config.model_copy(update={"workers": 1})
    if config.workers > 1:
        begin(config.workers, ask, batches, settings)
    from surgqa.pipeline.graph import build_graph

    def lay_out(pipeline: beam.Pipeline) -> None:
        build_graph(pipeline, batches, settings, config, _forgiven(todo))

    heed()
    run_graph(todo, work, lay_out)
    heed()


def _finish(todo: RunPlan, work: Place, out: Place, before: FolderContents) -> BuildResult:
    """Write the documents for the files in ``work``, and put the output in place."""
    assert_files(work)
    index = orjson.loads((work / INDEX).read_bytes())
    _assert_whole(index, _forgiven(todo))
    manifest = _publish(todo, work, index)
    items = sum(entry["total"] for entry in manifest["items"].values())
    where, carried = place(todo.config.out), list[str]()
    if items or todo.config.allow_empty or not has_items(out):
        carried = put_in_place(work / "out", out, before, todo.config.benchmarks)
    else:
        where = put_aside(work / "out", out)
    return BuildResult(
        out=where,
        digest=manifest["digest"],
        items=items,
        books=manifest["books"],
        ledger=manifest["ledger"],
        failed=len(index["failed"]),
        carried=carried,
        damaged=[info["key"] for info in index["parts"] if info["damaged"]],
        cost=_summed(index["parts"]),
    )


def _summed(parts: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], float]:
    """Return the CPU seconds of all videos by template and step."""
    out: dict[tuple[str, str], float] = defaultdict(float)
    for info in parts:
        for template, step, seconds in info.get("cost", ()):
            out[template, step] += seconds
    return dict(out)


def _forgiven(todo: RunPlan) -> int:
    """Return how many videos may fail; a limit below 1 is a share of the videos."""
    limit = todo.config.max_failed
    return math.floor(limit * len(todo.videos)) if limit < 1 else int(limit)


def _assert_whole(index: dict[str, Any], forgiven: int) -> None:
    unbalanced = [info["key"] for info in index["parts"] if info["unbalanced"]]
    if unbalanced:
        raise AssertionError(f"row counts do not add up for {', '.join(unbalanced)}")
    failed = index["failed"]
    if len(failed) <= forgiven:
        return
    first = failed[0]["failed"]
    others = [f"{info['key']}: {info['failed'][0]}" for info in failed[1:]]
    kind = VideosFailed if forgiven else KINDS.get(failed[0]["code"], UserError)
    raise kind(
        "\n".join(first),
        found=f"{len(failed)} of {len(failed) + len(index['parts'])} videos failed",
        where="; ".join([failed[0]["key"], *others[:20]]),
        fix="correct the source, exclude the video (--exclude), or allow failures (--max-failed)",
    )


def _publish(todo: RunPlan, work: Place, index: dict[str, Any]) -> dict[str, Any]:
    files = orjson.loads((work / FILES).read_bytes())
    excluded = [plan_row(reject) for reject in todo.excluded]
    if excluded:
        data = json_lines(excluded)
        put(work / "out" / "rejected" / "plan.jsonl", data)
        files.append({"path": "rejected/plan.jsonl", "sha256": bytes_digest(data),
                      "rows": len(excluded)})  # fmt: skip
    files += _templates_used(todo, work)
    dropped = Counter[str]()
    if (work / CHOSEN).is_file():
        with (work / CHOSEN).open("rb") as lines:
            dropped.update(orjson.loads(line)["where"] for line in lines)
    reviewed, promised = work / REVIEWED, work / PROMISED
    templates = {t.id: {"version": t.version, "digest": t.digest, "task": t.task, "title": t.title}
                 for t in todo.templates}  # fmt: skip
    manifest = make_manifest(
        todo.config.settings(),
        templates,
        todo.readers,
        index["parts"],
        index["failed"],
        files,
        dropped,
        excluded,
        orjson.loads(reviewed.read_bytes()) if reviewed.is_file() else None,
        orjson.loads(promised.read_bytes()) if promised.is_file() else (),
    )
    write_documents(work / "out", manifest, todo.config, todo.templates)
    return manifest


def _templates_used(todo: RunPlan, work: Place) -> list[dict[str, Any]]:
    """Copy the templates of the questions into the output, so that it can be checked alone."""
    folder = todo.config.templates or templates_folder()
    out = []
    for path in files_used(folder, (t.path for t in todo.templates)):
        data = (folder / path).read_bytes()
        name = f"{TEMPLATES}/{path}"
        (work / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        put(work / "out" / name, data)
        out.append({"path": name, "sha256": bytes_digest(data), "rows": 0})
    return out


def plan_row(reject: Rejected) -> dict[str, Any]:
    """Return an excluded video as a row of ``rejected/plan.jsonl``."""
    dataset, _, video_id = reject.key.partition("/")
    return {
        "stage": "plan", "dataset": dataset, "video_id": video_id, "key": reject.key,
        "code": str(reject.code), "reason": reject.reason, "where": reject.where,
        "count": reject.count, "outcome": reject.outcome,
    }  # fmt: skip


@contextmanager
def watch(work: Place, total: int, progress: Progress | None) -> Iterator[None]:
    """Report the progress of a run from the files of finished videos."""
    if progress is None:
        yield
        return

    def report() -> None:
        done = sum(1 for _ in (work / DONE).iterdir())
        progress("videos", done, total)
        if done == total:
            progress("files", _files_below(work / "out"), 0)

    with watching(report, LOOK_REMOTE_S if isinstance(work, RemotePath) else LOOK_S):
        yield


def _files_below(folder: Place) -> int:
    if isinstance(folder, RemotePath):
        return len(folder.files_below())
    return sum(1 for p in folder.rglob("*") if p.is_file())
