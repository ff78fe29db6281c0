"""Reads kinds and labels from the ontology's data files, independently of the generator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.metadata import entry_points
from typing import Any

import pyarrow as pa
from duckdb import DuckDBPyConnection
from ruamel.yaml import YAML

CUES = ("approach", "camera", "intent", "positioned")
"""Labels of cues, which no data file lists."""

CLIP_OF = {"next_action": "action_clip"}
"""Kind of a row -> kind of its fact, if the two differ."""


def put_known(con: DuckDBPyConnection) -> None:
    """Create the tables ``kinds``, ``terms`` (by kind) and ``mapped`` (labels a dataset can have).

    ``used`` has the kinds of all rows, ``names`` the datasets.
    """
    kinds = [kind for (kind,) in con.execute("select kind from used order by 1").fetchall()]
    datasets = con.execute("select distinct dataset from names order by 1").fetchall()
    _put(con, "kinds", {"kind": pa.string(), "exclusive": pa.string(), "labelled": pa.string(),
                        "valued": pa.bool_()}, map(_kind, kinds))  # fmt: skip
    _put(con, "terms", {"kind": pa.string(), "label": pa.string()},
         ((kind, label) for kind in kinds for label in sorted(_terms(kind))))  # fmt: skip
    _put(con, "mapped", {"dataset": pa.string(), "kind": pa.string(), "label": pa.string()},
         (row for (dataset,) in datasets for row in _mapped(dataset)))  # fmt: skip


def _put(
    con: DuckDBPyConnection, name: str, types: Mapping[str, pa.DataType], rows: Iterator[tuple]
) -> None:
    schema = pa.schema(list(types.items()))
    table = pa.Table.from_pylist([dict(zip(types, row, strict=True)) for row in rows], schema)
    con.register("given", table)
    con.execute(f"create table {name} as from given")
    con.unregister("given")


def _kind(name: str) -> tuple[str, str, str, bool]:
    """Return (kind, scope with one label at a time, how it is annotated, whether it has values)."""
    data = _described(name)
    if data is None:
        return name, "no", "spans", True
    return name, data["exclusive"], data["labelled"], "value" in data["fields"]


def _described(name: str) -> Mapping[str, Any] | None:
    return _data("surgqa.ontology", "kinds", f"{name}.yaml")


def _terms(kind: str) -> set[str]:
    """Return all labels that a kind may have; empty if the list is open."""
    data = _described(kind)
    domain = kind if data is None else data["fields"].get("label", "")
    if domain == "cue":
        return set(CUES)
    if not domain:
        return set()
    fields = resources.files("surgqa.ontology") / "vocab" / f"{domain}s"
    names = sorted(one.name for one in fields.iterdir()) if fields.is_dir() else []
    paths = [(f"{domain}s.yaml",), *((f"{domain}s", name) for name in names)]
    return {label for path in paths for label in _data("surgqa.ontology", "vocab", *path) or ()}


def _mapped(dataset: str) -> Iterator[tuple[str, str, str]]:
    """Yield (dataset, kind, label) for every label that a dataset's spellings are mapped to."""
    place = _package(dataset).split(".")
    card = _data(*place, "card.yaml")
    shipped = _data("surgqa.ontology", "maps", f"{card['label_map']}.yaml") if card else None
    whole = _data(*place, "dataset.yaml")
    spellings = shipped or _data(*place, "map.yaml") or (whole or {}).get("labels")
    for kind, labels in (spellings or {}).items():
        for label in sorted({one for one in (labels or {}).values() if isinstance(one, str)}):
            yield dataset, kind, label


def is_here(dataset: str) -> bool:
    """True if a dataset's files are installed."""
    try:
        place = _package(dataset).split(".")
        return any(_data(*place, file) is not None for file in ("card.yaml", "dataset.yaml"))
    except ModuleNotFoundError:
        return False


def _package(dataset: str) -> str:
    """Package of a dataset's files: another package that provides it, or ``transforms.readers``."""
    offered = {one.name: one.module for one in entry_points(group="surgqa.datasets")}
    return offered.get(dataset, f"surgqa.transforms.readers.{dataset}")


@cache
def _data(package: str, *path: str) -> Any:
    """Parsed YAML data file, or None if there is none."""
    file = resources.files(package).joinpath(*path)
    if not file.is_file() or not file.name.endswith(".yaml"):
        return None
    return YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8-sig"))
