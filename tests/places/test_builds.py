"""Whole builds on a bucket: the same files as on a disk, and nothing left lying about."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import BuildResult, build
from surgqa.transforms.checks import check_output
from surgqa.transforms.places import Place, RemotePath, copy_tree
from surgqa.transforms.registry import load_sample
from surgqa.transforms.store import OutputFolder

FEW = ["surgstu.classes", "surgstu.locate"]


def run(root: Place, out: Place, **settings: object) -> BuildResult:
    """Build an output of a few templates, unless more are asked for."""
    datasets = [{"name": "cholect50", "root": root}]
    return build(load_run(None, {"datasets": datasets, "out": out, "only": FEW, **settings}))


def files(folder: RemotePath) -> list[str]:
    """Files below a remote folder, by their names in it."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.files_below())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cholect50")
    load_sample("cholect50")(folder)
    return folder


@pytest.fixture(scope="module")
def local(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("local") / "out"
    run(root, out)
    return out


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_a_bucket_holds_the_bytes_of_a_disk(
    root: Path, local: Path, remote: RemotePath, workers: int
) -> None:
    copy_tree(root, remote / "data")
    run(remote / "data", remote / "made" / "out", workers=workers)
    expected = {p.relative_to(local).as_posix(): p for p in local.rglob("*") if p.is_file()}
    assert files(remote / "made") == sorted(f"out/{name}" for name in expected)
    for name, path in expected.items():
        assert (remote / "made" / "out" / name).read_bytes() == path.read_bytes(), name


@pytest.mark.nightly
def test_a_cache_in_a_bucket_and_a_new_output_over_an_old_one(
    root: Path, local: Path, remote: RemotePath
) -> None:
    known = OutputFolder(local).manifest["digest"]
    out, cache = remote / "made" / "out", remote / "cache"
    others = {"only": [*FEW, "surgstu.window"]}
    first = run(root, out, cache=cache, **others).digest
    assert first != known
    stale = set(files(out)) - {p.relative_to(local).as_posix() for p in local.rglob("*")}
    assert run(root, out, cache=cache).digest == known
    assert not stale & set(files(out))
    assert run(root, out, cache=cache, **others).digest == first


@pytest.mark.nightly
def test_merged_parts_are_read_range_by_range(
    root: Path, remote: RemotePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surgqa.transforms.steps.merge.GROUP", 2)
    settings = {"shares": {"train": 1.0}, "shard_rows": 20, "only": []}
    there = run(root, remote / "out", **settings)
    assert there.digest == run(root, tmp_path / "out", **settings).digest


def test_what_lies_in_a_bucket_is_checked_and_read(local: Path, remote: RemotePath) -> None:
    copy_tree(local, remote / "out")
    report = check_output(str(remote / "out"))
    assert (report.items, report.differences) == (len(list(OutputFolder(remote / "out").rows())), 0)


@pytest.mark.nightly
def test_a_failed_run_leaves_the_old_output(root: Path, local: Path, remote: RemotePath) -> None:
    known = OutputFolder(local).manifest["digest"]
    copy_tree(root, remote / "data")
    assert run(remote / "data", remote / "made" / "out").digest == known
    (remote / "data" / "labels" / "VID02.json").write_text("{")
    with pytest.raises(UserError, match="VID02"):
        run(remote / "data", remote / "made" / "out")
    assert OutputFolder(remote / "made" / "out").manifest["digest"] == known
    assert {name.split("/")[0] for name in files(remote / "made")} == {"out"}


def test_a_folder_of_somebody_else_is_not_replaced(root: Path, remote: RemotePath) -> None:
    (remote / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="holds something else"):
        run(root, remote / "out")
    assert files(remote) == ["out/thesis.txt"]


@pytest.mark.parametrize("died", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_files_of_the_user_stay_and_old_ones_of_ours_go(
    root: Path, local: Path, remote: RemotePath, died: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a run died between the old manifest and the new one."""
    out, settings = remote / "made" / "out", {"only": ["surgstu.locate"], "limit": 1}
    run(root, out, shard_rows=2, **settings)
    (out / "data" / "notes.txt").write_text("mine")
    if died:
        with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
            patch.setattr("surgqa.pipeline.output.copy_tree", lambda *_: 1 / 0)
            run(root, out, **settings)
        assert not (out / "manifest.json").is_file()
    result = run(root, out, **settings)
    assert (out / "data" / "notes.txt").read_text() == "mine"
    assert result.carried == ["data/notes.txt"]
    own = set(OutputFolder(out).manifest["files"])
    shards = {name for name in files(out) if name.startswith("data/surgstu")}
    assert shards == {name for name in own if name.startswith("data/surgstu")}
    assert {name.split("/")[0] for name in files(remote / "made")} == {"out"}
    (out / "README.md").write_text("my own words")
    with pytest.raises(UserError, match="were changed"):
        run(root, out, **settings)
