"""Options of a build, converted to settings of its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgqa.ontology.errors import ValueInvalid


def held_of(texts: Sequence[str] | None) -> dict[str, list[str]] | None:
    """Return the run's ``hold_out`` setting, or None without one.

    Raises:
        UserError: a text does not have the required form.
    """
    from surgqa.ontology.splits import HOLD_OUT

    out: dict[str, list[str]] = {}
    for text in texts or ():
        key, _, value = text.partition("=")
        if key not in HOLD_OUT or not value:
            raise ValueInvalid(
                "not a criterion for holding out", found=text, where="--hold-out",
                expected=" or ".join(f"{one}=VALUE" for one in HOLD_OUT),
            )  # fmt: skip
        out.setdefault(key, []).append(value)
    return out or None


def allowed_failures(text: str) -> float:
    """Convert ``3`` (videos) or ``1%`` (of the videos, 0.01).

    Raises:
        UserError: the text is neither.
    """
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1.0
    share = number / 100 if text.endswith("%") else number
    whole = text.endswith("%") or share.is_integer() or share < 1
    if not 0 <= share < float("inf") or not whole or (text.endswith("%") and share >= 1):
        raise ValueInvalid(
            "not a number of videos",
            expected="a whole number such as 3, or a share such as 1%",
            found=text,
            where="--max-failed",
        )
    return share


def balance_of(name: str | None, modal_cap: float | None) -> dict[str, Any] | None:
    """Return the run's ``balance`` setting, or None if neither option is given."""
    given = {"by": name, "modal_cap": modal_cap}
    return {key: value for key, value in given.items() if value is not None} or None
