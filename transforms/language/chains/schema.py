"""The shape of a chain template's file: pydantic models, and the JSON Schema made from them."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field

from transforms.language.chains.finders import FINDERS, TASKS
from transforms.language.schema import Strict
from transforms.language.small import schema as small
from transforms.language.variants import OF_THE_FILE


class MainFile(Strict):
    """The main question, which asks what and when."""

    ask: small.Ask


class FirstFile(Strict):
    """The first stage: what happens, in the whole of a broad window."""

    ask: small.Ask
    clue: str = Field(description="Evidence of this video: when to look, and where.")


class LaterFile(Strict):
    """The second stage, which asks for the segment, or the third, for the instant."""

    ask: small.Ask
    context: str = Field(description="What the stages before established.")
    clue: str = Field(description="Evidence of this video: when to look, and where.")


class ChainFile(Strict):
    """One kind of chain: a main question and three stages about one event."""

    schema_: Literal["chain/v1"] = Field(alias="schema", description="Language version.")
    id: small.Id
    version: small.Version
    status: small.Status = "active"
    changes: small.Changes = {}
    title: str = Field(description="What the chain is about, in one line.")
    benchmark: small.Benchmark
    task: Literal[TASKS] = Field(  # type: ignore[valid-type]
        description="Task of all its questions; the finder's."
    )
    profiles: small.Profiles = ["paper", "current"]
    find: small.Find
    every: float | int = Field(
        60, gt=0, description="One chain at most for so many seconds.",
        json_schema_extra={"exclusiveMinimum": 0},
    )  # fmt: skip
    main: MainFile = Field(description="The main question: what, and when.")
    q1: FirstFile = Field(description="What happens; no time is named.")
    q2: LaterFile = Field(description="In which segment, given the answer of q1.")
    q3: LaterFile = Field(description="At which instant, given the answers of q1 and q2.")
    variants: small.Variants = None


@cache
def arguments_model(finder: str) -> type[BaseModel]:
    """Pydantic model of one finder's arguments."""
    return small.arguments_of(FINDERS[finder])


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a chain template's file, for editors."""
    return small.schema_of(ChainFile, FINDERS, OF_THE_FILE)
