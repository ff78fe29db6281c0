"""Defaults of settings, which are changed only on purpose."""

from __future__ import annotations

from dataclasses import MISSING, fields

from surgqa.ontology.keys import digest


def digest_of_defaults(of: type) -> str:
    """Digest of the names and default values of a dataclass, 12 hexadecimal digits."""
    given = [(one.name, one.default) for one in fields(of) if one.default is not MISSING]
    return digest(*given)[:12]
