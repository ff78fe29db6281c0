"""Signature of ``count``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontology.kinds import kind
from transforms.algebra.signature import Param, Signature
from transforms.algebra.types import NUMBER, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return NUMBER


def _refuses(args: Mapping[str, Any]) -> str:
    main = args["of"]
    alike = [name for name in main.kinds if not _told_apart(name)]
    if main.field == "track" and alike:
        return f"not everybody tells one {alike[0]} from another: count them or their labels"
    return ""


def _told_apart(name: str) -> bool:
    one = kind(name)
    return one.exclusive == "track" or one.fields.get("subject") == "instrument"


SIGNATURE = Signature(
    refuses=_refuses,
    name="count",
    values=True,
    summary="How many facts, or how many different values of a field, there are.",
    main=Param("pattern", "Kinds of facts with the pattern's own arguments.", required=True),
    result=_type,
    phrase="the number of {main}",
)
