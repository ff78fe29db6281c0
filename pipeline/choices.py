"""Settings of which items a build keeps: shares of answers, and of past, present and future."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator


class Strict(BaseModel):
    """Settings in which an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


BalanceName = Literal["shares", "pairs", "none"]


class Balance(Strict):
    """How often each answer may occur; items are dropped after all items have been made."""

    by: BalanceName = Field(
        "shares",
        description="shares: each answer is as frequent as its template states; pairs: only items "
        "whose question has another answer in the same video; none: all items.",
    )
    modal_cap: float | None = Field(
        None, gt=0, lt=1, description="Largest share of one answer in a template's items."
    )


def _balance(value: Any) -> Any:
    return {"by": value} if isinstance(value, str) else value


BalanceRun = Annotated[
    Balance | None, BeforeValidator(_balance, json_schema_input_type=Balance | BalanceName | None)
]
"""A :class:`Balance`, or the value of its ``by``; None means ``shares``."""


class MixRun(Strict):
    """Shares of items about past, present and future; the defaults are those of MedStreamBench."""

    retrospective: float = Field(0.75, ge=0, description="Questions about the past.")
    present: float = Field(0.06, ge=0, description="Questions about the present.")
    future: float = Field(0.055, ge=0, description="Questions about the future, asked once.")
    future_streaming: float = Field(
        0.09, ge=0, description="Questions about the future, asked in rounds."
    )
    proactive: float = Field(0.05, ge=0, description="Questions that ask for an alert.")
    unanswerable: float = Field(
        0.3, ge=0, le=1, description="Share of 'future' whose answer is 'unanswerable'."
    )
    never: float = Field(
        0.25, ge=0, le=1, description="Share of 'proactive' whose event never comes."
    )
    tolerance: float = Field(
        0.05,
        ge=0,
        lt=1,
        description="How far the shares may miss: half the sum of their differences.",
    )
    benchmarks: list[str] = Field(
        [], description="Benchmarks to which the mix applies; all if empty."
    )

    @model_validator(mode="after")
    def _some(self) -> MixRun:
        if not any(getattr(self, mode) for mode in MODES):
            raise ValueError("at least one mode needs a share above 0")
        return self


MODES = ("retrospective", "present", "future", "future_streaming", "proactive")

MIXES = {"medstreambench": MixRun()}
"""Published mixes by name; that of MedStreamBench is estimated from its table of results."""


def _mix(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value not in MIXES:
        raise ValueError(f"no mix is called {value!r}; expected {', '.join(MIXES)}")
    return MIXES[value]


MixName = Literal["medstreambench"]

MixOrName = Annotated[
    MixRun | None, BeforeValidator(_mix, json_schema_input_type=MixRun | MixName | None)
]
"""Shares, or the name of a published mix."""
