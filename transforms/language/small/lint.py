"""Rules of lint that the small languages share: versions, variants, words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from transforms.language.findings import Finding
from transforms.language.grammar import Paths, agreement, articles, marks_and_spaces
from transforms.language.small.parse import SmallParser
from transforms.language.template import Ref, Wording

FEWEST_WORDINGS = 3

Problem = tuple[str, tuple, str, str]
"""Code, place in the file, message, what to do."""

Place = tuple
"""Where a text or a list of texts stands in the file."""


class Versioned(Protocol):
    """What templates of all small languages have."""

    @property
    def id(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def changes(self) -> Mapping[int, str]: ...
    @property
    def variant(self) -> str | None: ...
    @property
    def unused_keys(self) -> tuple[str, ...]: ...


Rule = Callable[[Any, Any], Iterator[Problem]]
"""What is wrong with a template, given the parser of its file."""


def findings_of(
    found: Iterable[tuple[SmallParser[Any], Sequence[Versioned]]], rules: Sequence[Rule]
) -> list[Finding]:
    """What loading needs, and what the rules say, each with its line and its place."""
    findings: list[Finding] = []
    for parser, templates in found:
        findings += parser.findings
        for template in templates:
            problems = [problem for rule in rules for problem in rule(template, parser)]
            for code, at, message, fix in problems:
                (line, column), where = parser.source.place(at, key=True), _crumb(template.id, at)
                finding = Finding(template.path, line, code, where, message, fix, column=column)
                findings.append(finding)
    return findings


def unused_keys(template: Versioned, _: object = None) -> Iterator[Problem]:
    """T105: a key of the variants that stands nowhere in the file."""
    for key in template.unused_keys:
        at = ("variants", template.variant, key)
        yield "T105", at, "nothing uses this key", "remove it from every variant"


def version_explained(template: Versioned, _: object = None) -> Iterator[Problem]:
    """T108: every version after the first says what it changed."""
    for version in range(2, template.version + 1):
        if version not in template.changes:
            message = f"version {version} does not say what changed"
            yield "T108", ("version",), message, f"add '{version}: …' under changes"
    for version in sorted(template.changes):
        if version > template.version:
            message = f"version {version} is described, but the template is at {template.version}"
            yield "T108", ("changes", version), message, f"set version to {version}"


def enough_wordings(asks: Sequence[Wording], at: Place) -> Iterator[Problem]:
    """T111: at least three wordings, all different (case, spaces and marks do not count)."""
    if len(asks) < FEWEST_WORDINGS:
        yield "T111", at, f"{len(asks)} wording(s)", "write three"
    first: dict[tuple, int] = {}
    for i, wording in enumerate(asks):
        same = first.setdefault(essence(wording), i)
        if same != i:
            yield "T111", (*at, i), f"says the same as ask[{same}]", ""


def sentence(wording: Wording, at: Place, question: bool) -> Iterator[Problem]:
    """T112: end mark, spaces, capital at the start."""
    for message in marks_and_spaces(literal(wording), question=question):
        yield "T112", at, message, ""


def agreeing(
    wording: Wording, at: Place, named: Paths, filters: Iterable[str]
) -> Iterator[Problem]:
    """T112: articles and verbs beside a name that may be plural.

    Args:
        named: fields that print a name.
        filters: those that the language has, one of which may be the way to say it.
    """
    yield from (("T112", at, message, fix) for message, fix in articles(wording, named))
    for message, fix in agreement(wording, named):
        possible = any(f"| {name} }}}}" in fix for name in filters)
        yield "T112", at, message, fix if possible else "say it without the verb"


def source_named(wording: Wording, at: Place) -> Iterator[Problem]:
    """T115: a wording names a dataset, a file or a frame number."""
    from transforms.language.rules import source_names

    found = source_names().search(literal(wording))
    if found:
        yield "T115", at, f"names {found.group(0)!r}", "ask without naming the source"


def fields_named(fields: Mapping[str, str]) -> Paths:
    """Of a finder's fields those that print a name, as references."""
    return frozenset((name,) for name, kind in fields.items() if kind == "name")


def literal(wording: Wording) -> str:
    """The wording with a placeholder for every reference."""
    return "".join("\N{WHITE SQUARE}" if isinstance(p, Ref) else p for p in wording)


def essence(wording: Wording) -> tuple:
    """What must differ between two wordings."""
    parts = (p if isinstance(p, Ref) else " ".join(re.findall(r"\w+", p.lower())) for p in wording)
    return tuple(p for p in parts if p)


def _crumb(name: str, at: tuple) -> str:
    return name + "".join(f"[{part}]" if isinstance(part, int) else f" > {part}" for part in at)
