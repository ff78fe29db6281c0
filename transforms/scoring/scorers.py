"""Scorers by name: a template names one, from a subfolder of ``scoring`` or another package.

A scorer takes a part of a response (tidy text) and the case.  It returns a mark, a number in
[0, 1], or None if it cannot read the text.  ``<folder>.<name>`` is a scorer of
``scoring/<folder>``; any other name is an entry point of the group ``surgqa.scorers``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from types import ModuleType

from ontology.errors import UserError
from ontology.plugins import SCORERS, loaded, offered
from transforms.scoring.case import Case, Mark

Scorer = Callable[[str, Case], Mark | float | None]


@cache
def units() -> tuple[str, ...]:
    """Return the subfolders, which may offer scorers and measures for the benchmark so named."""
    folder = resources.files("transforms") / "scoring"
    return tuple(sorted(one.name for one in folder.iterdir() if (one / "__init__.py").is_file()))


@cache
def unit(name: str) -> ModuleType | None:
    """Return the package of the subfolder of that name, None if there is none."""
    return importlib.import_module(f"transforms.scoring.{name}") if name in units() else None


@cache
def scorers() -> Mapping[str, Scorer]:
    """Return all scorers by name, including those of other packages.

    Raises:
        UserError: two scorers have the same name.
    """
    found: dict[str, Scorer] = {}
    for folder in units():
        own: Mapping[str, Scorer] = getattr(unit(folder), "SCORERS", {})
        found |= {f"{folder}.{name}": one for name, one in own.items()}
    return found | {one.name: loaded(one) for one in offered(SCORERS, found)}


def scorer(name: str, where: str) -> Scorer:
    """Return the scorer of that name.

    Args:
        where: the template that names it.

    Raises:
        UserError: no scorer has that name.
    """
    found = scorers().get(name)
    if found is None:
        raise UserError(
            f"no scorer is called {name!r}", expected=", ".join(scorers()), where=where,
            fix="install the package that offers it, or correct 'scorer:' of the template",
        )  # fmt: skip
    return found
