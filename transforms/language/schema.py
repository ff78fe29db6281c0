"""The shape of a template file: pydantic models, and the JSON Schema made from them.

The operators' argument models are built from their signatures, so the schema that
editors use and the check at load time cannot differ.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from transforms.language.examples import ExampleFile
from transforms.language.operators import Operator, Param, Role, operators
from transforms.language.template import FORMS
from transforms.language.variants import OF_THE_FILE


class Strict(BaseModel):
    """Unknown keys are findings, not no-ops; text is never turned into numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Draw(Strict):
    """How one filling is drawn from all that qualify."""

    first: list[str] = Field([], description="Slots drawn first: each value equally likely.")
    prefer: list[dict[str, Any]] = Field(
        [], description="Conditions; fillings that meet an earlier one are taken first."
    )


class StageFile(Strict):
    """One stage of a chain."""

    name: str = Field(description="Stage name, such as Q1.")
    ask: list[str] = Field(min_length=1, description="Wordings; one is taken by digest.")
    answer: dict[str, Any] = Field(description="The answer rule and its text.")
    options: dict[str, Any] | None = Field(None, description="Rule for the wrong options.")
    reasoning: list[str] = Field([], description="Reasoning steps.")
    knowledge: str | None = Field(None, description="Clinical statement, true without the video.")
    clue: str | None = Field(None, description="Evidence of this video only.")
    context: str | None = Field(None, description="What earlier stages established.")


VariantName = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]


class TemplateFile(Strict):
    """One question type: what it needs, when it may be asked, its words and its answer."""

    schema_: Literal["template/v1"] = Field(alias="schema", description="Language version.")
    id: str = Field(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)+$", description="Dotted; equals its path.")
    version: int = Field(ge=1, description="Raise it when texts, answers or selection change.")
    status: Literal["active", "retired"] = Field("active", description="Retired: kept, not asked.")
    changes: dict[int, str] = Field({}, description="Version -> what changed and why.")
    title: str = Field(description="What the question is about, in one line.")
    benchmark: str = Field(pattern=r"^[a-z0-9_]+$", description="Benchmark it belongs to.")
    task: str = Field(pattern=r"^[a-z0-9_]+/[a-z0-9_]+$", description="core_task/name.")
    form: Literal[FORMS] = Field(description="Form of the answer.")  # type: ignore[valid-type]
    profiles: list[Literal["paper", "current"]] = Field(
        ["paper", "current"], min_length=1, description="Profiles that ask it."
    )
    unit: str = Field("clip", description="Kind of window.")
    needs: dict[str, dict[str, Any]] = Field(description="Slots, in order.")
    where: dict[str, Any] | None = Field(None, description="all, any, not over conditions.")
    draw: Draw = Field(Draw(), description="How one filling is drawn.")
    ask: list[str] | None = Field(None, description="Wordings; one is taken by digest.")
    answer: dict[str, Any] | None = Field(None, description="The answer rule and its text.")
    options: dict[str, Any] | None = Field(None, description="Rule for the wrong options.")
    reasoning: list[str] = Field([], description="Reasoning steps.")
    stages: list[StageFile] | None = Field(None, description="A chain, instead of one question.")
    variants: dict[VariantName, dict[str, Any]] | None = Field(
        None, min_length=1, description="Name -> key -> value: a family, <id>.<name> each."
    )
    examples: list[ExampleFile] = Field(
        [], description="Evidence and what comes out; lint runs it."
    )


_PYTHON = {"number": float, "integer": int, "flag": bool, "text": str}


def _annotation(param: Param) -> Any:
    if param.type == "text" and param.choices:
        kind: Any = Literal[param.choices]  # type: ignore[valid-type]
    elif param.type == "names":
        kind = Annotated[list[str], Field(min_length=1)]
    elif param.type == "slots":
        kind = str | list[str]
    elif param.type == "slot":
        kind = str
    elif param.type == "number":
        kind = float | int
    else:
        kind = _PYTHON[param.type]
    return kind | None if param.default is None else kind


