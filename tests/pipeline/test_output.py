"""Rebuilding: what is the user's stays, links are followed, and nobody builds at the same time."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.cli import app
from surgqa.pipeline.manifest import DOCUMENTS, MANIFEST, ours
from surgqa.pipeline.output import check_target, look_over, put_in_place, restore
from surgqa.pipeline.run import BuildResult
from surgqa.transforms.places.fresh import beside, claimed, real
from surgqa.transforms.store import OutputFolder

from .conftest import run

ANOTHER = Path("/dev/shm")
"""Where there is one, another file system than that of the temporary folders."""


def quick(root: Path, out: Path, **settings: Any) -> BuildResult:
    """A build of one video and one template."""
    return run(root, out, limit=1, **{"only": ["surgstu.locate"], **settings})


@pytest.fixture(scope="module")
def made(sample_root: Path, once: Callable[..., Path]) -> Path:
    """A finished small output; tests copy it."""
    return once("quick", lambda to: quick(sample_root, to / "out")) / "out"


@pytest.fixture
def old(made: Path, tmp_path: Path) -> Path:
    """An output that a test may change."""
    return shutil.copytree(made, tmp_path / "here" / "out")


@pytest.fixture
def new(made: Path, tmp_path: Path) -> Path:
    """The same, finished in its work folder."""
    return shutil.copytree(made, tmp_path / "here" / ".out.partial-000000000000" / "out")


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A folder on another file system."""
    if not ANOTHER.is_dir() or ANOTHER.stat().st_dev == Path(tempfile.gettempdir()).stat().st_dev:
        pytest.skip("no other file system here")
    with tempfile.TemporaryDirectory(dir=ANOTHER) as folder:
        yield Path(folder)


@contextmanager
def nothing_collected() -> Iterator[None]:
    """No garbage is collected: what it holds may remove folders of its own, with functions
    of the system that a test has replaced.
    """
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def digest(out: Path) -> str:
    return OutputFolder(out).manifest["digest"]


def names(out: Path) -> set[str]:
    return {path.relative_to(out).as_posix() for path in out.rglob("*") if not path.is_dir()}


def add_files_of_the_user(out: Path) -> dict[str, bytes]:
    """Notes, results, folders, links, files between ours; name -> bytes."""
    files = {
        "notes.txt": b"mine", "predictions.jsonl": b"{}\n", "results/a/b.csv": b"1,2\n",
        "data/surgstu/mine.csv": b"x", "evidence/.hidden": b"", "rejected/why.md": b"!",
    }  # fmt: skip
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    (out / "empty" / "below").mkdir(parents=True)
    (out / "link").symlink_to("../nowhere")
    (out / "folder").symlink_to("results")
    return files


def assert_all_there(out: Path, files: dict[str, bytes]) -> None:
    assert {name: (out / name).read_bytes() for name in files} == files
    assert (out / "empty" / "below").is_dir()
    assert (out / "link").readlink() == Path("../nowhere")
    assert (out / "folder").readlink() == Path("results")


