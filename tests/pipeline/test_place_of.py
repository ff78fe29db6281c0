"""Where a thing is, with other things' places as wrong ones: asked of a store, and proved."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.boxes import iou
from surgqa.pipeline.cli.app import run as surgqa
from surgqa.transforms.store import OutputFolder
from tests.readers.made import observed as sample


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("places")
    sample.write(folder / "store", procedures=1, seconds=250)
    line = ["build", "--dataset", "observed", "--root", folder / "store", "--benchmark",
            "medstream", "--out", folder / "out", "--only", "medstream.place_of.instrument",
            "--only", "medstream.place_of.tissue"]  # fmt: skip
    assert surgqa([str(one) for one in line]) == 0
    return folder / "out"


def test_places_of_tissues_and_instruments_are_offered_where_they_are_certainly_wrong(built: Path):
    rows = [row for row in OutputFolder(built).rows() if row["unit"] == "now"]
    assert {row["task"] for row in rows} == {"present/tissue_place", "present/instrument_place"}
    tissues = {*sample.TISSUES.values()}
    wrong_tissues = 0
    for row in rows:
        values = {option["key"]: orjson.loads(option["value"]) for option in row["options"]}
        assert len(values) == 4
        right = values.pop(row["answer_key"])
        assert orjson.loads(row["answer_value"]) == {"place": right}
        assert all(iou(np.array(right), np.array(box)) == 0 for box in values.values())
        wrong_tissues += sum(tuple(box) in tissues for box in values.values())
        assert (tuple(right) in tissues) == (row["task"] == "present/tissue_place")
        assert any(one["kind"] == "regions" for one in row["evidence"])
    assert wrong_tissues >= len(rows)
    assert surgqa(["check", str(built)]) == 0


def test_a_false_place_is_found(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = shutil.copytree(built, tmp_path / "out")
    file = next((built / "data").rglob("*.parquet"))
    table = pq.read_table(file)
    rows = table.to_pylist()
    option = next(one for one in rows[0]["options"] if not one["is_answer"])
    option["value"], option["text"] = "[0.4,0.1,0.5,0.2]", "[400, 100, 500, 200]"
    pq.write_table(pa.Table.from_pylist(rows, table.schema), file)
    assert surgqa(["check", str(built)]) == 1
    assert "[400, 100, 500, 200] is not offered by word" in capsys.readouterr().out
