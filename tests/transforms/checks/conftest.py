"""Fixtures: the world, a right item for every task, and a way to add one, changed."""

from __future__ import annotations

from copy import deepcopy

import pytest

from .right_items import RIGHT_ITEMS
from .world import World


@pytest.fixture
def world(tmp_path) -> World:
    """The dataset without any item."""
    return World(tmp_path / "out")


@pytest.fixture
def right_items() -> dict[str, tuple]:
    """One right item for every task, as arguments for :meth:`World.ask`."""
    return deepcopy(RIGHT_ITEMS)


@pytest.fixture
def add(world, right_items):
    """``add('locate', slots={…}, value={…}, **columns)``: a right item, changed as said."""

    def make(name: str, **changes) -> dict:
        core, form, slots, value, answer, *options = right_items[name]
        given = {
            "slots": slots, "value": value, "answer": answer,
            "options": options[0] if options else (), "form": form, **changes,
        }  # fmt: skip
        return world.ask(
            f"{core}/{name}",
            given.pop("form"),
            given.pop("slots"),
            given.pop("value"),
            given.pop("answer"),
            given.pop("options"),
            **given,
        )

    return make
