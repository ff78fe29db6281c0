"""Lint of query templates: rules beyond what loading needs.  One function per rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from ontology.concepts import LABEL_KINDS, vocabulary
from transforms.language.findings import Finding
from transforms.language.grammar import agreement, articles, marks_and_spaces
from transforms.language.queries.finders import FILTERS
from transforms.language.queries.load import parsed
from transforms.language.queries.query import Query
from transforms.language.template import Ref, Wording

FEWEST_WORDINGS = 3

Problem = tuple[str, tuple, str, str]
"""Code, place in the file, message, what to do."""

Rule = Callable[[Query], Iterator[Problem]]


def lint_queries(files: Sequence[Path], folder: Path) -> list[Finding]:
    """All findings of query files: what loading needs, and words and versions."""
    findings: list[Finding] = []
    for parser, queries in parsed(files, folder):
        findings += parser.findings
        for query in queries:
            problems = [problem for rule in RULES for problem in rule(query)]
            if "look_back" in parser.source.data:
                problems += _unused_window(query)
            for code, at, message, fix in problems:
                line, where = parser.source.line(at), _crumb(query.id, at)
                findings.append(Finding(query.path, line, code, where, message, fix))
    return findings


def _unused_window(query: Query) -> Iterator[Problem]:
    """T105: a window's length where a stream begins with the question."""
    if query.found_by.streaming:
        message = "a stream begins with its question, so this is not used"
        yield "T105", ("look_back",), message, "remove it"


def unused_keys(query: Query) -> Iterator[Problem]:
    """T105: a key of the variants that stands nowhere in the file."""
    for key in query.unused_keys:
        at = ("variants", query.variant, key)
        yield "T105", at, "nothing uses this key", "remove it from every variant"


def version_explained(query: Query) -> Iterator[Problem]:
    """T108: every version after the first says what it changed."""
    for version in range(2, query.version + 1):
        if version not in query.changes:
            message = f"version {version} does not say what changed"
            yield "T108", ("version",), message, f"add '{version}: …' under changes"
    for version in sorted(query.changes):
        if version > query.version:
            message = f"version {version} is described, but the template is at {query.version}"
            yield "T108", ("changes", version), message, f"set version to {version}"


def answer_not_shown(query: Query) -> Iterator[Problem]:
    """T109: the question names a label that can be its answer."""
    if not {"name", "outcome", "labels"} & set(query.found_by.answers.values()):
        return
    for i, wording in enumerate(query.ask):
        found = _names(str(query.args.get("of", ""))).search(_literal(wording).lower())
        if found:
            message = f"names {found.group(0)!r}, which can be the answer"
            yield "T109", ("ask", i), message, "use a field, or leave it out"


@cache
def _names(kind: str) -> re.Pattern[str]:
    """Display names of a kind's labels; a pattern that fits nothing where it has none.

    Words for nothing and for the rest ('another instrument') give no answer away.
    """
    kind = kind.removesuffix("_region").replace("triplet", "target") + "s"
    terms = vocabulary(kind).values() if kind in LABEL_KINDS else ()
    texts = {term.display.lower() for term in terms if not term.id.startswith(_NO_ANSWER)}
    longest_first = sorted(texts, key=lambda t: (-len(t), t))
    return re.compile(r"\b(" + "|".join(map(re.escape, longest_first)) + r")\b" if texts else r"$^")


def enough_wordings(query: Query) -> Iterator[Problem]:
    """T111: at least three wordings, all different (case, spaces and marks do not count)."""
    if len(query.ask) < FEWEST_WORDINGS:
        yield "T111", ("ask",), f"{len(query.ask)} wording(s)", "write three"
    first: dict[tuple, int] = {}
    for i, wording in enumerate(query.ask):
        same = first.setdefault(_essence(wording), i)
        if same != i:
            yield "T111", ("ask", i), f"says the same as ask[{same}]", ""


def grammar(query: Query) -> Iterator[Problem]:
    """T112: end mark, spaces, capital at the start, articles, agreement."""
    finder = query.found_by
    fields = {**finder.asks, **finder.answers}
    named = frozenset((name,) for name, kind in fields.items() if kind == "name")
    for at, wording in _wordings(query):
        asked = at[0] == "ask"
        if asked or at[0] == "rubric" or query.form == "open":
            for message in marks_and_spaces(_literal(wording), question=asked):
                yield "T112", at, message, ""
        yield from (("T112", at, message, fix) for message, fix in articles(wording, named))
        for message, fix in agreement(wording, named):
            possible = any(f"| {name} }}}}" in fix for name in FILTERS)
            yield "T112", at, message, fix if possible else "say it without the verb"


def no_sources_named(query: Query) -> Iterator[Problem]:
    """T115: a wording names a dataset, a file or a frame number."""
    from transforms.language.rules import source_names

    for at, wording in _wordings(query):
        found = source_names().search(_literal(wording))
        if found:
            yield "T115", at, f"names {found.group(0)!r}", "ask without naming the source"


_NO_ANSWER = ("null_", "other")

RULES: Sequence[Rule] = (
    unused_keys,
    version_explained,
    answer_not_shown,
    enough_wordings,
    grammar,
    no_sources_named,
)


def _wordings(query: Query) -> Iterator[tuple[tuple, Wording]]:
    """Every text of the template with its place."""
    for i, wording in enumerate(query.ask):
        yield ("ask", i), wording
    yield ("answer",), query.answer
    if query.rubric:
        yield ("rubric", "grounds"), query.rubric.grounds


def _literal(wording: Wording) -> str:
    """The wording with a placeholder for every reference."""
    return "".join("\N{WHITE SQUARE}" if isinstance(p, Ref) else p for p in wording)


def _essence(wording: Wording) -> tuple:
    """What must differ between two wordings."""
    parts = (p if isinstance(p, Ref) else " ".join(re.findall(r"\w+", p.lower())) for p in wording)
    return tuple(p for p in parts if p)


def _crumb(name: str, at: tuple) -> str:
    return name + "".join(f"[{part}]" if isinstance(part, int) else f" > {part}" for part in at)
