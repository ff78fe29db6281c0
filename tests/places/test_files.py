"""Reading, writing and listing: a remote folder answers as a local one does."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.files import listed, read_bytes
from surgqa.transforms.places import RemotePath, copy_tree, place, remove_tree, write_whole
from surgqa.transforms.places.s3 import BLOCK

LARGE = bytes(range(251)) * (2 * BLOCK // 251 + 7)
TREE = {
    "labels/VID01.json": b"{}",
    "labels/VID02.json": b"[]",
    "labels-old/VID01.json": b"old",
    "videos/VID01/000000.png": b"png",
    "read me.txt": b"",
    ".hidden": b"h",
    "odd [1]*?#%ä.txt": b"odd",
}


def fill(folder):
    for name, data in TREE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def ways(root, paths):
    return sorted(path.relative_to(root).as_posix() for path in paths)


@pytest.mark.parametrize("data", [b"", b"x", LARGE], ids=["empty", "one", "large"])
def test_what_is_written_is_read(folder, data):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "table.json.gz"  # an ending that must not be taken for an order
    assert path.write_bytes(data) == len(data)
    assert path.read_bytes() == data
    assert path.stat().st_size == len(data)
    with path.open("rb") as file:
        assert file.read() == data
    with path.open("wb") as file:
        for start in range(0, len(data), 1 << 20):
            file.write(data[start : start + (1 << 20)])
        assert file.tell() == len(data)
    assert path.read_bytes() == data


def test_reading_can_start_anywhere(folder):
    path = folder / "large"
    path.write_bytes(LARGE)
    with path.open("rb") as file:
        assert file.seekable()
        assert file.seek(0, 2) == len(LARGE) and file.read(3) == b""
        for start in (BLOCK - 2, 5, 2 * BLOCK + 1, BLOCK, len(LARGE) - 1):
            file.seek(start)
            assert file.read(4) == LARGE[start : start + 4]
            assert file.tell() == min(start + 4, len(LARGE))


def test_text_comes_back_as_pathlib_gives_it(folder):
    path = folder / "notes.txt"
    path.write_bytes("grünes Tuch\r\nend".encode())
    assert path.read_text(encoding="utf-8") == "grünes Tuch\nend"
    with path.open("r", encoding="utf-8") as file:
        assert list(file) == ["grünes Tuch\n", "end"]
    assert path.write_text("Öl\n", encoding="utf-8") == 3
    assert path.read_bytes() == "Öl\n".encode()


def test_questions_have_the_same_answers(folder):
    fill(folder)
    assert (folder / "labels").is_dir() and not (folder / "labels").is_file()
    assert (folder / "labels/VID01.json").is_file() and not (folder / "labels/VID01.json").is_dir()
    for name in ("labels", "labels/VID01.json", "videos", "odd [1]*?#%ä.txt"):
        assert (folder / name).exists()
    for name in ("label", "labels/VID0", "labels/VID01", "videos/VID01/0", "labels/VID01.json/x"):
        path = folder / name
        assert not path.exists() and not path.is_file() and not path.is_dir()


def test_listings_are_the_same(folder):
    fill(folder)
    expected = [".hidden", "labels", "labels-old", "odd [1]*?#%ä.txt", "read me.txt", "videos"]
    assert [path.name for path in listed(folder)] == expected
    assert [path.name for path in listed(folder / "labels")] == ["VID01.json", "VID02.json"]
    assert ways(folder, folder.rglob("*.json")) == [
        "labels-old/VID01.json",
        "labels/VID01.json",
        "labels/VID02.json",
    ]
    assert ways(folder, folder.rglob("labels/*1.json")) == ["labels/VID01.json"]
    assert ways(folder, folder.glob("l*")) == ["labels", "labels-old"]
    assert ways(folder, folder.glob("*/VID01*")) == [
        "labels-old/VID01.json",
        "labels/VID01.json",
        "videos/VID01",
    ]
    assert "videos/VID01" in ways(folder, folder.rglob("*"))


def test_what_is_not_there_is_missed_in_the_same_way(folder):
    path = folder / "nothing"
    for ask in (path.read_bytes, path.stat, path.unlink, lambda: path.open("rb"),
                lambda: list(path.iterdir()), lambda: path.rename(folder / "new")):  # fmt: skip
        with pytest.raises(FileNotFoundError) as caught:
            ask()
        assert caught.value.filename == str(path)
        assert caught.value.strerror == "No such file or directory"
    path.unlink(missing_ok=True)
    with pytest.raises(SourceMissing, match="labels is missing"):
        read_bytes(path, "labels")


def test_moving_and_deleting(folder):
    fill(folder)
    old, new = folder / "labels/VID01.json", folder / "labels/VID02.json"
    assert old.rename(new) == new
    assert new.read_bytes() == b"{}" and not old.exists()
    assert new.replace(str(old)) == old and old.is_file() and not new.exists()
    old.unlink()
    assert not old.exists()


def test_whole_trees(folder):
    fill(folder)
    (folder / "copy").mkdir()
    (folder / "copy" / "read me.txt").write_bytes(b"older")
    copy_tree(folder / "videos", folder / "copy")
    copy_tree(folder / "labels", folder / "copy")
    assert ways(folder, (p for p in (folder / "copy").rglob("*") if p.is_file())) == [
        "copy/VID01.json",
        "copy/VID01/000000.png",
        "copy/VID02.json",
        "copy/read me.txt",
    ]
    remove_tree(folder / "labels")
    remove_tree(folder / "labels")
    assert not (folder / "labels").exists()
    assert (folder / "labels-old/VID01.json").is_file()
    with pytest.raises(FileNotFoundError):
        copy_tree(folder / "labels", folder / "elsewhere")


def test_trees_go_from_one_kind_to_the_other(tmp_path, remote):
    fill(tmp_path / "one")
    copy_tree(tmp_path / "one", remote)
    copy_tree(remote, tmp_path / "two")
    held = {p.relative_to(tmp_path / "two").as_posix(): p.read_bytes()
            for p in (tmp_path / "two").rglob("*") if p.is_file()}  # fmt: skip
    assert held == TREE
    assert ways(remote, remote.files_below()) == sorted(TREE)


def test_a_remote_name_cannot_lead_out_of_a_local_folder(tmp_path, remote):
    (remote / ".." / "outside").write_bytes(b"x")
    with pytest.raises(SourceBroken, match="leads out"):
        copy_tree(remote, tmp_path / "two")
    assert not (tmp_path / "outside").exists()
    remove_tree(remote)


def test_a_whole_bucket_is_never_removed(remote):
    fill(remote)
    with pytest.raises(UserError, match="whole bucket"):
        remove_tree(place(remote.parts[0]))
    assert (remote / ".hidden").is_file()


def test_a_whole_file_replaces_the_old_one_and_leaves_nothing_else(folder):
    write_whole(folder / "manifest.json", b"1")
    write_whole(folder / "manifest.json", b"22")
    assert (folder / "manifest.json").read_bytes() == b"22"
    assert [path.name for path in folder.iterdir()] == ["manifest.json"]


def test_a_local_write_that_fails_leaves_the_old_file(tmp_path):
    write_whole(tmp_path / "manifest.json", b"old")
    with pytest.raises(TypeError):
        write_whole(tmp_path / "manifest.json", "no bytes")
    assert (tmp_path / "manifest.json").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


def test_half_a_remote_file_never_shows(remote):
    path = remote / "shard.parquet"
    path.write_bytes(b"old")
    with pytest.raises(KeyError), path.open("wb") as file:
        file.write(LARGE)
        assert path.read_bytes() == b"old"
        raise KeyError
    file = path.open("wb")
    file.write(b"never closed")
    del file
    assert path.read_bytes() == b"old"
    assert [p.name for p in remote.iterdir()] == ["shard.parquet"]


def test_parquet_is_written_and_read_in_place(folder):
    table = pa.table({"item": list(range(1000))})
    with (folder / "data.parquet").open("wb") as sink:
        pq.write_table(table, sink)
    with (folder / "data.parquet").open("rb") as source:
        assert pq.read_table(source).equals(table)


def test_other_modes_and_the_bucket_itself_are_refused(remote):
    for mode in ("w", "ab", "r+b", "xb"):
        with pytest.raises(ValueError, match="opened as 'rb', 'r' or 'wb'"):
            (remote / "x").open(mode)
    bucket = place(remote.parts[0])
    assert isinstance(bucket, RemotePath) and not bucket.is_file() and bucket.parent == bucket
    for ask in (bucket.read_bytes, lambda: bucket.write_bytes(b""), lambda: bucket.open("rb")):
        with pytest.raises(IsADirectoryError):
            ask()
    with pytest.raises(OSError, match="kinds of storage"):
        (remote / "x").rename("gs://bucket/x")
