"""``croissant.json`` as mlcroissant reads it: every record set holds the rows of the files."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import datasets
import duckdb
import mlcroissant
import orjson
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.exports.croissant import croissant
from surgqa.transforms.registry import card
from tests.pipeline.own_builds import BENCHMARKS

pytestmark = [
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning"),
]
"""What rdflib and mlcroissant themselves call old."""

polars = pytest.importorskip("polars", reason="'make test' installs it")

# mlcroissant's logging keeps the stream that stands for the terminal while it is imported, which
# is pytest's own, and closes it in the end: with it goes whatever other tests print.
sys.modules["absl.logging"].get_absl_handler().python_handler.stream = sys.__stderr__


@pytest.fixture(scope="module")
def out(all_benchmarks: Path) -> Path:
    """One output with all benchmarks, in both formats."""
    return all_benchmarks


def described(out: Path) -> dict[str, Any]:
    return json.loads((out / "croissant.json").read_bytes())


def opened(out: Path) -> mlcroissant.Dataset:
    return mlcroissant.Dataset(str(out / "croissant.json"))


@pytest.fixture(scope="module")
def dataset(out: Path) -> mlcroissant.Dataset:
    """Opened once; a filter would change what it reads later."""
    return opened(out)


def plain(value: Any, own: str) -> Any:
    """A record without the ids of its fields, and texts as text.

    mlcroissant gives texts as bytes, and a list of objects that is null as one object of
    nulls, which no list of ours holds.
    """
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, Mapping):
        return {key.removeprefix(f"{own}/"): plain(one, key) for key, one in value.items()}
    if isinstance(value, list):
        out = [plain(one, own) for one in value]
        null = [dict.fromkeys(one) for one in out[:1] if isinstance(one, dict)]
        return None if null and out == null else out
    return value


def records(dataset: mlcroissant.Dataset, name: str, **more: Any) -> list[Any]:
    return [plain(record, name) for record in dataset.records(name, **more)]


def rows(*paths: Path) -> Iterator[dict[str, Any]]:
    for path in paths:
        yield from pq.read_table(path).to_pylist()


def test_mlcroissant_finds_nothing_wrong(out: Path, caplog) -> None:
    caplog.set_level(logging.WARNING)
    issues = opened(out).metadata.ctx.issues
    assert not issues.errors
    # When it is published is not known where it is made.
    assert [one for one in issues.warnings if "datePublished" not in one] == []
    assert "@context" not in caplog.text


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_items_are_those_of_the_parquet_files(out: Path, dataset, benchmark: str) -> None:
    found = records(dataset, benchmark)
    assert found
    assert [list(one) for one in found] == [ITEM.names] * len(found)
    assert found == list(rows(*sorted((out / "data" / benchmark).glob("*.parquet"))))


@pytest.mark.parametrize("kind", EVIDENCE_TABLES)
def test_evidence_is_that_of_the_parquet_files(out: Path, dataset, kind: str) -> None:
    found = records(dataset, f"evidence/{kind}")
    assert found == list(rows(out / "evidence" / f"{kind}.parquet"))


def test_every_file_is_listed_with_its_digest_and_no_other(out: Path) -> None:
    listed = {one["@id"]: one for one in described(out)["distribution"] if "sha256" in one}
    there = {path.relative_to(out).as_posix() for path in out.glob("*/**/*.parquet")}
    assert set(listed) == there
    for path, one in listed.items():
        assert one["contentUrl"] == path
        assert one["sha256"] == hashlib.sha256((out / path).read_bytes()).hexdigest()


def test_a_changed_file_of_evidence_is_noticed(out: Path, tmp_path: Path) -> None:
    shutil.copytree(out, tmp_path / "out")
    path = tmp_path / "out" / "evidence" / "videos.parquet"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(Exception, match="operation Download"):
        records(opened(tmp_path / "out"), "evidence/videos")


def test_only_splits_with_a_file_are_named_and_each_can_be_read_alone(out: Path, dataset) -> None:
    found = records(dataset, "surgveo/splits")
    assert found == [{"name": "test", "url": "cr:TestSplit"},
                     {"name": "val", "url": "cr:ValidationSplit"}]  # fmt: skip
    for split in ("test", "val"):
        alone = records(opened(out), "surgveo", filters={"surgveo/split": split})
        files = sorted((out / "data" / "surgveo").glob(f"{split}-*.parquet"))
        assert alone == list(rows(*files)) != []


SHARDS = ("dev-00000-of-00001", "dev-2-00000-of-00002", "dev-2-00001-of-00002",
          "train-00000-of-00001")  # fmt: skip


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_several_shards_of_splits_with_names_of_ones_own(out, tmp_path, ending: str) -> None:
    table = pq.read_table(next((out / "data" / "surgstu").glob("*.parquet")))
    files = {}
    for number, shard in enumerate(SHARDS):
        path = tmp_path / f"data/surgstu/{shard}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(_split(table.slice(5 * number, 5), shard.rsplit("-", 3)[0]), path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        files[path.relative_to(tmp_path).as_posix()] = digest
    manifest = {"items": {"surgstu": {}}, "files": files, "version": "0.1.0", "digest": "0" * 64}
    (tmp_path / "croissant.json").write_bytes(croissant(manifest, [card("cholect50")]))
    terms = {"dev": "cr:Split", "dev-2": "cr:Split", "train": "cr:TrainingSplit"}
    whole = opened(tmp_path)
    found = records(whole, "surgstu/splits")
    assert {one["name"]: one["url"] for one in found} == terms
    splits = [one["split"] for one in records(whole, "surgstu")]
    assert splits == ["dev"] * 5 + ["dev-2"] * 10 + ["train"] * 5
    for split in terms:
        some = records(opened(tmp_path), "surgstu", filters={"surgstu/split": split})
        assert [one["split"] for one in some] == [one for one in splits if one == split]


def _split(table: pa.Table, split: str) -> pa.Table:
    place = table.column_names.index("split")
    return table.set_column(place, "split", pa.array([split] * len(table)))


def _write(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in table.to_pylist()))


def test_an_output_without_items_describes_its_evidence(out: Path, tmp_path: Path) -> None:
    manifest = json.loads((out / "manifest.json").read_bytes())
    manifest["files"] = {path: digest for path, digest in manifest["files"].items()
                         if path.startswith("evidence/")}  # fmt: skip
    shutil.copytree(out / "evidence", tmp_path / "evidence")
    (tmp_path / "croissant.json").write_bytes(croissant(manifest, [card("cholect50")]))
    dataset = opened(tmp_path)
    assert [one.uuid for one in dataset.metadata.record_sets] == [
        f"evidence/{kind}" for kind in EVIDENCE_TABLES
    ]
    assert records(dataset, "evidence/videos") == list(rows(out / "evidence" / "videos.parquet"))


@pytest.mark.parametrize(
    "benchmark", ["surgcot", pytest.param("surgstu", marks=pytest.mark.nightly)]
)
def test_json_lines_alone_give_the_items_as_pandas_reads_them(out, tmp_path, benchmark) -> None:
    manifest = json.loads((out / "manifest.json").read_bytes())
    manifest["files"] = {path: digest for path, digest in manifest["files"].items()
                         if path.endswith(".jsonl")}  # fmt: skip
    shutil.copytree(out / "data", tmp_path / "data")
    (tmp_path / "croissant.json").write_bytes(croissant(manifest, [card("cholect50")]))
    files = sorted((out / "data" / benchmark).glob("*.parquet"))
    assert rounded(records(opened(tmp_path), benchmark)) == rounded(list(rows(*files)))


def rounded(value: Any) -> Any:
    """Numbers with a point to twelve digits: pandas reads no more than fifteen of JSON."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else value


