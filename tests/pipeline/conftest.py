"""A small dataset in CholecT50's layout, built once for all tests of the pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.config import RunConfig, load_run
from pipeline.run import BuildResult, build
from transforms.registry import load_sample


@pytest.fixture(scope="session")
def sample_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four made-up operations in CholecT50's layout."""
    root = tmp_path_factory.mktemp("cholect50")
    load_sample("cholect50")(root, procedures=4)
    return root


def configure(root: Path, out: Path, **settings: Any) -> RunConfig:
    """A run over one CholecT50 folder."""
    dataset = {"name": "cholect50", "root": root, **settings.pop("dataset", {})}
    return load_run(None, {"datasets": [dataset], "out": out, **settings})


def run(root: Path, out: Path, **settings: Any) -> BuildResult:
    """Build and return the result."""
    return build(configure(root, out, **settings))


@pytest.fixture(scope="session")
def built(sample_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, built once with the defaults."""
    out = tmp_path_factory.mktemp("built") / "out"
    run(sample_root, out)
    return out
