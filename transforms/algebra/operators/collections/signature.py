"""What the operators of this folder take and return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surgqa.transforms.algebra.signature import COLLECTION, Param, Signature, merged_away
from surgqa.transforms.algebra.types import RECORD, Type, element, fields_of, many

FIELDS = Param("fields", "The fields that are kept of each fact.", phrase="each with its {value}")


def _labels(main: Type, args: Mapping[str, Type]) -> Type:
    return many("set", main)


def _sequence(main: Type, args: Mapping[str, Type]) -> Type:
    return many("sequence", args["fields"] if "fields" in args else _listed(main))


def _set(main: Type, args: Mapping[str, Type]) -> Type:
    return many("set", RECORD if "fields" in args else _listed(main))


def _listed(main: Type) -> Type:
    """Return the type of a listed element; a fact without ``fields`` is listed as its label."""
    return fields_of(main.of).get("label", main) if main.name == "fact" else main


def _lost_fields(args: Mapping[str, Any]) -> str:
    """Return the error message if a wanted field does not exist in the facts; '' if all exist."""
    main = args["of"]
    field, merge = getattr(main, "field", ""), getattr(main, "merge", ())
    fields = args.get("fields") or (field or "label",)
    if field == "track":
        return "instances have no names: use count or each"
    known = _unlabelled(args)
    if known:
        return f"facts of this kind have no label: use one of their fields ({', '.join(known)})"
    return merged_away(fields, merge)


def _unlabelled(args: Mapping[str, Any]) -> Sequence[str]:
    """Return the fields to choose from if facts without a label are listed without ``fields``."""
    of = getattr(args["of"], "type", None)
    if of is None or args.get("fields") or of.name not in ("facts", "set", "sequence"):
        return ()
    one = element(of)
    fields = tuple(fields_of(one.of)) if one.name == "fact" and one.of else ()
    return () if "label" in fields else fields


SIGNATURES = (
    Signature(
        name="labels",
        summary="All labels that a kind, a domain or a scale can have in this video.",
        main=Param(
            "labels", "A kind, a domain of labels, a scale, or a value with a scale.", required=True
        ),
        result=_labels,
        phrase="all labels of {main}",
        pool=True,
    ),
    Signature(
        name="sequence",
        summary="Elements in order of time.",
        main=COLLECTION,
        result=_sequence,
        phrase="{main} in order",
        params={
            "by": Param(
                "value", "The time that orders the elements; their start if left out.",
                types=("instant", "number"), binds=True, phrase="by {value}",
            ),
            "of": FIELDS,
            "take": Param(
                "whole", "How many to keep from the start, or from the end if negative.",
                phrase="the first {value}",
            ),
        },
        refuses=_lost_fields,
    ),
    Signature(
        name="set",
        summary="The different values of a field, or the facts with some of their fields.",
        main=Param(
            "collection", "Facts, a set, a sequence or a list.", ("fact", "label", "act"),
            required=True,
        ),
        result=_set,
        phrase="the different {main}",
        params={"of": FIELDS},
        pool=True,
        values=True,
        refuses=_lost_fields,
    ),
)  # fmt: skip
