"""What the files of all small languages hold, and how their JSON Schemas are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, Field, create_model

from transforms.language.operators import Param
from transforms.language.schema import Strict, VariantName

Id = Annotated[
    str, Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)+$", description="Dotted; equals its path.")
]
Version = Annotated[
    int, Field(ge=1, description="Raise it when texts, answers or selection change.")
]
Status = Annotated[
    Literal["active", "retired"], Field(description="Retired: kept, not asked.")
]  # fmt: skip
Changes = Annotated[dict[int, str], Field(description="Version -> what changed and why.")]
Benchmark = Annotated[
    str, Field(pattern=r"^[a-z0-9_]+$", description="Benchmark it belongs to.")
]  # fmt: skip
Profiles = Annotated[
    list[Literal["paper", "current"]],
    Field(min_length=1, description="Profiles that ask it."),
]
Find = Annotated[dict[str, Any], Field(description="The finder ('by') and its arguments.")]
Ask = Annotated[list[str], Field(min_length=1, description="Wordings; one is taken by digest.")]
Variants = Annotated[
    dict[VariantName, dict[str, Any]] | None,
    Field(min_length=1, description="Name -> key -> value: a family, <id>.<name> each."),
]

_PYTHON = {"number": float | int, "integer": int, "flag": bool, "text": str}


class Finder(Protocol):
    """A finder of any small language."""

    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def params(self) -> Mapping[str, Param]: ...


Values = Callable[[str], tuple[str, ...]]
"""Name of an argument -> what it may be; () where that is not a closed list."""


def arguments_of(finder: Finder) -> type[BaseModel]:
    """Pydantic model of a finder's arguments."""
    fields: dict[str, Any] = {
        key: (_PYTHON[param.type],
              Field(... if param.default is ... else param.default, description=param.doc,
                    ge=param.least, pattern=param.pattern))
        for key, param in finder.params.items()
    }  # fmt: skip
    return create_model(f"find_{finder.name}", __base__=Strict, __doc__=finder.doc, **fields)


def schema_of(
    shape: type[BaseModel], finders: Mapping[str, Finder], kept: tuple[str, ...],
    values_of: Values = lambda _: (),
) -> dict[str, Any]:  # fmt: skip
    """JSON Schema (draft 2020-12) of a template's file, for editors.

    Args:
        kept: fields that belong to the file, so that no variant can give them.
    """
    schema = shape.model_json_schema(by_alias=True)
    defs, parts = schema.setdefault("$defs", {}), schema["properties"]
    within = list(defs.values())
    for part in within:
        _or_variants(part, ())
    arguments = [_finder(finder, values_of) for finder in finders.values()]
    defs["find"] = {"anyOf": arguments}
    parts["find"] = {"$ref": "#/$defs/find", "description": parts["find"]["description"]}
    parts["variants"]["anyOf"][0]["additionalProperties"] = False  # no other names
    _or_variants(schema, (*kept, "variants"))
    for part in arguments:
        _or_variants(part, ("by",))
    defs["variant"] = {
        "type": "object",
        "properties": {"variant": {"type": "string", "description": "A key of the variants."}},
        "required": ["variant"],
        "additionalProperties": False,
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _finder(finder: Finder, values_of: Values) -> dict[str, Any]:
    schema = arguments_of(finder).model_json_schema()
    schema.pop("title", None)
    arguments = {key: _argument(param, values_of(key)) for key, param in finder.params.items()}
    schema["properties"] = {"by": {"const": finder.name, "description": finder.doc}, **arguments}
    schema["required"] = ["by", *schema.get("required", [])]
    return schema


def _argument(param: Param, values: tuple[str, ...]) -> dict[str, Any]:
    allowed = {"enum": list(values)} if values else {}
    kind = {"text": "string", "flag": "boolean"}.get(param.type, param.type)
    default = {} if param.default is ... else {"default": param.default}
    limits = {"minimum": param.least, "pattern": param.pattern}
    told = {key: value for key, value in limits.items() if value is not None}
    return {"type": kind, **allowed, **told, **default, "description": param.doc}


def _or_variants(owner: dict[str, Any], kept: tuple[str, ...]) -> None:
    """Let ``{variant: key}`` stand for the value of every field but some, in place."""
    other = {"$ref": "#/$defs/variant"}
    for name, part in owner["properties"].items():
        if name in kept:
            continue
        told = {key: part.pop(key) for key in ("description", "default", "title") if key in part}
        if "items" in part:
            part["items"] = {"anyOf": [part["items"], other]}
        either = part["anyOf"] if set(part) == {"anyOf"} else [part]
        made = [_WITH_A_VARIANT] if {"pattern", "enum"} & set(part) else []
        owner["properties"][name] = {"anyOf": [*either, *made, other], **told}


_WITH_A_VARIANT = {"type": "string", "pattern": r"\{\{\s*variant\.\w+\s*\}\}"}
"""A text of which a part is put in."""
