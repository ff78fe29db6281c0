"""Signature of ``count``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.kinds import kind
from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import NUMBER, Type


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return NUMBER


def _refuses(args: Mapping[str, Any]) -> str:
    main = args["of"]
    alike = [name for name in main.kinds if not _is_distinguished(name)]
    if main.field == "track" and alike:
        return f"instances of {alike[0]} are not distinguished: count its facts or labels"
    return ""


def _is_distinguished(name: str) -> bool:
    one = kind(name)
    return one.exclusive == "track" or one.fields.get("subject") == "instrument"


SIGNATURE = Signature(
    refuses=_refuses,
    name="count",
    values=True,
    summary="The number of matching facts, or of different values of a field.",
    main=Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True),
    result=_type,
    phrase="the number of {main}",
)
