"""Signature of ``facts``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import Type, many


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("facts", main.of) if main.name == "fact" else many("set", main)


SIGNATURE = Signature(
    name="facts",
    summary="All facts that match.",
    main=Param("pattern", "Kinds of facts, with the arguments of a pattern.", required=True),
    result=_type,
    phrase="all {main}",
)
