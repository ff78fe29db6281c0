"""Errors for unknown names. They suggest the closest known name, which is never used silently."""

from __future__ import annotations

from collections.abc import Iterable

from surgqa.ontology.errors import UnknownName, UserError
from surgqa.ontology.names import closest

_MANY = 12


def unknown(kind: str, name: str, known: Iterable[str], more: str) -> UserError:
    """Return the error for an unknown name.

    Args:
        kind: what the name should be, such as ``benchmark``.
        name: the name that the user typed.
        known: existing names; listed if there are few.
        more: the command that lists the known names.
    """
    names = sorted(known)
    close = closest(name, names)
    shown = ", ".join(names) if len(names) <= _MANY else f"one of {len(names)} names, see '{more}'"
    return UnknownName(
        f"no {kind} is called {name!r}",
        expected=shown,
        found=name,
        fix=f"did you mean {close}?" if close else f"see '{more}'",
    )
