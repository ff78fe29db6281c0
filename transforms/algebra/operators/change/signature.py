"""Signature of ``change``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.algebra.signature import POOL_PARAMS, Param, Signature
from transforms.algebra.types import Type, element


def _type(main: Type, args: Mapping[str, Type]) -> Type:
    return Type("pool", main.name)


def _refuses(args: Mapping[str, Any]) -> str:
    main = element(args["of"].type)
    others = [element(node.type) for node in args.get("from", ())]
    if main.name not in ("label", "act") and not set(args["by"]) <= {"drop", "reorder"}:
        return f"a {main} has no others to take its place: only 'drop' and 'reorder' fit"
    return "" if all(one.fits(main) for one in others) else f"'from' gives no {main}"


SIGNATURE = Signature(
    refuses=_refuses,
    name="change",
    summary="The answer with something changed: a set or a sequence.",
    main=Param("value", "The value, mostly `answer`.", types=("set", "sequence"), required=True),
    result=_type,
    phrase="{main} changed",
    params={
        "by": Param(
            "choices",
            "What is changed.",
            choices=("swap", "add", "drop", "reorder", "replace"),
            required=True,
            phrase="by {value}",
        ),
        "from": Param(
            "values",
            "Where other members come from.",
            types=("set", "sequence", "pool"),
            phrase="from {value}",
        ),
        **POOL_PARAMS,
    },
    pool=True,
)
