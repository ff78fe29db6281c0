"""Rows of no published benchmark, explained, reviewed, thinned out and read without columns."""

from __future__ import annotations

import csv

import orjson
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.pipeline.cli.app import run
from surgqa.transforms.exports.medstream.media import tells
from surgqa.transforms.steps.balance import modal_key
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.store.trace import trace
from tests.each import cases
from tests.own_rows import S, chain, clip, every, finished, now, stream


def said(capsys, *words):
    assert run([str(one) for one in words]) == 0
    return capsys.readouterr().out


def test_a_chain_is_explained_with_all_its_stages(tmp_path, capsys):
    rows = chain()
    text = said(capsys, "explain", finished(tmp_path / "out", rows), rows[2]["item_id"])
    assert "unit      chain" in text and "chain of 3 stages" in text
    assert "->  Q2" in text and "main  choice" in text and "Q1    number" in text
    assert "last; at: instant; for every timing that the labels allow" in text and "9999999" in text


def test_a_stream_is_explained_round_by_round(tmp_path, capsys):
    text = said(capsys, "explain", finished(tmp_path / "out", [stream()]), stream()["item_id"])
    assert "stream of 4 rounds" in text and "put at    4.00 s" in text
    assert "2      12.00 s  4.00 to 12.00 s  alert: bleeding" in text


def test_pointers_to_other_tables_are_joined_or_refused(tmp_path):
    pointer = {"kind": "moments", "id": "m1", "start_us": 0, "end_us": S}
    folder = finished(tmp_path / "out", [now() | {"evidence": [pointer]}])
    with pytest.raises(OutputBroken, match="is missing"):
        trace(OutputFolder(folder), now()["item_id"])
    path = folder / "evidence" / "moments.parquet"
    table = pq.read_table(path)
    row = dict.fromkeys(table.column_names) | {
        "dataset": "demo", "video_id": "v1", "moment_id": "m1", "kind": "cue", "label": "x",
    }  # fmt: skip
    pq.write_table(table.from_pylist([row], table.schema), path)
    (one,) = trace(OutputFolder(folder), now()["item_id"]).others
    assert one["moment_id"] == "m1"


def test_reviewers_see_what_a_stream_expects_in_each_round(tmp_path, capsys):
    out = finished(tmp_path / "out", every())
    said(capsys, "review", "sample", out, "--to", tmp_path / "s", "--share", "1")
    with (tmp_path / "s" / "A.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = {one["kind"]: one for one in csv.DictReader(file)}
    assert cells["retrospective/alert"]["proposed"].startswith("at 6.00 s: no_alert; at 9.00 s")
    assert cells["retrospective/tool"]["asked_at_s"] == "12.00"
    assert [cells[f"order/{k}"]["unit"] for k in range(3)] == [cells["order/0"]["unit"]] * 3


@cases(
    ("value", "types", "key"),
    [
        ({"a": "hook"}, {"a": "label"}, '{"a":"hook"}'),
        ({"a": 3}, {"a": "number"}, '{"a":3}'),
        ({"a": 0.25}, {"a": "number"}, None),
        ({"a": 8 * S}, {"a": "instant"}, None),
        ({"a": ["x", "y"], "b": 8 * S}, {"a": "set", "b": "instant"}, '{"a":["x","y"]}'),
    ],
)
def test_answers_are_balanced_by_their_types(value, types, key):
    assert modal_key(value, {name: {"type": one} for name, one in types.items()}) == key


def test_columns_that_an_output_lacks_are_null(tmp_path):
    out = finished(tmp_path / "out", [clip()])
    path = out / "data" / "own" / "train-00000-of-00001.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["unit", "rule"]), path)
    folder = OutputFolder(out)
    assert list(folder.rows(None, ["unit", "form"])) == [{"unit": None, "form": "yes_no"}]
    (table,) = folder.tables(["unit", "form"])
    assert table.to_pylist() == [{"unit": None, "form": "yes_no"}]


def test_a_video_s_name_that_spells_a_typed_label_tells():
    row = now() | {"video_id": "scissors-3", "slots": orjson.dumps({"other": "scissors"})}
    assert tells(row, "demo")
    instance = orjson.dumps({"it": {"label": "hook", "track": "scissors-3"}})
    assert not tells(row | {"slots": instance}, "demo")
