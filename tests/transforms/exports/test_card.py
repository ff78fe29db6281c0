"""``README.md`` of an output: its head is what dataset hubs read."""

from __future__ import annotations

import fnmatch
from typing import Any

from huggingface_hub import DatasetCard

from surgqa.transforms.exports.card import card_text
from surgqa.transforms.registry import card
from tests.each import cases

FILES = (
    "data/surgstu/dev-00000-of-00001.{}", "data/surgstu/dev-2-00000-of-00002.{}",
    "data/surgstu/dev-2-00001-of-00002.{}", "data/surgveo/train-00000-of-00001.{}",
    "evidence/videos.parquet", "rejected/ask.jsonl",
)  # fmt: skip


def manifest(*endings: str, total: int = 7) -> dict[str, Any]:
    files = {path.format(ending): "0" for path in FILES for ending in endings}
    items = {"surgstu": {"total": total, "by_split": {"dev": 3, "dev-2": 4}},
             "surgveo": {"total": 5, "by_split": {"train": 5}}}  # fmt: skip
    return {"version": "0.1.0", "digest": "0" * 64, "items": items, "files": files,
            "ledger": {}, "books": [], "templates": {}}  # fmt: skip


def head(**more: Any) -> dict[str, Any]:
    text = card_text(
        manifest(*more.pop("endings", ("parquet", "jsonl")), **more), [card("pitvis")], {}
    )
    return DatasetCard(text, ignore_metadata_errors=False).data.to_dict()


@cases(
    ("endings", "ending"),
    [(("parquet", "jsonl"), "parquet"), (("jsonl",), "jsonl"), (("parquet",), "parquet")],
)
def test_each_split_has_its_own_files_in_one_format(endings, ending: str) -> None:
    found = {}
    for config in head(endings=endings)["configs"]:
        for one in config["data_files"]:
            paths = [path.format(end) for path in FILES for end in ("parquet", "jsonl")]
            mine = fnmatch.filter(paths, one["path"])
            found[config["config_name"], one["split"]] = mine
    assert found == {
        ("surgstu", "dev"): [FILES[0].format(ending)],
        ("surgstu", "dev_2"): [path.format(ending) for path in FILES[1:3]],
        ("surgveo", "train"): [FILES[3].format(ending)],
    }


@cases(
    ("total", "size"), [(0, "n<1K"), (995, "1K<n<10K"), (10**6, "1M<n<10M"), (10**9, "1B<n<10B")]
)
def test_the_size_is_the_range_that_hubs_know(total: int, size: str) -> None:
    assert head(total=total)["size_categories"] == [size]


def test_the_table_has_a_column_for_every_split_there_is() -> None:
    text = card_text(manifest("parquet"), [card("pitvis")], {})
    assert "| benchmark | items | train | val | test | dev | dev-2 |" in text
    assert "| surgstu | 7 | 0 | 0 | 0 | 3 | 4 |" in text


def test_an_output_without_items_has_a_head_without_files() -> None:
    empty = manifest() | {"files": {}, "items": {}}
    found = DatasetCard(card_text(empty, [], {}), ignore_metadata_errors=False).data.to_dict()
    assert "configs" not in found
