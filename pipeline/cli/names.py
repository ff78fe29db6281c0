"""Unknown names bring the closest known one; what was meant is never guessed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from ontology.errors import UserError

_MANY = 12


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like this one, or None; case and punctuation do not count."""
    plain = {_plain(unit): unit for unit in known}
    close = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.6)
    return plain[close[0]] if close else None


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


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
