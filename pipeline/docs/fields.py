"""The meaning of each field of a file: the tables of ``docs/language.md``."""

from __future__ import annotations

from collections.abc import Mapping

FILE: Mapping[str, str] = {
    "schema": "`question/v1`",
    "id": "the path of the file with dots: `mine/how_many.yaml` has the id `mine.how_many`. "
    "Never use the id of an old template for a new one",
    "version, changes": "the version is part of every item's id; `changes` states for each "
    "version from 2 on what was changed",
    "title": "one line that says what is asked, for people",
    "benchmark": "the first part of the id, which is the folder of the file; `--benchmark` selects "
    "templates by it",
    "task": "scores are averaged over the items of a task, which is written `core_task/name`. If "
    "the core task is "
    "`retrospective`, `present`, `future` or `proactive`, it is also the temporal mode",
    "status": "`active` (the default), or `retired`: the template is not asked any more",
    "profiles": "`paper`, `current`: the values of `--profile` with which the template is asked; "
    "both if the field is left out",
    "reading": "`worlds` (the default): a label begins and ends at an unknown time between two "
    "annotated frames. `labels`: the printed start and end are taken as exact",
    "scorer": "the name of a scorer; without it, the form of the question determines how it is "
    "scored",
    "unit": "what one question is about: [units](#units)",
    "let": "steps that compute values; each has a name and may use the names above it",
    "where": "conditions; all must be certainly true",
    "draw": "which filling of a unit becomes the item (a filling is one assignment of values to "
    "the names)",
    "show": "times of the images that are shown, in the order of their letters",
    "rounds": "the times at which the question of a stream is asked",
    "stages": "the questions of a chain, by name",
    "variants": "several templates in one file: name -> values of the keys in which they differ",
    "examples": "[a few facts](templates.md#examples-in-a-template) and the expected question",
}  # fmt: skip
"""Fields of a file; those of its question are in :data:`QUESTION`."""

QUESTION: Mapping[str, str] = {
    "ask": "four or more wordings with the same meaning",
    "answer": "a name of `let`, a list of names (an answer with several parts), or a step",
    "say": "the answer in words; required if the answer is a number",
    "wrong": "pools that [wrong options](#wrong-options) are taken from, the best first",
    "ranked": "the model ranks the options. `top` states how many places of the ranking count; "
    "`also` names an answer that is accepted as well where it is certain",
    "rubric": "how an open answer is rated: `grounds` (a text) and `cues` (lists of words)",
    "reasoning": "the lines of an explanation that leads to the answer",
    "see": "of a stage: the name of another stage; both have the same window",
    "window": "of a stage: the part of the video that it may use, placed around a time or around "
    "the options",
    "context": "of a stage: a text that states the answers of all stages before it",
    "knowledge": "of a stage: the keys that select a statement of the [knowledge "
    "bank](knowledge.md)",
    "clue": "of a stage: a text that names something to see in this video, with its time",
}  # fmt: skip
"""Fields of a question: of a file without stages, or of a stage (which may also have ``where``)."""

DRAW: Mapping[str, str] = {
    "even": "names; each value of a name is equally likely to be drawn for a unit. `answer` "
    "stands for the answer: half of [a dataset's items](blind.md#shares-and-single-answers) then "
    "have the answer yes and half no",
    "shares": "name of a truth value -> the shares of [a dataset's "
    "items](blind.md#shares-and-single-answers) in which it is `yes` and `no`",
    "prefer": "conditions; fillings that meet the first condition are tried first, then those "
    "that meet the second, and so on",
}
"""Fields of ``draw``."""

ROUNDS: Mapping[str, str] = {
    "due": "the time at which the answer is due; it may be `none`",
    "before": "the smallest and the largest number of rounds before this time",
    "after": "the number of rounds after this time",
    "else": "the right output before the answer is due",
    "accept": "further outputs that are accepted before the answer is due",
    "within": "no round is within this time before the answer is due",
    "every, say": "instead of the other fields: the question is asked again after every such "
    "time, and `say` is the right output",
}
"""Fields of ``rounds``."""

FIELDS: Mapping[str, Mapping[str, str]] = {
    "## Fields of a file": FILE, "### Of a question": QUESTION, "### Of `draw`": DRAW,
    "### Of `rounds`": ROUNDS,
}  # fmt: skip
"""Heading -> field or fields -> meaning."""
