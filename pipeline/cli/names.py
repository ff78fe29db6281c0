"""Unknown names bring the closest known one; what was meant is never guessed."""

from __future__ import annotations

from collections.abc import Iterable

from ontology.errors import UserError
from ontology.names import closest

_MANY = 12


def unknown(kind: str, name: str, known: Iterable[str], more: str) -> UserError:
    """The error for a name that is not there.

    Args:
        kind: what the name should have been, such as ``benchmark``.
        name: what was typed.
        known: names that exist; listed if there are few.
        more: the command that lists them.
    """
    names = sorted(known)
    close = closest(name, names)
    shown = ", ".join(names) if len(names) <= _MANY else f"one of {len(names)} names, see '{more}'"
    return UserError(
        f"no {kind} is called {name!r}",
        expected=shown,
        found=name,
        fix=f"did you mean {close}?" if close else f"see '{more}'",
    )
