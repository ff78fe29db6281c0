"""The same bytes: hash seeds, workers, listing order, formats, one video or all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from surgqa.transforms.store import OutputFolder

from .conftest import run
from .same_bytes import digest_elsewhere

REPOSITORY = Path(__file__).resolve().parents[2]

PROGRAM = """
import os, pathlib, sys
# Entries come back in another order than the file system gives them, also in workers.
order = pathlib.Path.iterdir
pathlib.Path.iterdir = lambda self: iter(sorted(order(self), key=lambda p: p.name[::-1])[::-1])
listdir = os.listdir
os.listdir = lambda *a: sorted(listdir(*a), key=lambda n: str(n)[::-1])[::-1]
if __name__ == "__main__":
    from surgqa.pipeline.config import load_run
    from surgqa.pipeline.run import build
    settings = {{"datasets": [{{"name": "cholect50", "root": {root!r}}}], "out": {out!r}}}
    print(build(load_run(None, settings | {{"workers": 2}})).digest)
"""


FEW = ["surgstu.locate", "surgstu.segment"]
"""Templates of builds that need not ask everything."""


def files_of(out: Path) -> dict[str, bytes]:
    """Every file of an output with its bytes."""
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}


@pytest.mark.nightly  # by day of all benchmarks, below, and workers in cli/test_review
def test_hash_seeds_workers_and_listing_order_do_not_show(
    sample_root: Path, built: Path, tmp_path: Path
) -> None:
    program, out = tmp_path / "program.py", tmp_path / "out"
    program.write_text(PROGRAM.format(root=str(sample_root), out=str(out)), encoding="utf-8")
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == OutputFolder(built).manifest["digest"]
    assert files_of(out) == files_of(built)


def test_neither_hash_seed_nor_listing_order_shows_in_any_benchmark(
    of_all_benchmarks: dict[str, Any], all_benchmarks: Path, tmp_path: Path
) -> None:
    found = digest_elsewhere(of_all_benchmarks | {"out": str(tmp_path / "out")})
    assert found == OutputFolder(all_benchmarks).manifest["digest"]


def test_one_format_gives_the_files_of_both(sample_root: Path, tmp_path: Path) -> None:
    run(sample_root, tmp_path / "both", only=FEW)
    both = OutputFolder(tmp_path / "both").manifest
    for kind in ("jsonl", "parquet"):
        run(sample_root, tmp_path / kind, formats=[kind], only=FEW)
        alone = OutputFolder(tmp_path / kind).manifest
        mine = {
            p: s for p, s in both["files"].items() if p.endswith(kind) and p.startswith("data/")
        }
        assert mine
        assert mine == {p: s for p, s in alone["files"].items() if p.startswith("data/")}


def test_a_video_alone_gives_its_items_of_the_whole_build(
    sample_root: Path, built: Path, tmp_path: Path
) -> None:
    whole: dict[str, dict[str, dict]] = {}
    for row in OutputFolder(built).rows():
        whole.setdefault(row["video_id"], {})[row["item_id"]] = row
    assert len(whole) == 4
    for video_id, rows in [*whole.items()][::3]:
        out = tmp_path / video_id
        run(sample_root, out, dataset={"videos": [video_id]})
        assert {row["item_id"]: row for row in OutputFolder(out).rows()} == rows


def ids_of(out: Path) -> set[str]:
    """Items of the few templates."""
    return {row["item_id"] for row in OutputFolder(out).rows() if row["template_id"] in FEW}


def test_another_seed_gives_other_questions_of_the_same_evidence(
    sample_root: Path, built: Path, tmp_path: Path
) -> None:
    run(sample_root, tmp_path / "out", seed="43", only=FEW)
    files, others = (OutputFolder(p).manifest["files"] for p in (built, tmp_path / "out"))
    assert files["evidence/events.parquet"] == others["evidence/events.parquet"]
    assert len(ids_of(built) - ids_of(tmp_path / "out")) > len(ids_of(built)) / 2


def test_shards_together_hold_every_row_once(
    sample_root: Path, built: Path, tmp_path: Path
) -> None:
    run(sample_root, tmp_path / "out", shard_rows=3, only=FEW)
    rows = [row["item_id"] for row in OutputFolder(tmp_path / "out").rows()]
    assert sorted(rows) == sorted(ids_of(built))
    assert len(OutputFolder(tmp_path / "out").shards("surgstu")) > 4


def test_a_cache_gives_the_same_bytes_and_survives_changed_templates(
    sample_root: Path, tmp_path: Path
) -> None:
    def digest(name: str, **settings: Any) -> str:
        return run(sample_root, tmp_path / name, **{"only": FEW} | settings).digest

    kept = {"cache": tmp_path / "cache"}
    expected = digest("plain")
    assert digest("first", **kept) == expected
    other = {"only": [*FEW, "surgstu.classes"], "profile": "paper"}
    assert digest("other", **kept, **other) == digest("fresh", **other) != expected
    if "SURGQA_LONG" in os.environ:
        split = {"dataset": {"split": "rendezvous"}}
        assert digest("official", **kept, **split) == digest("uncached", **split) != expected
    assert digest("second", **kept) == expected


def test_digest_of_the_sample_build_is_the_known_one(
    built: Path, repo_root: Path, update_golden: bool
) -> None:
    """A change of any byte of a build is noticed, and meant."""
    manifest = OutputFolder(built).manifest
    found = "".join(f"{kind} {digest}\n" for kind, digest in sorted(manifest["digests"].items()))
    golden = repo_root / "tests" / "golden" / "builds" / "cholect50-sample.txt"
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == found, (
        "the build's bytes changed; if that was meant, raise the versions of what changed and "
        "run pytest with --update-golden"
    )


def test_evaluating_a_few_rows_at_a_time_changes_no_byte(
    sample_root: Path, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surgqa.transforms.algebra.columns.evaluate.AT_ONCE", 7)
    assert run(sample_root, tmp_path / "out").digest == OutputFolder(built).manifest["digest"]


def test_merging_parts_into_runs_changes_no_byte(
    sample_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surgqa.transforms.steps.merge.GROUP", 2)
    monkeypatch.setattr("surgqa.transforms.steps.merge.RANGES", 3)
    settings = {"shares": {"train": 1.0}, "only": FEW}
    result = run(sample_root, tmp_path / "out", **settings)
    monkeypatch.undo()
    plain = run(sample_root, tmp_path / "plain", **settings)
    assert result.digest == plain.digest and result.items == plain.items > 0