def counts(path: Path) -> set[int]:
    """How many rows each package finds in a file."""
    name, lines = str(path), path.suffix == ".jsonl"
    frames = [
        pd.read_json(name, lines=True) if lines else pd.read_parquet(name),
        polars.read_ndjson(name, infer_schema_length=None) if lines else polars.read_parquet(name),
        duckdb.sql(f"from read_json('{name}', sample_size=-1)" if lines else f"from '{name}'"),
    ]
    assert len({frozenset(one.columns) for one in frames}) == 1, name
    return {len(one) for one in frames}


def test_pandas_polars_and_duckdb_read_every_file(out: Path) -> None:
    told = json.loads((out / "manifest.json").read_bytes())["items"]
    for path in sorted((*out.rglob("*.parquet"), *out.rglob("*.jsonl"))):
        assert len(counts(path)) == 1, path
    for name in BENCHMARKS:
        for ending in ("parquet", "jsonl"):
            files = (out / "data" / name).glob(f"*.{ending}")
            assert sum(sum(counts(path)) for path in files) == told[name]["total"]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_load_dataset_reads_every_benchmark(out, tmp_path, monkeypatch, benchmark) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_OFFLINE", True)
    loaded = datasets.load_dataset(str(out), benchmark, cache_dir=str(tmp_path))
    for split, found in loaded.items():
        files = sorted((out / "data" / benchmark).glob(f"{split}-*.parquet"))
        assert found["item_id"][:] == [row["item_id"] for row in rows(*files)]
    # Of JSON it would guess types by the first lines: null where a later one is a text.
    features = datasets.Features.from_arrow_schema(ITEM)
    lines = [str(path.with_suffix(".jsonl")) for path in files]
    again = datasets.load_dataset("json", data_files=lines, features=features, split="train",
                                  cache_dir=str(tmp_path))  # fmt: skip
    assert again["item_id"][:] == found["item_id"][:]
