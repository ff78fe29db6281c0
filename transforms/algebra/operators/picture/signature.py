"""What the operators of this folder take and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.signature import Param, Signature
from surgqa.transforms.algebra.types import BOX, NUMBER, TRUTH, Type

AT = Param("value", "Time; the fact's start if left out.", types=("instant",), phrase="at {value}")
"""The time at which a box is read."""


def _iou(main: Type, args: Mapping[str, Type]) -> Type:
    return TRUTH if "least" in args else NUMBER


def _mixed(args: Mapping[str, Any]) -> str:
    """Return the error message if a stretch is compared with something else; '' otherwise."""
    in_time = [node.type.name == "stretch" for node in args["of"]]
    return "" if all(in_time) or not any(in_time) else "the iou of a stretch needs two stretches"


SIGNATURES = (
    Signature(
        name="box",
        summary="The box of a fact or a track at one time.",
        main=Param("value", "The fact or track.", types=("fact", "track"), required=True),
        result=BOX,
        phrase="the box of {main}",
        params={"at": AT},
    ),
    Signature(
        name="distance",
        summary="The distance between two things in the frame, in fractions of its width and "
        "height.",
        main=Param(
            "values", "Two facts, tracks, boxes or points.",
            types=("fact", "track", "box", "point"), required=True,
        ),
        result=NUMBER,
        phrase="the distance of {main}",
        params={"at": AT},
    ),
    Signature(
        name="iou",
        summary="The overlap of two boxes or stretches: intersection over union.",
        main=Param(
            "values", "Two boxes, stretches, facts or tracks.",
            types=("fact", "track", "box", "stretch"), required=True,
        ),
        result=_iou,
        phrase="the overlap of {main}",
        params={
            "at": AT,
            "least": Param(
                "length", "Test whether the overlap is at least this.", phrase="is at least {value}"
            ),
        },
        refuses=_mixed,
    ),
    Signature(
        name="motion",
        summary="The motion of a track: path length, speeds and number of samples.",
        main=Param("value", "A fact or a track.", types=("fact", "track"), required=True),
        result=Type("motion"),
        phrase="the motion of {main}",
        params={
            "over": Param(
                "value", "The time or times that are measured.",
                types=("stretch", "stretches", "fact", "facts"), required=True,
                phrase="over {value}",
            ),
        },
    ),
)  # fmt: skip
