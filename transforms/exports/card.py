"""The dataset card and the licences of an output folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined

from transforms.registry import Card


def card_text(manifest: Mapping[str, Any], cards: Sequence[Card]) -> str:
    """``README.md`` of an output folder."""
    return _render("card.md.jinja", manifest=manifest, cards=cards)


def licences_text(manifest: Mapping[str, Any], cards: Sequence[Card]) -> str:
    """``licences.md``: which source limits what."""
    return _render("licences.md.jinja", manifest=manifest, cards=cards)


def _render(name: str, **values: Any) -> str:
    text = (resources.files("transforms.exports") / name).read_text(encoding="utf-8")
    environment = Environment(  # noqa: S701  (Markdown, not HTML)
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(text).render(**values)
