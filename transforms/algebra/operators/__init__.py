"""The operators, one folder each.

``signature.py``: what the operator takes and returns, and its phrase. ``naive.py``: its value in
one possible world (one exact timeline that the labels allow); this is the definition.
``columns.py``: its certain answer for many fillings at once. ``sql.py``: the same in SQL.
``example.yaml``: a runnable example, shown in the docs. Folders are found by name; there is no
list. ``each`` returns rows and no value: ``fillings.py`` is its form over columns.

Another package adds an operator by an entry point of the group :data:`GROUP`: its name is the
operator's name, and its value is a package with the same files.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import ModuleType

from surgqa.ontology.errors import PluginBroken
from surgqa.ontology.plugins import OPERATORS, offered


@cache
def packages() -> Mapping[str, str]:
    """Return the package of every operator, by the operator's name.

    Shipped operators come first. Each group is sorted by name.

    Raises:
        UserError: two operators have the same name.
    """
    folder = resources.files(__name__)
    shipped = sorted(one.name for one in folder.iterdir() if (one / "signature.py").is_file())
    found = {name: f"{__name__}.{name}" for name in shipped}
    return found | {one.name: one.module for one in offered(OPERATORS, found)}


def part(operator: str, name: str) -> ModuleType:
    """One file of an operator: ``signature``, ``naive``, ``columns`` or ``sql``.

    Raises:
        KeyError: there is no such operator.
        UserError: the operator's package does not have the file.
    """
    module = f"{packages()[operator]}.{name}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise PluginBroken(
            f"the operator {operator!r} has no module {name!r}",
            expected=f"a module {module}",
            fix="add this module, or uninstall the package",
        ) from None
