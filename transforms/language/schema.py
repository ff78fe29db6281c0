"""JSON Schema of a template file, for editors; it is made from the operators' signatures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from surgqa.ontology.kinds import kind_names
from surgqa.transforms.algebra.signature import Param, signatures
from surgqa.transforms.language.drawing import AGAIN, DRAW_KEYS, ONCE
from surgqa.transforms.language.parse import FILE_KEYS, HEAD, PROFILES, SCHEMA
from surgqa.transforms.language.patterns import PATTERN_KEYS
from surgqa.transforms.language.program import READINGS
from surgqa.transforms.language.questions import KNOWLEDGE, RANKED, RUBRIC, STAGE_KEYS, WINDOW
from surgqa.transforms.language.steps import UNWRITTEN
from surgqa.transforms.language.units import PLAIN, UNIT_KEYS
from surgqa.transforms.language.vocab import scales

_ANY: dict[str, Any] = {"type": ["string", "number", "array", "object"]}
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT, "minItems": 1}
_CONDITIONS = {"type": "array", "items": {"$ref": "#/$defs/condition"}, "minItems": 1}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a template file."""
    steps = [name for name in signatures() if name not in UNWRITTEN]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "type": "object",
        "properties": {key: _file_key(key) for key in FILE_KEYS},
        "required": [*HEAD, "unit"],
        "additionalProperties": False,
        "$defs": {
            "step": {"anyOf": [_operator(name) for name in steps]},
            "value": {"anyOf": [_TEXT, {"type": "number"}, {"type": "array"}, _ref("step")]},
            "condition": {"anyOf": [_TEXT, {"type": "array"}, _ref("step")]},
            "stage": _closed({key: _question_key(key) for key in STAGE_KEYS}, ["ask", "answer"]),
            "variant": _closed({"variant": _TEXT}, ["variant"]),
            "reuse": _closed({"use": _TEXT}, ["use"]),
        },
    }


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": False,
    }  # fmt: skip


def _or_variant(one: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [one, _ref("variant"), _ref("reuse")]}


def _file_key(key: str) -> dict[str, Any]:
    own: dict[str, dict[str, Any]] = {
        "schema": {"const": SCHEMA},
        "id": {"type": "string", "pattern": r"^[a-z0-9_]+(\.[a-z0-9_]+)+$"},
        "version": {"type": "integer", "minimum": 1},
        "status": {"enum": ["active", "retired"]},
        "reading": {"enum": list(READINGS)},
        "scorer": _TEXT,
        "profiles": {"type": "array", "items": {"enum": list(PROFILES)}},
        "unit": _or_variant({"anyOf": [
            {"enum": list(PLAIN)}, *(_record(keys) for keys in UNIT_KEYS.values())]}),
        "let": {"type": "object", "additionalProperties": _or_variant(_ref("value"))},
        "where": _or_variant(_CONDITIONS),
        "draw": _closed(dict.fromkeys(DRAW_KEYS, _ANY), []),
        "rounds": _or_variant({"anyOf": [_record(ONCE), _record(AGAIN)]}),
        "stages": {"type": "object", "additionalProperties": _ref("stage")},
        "examples": {"type": "array"},
        **dict.fromkeys(("changes", "variants"), {"type": "object"}),
    }  # fmt: skip
    return own[key] if key in own else _question_key(key)


def _question_key(key: str) -> dict[str, Any]:
    own: dict[str, dict[str, Any]] = {
        **dict.fromkeys(("ask", "reasoning"), _TEXTS),
        **dict.fromkeys(("answer", "show"), _ref("value")),
        "wrong": {"type": "array", "items": _ref("value")},
        "where": _CONDITIONS,
        "knowledge": _record(KNOWLEDGE),
        "ranked": _record(RANKED), "rubric": _record(RUBRIC), "window": _record(WINDOW),
    }  # fmt: skip
    return _or_variant(own.get(key, _TEXT))


def _record(params: Mapping[str, Param]) -> dict[str, Any]:
    needed = [key for key, param in params.items() if param.required]
    return _closed({key: _argument(param) for key, param in params.items()}, needed)


def _operator(name: str) -> dict[str, Any]:
    signature = signatures()[name]
    params = {name: replace(signature.main, required=True), **signature.params}
    if signature.selects:
        params = {**PATTERN_KEYS, **params}
    alias = {"as": {"type": "string", "description": "Another name for `it`."}}
    made = _record(params)
    return {**made, "properties": {**made["properties"], **alias}, "description": signature.summary}


def _argument(param: Param) -> dict[str, Any]:
    about = {"description": param.doc}
    match param.written:
        case "choice":
            return {**_or_variant({"enum": list(param.choices)}), **about}
        case "whole":
            return {**_or_variant({"type": "integer"}), **about}
        case "text" | "word" | "drawn":
            return {**_or_variant(_TEXT), **about}
        case "condition":
            return {**_or_variant(_ref("condition")), **about}
        case "pattern" | "collection" | "labels":
            examples = list(scales() if param.written == "labels" else ()) + list(kind_names())
            return {**_or_variant({**_ANY, "examples": examples}), **about}
    return {**_ANY, **about}
