"""Reads kinds of facts and their labels from the data files of ``ontology/``."""

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
"""Labels of facts of the kind "cue", which no data file lists."""

CLIP_OF = {"next_action": "action_clip"}
"""Kind of a raw row -> kind of its fact, if it is another one."""


def put_known(con: DuckDBPyConnection) -> None:
    """Create the tables ``kinds``, ``terms`` (labels of a kind) and ``mapped`` (of a dataset).

    The kinds are read from the table ``used``, the datasets from the table ``names``.
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
    """Return (kind, its ``exclusive``, its ``labelled``, whether it has values), from its file.

    ``ontology/kinds`` explains these fields.
    """
    data = _described(name)
    if data is None:
        return name, "no", "spans", True
    return name, data["exclusive"], data["labelled"], "value" in data["fields"]


def _described(name: str) -> Mapping[str, Any] | None:
    return _data("surgqa.ontology", "kinds", f"{name}.yaml")


def _terms(kind: str) -> set[str]:
    """Return all labels that a kind may have; an empty set if it may have any label."""
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
    """Yield (dataset, kind, label) for every label that names in the dataset's files stand for."""
    place = _package(dataset).split(".")
    card = _data(*place, "card.yaml")
    shipped = _data("surgqa.ontology", "maps", f"{card['label_map']}.yaml") if card else None
    whole = _data(*place, "dataset.yaml")
    spellings = shipped or _data(*place, "map.yaml") or (whole or {}).get("labels")
    for kind, labels in (spellings or {}).items():
        for label in sorted({one for one in (labels or {}).values() if isinstance(one, str)}):
            yield dataset, kind, label


def is_here(dataset: str) -> bool:
    """Return whether the card or the declaration of a dataset is installed."""
    try:
        place = _package(dataset).split(".")
        return any(_data(*place, file) is not None for file in ("card.yaml", "dataset.yaml"))
    except ModuleNotFoundError:
        return False


def _package(dataset: str) -> str:
    """Return the Python package with a dataset's card, which another distribution may provide."""
    offered = {one.name: one.module for one in entry_points(group="surgqa.datasets")}
    return offered.get(dataset, f"surgqa.transforms.readers.{dataset}")


@cache
def _data(package: str, *path: str) -> Any:
    """Return the content of a YAML file in a package, or None if there is no such file."""
    file = resources.files(package).joinpath(*path)
    if not file.is_file() or not file.name.endswith(".yaml"):
        return None
    return YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8-sig"))
