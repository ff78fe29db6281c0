"""A manifest that is not as surgqa writes it is met at the door, with the entry's name."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.registry import load_sample
from surgqa.transforms.store.folder import ENTRIES, OutputFolder, misfits
from tests.each import cases


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory):
    root = tmp_path_factory.mktemp("built")
    (root / "source").mkdir()
    load_sample("cholect50")(root / "source")
    build(load_run(None, {
        "datasets": [{"name": "cholect50", "root": str(root / "source")}],
        "out": str(root / "out"), "benchmarks": ["sapbench"], "only": ["sapbench.next_action"],
    }))  # fmt: skip
    return OutputFolder(root / "out").manifest


def test_what_a_build_writes_has_the_shape(manifest):
    assert list(misfits(manifest)) == []


@cases("name", sorted(ENTRIES))
@cases("other", [[3], {"a": None}, None, 0.5, True])
def test_another_type_is_told_by_name(manifest, name: str, other: object):
    if (name, other) == ("review", {"a": None}) or (name, other) == ("settings", {"a": None}):
        return  # an object of anything
    found = list(misfits({**manifest, name: other}))
    assert found and all(where.startswith(name) for where, _, _ in found)


def test_an_entry_deep_inside(manifest):
    line = {**manifest["books"][0], "kept": "4"}
    assert list(misfits({**manifest, "books": [line]})) == [
        ("books[0].kept", "a whole number", "'4'")
    ]
    del line["kept"]
    assert list(misfits({"books": [line]})) == [("books[0].kept", "a value", "nothing")]


@pytest.mark.parametrize("broken", [[], {"dropped": []}])
def test_the_folder_is_refused(tmp_path: Path, broken: object):
    (tmp_path / "manifest.json").write_bytes(orjson.dumps(broken))
    with pytest.raises(OutputBroken, match="has the wrong structure"):
        OutputFolder(tmp_path)


def test_another_version_is_told_before_its_shape(tmp_path: Path):
    told = {"row_schema": "surgqa/row-v1", "dropped": []}
    (tmp_path / "manifest.json").write_bytes(orjson.dumps(told))
    with pytest.raises(OutputBroken, match="another version"):
        OutputFolder(tmp_path)
