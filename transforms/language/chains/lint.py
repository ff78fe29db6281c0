"""Lint of chain templates: rules beyond what loading needs.  One function per rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ontology.statements import TIME
from transforms.language.chains.chain import STAGES, Chain
from transforms.language.chains.finders import FILTERS
from transforms.language.chains.load import parsed
from transforms.language.findings import Finding
from transforms.language.leaks import spellings
from transforms.language.small import lint as small
from transforms.language.small.lint import Place, Problem, Rule, fields_named, literal
from transforms.language.template import Wording

OPEN_STAGES = ("main", "q1")
"""Stages whose questions must tell nothing of the answers: no time, no name."""

ANSWERS_NAMED: Mapping[str, tuple[str, ...]] = {
    "effect_of_action": ("verbs",),
    "change_of_action": ("verbs", "targets"),
    "anomaly_onset": ("events", "targets"),
}
"""Finder -> vocabularies of what q1 asks for; the others ask for an order or a cue."""


def lint_chains(files: Sequence[Path], folder: Path) -> list[Finding]:
    """All findings of chain files: what loading needs, and words and versions."""
    return small.findings_of(parsed(files, folder), RULES)


def answer_not_shown(chain: Chain, _: object) -> Iterator[Problem]:
    """T109: the main question or the first names a label that can be its answer."""
    for stage in OPEN_STAGES:
        for i, wording in enumerate(chain.stages[stage].ask):
            words = literal(wording).lower()
            for kind in ANSWERS_NAMED.get(chain.finder, ()):
                found = spellings(kind).search(words)
                if found:
                    message = f"names {found.group(0)!r}, which can be the answer"
                    yield "T109", (stage, "ask", i), message, "use a field, or leave it out"


def no_times_written(chain: Chain, _: object) -> Iterator[Problem]:
    """T109: a number with a unit of time in the main question or the first."""
    for stage in OPEN_STAGES:
        for i, wording in enumerate(chain.stages[stage].ask):
            found = TIME.search(literal(wording))
            if found:
                message = f"gives the time {found.group(0)!r}, and when is still asked for"
                yield "T109", (stage, "ask", i), message, "leave it to the clue"


def enough_wordings(chain: Chain, _: object) -> Iterator[Problem]:
    """T111: at least three wordings of each question, all different."""
    for stage in STAGES:
        yield from small.enough_wordings(chain.stages[stage].ask, (stage, "ask"))


def no_sentence_twice(chain: Chain, _: object) -> Iterator[Problem]:
    """T111: a context or a clue that says the same as another one."""
    first: dict[tuple, Place] = {}
    for at, wording in _told(chain):
        same = first.setdefault(small.essence(wording), at)
        if same != at:
            yield "T111", at, f"says the same as {' > '.join(same)}", ""


def grammar(chain: Chain, _: object) -> Iterator[Problem]:
    """T112: end mark, spaces, capital at the start, articles, agreement."""
    finder = chain.found_by
    named = fields_named({**finder.asks, **finder.answers})
    for at, wording in (*_questions(chain), *_told(chain)):
        yield from small.sentence(wording, at, question=True)
        yield from small.agreeing(wording, at, named, FILTERS)


def no_sources_named(chain: Chain, _: object) -> Iterator[Problem]:
    """T115: a wording names a dataset, a file or a frame number."""
    for at, wording in (*_questions(chain), *_told(chain)):
        yield from small.source_named(wording, at)


RULES: Sequence[Rule] = (
    small.unused_keys,
    small.version_explained,
    answer_not_shown,
    no_times_written,
    enough_wordings,
    no_sentence_twice,
    grammar,
    no_sources_named,
)


def _questions(chain: Chain) -> Iterator[tuple[Place, Wording]]:
    """Every wording of every question with its place."""
    for stage in STAGES:
        for i, wording in enumerate(chain.stages[stage].ask):
            yield (stage, "ask", i), wording


def _told(chain: Chain) -> Iterator[tuple[Place, Wording]]:
    """Every context and clue with its place."""
    for stage in STAGES:
        for key in ("context", "clue"):
            wording = getattr(chain.stages[stage], key)
            if wording is not None:
                yield (stage, key), wording
