"""Lint of query templates: rules beyond what loading needs.  One function per rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from ontology.concepts import LABEL_KINDS, vocabulary
from ontology.continuations import TRACKS
from transforms.language.findings import Finding
from transforms.language.queries.finders import FILTERS
from transforms.language.queries.load import parsed
from transforms.language.queries.parse import QueryParser
from transforms.language.queries.query import Query
from transforms.language.small import lint as small
from transforms.language.small.lint import Problem, Rule, fields_named, literal
from transforms.language.template import Wording


def lint_queries(files: Sequence[Path], folder: Path) -> list[Finding]:
    """All findings of query files: what loading needs, and words and versions."""
    return small.findings_of(parsed(files, folder), RULES)


def unused_window(query: Query, parser: QueryParser) -> Iterator[Problem]:
    """T105: a window's length where a stream begins with the question."""
    if "look_back" in parser.source.data and query.found_by.streaming:
        message = "a stream begins with its question, so this is not used"
        yield "T105", ("look_back",), message, "remove it"


def unused_stretches(query: Query, parser: QueryParser) -> Iterator[Problem]:
    """T105: stretches of the recording where every clip or stage is asked about."""
    if "every" in parser.source.data and query.found_by.each:
        message = f"every {query.found_by.each} is asked about, so this is not used"
        yield "T105", ("every",), message, "remove it"


def answer_not_shown(query: Query, _: QueryParser) -> Iterator[Problem]:
    """T109: the question names a label that can be its answer."""
    if not {"name", "outcome", "labels"} & set(query.found_by.answers.values()):
        return
    for i, wording in enumerate(query.ask):
        found = _names(_kind(query)).search(literal(wording).lower())
        if found:
            message = f"names {found.group(0)!r}, which can be the answer"
            yield "T109", ("ask", i), message, "use a field, or leave it out"


def _kind(query: Query) -> str:
    """The kind of label that the answer is a name of; '' where it is of none."""
    if query.found_by.each == "clip":
        return "next_action"
    if query.found_by.each == "stage":
        return TRACKS[str(query.args["track"])].kind
    return str(query.args.get("of", ""))


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


def enough_wordings(query: Query, _: QueryParser) -> Iterator[Problem]:
    """T111: at least three wordings, all different."""
    return small.enough_wordings(query.ask, ("ask",))


def grammar(query: Query, _: QueryParser) -> Iterator[Problem]:
    """T112: end mark, spaces, capital at the start, articles, agreement."""
    finder = query.found_by
    named = fields_named({**finder.asks, **finder.answers})
    for at, wording in _wordings(query):
        asked = at[0] == "ask"
        if asked or at[0] == "rubric" or query.form == "open":
            yield from small.sentence(wording, at, question=asked)
        yield from small.agreeing(wording, at, named, FILTERS)


def no_sources_named(query: Query, _: QueryParser) -> Iterator[Problem]:
    """T115: a wording names a dataset, a file or a frame number."""
    for at, wording in _wordings(query):
        yield from small.source_named(wording, at)


_NO_ANSWER = ("null_", "other")

RULES: Sequence[Rule] = (
    small.unused_keys,
    small.version_explained,
    answer_not_shown,
    enough_wordings,
    grammar,
    no_sources_named,
    unused_window,
    unused_stretches,
)


def _wordings(query: Query) -> Iterator[tuple[tuple, Wording]]:
    """Every text of the template with its place."""
    for i, wording in enumerate(query.ask):
        yield ("ask", i), wording
    yield ("answer",), query.answer
    if query.rubric:
        yield ("rubric", "grounds"), query.rubric.grounds
