"""What all parts of the parser share: the file, the mistakes found so far, the names in scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from surgqa.ontology.yaml import YamlText
from surgqa.transforms.algebra.tree import Const, Place
from surgqa.transforms.algebra.types import Type, readers_of
from surgqa.transforms.language.findings import Finding

RESERVED = ("now", "window", "video", "picture", "it", "answer", "round", "options")
"""Words with a fixed meaning, which a name in ``let`` must not use."""

DEEPEST = 3
SHOWN = 6

BROKEN = Const(Type("label", "?"), "")
"""Stands for an expression with a mistake; it fits everywhere, so each mistake is reported once."""

At = tuple
"""Path inside the file's data, such as ``('let', 'tool', 'where')``."""


@dataclass(frozen=True)
class Scope:
    """The names that an expression may use at its place, with their types.

    Attributes:
        depth: number of nested patterns around this place.
        default: name of the stretch of time of a pattern that states none.
        binds: True inside a pattern or an operator's argument, where ``it`` may be used.
        forbidden: for each name, why it cannot be used here.
    """

    names: Mapping[str, Type]
    depth: int = 0
    default: str = "window"
    forbidden: Mapping[str, str] = field(default_factory=dict)

    def binding(self, alias: str, one: Type) -> Scope:
        """Return the names for a condition on one element, to which ``alias`` is added."""
        return replace(self, names={**self.names, alias: one}, depth=self.depth + 1)

    def adding(self, names: Mapping[str, Type]) -> Scope:
        """Return this scope with more names."""
        return replace(self, names={**self.names, **names})


@dataclass
class ParseContext:
    """What is known of one template while it is parsed.

    Attributes:
        used: names of ``let`` that are used somewhere.
        kinds: kinds of facts that the template asks for.
    """

    path: str
    text: str
    source: YamlText
    name: str = ""
    findings: list[Finding] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)

    def place(self, at: At, offset: int = 0, key: bool = False) -> Place:
        """Return (line, column) of the value (or key) at a path, moved by ``offset`` characters."""
        line, column = self.source.place(at, key)
        if offset and at in self.source.values and not key:
            written = self.text.split("\n")[line - 1]
            quoted = written[column - 1 : column] in ('"', "'")
            return line, column + offset + quoted
        return line, column

    def add(
        self, code: str, at: At, message: str, fix: str = "", *, offset: int = 0, key: bool = False,
        place: Place | None = None,
    ) -> Const:  # fmt: skip
        """Record a mistake at a path of the file; return the node that replaces the expression."""
        crumb = self.name or self.path
        for part in at:
            crumb += f"[{part}]" if isinstance(part, int) else f" > {part}"
        line, column = place or self.place(at, offset, key)
        found = Finding(self.path, line, code, crumb, message, fix, column=column)
        if found not in self.findings:
            self.findings.append(found)
        return BROKEN

    def unknown(
        self, code: str, at: At, message: str, word: object, known: Iterable[str], many: str = "",
        *, key: bool = False, place: Place | None = None,
    ) -> Const:  # fmt: skip
        """Record an unknown word as a mistake; suggest the most similar known word."""
        return self.add(code, at, message, nearest(str(word), known, many), key=key, place=place)

    def mismatch(
        self, at: At, wanted: Iterable[str], found: Type, scope: Scope, place: Place
    ) -> Const:  # fmt: skip
        """T117: report a value of the wrong type, with names in scope that have a right type."""
        names = tuple(wanted)
        fits = ", ".join(fitting(scope, names)[:SHOWN])
        return self.add(
            "T117", at, f"expected {' or '.join(names)}, found {found}",
            f"fits: {fits}" if fits else "", place=place,
        )  # fmt: skip


def one_or_more(data: Any, at: At) -> list[tuple[Any, At]]:
    """Return the members of a list, or the single value, each with its path."""
    return (
        [(one, (*at, i)) for i, one in enumerate(data)] if isinstance(data, list) else [(data, at)]
    )


def fitting(scope: Scope, wanted: Iterable[str]) -> list[str]:
    """Return names in scope that have a wanted type or a property of it, such as ``name.start``."""
    names = set(wanted)
    out = []
    for name, type_ in scope.names.items():
        if type_.name in names:
            out.append(name)
        out += [
            f"{name}.{reader}" for reader, gives in readers_of(type_).items() if gives.name in names
        ]
    return out


def nearest(
    word: str, known: Iterable[str], many: str = "", alike: float = 0.6, most: int = 12
) -> str:  # fmt: skip
    """Return a suggestion for an unknown word: a similar known word, else all known words.

    Args:
        alike: least similarity of a suggested word, in [0, 1].
        most: greatest number of words that are listed.
    """
    names = sorted(known)
    close = get_close_matches(word, names, 1, alike)
    if close:
        return f"did you mean {close[0]!r}?"
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return f"{many}: {', '.join(names[:most])}{more}" if many and names else ""
