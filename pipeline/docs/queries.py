"""Tasks of questions that are put at a time, for ``docs/tasks.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from ontology.alerts import triggers
from ontology.continuations import CONTINUATION
from ontology.records import Item
from ontology.times import SECOND_US, print_seconds
from pipeline.docs.tables import content, found_by
from pipeline.preview.samples import all_samples, asked_of
from transforms.language import Query
from transforms.language.queries.finders import MODES

NO_EXAMPLE = "None of the samples shows anything that could be asked."

OF_THEIR_OWN = ("sapbench", "surgveo")
"""Benchmarks with measures of their own."""

Examples = Mapping[str, tuple[str, Item]]
"""Template id -> recording and item."""


def queries_part(queries: Sequence[Query], folder: Path) -> str:
    """Sections of all tasks, by benchmark and temporal mode.

    Args:
        folder: where ``answers.md`` and ``scoring.md`` lie.

    Raises:
        UserError: a finder or a measure is described in neither.
    """
    examples = first_items(queries)
    parts = []
    for benchmark in sorted({query.benchmark for query in queries}):
        for mode in MODES:
            mine = [q for q in queries if q.benchmark == benchmark and q.core_task == mode]
            if mine:
                parts.append(f"## {benchmark}: {mode}\n")
            for task in sorted({query.task for query in mine}):
                parts.append(_task([q for q in mine if q.task == task], examples, folder))
    return "\n".join(parts)


def overview(queries: Sequence[Query]) -> list[str]:
    """One line of the page's table for each task: link, forms, profiles, what it needs."""
    lines = []
    for task in sorted({(query.benchmark, query.task) for query in queries}):
        mine = [query for query in queries if (query.benchmark, query.task) == task]
        forms, profiles, kinds = (
            ", ".join(dict.fromkeys(value for query in mine for value in values(query)))
            for values in (lambda q: (q.form,), lambda q: q.profiles, needs)
        )
        link = f"[{task[1]}](#{heading(mine[0]).replace(' ', '-')})"
        lines.append(f"| {link} | {forms} | {profiles} | {kinds} |")
    return lines


def heading(query: Query) -> str:
    """Of a task's section; tasks of clips have names of their own, too."""
    name = query.task.split("/")[1]
    return f"{name} of {query.benchmark}" if query.benchmark in OF_THEIR_OWN else name


def needs(query: Query) -> tuple[str, ...]:
    """Labels without which the template is never asked."""
    if query.finder == "alert":
        kinds = [t.kind for t in triggers() if t.alert == query.args["trigger"]]
        return (f"labels of kind {' or '.join(dict.fromkeys(map(_named, kinds)))}",)
    if "of" not in query.args:
        return (_NEEDED_BY["track" if "track" in query.args else "action"],)
    kind = str(query.args["of"])
    if query.finder.startswith(WHOLE):
        return (f"labels of kind {kind}, of the {_whole(query)}",)
    return (_NEEDED.get(kind, f"labels of kind {_named(kind)}"),)


WHOLE = ("whole_", "image_")
"""How the names of finders begin that ask about a whole recording, or a still."""


def _whole(query: Query) -> str:
    return "still" if query.finder.startswith("image_") else "whole recording"


_NEEDED_BY = {
    "action": "action clips, or phases of a cholecystectomy and interactions each second",
    "track": "stages of a hysterectomy (phases) or of pituitary surgery (steps)",
}
_NEEDED = {
    "instrument": "instruments at annotated instants",
    "triplet": "interactions (verb and target of each instrument)",
    "target": "interactions (verb and target of each instrument)",
}


def _named(kind: str) -> str:
    return kind.replace("_region", " with its place in the picture")


def _task(queries: Sequence[Query], examples: Examples, folder: Path) -> str:
    finders = list(dict.fromkeys(query.finder for query in queries))
    wanted = dict.fromkeys(need for query in queries for need in needs(query))
    lines = [
        f"### {heading(queries[0])}",
        "",
        f"{_titles(queries)}. {_templates(queries)}",
        "",
        f"- **needs**: {'; or '.join(wanted)}",
        f"- **seen**: {'; '.join(dict.fromkeys(map(_seen, queries)))}",
    ]
    for finder in finders:
        row = found_by(finder, folder)
        mark = f" (`{finder}`)" if len(finders) > 1 else ""
        lines.append(f"- **`answer_value`**{mark}: {row.value}")
        lines.append(f"- **true when**{mark}: {row.truth}")
    lines += [f"- **score**{form}: {text}" for form, text in _scores(queries, folder)]
    found = next((examples[q.id] for q in queries if q.id in examples), None)
    return "\n".join([*lines, "", *_example(found)]) + "\n"


