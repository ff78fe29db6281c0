"""Locks and new folders: who holds one, what a killed process leaves, what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.places import place
from surgqa.transforms.places.fresh import claimed, is_mount, make_replacing, new_folder, real
from surgqa.transforms.places.locks import only_one


def test_one_at_a_time_and_free_again(tmp_path: Path) -> None:
    lock = tmp_path / "new" / ".lock"
    for _ in range(2):
        with only_one(lock, "out", "take another"):
            with pytest.raises(UserError, match="another process") as caught:
                only_one(lock, "out", "take another").__enter__()
            assert f"process {os.getpid()} on " in str(caught.value)
            assert "take another" in str(caught.value)
        assert not lock.exists()


def test_the_system_frees_the_lock_of_a_killed_process(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    program = (
        "import sys, pathlib\n"
        "from surgqa.transforms.places.locks import only_one\n"
        "held = only_one(pathlib.Path(sys.argv[1]), 'out', '-')\n"
        "held.__enter__()\n"
        "print('held', flush=True); sys.stdin.read()\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program, str(lock)], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    with child:
        assert child.stdout is not None and child.stdout.readline() == "held\n"
        with pytest.raises(UserError, match=f"process {child.pid} on .* since .*-c"):
            only_one(lock, "out", "-").__enter__()
        child.kill()
        child.wait()
    assert lock.is_file()
    with only_one(lock, "out", "-"):
        pass


def test_a_lock_file_that_says_nothing(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    with only_one(lock, "out", "-"):
        lock.write_bytes(b"\xff")
        with pytest.raises(UserError, match="has just started"):
            only_one(lock, "out", "-").__enter__()


def test_a_link_instead_of_a_lock_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / ".lock").symlink_to("precious")
    with pytest.raises(OSError):
        only_one(tmp_path / ".lock", "out", "-").__enter__()
    assert (tmp_path / "precious").read_text() == "mine"


def test_remote_places_have_no_locks() -> None:
    with only_one(place("s3://nowhere/.lock"), "out", "-"):
        pass


@pytest.mark.parametrize("there", ["", "folder", "link", "link to a folder"])
def test_a_new_folder_gets_its_name_at_the_end(tmp_path: Path, there: str) -> None:
    to, target = tmp_path / "to", tmp_path / "to"
    if there == "folder":
        to.mkdir()
    elif there:
        target = tmp_path / "far" / "target"
        target.parent.mkdir()
        to.symlink_to(target)
        if there == "link to a folder":
            target.mkdir()
    (target.parent / ".to.partial").mkdir(exist_ok=True)  # left by a killed process
    with new_folder(to) as partial:
        (partial / "file").write_text("x")
        assert not (to / "file").exists()
    assert [path.name for path in target.iterdir()] == ["file"]
    assert to.is_symlink() == there.startswith("link")


def test_a_new_folder_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "to") as partial:
        (partial / "file").write_text("x")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("early", [True, False])
def test_a_new_folder_replaces_nothing(tmp_path: Path, early: bool) -> None:
    to = tmp_path / "to"

    def somebody_else() -> None:
        to.mkdir()
        (to / "notes.txt").write_text("mine")

    if early:
        somebody_else()
    with pytest.raises(UserError, match="already exists"), new_folder(to):
        somebody_else()
    assert (to / "notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["to"]


@pytest.mark.parametrize("name", ["file/to", "x" * 250])
def test_where_nothing_can_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("a file")
    with (
        pytest.raises(UserError, match="no file can be created next to"),
        new_folder(tmp_path / name),
    ):
        raise AssertionError("begun")
    with (
        pytest.raises(UserError, match="no file can be created next to"),
        claimed(real(tmp_path / name, "--out"), tmp_path / name, "--out"),
    ):
        raise AssertionError("begun")


def test_a_mount_point_is_refused_beforehand(tmp_path: Path) -> None:
    assert is_mount(Path("/")) and not is_mount(tmp_path)
    with pytest.raises(UserError, match="mount point"):
        make_replacing(tmp_path / "partial", Path("/proc"), "--out")
    assert list(tmp_path.iterdir()) == []


def test_no_room_is_told_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("surgqa.transforms.places.fresh.os.fsync", full)
    with pytest.raises(UserError, match="No space left on device"):
        make_replacing(tmp_path / "partial", tmp_path / "out", "--out")
    assert list(tmp_path.iterdir()) == []
