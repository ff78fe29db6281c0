"""Running a build: plan, run the graph, account, and put the output in place at once."""

from __future__ import annotations

import math
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ontology.errors import EXIT_TOO_MANY_FAILED, UserError
from pipeline.config import RunConfig
from pipeline.documents import write_documents
from pipeline.manifest import make_manifest
from pipeline.plan import Plan, plan
from transforms.steps.tasks import AskSettings
from transforms.steps.video import DONE
from transforms.steps.workers import close_pools, warm_up

Progress = Callable[[str, int, int], None]
"""(stage, done, total)."""

__all__ = ["BuildResult", "Plan", "build", "plan"]


@dataclass(frozen=True)
class BuildResult:
    """What a build left behind.

    Attributes:
        books: read, kept, rejected, failed per stage.
        ledger: per template: windows, asked, reasons for the rest.
        failed: videos that failed (forgiven by ``max_failed``).
    """

    out: Path
    digest: str
    items: int
    books: list[dict[str, Any]]
    ledger: dict[str, Any]
    failed: int


def build(config: RunConfig, progress: Progress | None = None) -> BuildResult:
    """Build a dataset.

    Everything is written beside the output folder and renamed into place at the end: a
    run that ends early leaves the old output, or none, never half of one.

    Raises:
        UserError: a source is missing or broken, the output folder is not ours.
    """
    out = Path(config.out)
    check_target(out)
    try:
        # Workers start while this process still plans and imports Beam.
        warm_up(config.workers if _is_direct(config) else 1)
        return _build_beside(plan(config), out, progress)
    finally:
        close_pools()


def _build_beside(todo: Plan, out: Path, progress: Progress | None) -> BuildResult:
    """Build in a folder beside ``out``, which is gone afterwards whatever happens."""
    _restore(out)
    work = _beside(out, "partial")
    shutil.rmtree(work, ignore_errors=True)
    for name in ("out", "parts", DONE):
        (work / name).mkdir(parents=True)
    try:
        return _build(todo, work, out, progress)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def check_target(out: Path) -> None:
    """Refuse to replace a folder that is not a dataset of ours."""
    if out.is_file() or (
        out.is_dir() and any(out.iterdir()) and not (out / "manifest.json").is_file()
    ):
        raise UserError(
            "the output folder holds something else",
            expected="a new or empty folder, or one that surgqa wrote",
            where=str(out),
            fix="name another folder with --out",
        )
    out.parent.mkdir(parents=True, exist_ok=True)


def _build(todo: Plan, work: Path, out: Path, progress: Progress | None) -> BuildResult:
    config = todo.config
    cache = str(config.cache.resolve()) if config.cache else None
    settings = AskSettings(todo.templates, config.seed, config.shares, str(work), cache)
    forgiven = _forgiven(config.max_failed, len(todo.videos))
    with watch(work, len(todo.videos), progress):
        _run_graph(todo, settings, forgiven)
    index = orjson.loads((work / "index.json").read_bytes())
    _assert_whole(index, forgiven)
    manifest = _publish(todo, work, index)
    _swap(work / "out", out)
    return BuildResult(
        out=out,
        digest=manifest["digest"],
        items=sum(entry["total"] for entry in manifest["items"].values()),
        books=manifest["books"],
        ledger=manifest["ledger"],
        failed=len(index["failed"]),
    )


def _run_graph(todo: Plan, settings: AskSettings, forgiven: int) -> None:
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions

    from pipeline.graph import build_graph

    config = todo.config
    # Beam's own DirectRunner would try to download another engine; this one runs here.
    runner = "FnApiRunner" if _is_direct(config) else config.runner
    if not _is_direct(config):
        # Another engine spreads the elements itself.
        config = config.model_copy(update={"workers": 1})
    options = PipelineOptions([f"--runner={runner}", *config.engine], save_main_session=False)
    with beam.Pipeline(options=options) as pipeline:
        build_graph(pipeline, todo.videos, settings, config, forgiven)


def _is_direct(config: RunConfig) -> bool:
    return config.runner.lower() in ("direct", "directrunner", "fnapirunner")


def _forgiven(limit: float, videos: int) -> int:
    """Failed videos allowed: a share below 1, else a number."""
    return math.floor(limit * videos) if limit < 1 else int(limit)


def _assert_whole(index: dict[str, Any], forgiven: int) -> None:
    unbalanced = [info["key"] for info in index["parts"] if info["unbalanced"]]
    if unbalanced:
        raise AssertionError(f"books do not balance for {', '.join(unbalanced)}")
    failed = index["failed"]
    if len(failed) <= forgiven:
        return
    first = failed[0]["failed"]
    others = [f"{info['key']}: {info['failed'][0]}" for info in failed[1:]]
    raise UserError(
        "\n".join(first),
        found=f"{len(failed)} of {len(failed) + len(index['parts'])} videos failed",
        where="; ".join([failed[0]["key"], *others[:20]]),
        fix="correct the source, leave the video out with --exclude, or allow it with --max-failed",
        exit_code=EXIT_TOO_MANY_FAILED if forgiven else failed[0]["exit_code"],
    )


def _publish(todo: Plan, work: Path, index: dict[str, Any]) -> dict[str, Any]:
    files = orjson.loads((work / "files.json").read_bytes())
    dropped: dict[str, int] = {}
    if (work / "choose.jsonl").is_file():
        for line in (work / "choose.jsonl").read_bytes().splitlines():
            template = orjson.loads(line)["where"]
            dropped[template] = dropped.get(template, 0) + 1
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
    )
    write_documents(work / "out", manifest, todo.config)
    return manifest


def _beside(out: Path, what: str) -> Path:
    """A hidden folder next to ``out``, on the same disk, so that renaming is one step."""
    whole = out.resolve()
    return whole.parent / f".{whole.name}.{what}"


def _restore(out: Path) -> None:
    """Put back the old output of a run that ended between its two renames."""
    old = _beside(out, "old")
    if old.exists() and not out.exists():
        old.rename(out)


def _swap(new: Path, out: Path) -> None:
    """Put the finished folder in place; the old one goes only when the new one is whole."""
    old = _beside(out, "old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    new.rename(out)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def watch(work: Path, total: int, progress: Progress | None) -> Iterator[None]:
    """Tell the progress of a run by looking at what its workers have finished."""
    if progress is None:
        yield
        return
    stop = threading.Event()

    def look() -> None:
        while not stop.wait(0.3):
            report()

    def report() -> None:
        done = sum(1 for _ in (work / DONE).iterdir())
        progress("videos", done, total)
        if done == total:
            files = sum(1 for p in (work / "out").rglob("*") if p.is_file())
            progress("files", files, 0)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        report()


def summary(result: BuildResult) -> Sequence[str]:
    """The table printed at the end of a run."""
    lines = [f"{'stage':<8}{'unit':<22}{'read':>12}{'kept':>12}{'rejected':>12}{'failed':>8}"]
    for line in result.books:
        lines.append(
            f"{line['stage']:<8}{line['unit']:<22}{line['read']:>12,}{line['kept']:>12,}"
            f"{line['rejected']:>12,}{line['failed']:>8,}"
        )
    return lines
