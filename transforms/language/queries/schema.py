"""The shape of a query template's file: pydantic models, and the JSON Schema made from them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from ontology.alerts import triggers
from ontology.concepts import LABEL_KINDS
from transforms.language.operators import Param
from transforms.language.queries.finders import FINDERS, Finder
from transforms.language.schema import Strict, VariantName
from transforms.language.template import FORMS
from transforms.language.variants import OF_THE_FILE


class RubricFile(Strict):
    """What an open answer is judged by, beside the names that it must give."""

    grounds: str = Field(description="What in the picture the answer should rest on.")
    cues: list[Annotated[list[str], Field(min_length=1)]] = Field(
        min_length=1, description="Words that show that it does, each with its other forms."
    )


class QueryFile(Strict):
    """One question type that is put at a time."""

    schema_: Literal["query/v1"] = Field(alias="schema", description="Language version.")
    id: str = Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)+$", description="Dotted; equals its path.")
    version: int = Field(ge=1, description="Raise it when texts, answers or selection change.")
    status: Literal["active", "retired"] = Field("active", description="Retired: kept, not asked.")
    changes: dict[int, str] = Field({}, description="Version -> what changed and why.")
    title: str = Field(description="What the question is about, in one line.")
    benchmark: str = Field(pattern=r"^[a-z0-9_]+$", description="Benchmark it belongs to.")
    task: str = Field(pattern=r"^[a-z0-9_]+/[a-z0-9_]+$", description="temporal mode/name.")
    form: Literal[FORMS] = Field(description="Form of the answer.")  # type: ignore[valid-type]
    profiles: list[Literal["paper", "current"]] = Field(
        ["paper", "current"], min_length=1, description="Profiles that ask it."
    )
    find: dict[str, Any] = Field(description="The finder ('by') and its arguments.")
    look_back: float | int = Field(
        30, ge=0, le=120, description="Seconds of window at most.",
        json_schema_extra={"minimum": 0, "maximum": 120},
    )  # fmt: skip
    every: float | int = Field(
        120, gt=0, description="One item at most for so many seconds.",
        json_schema_extra={"exclusiveMinimum": 0},
    )  # fmt: skip
    ask: list[str] = Field(min_length=1, description="Wordings; one is taken by digest.")
    answer: str = Field(description="The answer's wording.")
    rubric: RubricFile | None = Field(None, description="For open questions.")
    variants: dict[VariantName, dict[str, Any]] | None = Field(
        None, min_length=1, description="Name -> key -> value: a family, <id>.<name> each."
    )


IN_THE_PICTURE = ("finding", "landmark", "structure")
"""Kinds of which readers also say where in the picture they are."""

_PYTHON = {"number": float | int, "integer": int, "flag": bool, "text": str}


@cache
def arguments_model(finder: str) -> type[BaseModel]:
    """Pydantic model of one finder's arguments."""
    found = FINDERS[finder]
    fields: dict[str, Any] = {
        key: (_PYTHON[param.type],
              Field(... if param.default is ... else param.default, description=param.doc))
        for key, param in found.params.items()
    }  # fmt: skip
    return create_model(f"find_{finder}", __base__=Strict, __doc__=found.doc, **fields)


@cache
def values_of(argument: str) -> tuple[str, ...]:
    """What an argument of that name may be; () where it is a number.

    ``of`` is a kind of label, ``triplet`` for interactions; ``<kind>_region`` are places in the
    picture where the same kind is labelled by spans as well.
    """
    if argument == "trigger":
        return tuple(dict.fromkeys(trigger.alert for trigger in triggers()))
    if argument == "of":
        kinds = tuple(kind.removesuffix("s") for kind in LABEL_KINDS)
        return (*kinds, "triplet", *(f"{kind}_region" for kind in IN_THE_PICTURE))
    return ()


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a query template's file, for editors."""
    schema = QueryFile.model_json_schema(by_alias=True)
    defs, parts = schema["$defs"], schema["properties"]
    defs["find"] = {"anyOf": [_finder(finder) for finder in FINDERS.values()]}
    parts["find"] = {"$ref": "#/$defs/find", "description": parts["find"]["description"]}
    parts["variants"]["anyOf"][0]["additionalProperties"] = False  # no other names
    _or_variants(schema, (*OF_THE_FILE, "variants"))
    for part in (defs["RubricFile"], *defs["find"]["anyOf"]):
        _or_variants(part, ("by",))
    defs["variant"] = {
        "type": "object",
        "properties": {"variant": {"type": "string", "description": "A key of the variants."}},
        "required": ["variant"],
        "additionalProperties": False,
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _finder(finder: Finder) -> dict[str, Any]:
    schema = arguments_model(finder.name).model_json_schema()
    schema.pop("title", None)
    arguments = {key: _argument(key, param) for key, param in finder.params.items()}
    schema["properties"] = {"by": {"const": finder.name, "description": finder.doc}, **arguments}
    schema["required"] = ["by", *schema.get("required", [])]
    return schema


def _argument(name: str, param: Param) -> dict[str, Any]:
    allowed = {"enum": list(values_of(name))} if values_of(name) else {}
    kind = {"text": "string", "flag": "boolean"}.get(param.type, param.type)
    default = {} if param.default is ... else {"default": param.default}
    return {"type": kind, **allowed, **default, "description": param.doc}


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