def _titles(queries: Sequence[Query]) -> str:
    return "; ".join(dict.fromkeys(query.title.removesuffix(", in words") for query in queries))


def _templates(queries: Sequence[Query]) -> str:
    names = [
        f"`{q.id}` (version {q.version}, form `{q.form}`, one item at most for each {_each(q)})"
        for q in queries
    ]
    finders = dict.fromkeys(query.finder for query in queries)
    links = " and ".join(f"[`{name}`](operators.md#{name})" for name in finders)
    return f"Found by {links}: {', '.join(names)}."


def _each(query: Query) -> str:
    if query.found_by.each:
        return query.found_by.each
    return f"{query.every_us / SECOND_US:g} s"


def _seen(query: Query) -> str:
    if query.found_by.streaming:
        return "at each round, all from the question on"
    if query.finder.startswith(WHOLE):
        return f"the {_whole(query)}"
    if not query.look_back_us:
        return "one picture, that of the question"
    return f"the {query.look_back_us / SECOND_US:g} s before the question, or less at the start"


def _scores(queries: Sequence[Query], folder: Path) -> Iterator[tuple[str, str]]:
    """(form, how it is scored) of each form that a task has."""
    forms = list(dict.fromkeys(query.form for query in queries))
    for form in forms:
        query = next(query for query in queries if query.form == form)
        text = content(_row(query), folder)
        if query.found_by.streaming:
            kind = "future, round" if query.core_task == "future" else "proactive,"
            before = content(f"{kind} before t*", folder)
            after = content(f"{kind} from t* on", folder)
            text = f"before t* {before}; from t* on {after}" + (
                f" ({text})" if query.core_task == "future" else ""
            )
            text = f"C, the mean of the rounds: {text}. R and S as in [scoring.md](scoring.md)"
        else:
            text = f"C: {text}" if query.benchmark not in OF_THEIR_OWN else text
        yield (f" (`{form}`)" if len(forms) > 1 else "", text)


def _row(query: Query) -> str:
    """The row of the table of contents' scores that a template's items are scored by."""
    if query.benchmark == "sapbench":
        return "plan" if "plan" in query.found_by.answers else "next action"
    if query.benchmark == "surgveo":
        return "continuation" if query.form == CONTINUATION else "extension of surgveo"
    if query.form == "open":
        return "open"
    return "a set of labels" if "labels" in query.found_by.answers else "with options"


def _example(found: tuple[str, Item] | None) -> list[str]:
    if found is None:
        return [NO_EXAMPLE]
    video, item = found
    put = print_seconds(item.extra["query_us"])
    lines = ["```text", f"{video}, asked at {put} s", f"Q  {item.question}"]
    lines += [
        f"   {'*' if option.is_answer else ' '} {option.key}) {option.text}"
        for option in item.options
    ]
    lines.append(f"A  {item.answer}")
    for step in item.extra["rounds"]:
        answers = " or ".join(step["accepted_outputs"])
        lines.append(f"   at {print_seconds(step['current_us'])} s: {answers}")
    value = orjson.dumps(item.answer_value, option=orjson.OPT_SORT_KEYS).decode()
    return [*lines, f"   {item.clue}", "```", "", "```json", value, "```"]


def first_items(queries: Sequence[Query]) -> dict[str, tuple[str, Item]]:
    """The first item of each template in the samples, datasets by name.

    Of templates in rounds the first in which the event comes, if there is one.
    """
    best: dict[str, tuple[str, Item]] = {}
    for _, books in all_samples():
        left = [query for query in queries if not _settled(best.get(query.id))]
        for video, item in asked_of(books, left).items:
            name = item.template_id
            if name not in best or (not _settled(best[name]) and _settled((video, item))):
                best[name] = (video, item)
    return best


def _settled(found: tuple[str, Item] | None) -> bool:
    """Whether there is no better example: one without rounds, or whose event comes."""
    if found is None:
        return False
    rounds = found[1].extra["rounds"]
    return not rounds or any(step["answerable"] for step in rounds)
