"""A small dataset in CholecT50's layout, built once for all tests of the pipeline."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from surgqa.pipeline.config import RunConfig, load_run
from surgqa.pipeline.run import BuildResult, build
from surgqa.transforms.registry import load_sample
from tests.pipeline.own_builds import BENCHMARKS, FAR, write_samples

Sample = Callable[..., Path]
BuiltOnce = Callable[[str, dict[str, Any]], BuildResult]


@pytest.fixture(scope="session")
def sample(once: Callable[..., Path]) -> Sample:
    """The sample of a reader, written once for all processes; tests only read it.

    A program of ``tests/readers/made`` writes one of another size.
    """

    def of(name: str, **size: Any) -> Path:
        told = "-".join([name, *(f"{key}-{value}" for key, value in sorted(size.items()))])
        write = import_module(f"tests.readers.made.{name}").write if size else load_sample(name)
        return once(f"sample-{told}", lambda to: write(to, **size))

    return of


@pytest.fixture(scope="session")
def samples(once: Callable[..., Path]) -> dict[str, Path]:
    """The sample of every reader; what is observed has no labels."""
    folder = once("samples", write_samples)
    return {one.name: one for one in sorted(folder.iterdir())}


@pytest.fixture(scope="session")
def built_once(once: Callable[..., Path]) -> BuiltOnce:
    """The result of a run with these settings, built once for all processes by its name."""

    def of(name: str, settings: dict[str, Any]) -> BuildResult:
        def make(to: Path) -> None:
            result = build(load_run(None, settings | {"out": str(to / "out")}))
            (to / "result").write_bytes(pickle.dumps(result))

        return pickle.loads((once(f"build-{name}", make) / "result").read_bytes())

    return of


@pytest.fixture(scope="session")
def of_all_benchmarks(sample: Sample) -> dict[str, Any]:
    """Settings of every benchmark over few samples that give nearly every template items."""
    sizes = {"cholect50": {"procedures": 2}, "unified": {}, "autolaparo": {},
             "jigsaws": {}, "cholectrack20": {}}  # fmt: skip
    runs = [{"name": name, "root": str(sample(name, **size))} for name, size in sizes.items()]
    runs[1]["videos"], runs[-1]["videos"] = ["case_01"], ["VID02"]
    return {"datasets": runs, "observers": FAR, "benchmarks": list(BENCHMARKS),
            "formats": ["parquet", "jsonl"]}  # fmt: skip


@pytest.fixture(scope="session")
def all_benchmarks(of_all_benchmarks: dict[str, Any], built_once: BuiltOnce) -> Path:
    """What these settings give."""
    return built_once("all-benchmarks", of_all_benchmarks).out


@pytest.fixture(scope="session")
def sample_root(sample: Sample) -> Path:
    """Four made-up operations in CholecT50's layout."""
    return sample("cholect50", procedures=4)


def configure(root: Path, out: Path, **settings: Any) -> RunConfig:
    """A run over one CholecT50 folder."""
    dataset = {"name": "cholect50", "root": root, **settings.pop("dataset", {})}
    return load_run(None, {"datasets": [dataset], "out": out, **settings})


def run(root: Path, out: Path, **settings: Any) -> BuildResult:
    """Build and return the result."""
    return build(configure(root, out, **settings))


@pytest.fixture(scope="session")
def built(sample_root: Path, built_once: BuiltOnce) -> Path:
    """The sample, built once with the defaults."""
    return built_once("defaults", {"datasets": [{"name": "cholect50", "root": sample_root}]}).out
