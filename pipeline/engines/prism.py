"""Prism, Beam's portable engine in one local process, which checks steps strictly."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from surgqa.ontology.errors import FileMissing
from surgqa.pipeline.engines.engine import Engine

VARIABLE = "SURGQA_PRISM"
BUILT = Path("build/prism/prism")
"""Path of the program, relative to the repository; ``make prism`` puts it there."""


def options(given: Sequence[str]) -> list[str]:
    """Return the given options, and the path of the Prism program.

    Without a program on this machine, Beam downloads its own release of the same version.

    Raises:
        SourceMissing: ``SURGQA_PRISM`` names a missing file.
    """
    if any(option.startswith("--prism_location") for option in given):
        return list(given)
    program = _program()
    return [*([f"--prism_location={program}"] if program else []), *given]


def _program() -> str | None:
    named = os.environ.get(VARIABLE)
    if named and not Path(named).is_file():
        raise FileMissing(
            "the Prism program is not there", expected="a file", found=named, where=VARIABLE,
            fix="build it with 'make prism', or unset the variable to let Beam fetch its release",
        )  # fmt: skip
    if named:
        return named
    return str(BUILT.resolve()) if BUILT.is_file() else shutil.which("prism")


ENGINE = Engine(
    "prism",
    "PrismRunner",
    options=lambda given, run: options(given),
    about="Beam's portable engine in one local process",
)
