"""Formats that a finished dataset can be written in: each a folder of this package.

A folder with ``FORMAT`` in its ``__init__.py`` is a format; nothing else needs to be edited.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import transforms.exports
from ontology.errors import UserError
from transforms.places import Place
from transforms.store import OutputFolder

Row = Sequence[object]
Write = Callable[[OutputFolder, Path, Mapping[str, Place]], Sequence[Row]]


@dataclass(frozen=True, slots=True)
class Format:
    """A way out.

    Attributes:
        name: what ``--as`` says.
        benchmark: folder of ``data/`` that is written.
        summary: one line.
        write: writes all into a folder that is there and empty, given the folder of each
            dataset's recordings where it is known, and returns a table of what it wrote,
            header first.  Formats without pictures or films do not look at those folders.
        with_prompts: the same with the texts of a folder, where the format has prompts.
    """

    name: str
    benchmark: str
    summary: str
    write: Write
    with_prompts: Callable[[Path], Write] | None = None


@cache
def formats() -> Mapping[str, Format]:
    """All formats by name, in order of their names."""
    found = []
    for unit in pkgutil.iter_modules(transforms.exports.__path__):
        if unit.ispkg:
            found.append(importlib.import_module(f"transforms.exports.{unit.name}").FORMAT)
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def format_of(name: str) -> Format:
    """One format.

    Raises:
        UserError: there is none of this name.
    """
    known = formats()
    if name not in known:
        raise UserError(
            f"no format is called '{name}'",
            expected=", ".join(known),
            found=name,
            where="--as",
        )
    return known[name]
