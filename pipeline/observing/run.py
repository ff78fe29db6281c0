"""Run an observation: plan it, do the work that the store lacks, write the record."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surgqa.ontology.errors import KINDS, Mismatched, OutputExists, UserError, VideosFailed
from surgqa.pipeline.engines.engine import engine_of
from surgqa.pipeline.observing.config import ObserveConfig
from surgqa.pipeline.observing.plan import ObservePlan, plan_observation
from surgqa.pipeline.watching import watching
from surgqa.transforms.places import Place, place, remove_tree
from surgqa.transforms.places.locks import LOCK, store_lock
from surgqa.transforms.steps.files import put
from surgqa.transforms.steps.observing.pieces import do_piece, import_observing
from surgqa.transforms.steps.observing.plan import is_current, plan_video
from surgqa.transforms.steps.observing.record import RESULT, write_roots
from surgqa.transforms.steps.observing.tasks import ObserveTask
from surgqa.transforms.steps.observing.work import WORK, read_json
from surgqa.transforms.steps.workers import begin, close_pools, warm_up
from surgqa.transforms.store.evidence import STORE, EvidenceStore

if TYPE_CHECKING:
    import apache_beam as beam

BEGUN = "begun.json"
"""File in the work folder that marks the folders next to it as ours before there is a store."""
Progress = Callable[[str, int, int], None]
"""(stage, done, total)."""


@dataclass(frozen=True)
class ObserveResult:
    """The result of an observation.

    Attributes:
        observed: videos that this run worked on.
        kept: videos whose evidence was in the store already.
        failed: key and error lines of videos that failed (within ``max_failed``).
    """

    store: Place
    digest: str
    observed: int
    kept: int
    failed: list[dict[str, Any]]


def observe(config: ObserveConfig, progress: Progress | None = None) -> ObserveResult:
    """Observe videos and write the evidence to a store.

    Work that the store already contains is not repeated: a second run with the same videos and
    settings loads no model and starts no engine.

    Raises:
        UserError: a video or weights are missing, more videos failed than allowed, or the folder
            contains something else.
    """
    todo = plan_observation(config)
    store = place(todo.settings.store)
    check_store(store, todo.videos[0].dataset)
    with store_lock(store):
        check_store(store, todo.videos[0].dataset)
        return _observe(config, todo, store, progress)


def _observe(
    config: ObserveConfig, todo: ObservePlan, store: Place, progress: Progress | None
) -> ObserveResult:
    pending = tuple(v for v in todo.videos if not is_current(v, todo.settings))
    kept = len(todo.videos) - len(pending)
    there = set(EvidenceStore(store).record["videos"]) if (store / STORE).is_file() else set()
    if not pending and {v.video_id for v in todo.videos} <= there:
        if (store / WORK).is_dir():  # left by a run that was killed after everything else was done
            remove_tree(store / WORK)
        write_roots(todo.settings, todo.videos)
        return ObserveResult(store, EvidenceStore(store).record["digest"], 0, kept, [])
    try:
        local = config.workers if engine_of(config.runner).is_local else 1
        warm_up(local, config.engine, import_observing)
        with watch(store / WORK, len(pending), progress):
            _run(todo, pending)
    except BaseException:
        close_pools(now=True)
        raise
    finally:
        close_pools()
    return _finish(todo, store, pending, kept)


def check_store(store: Place, dataset: str) -> None:
    """Refuse a folder that is not a store, or the store of another dataset.

    Raises:
        UserError: the folder contains something else.
    """
    if (store / STORE).is_file():
        held = EvidenceStore(store).dataset
        if held != dataset:
            raise Mismatched("the store holds another dataset", expected=dataset, found=held,
                             where=str(store), fix="name another folder with --out")  # fmt: skip
        return
    if store.is_dir():
        begun = (store / WORK / BEGUN).is_file()
        ours = (LOCK, *((WORK, "raw", "videos", "rejected") if begun else ()))
        odd = [p.name for p in store.iterdir() if p.name not in ours]
        if odd:
            raise OutputExists(
                "the store's folder holds something else",
                expected="a new or empty folder, or an evidence store",
                found=", ".join(sorted(odd)[:5]),
                where=str(store),
                fix="name another folder with --out",
            )


def _run(todo: ObservePlan, pending: Sequence[ObserveTask]) -> None:
    config = todo.config
    workers = config.workers if engine_of(config.runner).is_local else 1
    from surgqa.pipeline.submit import refuse_local, run_graph

    refuse_local(config.runner, {"--out": config.out, **{v.key: v.root for v in pending}})
    work = place(todo.settings.store) / WORK
    work.mkdir(parents=True, exist_ok=True)
    put(work / BEGUN, b"{}")
    if workers > 1:
        begin(workers, plan_video, pending, todo.settings, then=do_piece)
    from surgqa.pipeline.graph import observe_graph

    def lay_out(pipeline: beam.Pipeline) -> None:
        observe_graph(pipeline, pending, todo.settings, workers, config.accelerator)

    run_graph(todo, work, lay_out)


def _finish(
    todo: ObservePlan, store: Place, pending: Sequence[ObserveTask], kept: int
) -> ObserveResult:
    result = read_json(store / WORK / RESULT)
    failed = result["failed"]
    unbalanced = result["unbalanced"]
    if unbalanced:
        raise AssertionError(f"row counts do not add up for {', '.join(unbalanced)}")
    limit = todo.config.max_failed
    forgiven = math.floor(limit * len(todo.videos)) if limit < 1 else int(limit)
    if len(failed) > forgiven:
        raise _too_many(failed, len(pending), forgiven)
    remove_tree(store / WORK)
    done = len(pending) - len(failed)
    return ObserveResult(store, result["digest"], done, kept, failed)


def _too_many(failed: Sequence[dict[str, Any]], of: int, forgiven: int) -> UserError:
    others = [f"{info['key']}: {info['failed'][0]}" for info in failed[1:]]
    kind = VideosFailed if forgiven else KINDS.get(failed[0]["code"], UserError)
    return kind(
        "\n".join(failed[0]["failed"]),
        found=f"{len(failed)} of {of} videos failed",
        where="; ".join([failed[0]["key"], *others[:20]]),
        fix="correct the file, leave it out, or allow it with --max-failed",
    )


@contextmanager
def watch(work: Place, videos: int, progress: Progress | None) -> Iterator[None]:
    """Report the progress of a run from the files of finished work."""
    if progress is None or not isinstance(work, Path):
        yield
        return

    def report() -> None:
        plans = [read_json(path) for path in sorted(work.glob("*/plan.json"))]
        pieces = sum(len(plan["look"]) + len(plan["hear"]) for plan in plans)
        names = {(p.parent.name, p.stem.partition("-")[2]) for p in work.glob("*/*-*-*.arrow")}
        progress("pieces", len(names), pieces)
        progress("videos", len(list(work.glob("*/done.json"))), videos)

    with watching(report):
        yield
