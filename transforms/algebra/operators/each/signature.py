"""What the operator takes and returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import Param, Signature, of_the_element


def _take_without_times(args: Mapping[str, Any]) -> str:
    """Return the error message if ``take`` is used for elements that are no times; else ''."""
    main = args["of"]
    nodes = main if isinstance(main, tuple) else () if isinstance(main, str) else (main,)
    timed = main in ("instant", "stretch") if isinstance(main, str) else all(
        node.type.name in ("instant", "stretch", "stretches") or node.type.of == "instant"
        for node in nodes
    )  # fmt: skip
    return "'take' needs instants or stretches" if "take" in args and not timed else ""


SIGNATURES = (
    Signature(
        name="each",
        summary="Every element in turn: the question is filled in once for each.",
        main=Param(
            "draws", "A collection, a list, or `instant`, `stretch`, `point`.", required=True
        ),
        result=of_the_element,
        phrase="each {main}",
        params={
            "of": Param(
                "values", "For `stretch`: what is in view the whole time.",
                types=("fact", "track"), phrase="with {value} in view",
            ),
            "grid": Param("whole", "For `point`: points in a row.", phrase="on a grid of {value}"),
            "take": Param(
                "whole", "For times: how many to draw at once, in order.", phrase="{value} at once"
            ),
        },
        values=True,
        refuses=_take_without_times,
    ),
)  # fmt: skip
