"""The operators, one folder for each group of related operators.

A folder has up to four modules:

- ``signature.py``: ``SIGNATURES``, what each operator takes and returns.
- ``naive.py``: the operator's value on one exact timeline that the labels allow, or the error
  Undefined if it has none there; this is its definition.
- ``columns.py``: its value for many rows of a template's names at once, with the information
  whether it is certain. The docstring says when it is certain; ``docs/algebra.md`` quotes it.
- ``sql.py``: the same in SQL.

The last three have one function for each operator, named after the operator (``not_`` and ``all_``,
because ``not`` and ``all`` are taken in Python). ``<operator>.yaml`` is a runnable example, which
the docs show. A folder is found by its ``signature.py``; there is no list. ``each`` adds rows
instead of computing a value, so it has ``fillings.py`` instead of ``columns.py``.

Another package adds an operator by an entry point of the group :data:`OPERATORS`: its name is the
operator's name, and its value is a package with the same files.
"""

from __future__ import annotations

import builtins
import importlib
import keyword
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

from surgqa.ontology.errors import PluginBroken
from surgqa.ontology.plugins import OPERATORS, offered


@cache
def packages() -> Mapping[str, str]:
    """Return the package of every operator, by the operator's name.

    Shipped operators come first. Each group is sorted by name.

    Raises:
        UserError: two operators have the same name.
    """
    shipped = {
        one.name: f"{__name__}.{family.name}"
        for family in pkgutil.iter_modules(__path__)
        for one in importlib.import_module(f"{__name__}.{family.name}.signature").SIGNATURES
    }
    found = dict(sorted(shipped.items()))
    return found | {one.name: one.module for one in offered(OPERATORS, found)}


def form(operator: str, name: str) -> Any:
    """Return the signature of an operator, or one of its functions.

    Args:
        name: ``signature``, ``naive``, ``columns`` or ``sql``.

    Raises:
        KeyError: there is no such operator.
        UserError: the operator's package does not have the module or the function.
    """
    module = f"{packages()[operator]}.{name}"
    reserved = keyword.iskeyword(operator) or hasattr(builtins, operator)
    function = f"{operator}_" if reserved else operator
    try:
        found = importlib.import_module(module)
        if name == "signature":
            return next(one for one in found.SIGNATURES if one.name == operator)
        return getattr(found, function)
    except (ModuleNotFoundError, AttributeError, StopIteration) as error:
        if isinstance(error, ModuleNotFoundError) and not module.startswith(str(error.name)):
            raise
        what = f"a signature of {operator!r}" if name == "signature" else f"a function {function!r}"
        raise PluginBroken(
            f"the operator {operator!r} has no {name!r}",
            expected=f"{what} in the module {module}",
            fix="add it, or uninstall the package",
        ) from None