def test_a_rebuild_keeps_what_is_not_ours_and_tells_it(
    sample_root: Path, old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known, ours_before = digest(old), names(old)
    files = add_files_of_the_user(old)
    arguments = ["build", "--dataset", "cholect50", "--root", str(sample_root), "--out", str(old),
                 "--benchmark", "surgstu", "--only", "surgstu.locate", "--limit", "1"]  # fmt: skip
    assert app.run(arguments) == 0
    assert_all_there(old, files)
    assert digest(old) == known
    assert names(old) == {*ours_before, *files, "link"}
    told = capsys.readouterr().err
    assert "copied from the old output: data/surgstu/mine.csv, empty/, " in told
    assert "notes.txt" in told and "results/" in told and "results/a" not in told
    assert [path.name for path in old.parent.iterdir()] == [old.name]


def test_files_of_other_templates_go_and_files_of_the_user_stay(
    sample_root: Path, old: Path
) -> None:
    files = add_files_of_the_user(old)
    quick(sample_root, old, benchmarks=["surgcot"], only=[])
    assert_all_there(old, files)
    assert not list((old / "data" / "surgstu").glob("*.parquet"))


@pytest.mark.parametrize("name", [*DOCUMENTS, MANIFEST, "evidence/videos.parquet", "data"])
def test_what_the_user_changed_is_not_written_over(old: Path, name: str) -> None:
    name = min(n for n in names(old) if n.startswith("data/")) if name == "data" else name
    (old / name).write_bytes((old / name).read_bytes() + b" ")
    with pytest.raises(UserError, match="were changed since surgqa wrote them") as caught:
        look_over(old, ["surgstu"])
    assert name in str(caught.value)


def test_a_refused_rebuild_does_nothing(sample_root: Path, old: Path) -> None:
    (old / "README.md").write_text("my own words")
    before = {name: (old / name).read_bytes() for name in names(old)}
    with pytest.raises(UserError, match=r"README\.md"):
        quick(sample_root, old)
    assert {name: (old / name).read_bytes() for name in names(old)} == before
    assert [path.name for path in old.parent.iterdir()] == [old.name]


def test_files_that_are_gone_are_no_hindrance(old: Path) -> None:
    (old / "README.md").unlink()
    shutil.rmtree(old / "evidence")
    assert not look_over(old, ["surgstu"]).changed


@pytest.mark.parametrize("name", [
    "data/surgstu/test-00000-of-00009.jsonl", "rejected/plan.jsonl", "data/surgcot",
])  # fmt: skip
def test_a_name_that_the_dataset_needs_is_refused_beforehand(old: Path, name: str) -> None:
    (old / name).write_bytes(b"mine")
    with pytest.raises(UserError, match="have names that the dataset needs") as caught:
        look_over(old, ["surgstu", "surgcot"])
    assert name in str(caught.value)


def test_a_folder_of_ours_that_became_a_link_is_refused(old: Path, tmp_path: Path) -> None:
    (old / "data").rename(tmp_path / "data")
    (old / "data").symlink_to(tmp_path / "data")
    with pytest.raises(UserError, match="have names that the dataset needs"):
        look_over(old, ["surgstu"])


@pytest.mark.parametrize("text", [
    "", "[]", '{"name": "of an extension"}', '{"schema": "surgqa/manifest-v1"}', '{"schema": 3}',
])  # fmt: skip
def test_a_manifest_of_somebody_else_is_not_ours(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(UserError, match="holds something else"):
        check_target(tmp_path)


def test_the_manifest_holds_a_digest_of_every_file(old: Path) -> None:
    own = ours((old / MANIFEST).read_bytes())
    assert own is not None and set(own) == names(old) and None not in own.values()


def test_without_digests_of_documents_they_count_as_changed(old: Path) -> None:
    manifest = orjson.loads((old / MANIFEST).read_bytes())
    del manifest["documents"]
    (old / MANIFEST).write_bytes(orjson.dumps(manifest))
    with pytest.raises(UserError, match="were changed"):
        look_over(old, ["surgstu"])


# links


def test_a_link_to_a_folder_of_the_same_disk_stays_a_link(sample_root: Path, old: Path) -> None:
    link = old.parent.parent / "link"
    link.symlink_to(old)
    (old / "notes.txt").write_text("mine")
    assert quick(sample_root, link).out == link
    assert link.is_symlink() and (old / "notes.txt").read_text() == "mine"
    assert digest(link) == digest(old)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_to_another_disk(
    sample_root: Path, made: Path, elsewhere: Path, tmp_path: Path, there: bool
) -> None:
    target, link = elsewhere / "real", tmp_path / "out"
    if there:
        shutil.copytree(made, target)
        (target / "notes.txt").write_text("mine")
    link.symlink_to(target)
    quick(sample_root, link)
    assert link.is_symlink() and digest(target) == digest(made)
    assert not there or (target / "notes.txt").read_text() == "mine"
    assert [path.name for path in elsewhere.iterdir()] == ["real"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_circle_of_links_and_the_root_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for out in (tmp_path / "a", Path("/")):
        with pytest.raises(UserError):
            real(out, "--out")


# two at once


def test_a_second_build_is_told_who_builds(sample_root: Path, old: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(old)
    before = names(old)
    with claimed(real(old, "--out"), old, "--out"):
        for out in (old, link):
            with pytest.raises(UserError, match="another process writes") as caught:
                quick(sample_root, out)
            assert f"process {os.getpid()} on " in str(caught.value)
    assert names(old) == before
    assert [path.name for path in old.parent.iterdir()] == [old.name]


def test_a_cache_that_another_build_uses(sample_root: Path, tmp_path: Path) -> None:
    from surgqa.transforms.places.locks import LOCK, only_one

    cache = tmp_path / "cache"
    with only_one(cache / LOCK, "here", "…"), pytest.raises(UserError, match="another process"):
        quick(sample_root, tmp_path / "out", cache=cache)
    assert not (tmp_path / "out").exists()


# putting in place, and what a killed process leaves


def test_files_that_come_while_it_is_put_in_place(
    old: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is copied and written to meanwhile, and one that appears."""
    import surgqa.transforms.places.carry as carrying
    from surgqa.pipeline import output

    def refused(*_: object, **__: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(carrying.os, "link", refused)
    (old / "log.txt").write_text("one")
    whole = output.exchange

    def later(one: Path, other: Path, spare: Path) -> None:
        (other / "log.txt").write_text("one, two")
        (other / "late.txt").write_text("late")
        whole(one, other, spare)

    monkeypatch.setattr(output, "exchange", later)
    put_in_place(new, old, look_over(old, ["surgstu"]), ["surgstu"])
    assert (old / "log.txt").read_text() == "one, two"
    assert (old / "late.txt").read_text() == "late"
    assert not beside(old, "old").exists()


def test_a_document_changed_during_the_build_keeps_both(old: Path, new: Path) -> None:
    before, known = look_over(old, ["surgstu"]), digest(new)
    (old / "README.md").write_text("my own words")
    with pytest.raises(UserError, match="could not be put in place"):
        put_in_place(new, old, before, ["surgstu"])
    assert (old / "README.md").read_text() == "my own words"
    assert digest(old.with_name(f"out-{known[:12]}")) == known


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("atomic", [True, False])
@nothing_collected()
def test_killed_at_every_step_of_putting_in_place(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, atomic: bool
) -> None:
    """Wherever it ends: the output is whole before or after the next run looks at it, and
    the user's files are there.
    """
    import surgqa.transforms.places.trees as trees

    if not atomic:
        monkeypatch.setattr(trees, "_exchanged", lambda *_: False)
    moments = 0
    for k in (*range(30), *range(30, 120, 9)):
        home = tmp_path / f"{k}"
        old = shutil.copytree(made, home / "out")
        new = shutil.copytree(made, home / ".out.partial-000000000000" / "out")
        files = add_files_of_the_user(old)
        with monkeypatch.context() as patch:
            count = iter(range(1000))

            def dying(real: Any, count: Iterator[int] = count, k: int = k) -> Any:
                def step(*arguments: Any, **more: Any) -> Any:
                    if next(count) == k:
                        raise Killed
                    return real(*arguments, **more)

                return step

            patch.setattr(Path, "rename", dying(Path.rename))
            patch.setattr(os, "link", dying(os.link))
            patch.setattr(os, "rmdir", dying(os.rmdir))
            patch.setattr(os, "unlink", dying(os.unlink))
            patch.setattr("surgqa.pipeline.output.exchange", dying(trees.exchange))
            try:
                put_in_place(new, old, look_over(old, ["surgstu"]), ["surgstu"])
            except Killed:
                moments += 1
            else:
                break
        if atomic:
            assert_all_there(old, files)
            assert digest(old) == digest(made)
        restore(old)
        assert_all_there(old, files)
        assert not look_over(old, ["surgstu"]).changed and digest(old) == digest(made)
        assert not beside(old, "old").exists() and not beside(old, "spare").exists()
    assert moments > 8


def test_rights_of_the_old_folder_stay(old: Path, new: Path) -> None:
    old.chmod(0o700)
    put_in_place(new, old, look_over(old, ["surgstu"]), ["surgstu"])
    assert old.stat().st_mode & 0o777 == 0o700


def test_leftovers_of_another_output_with_a_like_name_stay(tmp_path: Path) -> None:
    from surgqa.pipeline.output import remove_leftovers

    mine, other = ".a.partial-0123456789ab", ".a.partial-x.partial-0123456789ab"
    for name in (mine, other):
        (tmp_path / name).mkdir()
    remove_leftovers(tmp_path / "a")
    assert [path.name for path in tmp_path.iterdir()] == [other]
