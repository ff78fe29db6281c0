"""Remote paths as values: what they are, how they compare, what they refuse."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.errors import UserError
from surgqa.transforms.places import RemotePath, place, stores
from tests.each import cases

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], exclude_characters="/"),
    min_size=1,
    max_size=12,
) | st.sampled_from(["..", ".", "a.b.c", ".hidden", "VID01.json", "x.", "a b", "ä", "[1]*?"])
WAYS = st.lists(NAMES, max_size=5).map("/".join)


def both(way: str) -> tuple[RemotePath, PurePosixPath]:
    path = place("s3://bucket")
    assert isinstance(path, RemotePath)
    return (path / way if way else path), PurePosixPath("/", way)


@given(WAYS)
def test_parts_and_names_are_those_of_pathlib(way):
    path, pure = both(way)
    assert (path.name, path.stem, path.suffix) == (pure.name, pure.stem, pure.suffix)
    assert path.parts == ("s3://bucket", *pure.parts[1:])
    assert path.parent == both(str(pure.parent)[1:])[0]
    assert str(path) == path.as_posix() == "s3://bucket" + str(pure).rstrip("/")
    assert place(str(path)) == path


@given(WAYS, WAYS)
def test_joining_and_relating_are_those_of_pathlib(way, other):
    (path, pure), (path2, pure2) = both(way), both(other)
    if other:
        assert path / other == both(str(pure / other)[1:])[0]
        assert path / PurePosixPath(other) == path / other
    assert path.is_relative_to(path2) == pure.is_relative_to(pure2)
    if path.is_relative_to(path2):
        assert path.relative_to(path2) == pure.relative_to(pure2)
    else:
        with pytest.raises(ValueError, match="is not below"):
            path.relative_to(path2)
    assert (path < path2, path == path2) == (pure < pure2, pure == pure2)
    assert (hash(path) == hash(path2)) or path != path2


@given(WAYS, NAMES)
def test_other_names_and_suffixes_are_those_of_pathlib(way, name):
    path, pure = both(way)
    for change in ("with_name", "with_suffix"):
        for value in (name, "." + name.strip("."), ""):
            try:
                expected = getattr(pure, change)(value)
            except ValueError:
                with pytest.raises(ValueError, match=r"."):
                    getattr(path, change)(value)
            else:
                assert getattr(path, change)(value).key == expected


@given(WAYS)
def test_a_pickled_path_comes_back(way):
    path, _ = both(way)
    assert pickle.loads(pickle.dumps(path)) == path
    assert repr(path) == f"RemotePath({str(path)!r})"


@cases(
    ("where", "url"),
    [
        ("s3://b/x/y", "s3://b/x/y"),
        ("S3://b/x//y/", "s3://b/x/y"),
        ("gs://b", "gs://b"),
        ("gs://b/", "gs://b"),
        ("hdfs://node/data/c.d", "hdfs://node/data/c.d"),
        ("hdfs:///data", "hdfs://data"),
        (Path("s3://b/x"), "s3://b/x"),
        (Path("hdfs:///data/x"), "hdfs://data/x"),
    ],
)
def test_a_url_is_a_remote_place(where, url):
    path = place(where)
    assert isinstance(path, RemotePath)
    assert str(path) == url
    assert place(path) is path


@cases("where", ["data", "/data/x", "./s3/x", "s3:x", "C:/x", "a:b/c", ""])
def test_all_else_is_a_local_path(where):
    assert place(where) == Path(where)
    assert place(Path(where)) == Path(where)


@cases("url", ["ftp://host/x", "file:///data", "https://b.s3.example/x"])
def test_an_unknown_scheme_names_the_known_ones(url):
    with pytest.raises(UserError) as caught:
        place(url)
    assert caught.value.found == url
    assert "s3://, gs://, hdfs://, or a local path" in (caught.value.expected or "")
    assert caught.value.fix


def test_a_url_without_a_bucket_is_refused():
    with pytest.raises(UserError, match="has no bucket"):
        place("s3://")


def test_nothing_takes_a_remote_path_for_a_local_one(tmp_path):
    path = place("s3://b/x")
    for use in (os.fspath, Path, open, os.stat):
        with pytest.raises(TypeError, match="s3://b/x is not on this machine"):
            use(path)
    with pytest.raises(TypeError):
        tmp_path / path
    with pytest.raises(ValueError, match="is not a name below"):
        path / "/etc"
    with pytest.raises(TypeError):
        path / 1
    with pytest.raises(ValueError, match="is not below"):
        path.relative_to(place("gs://b"))
    assert not path.is_relative_to(tmp_path)


@pytest.mark.parametrize(
    ("url", "package", "extra"),
    [
        ("s3://b/x", "boto3", "aws"),
        ("gs://b/x", "google.cloud.storage", "gcp"),
        ("hdfs://b/x", "hdfs", "hdfs"),
    ],
)
def test_a_missing_package_is_named_with_its_extra_at_first_use(monkeypatch, url, package, extra):
    monkeypatch.setattr(stores, "find_spec", lambda name: None)
    stores.store.cache_clear()
    path = place(url)
    with pytest.raises(UserError) as caught:
        path.is_dir()
    stores.store.cache_clear()
    assert caught.value.expected == package
    assert caught.value.fix == f"pip install 'surgqa[{extra}]'"


def test_a_package_without_its_parent_is_not_installed():
    assert not stores._installed("there_is_no.such_package")
    assert stores._installed("json.decoder")


def test_local_work_imports_neither_beam_nor_any_store():
    code = (
        "import sys; from surgqa.transforms.places import configure, place, write_whole;"
        "configure(['--s3_region_name=x']); place('s3://b/x') / 'y'; place('.').is_dir();"
        "assert not {'apache_beam', 'boto3', 'hdfs'} & set(sys.modules)"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)
