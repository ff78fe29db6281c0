"""One folder an operator.

``signature.py``: what it takes and gives, and how it is said.  ``naive.py``: what it means in one
world; this is its definition.  ``columns.py``: its certain answer for many fillings at once.
``sql.py``: the same in SQL.  ``example.yaml``: a runnable example, shown in the docs.  A folder
is found by its name; nothing lists them.  ``each`` gives no value but rows: ``fillings.py`` is its
form over columns.

Another package offers an operator by an entry point of the group :data:`GROUP`: its name is the
operator's, its value a package with the same files.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import ModuleType

from ontology.errors import UserError
from ontology.plugins import OPERATORS, offered


@cache
def packages() -> Mapping[str, str]:
    """Name of every operator -> the package of its files; those that ship first, then by name.

    Raises:
        UserError: two have one name.
    """
    folder = resources.files(__name__)
    shipped = sorted(one.name for one in folder.iterdir() if (one / "signature.py").is_file())
    found = {name: f"{__name__}.{name}" for name in shipped}
    return found | {one.name: one.module for one in offered(OPERATORS, found)}


def part(operator: str, name: str) -> ModuleType:
    """One file of an operator: ``signature``, ``naive``, ``columns`` or ``sql``.

    Raises:
        KeyError: there is no such operator.
        UserError: its package does not have the file.
    """
    module = f"{packages()[operator]}.{name}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise UserError(
            f"the operator {operator!r} has no form {name!r}",
            expected=f"a module {module}",
            fix="write it, or remove the package",
        ) from None
