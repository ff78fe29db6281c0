"""The contract of engines, which a package with an engine checks in its own test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from surgqa.ontology.errors import UserError
from surgqa.pipeline.engines.engine import Engine, engine_named, engine_of
from surgqa.transforms.registry import load_sample

RUN = "0" * 32
"""Stands for the digest of a run when options are asked for."""


def broken_promises(
    name: str, options: Sequence[str] = (), *, dataset: str, benchmark: str,
    folder: Path | None = None,
) -> list[str]:  # fmt: skip
    """Return one sentence for each way in which an engine violates the contract of engines.

    A small build of a dataset's sample must have the same digest as in this process.

    Args:
        name: the entry point.
        options: options of the engine, as after ``--``.
        dataset: the dataset whose sample is built.
        benchmark: the benchmark whose questions are asked.
        folder: an empty folder that the engine's workers reach; None for a temporary folder on this
            machine.

    Raises:
        UserError: there is no such engine, or its entry point offers something else.
    """
    one = engine_named(name)
    out = _called(name, one, options)
    if out:
        return out
    with TemporaryDirectory(dir=folder) as place:
        root, here = Path(place) / "root", Path(place) / "here"
        root.mkdir()
        load_sample(dataset)(root)
        expected = _built(root, here, dataset, benchmark)
        try:
            found = _built(root, Path(place) / "there", dataset, benchmark, name, options)
        except UserError as error:
            return ["; ".join(error.lines())]
    return [] if found == expected else [f"a build gives the digest {found} instead of {expected}"]


def _called(name: str, one: Engine, options: Sequence[str]) -> list[str]:
    """Return what is wrong with the engine's name or its options."""
    if engine_of(name) is not one:
        return [f"--runner {name} selects {engine_of(name).name!r}"]
    given = [*options, "--an_option=1"]
    chosen = one.options(given, RUN)
    if not isinstance(chosen, list) or not all(isinstance(text, str) for text in chosen):
        return ["its options are not a list of texts"]
    if chosen[len(chosen) - len(given) :] != given:
        return ["its options do not end with those of the user, which take precedence"]
    if one.options(given, RUN) != chosen:
        return ["its options differ the second time"]
    return []


def _built(
    root: Path, out: Path, dataset: str, benchmark: str, runner: str = "direct",
    options: Sequence[str] = (),
) -> str:  # fmt: skip
    from surgqa.pipeline.config import load_run
    from surgqa.pipeline.run import build

    config = load_run(None, {
        "datasets": [{"name": dataset, "root": str(root)}], "benchmarks": [benchmark],
        "out": str(out), "runner": runner, "engine": [*options],
    })  # fmt: skip
    return build(config).digest
