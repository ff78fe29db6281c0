"""Finders and filters of query templates, for ``docs/operators.md``."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.language import Query
from transforms.language.operators import Param
from transforms.language.queries.finders import FILTERS, FINDERS, MODES, Finder
from transforms.language.queries.schema import IN_THE_PICTURE, values_of

_FINDERS = """\
## Finders (`find`)

A question that is put at a time (`schema: query/v1`, see
[templates.md](templates.md#questions-at-a-time)) names one finder:
`find: {by: name, argument: …}`. It goes through what is labelled of a recording, gives the
times at which the question can be put, and knows the answer, its evidence and the wrong
options. *In questions* stands what `ask` may use; `answer` and the rubric's `grounds` may use
that and the rest.
"""

_FILTERS = """\
## Filters of questions at a time

| filter | takes | prints |
| --- | --- | --- |
"""

PRINTS = {
    "name": "the name: grasper",
    "a": "a grasper, scissors",
    "the": "the grasper",
    "is": "is or are",
    "does": "does or do",
    "has": "has or have",
    "act": "dissecting the cystic duct, idling",
    "list": "names, sorted, 'and' before the last",
    "whole": "a whole number",
    "text": "as it is",
    "clock": "seconds from the recording's start: 12.5 s",
    "yes": "Yes or No",
}
"""What the filters print; a test keeps them and the language's in step."""


def finders_part(queries: Sequence[Query], used: str) -> str:
    """The sections on finders, by temporal mode, and on their filters.

    Args:
        used: sentence for a finder that no template uses.
    """
    parts = [_FINDERS, _kinds()]
    for mode in MODES:
        for finder in sorted(FINDERS.values(), key=lambda one: one.name):
            if finder.mode == mode:
                ids = sorted(query.id for query in queries if query.finder == finder.name)
                parts.append(_finder(finder, ids, used))
    rows = [f"| `{name}` | {', '.join(types)} | {PRINTS[name]} |"
            for name, types in FILTERS.items()]  # fmt: skip
    return "\n".join(parts) + "\n" + _FILTERS + "\n".join(rows) + "\n"


def _kinds() -> str:
    """What ``of`` may be."""
    plain = [f"`{kind}`" for kind in values_of("of") if not kind.endswith("_region")]
    regions = ", ".join(f"`{kind}_region`" for kind in IN_THE_PICTURE)
    return (
        f"The argument `of` is a kind of label: {', '.join(plain)}. Where a dataset labels a kind\n"
        f"by spans and also says where in the picture it is, the places are {regions}.\n"
    )


def _finder(finder: Finder, ids: Sequence[str], unused: str) -> str:
    how = "in rounds" if finder.streaming else "once"
    forms = " or ".join(f"`{form}`" for form in finder.forms)
    lines = [f"### `{finder.name}`", "", f"{finder.doc} *{finder.mode}, asked {how}; {forms}.*", ""]
    lines += ["| argument | type | default | meaning |", "| --- | --- | --- | --- |"]
    lines += [argument_row(name, param) for name, param in finder.params.items()]
    lines += ["", _fields(finder), "", users(ids, unused)]
    return "\n".join(lines) + "\n"


def argument_row(name: str, param: Param) -> str:
    """One line of the table of a finder's arguments."""
    given = str(param.default).lower() if param.type == "flag" else param.default
    default = "must be given" if param.default is ... else f"`{given}`"
    kind = param.type
    if name == "trigger":
        kind += ": " + ", ".join(f"`{value}`" for value in values_of(name))
    return f"| `{name}` | {kind} | {default} | {param.doc} |"


def _fields(finder: Finder) -> str:
    asked = [_field(name, kind) for name, kind in finder.asks.items()]
    told = [_field(name, kind) for name, kind in finder.answers.items()]
    first = f"In questions: {'; '.join(asked)}. " if asked else "In questions: nothing. "
    return f"{first}In answers: {'; '.join(told)}."


def _field(name: str, kind: str) -> str:
    fitting = ", ".join(f"`{one}`" for one, types in FILTERS.items() if kind in types)
    return f"`{name}` ({kind}; filters {fitting})"


def users(ids: Sequence[str], unused: str) -> str:
    """Which templates use a finder."""
    if not ids:
        return unused
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return "Used by " + ", ".join(f"`{name}`" for name in ids[:3]) + f"{more}."
