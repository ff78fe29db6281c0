"""JSON Schema of a program's file, for editors: made from the operators' signatures."""

from __future__ import annotations

from typing import Any

from ontology.kinds import kind_names
from transforms.algebra.signature import Param, signatures
from transforms.algebra.tree import RELATIONS
from transforms.language.drawing import DRAW_KEYS, ROUND_KEYS
from transforms.language.parse import FILE_KEYS, HEAD, PROFILES, SCHEMA
from transforms.language.patterns import PATTERN_KEYS, TESTS
from transforms.language.program import READINGS
from transforms.language.questions import KNOWLEDGE, STAGE_KEYS
from transforms.language.steps import UNWRITTEN
from transforms.language.vocab import scales

_ANY: dict[str, Any] = {"type": ["string", "number", "array", "object"]}
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT, "minItems": 1}
_CONDITIONS = {"type": "array", "items": {"$ref": "#/$defs/condition"}, "minItems": 1}


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12)."""
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
            "stage": _stage(),
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
        "changes": {"type": "object"},
        "reading": {"enum": list(READINGS)},
        "scorer": _TEXT,
        "profiles": {"type": "array", "items": {"enum": list(PROFILES)}},
        "unit": _or_variant({"anyOf": [{"enum": ["clip", "still"]}, {"type": "object"}]}),
        "let": {"type": "object", "additionalProperties": _or_variant(_ref("value"))},
        "where": _or_variant(_CONDITIONS),
        "draw": _closed(dict.fromkeys(DRAW_KEYS, _ANY), []),
        "rounds": _or_variant(_closed(dict.fromkeys(ROUND_KEYS, _ANY), [])),
        "stages": {"type": "object", "additionalProperties": _ref("stage")},
        "variants": {"type": "object"},
        "examples": {"type": "array"},
    }
    return own[key] if key in own else _question_key(key)


def _question_key(key: str) -> dict[str, Any]:
    if key in ("ask", "reasoning"):
        return _or_variant(_TEXTS)
    if key == "wrong":
        return _or_variant({"type": "array", "items": _ref("value")})
    if key in ("answer", "show"):
        return _or_variant(_ref("value"))
    if key == "where":
        return _CONDITIONS
    if key == "knowledge":
        return _closed(dict.fromkeys(KNOWLEDGE, _ANY), [])
    if key in ("ranked", "rubric", "window"):
        return _or_variant({"type": "object"})
    return _or_variant(_TEXT)


def _stage() -> dict[str, Any]:
    return _closed({key: _question_key(key) for key in STAGE_KEYS}, ["ask", "answer"])


def _operator(name: str) -> dict[str, Any]:
    signature = signatures()[name]
    properties = {name: _argument(signature.main)}
    properties |= {key: _argument(param) for key, param in signature.params.items()}
    if signature.selects:
        properties |= {key: _pattern_key(key) for key in PATTERN_KEYS if key not in properties}
    properties["as"] = {"type": "string", "description": "Another name for `it`."}
    required = [name, *(key for key, param in signature.params.items() if param.required)]
    return {**_closed(properties, required), "description": signature.summary}


def _argument(param: Param) -> dict[str, Any]:
    told = {"description": param.doc}
    match param.written:
        case "choice":
            return {**_or_variant({"enum": list(param.choices)}), **told}
        case "whole":
            return {**_or_variant({"type": "integer"}), **told}
        case "condition":
            return {**_or_variant(_ref("condition")), **told}
        case "pattern" | "collection" | "labels":
            examples = list(scales() if param.written == "labels" else ()) + list(kind_names())
            return {**_or_variant({**_ANY, "examples": examples}), **told}
    return {**_ANY, **told}


def _pattern_key(key: str) -> dict[str, Any]:
    if key == "or":
        return {"const": "none", "description": "There may certainly be none."}
    if key == "where":
        return {**_ref("condition"), "description": "A condition on the fact, `it`."}
    what = "relation in time" if key in RELATIONS else "field" if key in TESTS else "setting"
    return {**_ANY, "description": f"A {what} of the pattern."}
