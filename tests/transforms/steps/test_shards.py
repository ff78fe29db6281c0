"""Shards of an output: every row is in one, and none is empty."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.keys import digest
from surgqa.transforms.exports.rows import LINE, PART
from surgqa.transforms.steps.files import put, write_arrow
from surgqa.transforms.steps.merge import ITEMS
from surgqa.transforms.steps.tasks import WriteTask
from surgqa.transforms.steps.write import DROPPED, PLENTY, SLIM_INDEX, Parts, plan_files, write_file

NAME = re.compile(r"(\w+)-(\d{5})-of-(\d{5})\.(parquet|jsonl)")


def lay_out(work: Path, rows: dict[str, int], dropped: set[str]) -> list[dict]:
    """Parts of a run, one a split, as the steps before leave them; returns what is told."""
    infos, runs = [], {}
    for split, count in rows.items():
        ids = sorted(digest("row", split, k) for k in range(count))
        columns = {"item_id": ids, "benchmark": ["b"] * count, "split": [split] * count,
                   LINE: [orjson.dumps({"item_id": one}) + b"\n" for one in ids]}  # fmt: skip
        table = pa.table({
            field.name: pa.array(columns.get(field.name, [None] * count), field.type)
            for field in PART
        }, PART)  # fmt: skip
        write_arrow(table, work / "parts" / split / ITEMS)
        runs[split] = [str(work / "parts" / split / ITEMS)]
        infos.append({"part": split, "split": split, "dataset": "d", "templates": {},
                      "rows": {"b": count} if count else {}})  # fmt: skip
    index = {"folder": str(work / "parts"), "parts": infos, "runs": runs,
             "formats": ["parquet", "jsonl"]}  # fmt: skip
    put(work / SLIM_INDEX, orjson.dumps(index))
    if dropped:
        write_arrow(pa.table({"item_id": sorted(dropped)}), work / DROPPED)
    return infos


def tasks_of(work: Path, rows: dict[str, int], dropped: set[str], most: int) -> list[WriteTask]:
    infos = lay_out(work, rows, dropped)
    return [task for task in plan_files(infos, most, Parts(work)) if task.kind == "data"]


def told(tasks: list[WriteTask], work: Path) -> list[dict]:
    return [one for task in tasks for one in write_file(task, str(work))]


def check(files: list[dict], expected: dict[str, int]) -> None:
    """Every file has rows, the names of a split count up to their number, nothing is lost."""
    assert all(one["rows"] > 0 for one in files)
    names = [NAME.fullmatch(Path(one["path"]).name) for one in files]
    for split in {name[1] for name in names if name}:
        mine = [name for name in names if name and (name[1], name[4]) == (split, "parquet")]
        assert [int(name[2]) for name in mine] == list(range(len(mine)))
        assert {int(name[3]) for name in mine} == {len(mine)}
    rows = {split: sum(one["rows"] for one in files if f"/{split}-" in one["path"]
                       and one["path"].endswith(".jsonl")) for split in expected}  # fmt: skip
    assert rows == expected


@pytest.mark.parametrize("most", [1, 2, 3, 50, 10_000])
def test_no_shard_is_empty(tmp_path: Path, most: int) -> None:
    rows = {"train": 60, "val": 1, "test": 0}
    check(told(tasks_of(tmp_path, rows, set(), most), tmp_path), rows)


def test_a_split_of_which_everything_is_left_out_has_no_file(tmp_path: Path) -> None:
    dropped = {digest("row", "test", k) for k in range(20)}
    files = told(tasks_of(tmp_path, {"train": 30, "test": 20}, dropped, 8), tmp_path)
    check(files, {"train": 30, "test": 0})
    table = ds.dataset([tmp_path / "out" / one["path"] for one in files
                        if one["path"].endswith(".parquet")]).to_table()  # fmt: skip
    assert table.num_rows == 30


def test_where_everything_is_left_out_there_is_none(tmp_path: Path) -> None:
    dropped = {digest("row", "train", k) for k in range(5)}
    assert tasks_of(tmp_path, {"train": 5}, dropped, 2) == []


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 12))
def test_whatever_is_left_out(tmp_path_factory, count: int, out: int, most: int) -> None:
    work = tmp_path_factory.mktemp("w")
    dropped = {digest("row", "train", k) for k in range(min(out, count))}
    files = told(tasks_of(work, {"train": count}, dropped, most), work)
    check(files, {"train": count - len(dropped)})


def test_full_shards_keep_their_ranges(tmp_path: Path) -> None:
    tasks = tasks_of(tmp_path, {"train": 4 * PLENTY}, set(), PLENTY)
    assert [(one.index, one.of, one.low, one.high) for one in tasks] == [
        (0, 4, "00000000", "40000000"), (1, 4, "40000000", "80000000"),
        (2, 4, "80000000", "c0000000"), (3, 4, "c0000000", "~"),
    ]  # fmt: skip
