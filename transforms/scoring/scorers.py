"""Scorers by name: those that a template names, of a folder of this room or of another package.

A scorer takes a part of a response (tidy text) and the case, and gives a mark, a share of 1, or
None where it cannot read the text.  ``<folder>.<name>`` is a scorer of ``scoring/<folder>``; any
other name is an entry point of the group ``surgqa.scorers``.
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
    """Folders of this room: each may offer scorers and measures of the benchmark of its name."""
    folder = resources.files("transforms") / "scoring"
    return tuple(sorted(one.name for one in folder.iterdir() if (one / "__init__.py").is_file()))


@cache
def unit(name: str) -> ModuleType | None:
    """The folder of that name, None where there is none."""
    return importlib.import_module(f"transforms.scoring.{name}") if name in units() else None


@cache
def scorers() -> Mapping[str, Scorer]:
    """All scorers by name, those of other packages among them.

    Raises:
        UserError: two have one name.
    """
    found: dict[str, Scorer] = {}
    for folder in units():
        own: Mapping[str, Scorer] = getattr(unit(folder), "SCORERS", {})
        found |= {f"{folder}.{name}": one for name, one in own.items()}
    return found | {one.name: loaded(one) for one in offered(SCORERS, found)}


def scorer(name: str, where: str) -> Scorer:
    """The scorer of that name.

    Args:
        where: the template that names it.

    Raises:
        UserError: there is none.
    """
    found = scorers().get(name)
    if found is None:
        raise UserError(
            f"no scorer is called {name!r}", expected=", ".join(scorers()), where=where,
            fix="install the package that offers it, or correct 'scorer:' of the template",
        )  # fmt: skip
    return found
