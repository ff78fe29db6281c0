"""Tiny made-up data sets, made once for this folder."""

from __future__ import annotations

import pytest

from benchmarks.generate_labels import generate

VIDEOS, SECONDS = 3, 240


@pytest.fixture(scope="session")
def labels(tmp_path_factory):
    """A dataset root with three label files of 240 annotated seconds."""
    root = tmp_path_factory.mktemp("labels")
    generate(root, VIDEOS, SECONDS, seed=3)
    return root
