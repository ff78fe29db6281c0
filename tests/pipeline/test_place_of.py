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
from surgqa.ontology.keys import bytes_digest
from surgqa.pipeline.cli.app import run as surgqa
from surgqa.transforms.registry import load_sample
from surgqa.transforms.store import OutputFolder

AGAIN = 8
"""How often the sample's half minute is shown, one after the other."""


def write_longer(root: Path) -> None:
    """The first video of the sample of a store, long enough to leave a place."""
    load_sample("observed")(root)
    folder = root / "videos" / "case_01"
    told = orjson.loads((folder / "video.json").read_bytes())
    for kind, columns in (("boxes", ("time_us", "frame")), ("frames", ("time_us", "frame")),
                          ("stretches", ("start_us", "end_us"))):  # fmt: skip
        file = folder / f"{kind}.parquet"
        table, later = pq.read_table(file), {"frame": 750}
        rows = []
        for n in range(AGAIN):
            for row in table.to_pylist():
                moved = {name: row[name] + n * later.get(name, told["duration_us"])
                         for name in columns}  # fmt: skip
                rows.append(row | moved)
        pq.write_table(pa.Table.from_pylist(rows, table.schema), file)
        told["kinds"][kind]["sha256"] = bytes_digest(file.read_bytes())
    told["duration_us"] *= AGAIN
    (folder / "video.json").write_bytes(orjson.dumps(told))


@pytest.fixture(scope="module")
def tissues(built: Path) -> set[tuple[float, ...]]:
    """Boxes of the tissues, the same in every frame."""
    boxes = pq.read_table(built.parent / "store/videos/case_01/boxes.parquet").to_pylist()
    return {tuple(b[side] for side in ("x1", "y1", "x2", "y2"))
            for b in boxes if b["kind"] == "tissue"}  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("places")
    write_longer(folder / "store")
    line = ["build", "--dataset", "observed", "--root", folder / "store", "--benchmark",
            "medstream", "--out", folder / "out", "--only", "medstream.place_of.instrument",
            "--only", "medstream.place_of.tissue"]  # fmt: skip
    assert surgqa([str(one) for one in line]) == 0
    return folder / "out"


def test_places_of_tissues_and_instruments_are_offered_where_they_are_certainly_wrong(
    built: Path, tissues: set[tuple[float, ...]]
):
    rows = [row for row in OutputFolder(built).rows() if row["unit"] == "now"]
    assert {row["task"] for row in rows} == {"present/tissue_place", "present/instrument_place"}
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
