"""The shape of a query template's file: pydantic models, and the JSON Schema made from them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ontology.alerts import triggers
from ontology.concepts import LABEL_KINDS
from ontology.continuations import CONTINUATION, TRACKS
from transforms.language.queries.finders import FINDERS
from transforms.language.schema import Strict
from transforms.language.small import schema as small
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
    id: small.Id
    version: small.Version
    status: small.Status = "active"
    changes: small.Changes = {}
    title: str = Field(description="What the question is about, in one line.")
    benchmark: small.Benchmark
    task: str = Field(pattern=r"^[a-z0-9_]+/[a-z0-9_]+$", description="temporal mode/name.")
    form: Literal[(*FORMS, CONTINUATION)] = Field(  # type: ignore[valid-type]
        description="Form of the answer."
    )
    profiles: small.Profiles = ["paper", "current"]
    find: small.Find
    look_back: float | int = Field(
        30, ge=0, le=120, description="Seconds of window at most.",
        json_schema_extra={"minimum": 0, "maximum": 120},
    )  # fmt: skip
    every: float | int = Field(
        120, gt=0, description="One item at most for so many seconds.",
        json_schema_extra={"exclusiveMinimum": 0},
    )  # fmt: skip
    ask: small.Ask
    answer: str = Field(description="The answer's wording.")
    rubric: RubricFile | None = Field(None, description="For open questions.")
    variants: small.Variants = None


IN_THE_PICTURE = ("finding", "landmark", "structure")
"""Kinds of which readers also say where in the picture they are."""


@cache
def arguments_model(finder: str) -> type[BaseModel]:
    """Pydantic model of one finder's arguments."""
    return small.arguments_of(FINDERS[finder])


@cache
def values_of(argument: str) -> tuple[str, ...]:
    """What an argument of that name may be; () where it is a number.

    ``of`` is a kind of label, ``triplet`` for interactions; ``<kind>_region`` are places in the
    picture where the same kind is labelled by spans as well.
    """
    if argument == "track":
        return tuple(TRACKS)
    if argument == "trigger":
        return tuple(dict.fromkeys(trigger.alert for trigger in triggers()))
    if argument == "of":
        kinds = tuple(kind.removesuffix("s") for kind in LABEL_KINDS)
        return (*kinds, "triplet", *(f"{kind}_region" for kind in IN_THE_PICTURE))
    return ()


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a query template's file, for editors."""
    return small.schema_of(QueryFile, FINDERS, OF_THE_FILE, values_of)
