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
from transforms.store import OutputFolder

Row = Sequence[object]


@dataclass(frozen=True, slots=True)
class Format:
    """A way out.

    Attributes:
        name: what ``--as`` says.
        benchmark: folder of ``data/`` that is written.
        summary: one line.
        write: writes all into a folder that is there and empty, and returns a table of what
            it wrote, header first.
    """

    name: str
    benchmark: str
    summary: str
    write: Callable[[OutputFolder, Path], Sequence[Row]]


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
