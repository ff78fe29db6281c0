"""The operators of the template language: names, documented and typed.

A template is data; whatever must be computed is an operator.  This room says which
operators there are, what they take and what they give; ``transforms.questions`` says
what they do.  A test keeps the two in step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["slot", "condition", "answer", "options"]


@dataclass(frozen=True, slots=True)
class Param:
    """One named argument of an operator.

    Attributes:
        type: ``number``, ``integer``, ``flag``, ``text``, ``names`` (list of text), or
            ``slot`` / ``slots`` (names of slots declared before).
        kinds: slot kinds accepted, for ``slot`` and ``slots``.
        default: value when left out; ``...`` where it must be given.
        choices: closed list for ``text`` and ``names``.
        least: smallest value of ``number`` and ``integer``, None for any; finders only.
        pattern: regular expression of ``text``, None for any; finders only.
    """

    type: str
    doc: str
    default: object = ...
    kinds: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    least: float | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    """A named operator.

    Attributes:
        params: arguments by name.
        gives: type of the bound value (slots), or field -> type (answers); what
            wordings may use.
        bound: conditions only: takes ``at_least``, ``at_most``, ``above``, ``below``.
    """

    name: str
    role: Role
    doc: str
    params: Mapping[str, Param] = field(default_factory=dict)
    gives: Mapping[str, str] = field(default_factory=dict)
    bound: bool = False


BOUNDS = {
    "at_least": Param("number", "Smallest value allowed.", None),
    "at_most": Param("number", "Largest value allowed.", None),
    "above": Param("number", "The value must be larger than this.", None),
    "below": Param("number", "The value must be smaller than this.", None),
}

_TABLES: dict[Role, dict[str, Operator]] = {
    "slot": {},
    "condition": {},
    "answer": {},
    "options": {},
}


def define(
    role: Role,
    name: str,
    doc: str,
    params: Mapping[str, Param] | None = None,
    gives: Mapping[str, str] | None = None,
    bound: bool = False,
) -> None:
    """Add an operator to the language; two of one name are an error."""
    if name in _TABLES[role]:
        raise ValueError(f"two {role} operators named {name!r}")
    merged = {**(params or {}), **(BOUNDS if bound else {})}
    _TABLES[role][name] = Operator(name, role, doc, merged, gives or {}, bound)


def operators(role: Role) -> Mapping[str, Operator]:
    """All operators of a role by name."""
    from transforms.language import signatures  # noqa: F401  (fills the tables once)

    return _TABLES[role]
