"""Cut the clips and frames of an export: plan the pieces, run them on an engine, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from surgqa.ontology.keys import digest
from surgqa.pipeline.engines.engine import engine_of
from surgqa.pipeline.watching import watching
from surgqa.transforms.media.cutting import (
    CutRequests,
    CutStore,
    Outcome,
    Request,
    outcomes,
    pieces_of,
)
from surgqa.transforms.places.locks import store_lock
from surgqa.transforms.steps.cut_piece import cut_piece, import_cutting
from surgqa.transforms.steps.workers import begin, close_pools, warm_up

if TYPE_CHECKING:
    import apache_beam as beam


Progress = Callable[[str, int, int], None]
"""(stage, done, total)."""


@dataclass(frozen=True)
class CutRun:
    """The engine that cuts, its number of workers, and the function that gets the progress."""

    runner: str = "direct"
    workers: int = 1
    engine: list[str] = field(default_factory=list)
    progress: Progress | None = field(default=None, compare=False)


@dataclass(frozen=True)
class _Todo:
    config: CutRun
    digest: str


def cut(requests: Iterable[Request], store: CutStore, run: CutRun) -> Outcome:
    """Cut clips and frames into a store; pieces that the store already has are not cut again.

    Returns:
        The result of every request.

    Raises:
        UserError: another process uses the store, or the engine is not available.
    """
    pieces = pieces_of(requests)
    if not pieces:
        return {}
    store.place.mkdir(parents=True, exist_ok=True)
    with store_lock(store.place):
        try:
            with _watched(pieces, store, run.progress) as cleaned:
                _run(pieces, store, run, cleaned)
        except BaseException:
            close_pools(now=True)
            raise
        finally:
            close_pools()
        return outcomes(pieces, store)


@contextmanager
def _watched(
    pieces: Sequence[CutRequests], store: CutStore, progress: Progress | None
) -> Iterator[Callable[[], None]]:
    """Report the finished pieces, and the frames for which the yielded function was called."""
    files = [one.outcome(store) for one in pieces]
    if progress is None or not isinstance(store.place, Path):
        yield lambda: None
        return
    for path in files:  # of an earlier export
        path.unlink(missing_ok=True)
    seen = [0]

    def cleaned() -> None:
        seen[0] += 1

    def report() -> None:
        if seen[0]:
            progress("search faces and texts in frames", seen[0], 0)
        progress("cut", sum(path.is_file() for path in files), len(files))

    with watching(report):
        yield cleaned


def _run(
    pieces: Sequence[CutRequests], store: CutStore, run: CutRun, cleaned: Callable[[], None]
) -> None:
    from surgqa.pipeline.submit import refuse_local, run_graph

    roots = {f"--root {name}": root for name, root in store.roots}
    refuse_local(run.runner, {"--media-store": store.folder, **roots})
    workers = run.workers if engine_of(run.runner).is_local else 1
    warm_up(workers, run.engine, import_cutting)
    if workers > 1:
        begin(workers, cut_piece, pieces, store)
    elif engine_of(run.runner).is_local:
        for piece in pieces:  # one process needs no engine
            cut_piece(piece, store, cleaned)
        return

    def lay_out(pipeline: beam.Pipeline) -> None:
        from surgqa.pipeline.graph import cut_graph

        cut_graph(pipeline, pieces, store, workers)

    name = digest(*(piece.outcome(store).name for piece in pieces))
    run_graph(_Todo(run, name), store.place, lay_out)