@cache
def arguments_model(role: Role, name: str) -> type[BaseModel]:
    """Pydantic model of one operator's arguments."""
    operator = operators(role)[name]
    fields: dict[str, Any] = {
        key: (
            _annotation(param),
            Field(... if param.default is ... else param.default, description=param.doc),
        )
        for key, param in operator.params.items()
    }
    return create_model(f"{role}_{name}", __base__=Strict, __doc__=operator.doc, **fields)


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a template file, for editors."""
    schema = TemplateFile.model_json_schema(by_alias=True)
    defs = schema.setdefault("$defs", {})
    slot = {"anyOf": [_tagged(op, "kind") for op in operators("slot").values()]}
    defs["slot"] = slot
    defs["condition"] = {"anyOf": [*_tree(), *map(_leaf, operators("condition").values())]}
    defs["answer"] = {
        "anyOf": [_tagged(op, "rule", {"text": dict(_TEXT)}) for op in operators("answer").values()]
    }
    defs["options"] = {"anyOf": [_tagged(op, "rule") for op in operators("options").values()]}
    for owner in (schema, defs["StageFile"]):
        parts = owner["properties"]
        parts["answer"] = _ref("answer", parts["answer"])
        parts["options"] = _ref("options", parts["options"])
        wordings = {"type": "array", "items": {"type": "string"}, "minItems": 1}
        parts["ask"] = {"anyOf": [wordings], "description": parts["ask"]["description"]}
    parts = schema["properties"]
    parts["needs"]["additionalProperties"] = {"$ref": "#/$defs/slot"}
    parts["where"] = _ref("condition", parts["where"])
    parts["variants"]["anyOf"][0]["additionalProperties"] = False  # no other names
    for part in (schema, *defs.values()):
        _reusable(part, kept=(*OF_THE_FILE, "variants") if part is schema else ())
    text: dict[str, Any] = {"type": "string"}
    defs["variant"] = _only("variant", text)
    which = {"anyOf": [text, {"$ref": "#/$defs/variant"}]}
    defs["reuse"] = {"anyOf": [_only("use", which), {"$ref": "#/$defs/variant"}]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _only(key: str, value: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {key: value},
        "required": [key],
        "additionalProperties": False,
    }


def _reusable(node: dict[str, Any], kept: tuple[str, ...] = ()) -> None:
    """Let a shared block or a variant's value stand wherever a value may, in place."""
    for key, part in node.items():
        if key == "properties":
            for name, value in part.items():
                if name not in kept:
                    part[name] = _or_reused(value)
        elif key in ("items", "additionalProperties") and isinstance(part, dict):
            node[key] = _or_reused(part)
        elif key == "anyOf":
            for alternative in part:
                _reusable(alternative)


def _or_reused(value: dict[str, Any]) -> dict[str, Any]:
    if "const" in value:  # the name of an operator says which arguments fit
        return value
    _reusable(value)
    told: dict[str, Any] = {
        key: value.pop(key) for key in ("description", "title", "default") if key in value
    }
    either = value["anyOf"] if set(value) == {"anyOf"} else [value]
    return {"anyOf": [*either, {"$ref": "#/$defs/reuse"}], **told}


_TEXT = {"type": "string", "description": "The answer's wording; answer.<field> gives its parts."}


def _ref(name: str, old: dict[str, Any]) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}", "description": old.get("description", "")}


def _arguments(operator: Operator) -> dict[str, Any]:
    schema = arguments_model(operator.role, operator.name).model_json_schema()
    schema.pop("title", None)
    schema["properties"] = schema.get("properties", {})
    for part in schema["properties"].values():
        part.pop("title", None)
    return schema


def _tagged(operator: Operator, tag: str, more: dict[str, Any] | None = None) -> dict[str, Any]:
    schema = _arguments(operator)
    schema["properties"] = {tag: {"const": operator.name}, **schema["properties"], **(more or {})}
    schema["required"] = [tag, *schema.get("required", []), *(more or {})]
    return schema


def _leaf(operator: Operator) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {operator.name: _arguments(operator)},
        "required": [operator.name],
        "additionalProperties": False,
    }


def _tree() -> list[dict[str, Any]]:
    return [
        {"type": "object", "properties": {key: _child(key)}, "required": [key],
         "additionalProperties": False}
        for key in ("all", "any", "not")
    ]  # fmt: skip


def _child(key: str) -> dict[str, Any]:
    child = {"$ref": "#/$defs/condition"}
    return child if key == "not" else {"type": "array", "items": child, "minItems": 1}
