"""The dataset card, the licences and the Croissant description of an output folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import orjson
from jinja2 import Environment, StrictUndefined

from ontology.rows import ITEM
from transforms.registry import Card

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "column": "cr:column",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "extract": "cr:extract",
    "recordSet": "cr:recordSet",
    "source": "cr:source",
}


def card_text(manifest: Mapping[str, Any], cards: Sequence[Card]) -> str:
    """``README.md`` of an output folder."""
    return _render("card.md.jinja", manifest=manifest, cards=cards)


def licences_text(manifest: Mapping[str, Any], cards: Sequence[Card]) -> str:
    """``licences.md``: which source limits what."""
    return _render("licences.md.jinja", manifest=manifest, cards=cards)


def _render(name: str, **values: Any) -> str:
    text = (resources.files("transforms.exports") / name).read_text(encoding="utf-8")
    environment = Environment(  # noqa: S701  (Markdown, not HTML)
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(text).render(**values)


def croissant(manifest: Mapping[str, Any], cards: Sequence[Card]) -> bytes:
    """``croissant.json``: the dataset in the Croissant 1.0 vocabulary (JSON-LD)."""
    sets = []
    records = []
    for benchmark in sorted(manifest["items"]):
        name = f"{benchmark}-rows"
        paths = [p for p in manifest["files"] if p.startswith(f"data/{benchmark}/")]
        kind = "parquet" if any(p.endswith(".parquet") for p in paths) else "jsonl"
        encoding = {"parquet": "application/x-parquet", "jsonl": "application/jsonlines"}[kind]
        sets.append({
            "@type": "cr:FileSet", "@id": name, "encodingFormat": encoding,
            "includes": f"data/{benchmark}/*.{kind}",
        })  # fmt: skip
        records.append(_records(benchmark, name))
    document = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": "surgqa-" + "-".join(sorted(manifest["items"])),
        "description": "Question-answer items made by rule from surgical video annotations.",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "version": manifest["digest"][:16],
        "license": [card.licence_url for card in cards],
        "citeAs": " ".join(card.citation for card in cards),
        "distribution": sets,
        "recordSet": records,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


def _records(benchmark: str, files: str) -> dict[str, Any]:
    kinds = {"int": "sc:Integer", "bool": "sc:Boolean", "doub": "sc:Float"}
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{benchmark}/{column.name}",
            "name": column.name,
            "dataType": next(
                (k for p, k in kinds.items() if str(column.type).startswith(p)), "sc:Text"
            ),
            "source": {"fileSet": {"@id": files}, "extract": {"column": column.name}},
        }
        for column in ITEM
    ]
    return {"@type": "cr:RecordSet", "@id": benchmark, "name": benchmark, "field": fields}
