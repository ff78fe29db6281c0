"""A small output that a build made, to be changed."""

from __future__ import annotations

import pytest

from tests.transforms.checks.world import World


@pytest.fixture
def world(tmp_path) -> World:
    """The output as it was built."""
    return World(tmp_path / "out")
