"""What the operators of this folder take and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.kinds import kind
from surgqa.transforms.algebra.signature import PATTERN, Signature
from surgqa.transforms.algebra.types import DURATION, NUMBER, TRUTH


def _no_instances(args: Mapping[str, Any]) -> str:
    """Return the error message if instances are counted of a kind that has no instances."""
    main = args["of"]
    alike = [name for name in main.kinds if not _is_distinguished(name)]
    if main.field == "track" and alike:
        return f"instances of {alike[0]} are not distinguished: count its facts or labels"
    return ""


def _is_distinguished(name: str) -> bool:
    one = kind(name)
    return one.exclusive == "track" or one.fields.get("subject") == "instrument"


def _outside(args: Mapping[str, Any]) -> str:
    """Return the error message if facts outside a stretch are measured inside it."""
    relation = args["of"].relation
    if relation not in ("before", "after", "meets"):
        return ""
    return (f"facts '{relation}' a stretch lie outside it, but are measured inside: "
            "write 'overlaps', such as 'overlaps: [video.start, now]'")  # fmt: skip


SIGNATURES = (
    Signature(
        name="count",
        summary="The number of matching facts, or of different values of a field.",
        main=PATTERN,
        result=NUMBER,
        phrase="the number of {main}",
        values=True,
        refuses=_no_instances,
    ),
    Signature(
        name="exists",
        summary="True if at least one fact matches.",
        main=PATTERN,
        result=TRUTH,
        phrase="there is any {main}",
    ),
    Signature(
        name="peak",
        summary="The largest number of matching facts at the same time.",
        main=PATTERN,
        result=NUMBER,
        phrase="the most {main} at one time",
        refuses=_outside,
    ),
    Signature(
        name="total",
        summary="The time with any such fact, in the pattern's stretch or else in the window.",
        main=PATTERN,
        result=DURATION,
        phrase="the time with {main}",
        refuses=_outside,
    ),
)
