"""Filling the wordings of query templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from transforms.language.template import Ref, Wording
from transforms.questions.queries.found import Named, seconds


def _agree(singular: str, plural: str) -> Callable[[Named], str]:
    return lambda named: plural if named.term.plural else singular


def _act(action: tuple[str, str]) -> str:
    verb, target = action
    base = Named("verb", verb).term.gerund
    return base if target == "null_target" else f"{base} {Named('target', target).term.phrase}"


FILTERS: Mapping[str, Callable[[Any], str]] = {
    "name": lambda named: named if isinstance(named, str) else named.term.display,
    "a": lambda named: named.term.article_phrase,
    "the": lambda named: named.term.phrase,
    "is": _agree("is", "are"),
    "does": _agree("does", "do"),
    "has": _agree("has", "have"),
    "act": _act,
    "list": lambda names: _joined([named.term.display for named in names]),
    "whole": str,
    "text": str,
    "clock": lambda time_us: f"{seconds(time_us)} s",
    "yes": lambda yes: "Yes" if yes else "No",
}


def fill(wording: Wording, fields: Mapping[str, Any]) -> str:
    """The finished text."""
    return "".join(
        FILTERS[piece.filters[0]](fields[piece.path[0]]) if isinstance(piece, Ref) else piece
        for piece in wording
    )


def _joined(names: list[str]) -> str:
    ordered = sorted(names)
    return " and ".join([", ".join(ordered[:-1]), ordered[-1]] if len(ordered) > 1 else ordered)
