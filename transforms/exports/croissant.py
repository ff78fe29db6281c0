"""The Croissant description (JSON-LD) of an output folder: files, splits, and every column.

It describes (as "record sets") the items and the splits of each benchmark, and each table of
``evidence/``. A nested column is a field with subfields, and a list is a repeated field, so that
programs get the same rows as from the Parquet files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson
import pyarrow as pa

from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.registry import Card

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
ENCODINGS = {"parquet": "application/x-parquet", "jsonl": "application/jsonlines"}
SPLITS = {"train": "cr:TrainingSplit", "val": "cr:ValidationSplit", "test": "cr:TestSplit"}
"""Splits for which Croissant has a term; a run may use other names."""

_PLAIN = (
    "citeAs", "column", "conformsTo", "equivalentProperty", "extract", "field", "fileObject",
    "fileProperty", "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5",
    "parentField", "path", "recordSet", "references", "regex", "repeated", "replace",
    "samplingRate", "separator", "source", "subField", "transform",
)  # fmt: skip
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _PLAIN},
    "conformsTo": "dct:conformsTo",
}
"""The JSON-LD context that Croissant 1.0 prescribes."""

_FIVE = "[0-9]" * 5

Node = dict[str, Any]


def croissant(manifest: Mapping[str, Any], cards: Sequence[Card]) -> bytes:
    """Return the bytes of ``croissant.json``, in the vocabulary of Croissant 1.0.

    It describes the Parquet files or, if the output has none, the JSON Lines files. Splits,
    benchmarks and tables without files are left out.

    Args:
        manifest: the output's manifest.
        cards: cards of the datasets that the output was built from.
    """
    items = item_files(manifest["files"])
    listed = {*(one for mine in items.values() for one in mine),
              *(f"evidence/{kind}.parquet" for kind in EVIDENCE_TABLES)}  # fmt: skip
    files = {path: sha for path, sha in sorted(manifest["files"].items()) if path in listed}
    sets = [node for name, mine in sorted(items.items()) for node in _benchmark(name, mine)]
    tables = [
        _record_set(f"evidence/{kind}", schema, {"fileObject": {"@id": path}})
        for kind, schema in EVIDENCE_TABLES.items()
        if (path := f"evidence/{kind}.parquet") in files
    ]
    document = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": "-".join(["surgqa", *sorted(items)]),
        "description": "Question-answer items made by rule from surgical video annotations.",
        "conformsTo": CONFORMS_TO,
        "version": f"{manifest['version']}+{manifest['digest'][:16]}",
        "license": [card.licence_url for card in cards],
        "citeAs": " ".join(card.citation for card in cards),
        "distribution": [_file_object(path, sha) for path, sha in files.items()]
        + [one for one in sets if one["@type"] == "cr:FileSet"],
        "recordSet": [one for one in sets if one["@type"] != "cr:FileSet"] + tables,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


def _file_object(path: str, sha256: str) -> Node:
    return {
        "@type": "cr:FileObject", "@id": path, "name": path, "contentUrl": path,
        "encodingFormat": ENCODINGS[ending_of(path)], "sha256": sha256,
    }  # fmt: skip


def _benchmark(name: str, paths: Sequence[str]) -> Iterator[Node]:
    """Yield the file set of a benchmark, and the record sets of its splits and of its items."""
    ending = ending_of(paths[0])
    where = {"fileSet": {"@id": f"{name}/files"}}
    splits = list(dict.fromkeys(map(split_of, paths)))
    yield {
        "@type": "cr:FileSet", "@id": f"{name}/files", "name": f"{name}/files",
        "encodingFormat": ENCODINGS[ending], "includes": f"data/{name}/*.{ending}",
    }  # fmt: skip
    yield _splits(f"{name}/splits", splits)
    items = _record_set(name, ITEM, where)
    by_name = {field["name"]: field for field in items["field"]}
    by_name["split"] |= {
        "references": {"field": {"@id": f"{name}/splits/name"}},
        "source": {**where, "extract": {"fileProperty": "filename"},
                   "transform": {"regex": _split_of_file(splits, ending)}},
    }  # fmt: skip
    yield items


def _split_of_file(splits: Sequence[str], ending: str) -> str:
    """Return a regular expression that finds the split in a file name.

    With it, mlcroissant can read the files of one split only. The expression also matches the name
    of a split alone, because mlcroissant applies it a second time. mlcroissant also uses it as a
    shell pattern, so digits are written as character classes, which mean the same in both.
    """
    known = "|".join(map(re.escape, splits))
    return rf"^({known})(?:-{_FIVE}-of-{_FIVE}\.{ending})?$"


def _splits(own: str, splits: Sequence[str]) -> Node:
    """Return the record set that lists the splits with files."""
    return {
        "@type": "cr:RecordSet", "@id": own, "name": own, "dataType": "cr:Split",
        "key": {"@id": f"{own}/name"},
        "field": [
            {"@type": "cr:Field", "@id": f"{own}/name", "name": "name", "dataType": "sc:Text"},
            {"@type": "cr:Field", "@id": f"{own}/url", "name": "url", "dataType": "sc:URL"},
        ],
        "data": [{f"{own}/name": one, f"{own}/url": SPLITS.get(one, "cr:Split")}
                 for one in splits],
    }  # fmt: skip


def _record_set(name: str, schema: pa.Schema, where: Node) -> Node:
    """Return the record set of a table; ``where`` refers to the table's file or files."""
    return {
        "@type": "cr:RecordSet", "@id": name, "name": name,
        "field": [_field(name, column.name, column.type, where, column.name, ())
                  for column in schema],
    }  # fmt: skip


def _field(
    parent: str, name: str, kind: pa.DataType, where: Node, column: str, path: Sequence[str]
) -> Node:
    """Return the field of a column, or of a part of a nested column.

    Args:
        parent: id of the record set or field that contains the field.
        column: name of the column in the file.
        path: keys that lead to the part of the column; empty for the whole column.
    """
    own = f"{parent}/{name}"
    field: Node = {"@type": "cr:Field", "@id": own, "name": name}
    if pa.types.is_list(kind):
        field["repeated"] = True
        kind = kind.value_type
    if pa.types.is_struct(kind):
        return field | {"subField": [_field(own, part.name, part.type, where, column,
                                            (*path, part.name)) for part in kind]}  # fmt: skip
    source: Node = {**where, "extract": {"column": column}}
    if path:
        source["transform"] = {"jsonPath": ".".join(path)}
    return field | {"dataType": _data_type(kind), "source": source}


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"


def item_files(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the sorted item files of each benchmark: Parquet if there are any, else JSON Lines.

    Args:
        paths: all files of an output, relative to the output's folder.
    """
    mine = sorted(path for path in paths if path.startswith("data/"))
    parquet = [path for path in mine if path.endswith(".parquet")]
    out: dict[str, list[str]] = {}
    for path in parquet or mine:
        out.setdefault(path.split("/")[1], []).append(path)
    return out


def split_of(path: str) -> str:
    """Return the split of a file named ``SPLIT-00000-of-00008.parquet``."""
    return path.rpartition("/")[2].rsplit("-", 3)[0]


def ending_of(path: str) -> str:
    """Return the ending of the item files: ``parquet`` or ``jsonl``."""
    return path.rpartition(".")[2]
