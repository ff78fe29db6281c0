"""Settings that select items from all possible ones: balance, and a mix of temporal modes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator


class Strict(BaseModel):
    """Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


BalanceName = Literal["shares", "pairs", "none"]


class Balance(Strict):
    """Balance of answers, applied in its own step after all items exist."""

    by: BalanceName = Field(
        "shares",
        description="shares: those that templates promise; pairs: only items whose question has "
        "another answer in the same video; none: all that can be asked.",
    )
    modal_cap: float | None = Field(
        None, gt=0, lt=1, description="Largest share of one answer per dataset and template."
    )


def _balance(value: Any) -> Any:
    return {"by": value} if isinstance(value, str) else value


BalanceRun = Annotated[
    Balance | None, BeforeValidator(_balance, json_schema_input_type=Balance | BalanceName | None)
]
"""A balance, or its criterion; ``shares`` if unset."""


class MixRun(Strict):
    """Shares of the temporal modes; the defaults are those of ``medstreambench``."""

    retrospective: float = Field(0.75, ge=0, description="Questions about what is over.")
    present: float = Field(0.06, ge=0, description="Questions about the moment.")
    future: float = Field(0.055, ge=0, description="Questions about what comes, asked once.")
    future_streaming: float = Field(0.09, ge=0, description="The same, asked in rounds.")
    proactive: float = Field(0.05, ge=0, description="Alerts.")
    unanswerable: float = Field(0.3, ge=0, le=1, description="Of future, what nobody can tell.")
    never: float = Field(0.25, ge=0, le=1, description="Of proactive, alerts that never come.")
    tolerance: float = Field(
        0.05, ge=0, lt=1, description="Half the sum of differences from these shares let be."
    )
    benchmarks: list[str] = Field(
        [], description="Only items of these count and go; all that are put at a time if empty."
    )

    @model_validator(mode="after")
    def _some(self) -> MixRun:
        if not any(getattr(self, mode) for mode in MODES):
            raise ValueError("at least one mode needs a share above 0")
        return self


MODES = ("retrospective", "present", "future", "future_streaming", "proactive")

MIXES = {"medstreambench": MixRun()}
"""Published mixes by name; MedStreamBench's is estimated from its results."""


def _mix(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value not in MIXES:
        raise ValueError(f"no mix is called {value!r}; there is {', '.join(MIXES)}")
    return MIXES[value]


MixName = Literal["medstreambench"]

MixOrName = Annotated[
    MixRun | None, BeforeValidator(_mix, json_schema_input_type=MixRun | MixName | None)
]
"""Shares, or the name of a published mix."""
