"""The meaning of each field of a file: the tables of ``docs/language.md``."""

from __future__ import annotations

from collections.abc import Mapping

FILE: Mapping[str, str] = {
    "schema": "`question/v1`",
    "id": "equals the path: `mine/how_many.yaml` holds `mine.how_many`; never used again",
    "version, changes": "the version is part of every item's id; `changes` says of each from 2 on "
    "what it changed",
    "title": "one line for people",
    "benchmark, task": "`--benchmark` asks by the one; scores are averaged by the other, "
    "`core_task/name`. A first part `retrospective`, `present`, `future` or `proactive` is the "
    "temporal mode",
    "status": "`active`, or `retired`: not asked any more",
    "profiles": "`paper`, `current`: the runs that ask it; both if it is left out",
    "reading": "`worlds`: a label's border lies between two labels. `labels`: it is exact",
    "scorer": "a scorer by name; else the form decides",
    "unit": "what one question is about: [units](#units)",
    "let": "named steps, in order",
    "where": "conditions; all must be certainly true",
    "draw": "how one of the fillings of a unit is taken",
    "show": "times of the pictures that are shown, in the order in which they are lettered",
    "rounds": "when a stream is asked again",
    "stages": "the questions of a chain, by name",
    "variants": "a family in one file: name -> values of the same keys",
    "examples": "[a few facts](templates.md#examples-in-a-template) and the expected question",
}  # fmt: skip
"""Fields of a file; those of its question are in :data:`QUESTION`."""

QUESTION: Mapping[str, str] = {
    "ask": "four or more wordings of one meaning",
    "answer": "a name, a list of names (one field each), or a step",
    "say": "the answer in words; a number needs it",
    "wrong": "pools of [wrong options](#wrong-options), the fairest first",
    "ranked": "the options are ranked: `top` says how many count, `also` what else is right, told "
    "where it is certain",
    "rubric": "an open answer is judged by `grounds` (a text) and `cues` (lists of words)",
    "reasoning": "lines of a worked answer",
    "see": "of a stage: the stage whose window it has",
    "window": "of a stage: what it may see; begins and ends as the answer needs it",
    "context": "of a stage: restates the answers of all stages before it",
    "knowledge": "of a stage: keys of a statement of the [knowledge bank](knowledge.md)",
    "clue": "of a stage: evidence of this video; it gives a time",
}  # fmt: skip
"""Fields of a question: of a file without stages, or of a stage (which may also have ``where``)."""

DRAW: Mapping[str, str] = {
    "even": "values, each equally likely to be drawn for a unit; `answer` is the answer. A truth "
    "is yes in half of [a dataset's items](blind.md#shares-and-single-answers)",
    "shares": "truth -> `yes`, `no` -> share of "
    "[a dataset's items](blind.md#shares-and-single-answers)",
    "prefer": "conditions; fillings that meet an earlier one are taken first",
}
"""Fields of ``draw``."""

ROUNDS: Mapping[str, str] = {
    "due": "when the answer is due; it may be none",
    "before": "fewest and most rounds before it",
    "after": "rounds after it",
    "else": "what is right before it is due",
    "accept": "what is accepted before it is due as well",
    "within": "no round lies so short before it",
    "every, say": "instead: ask again every so long, and this is right",
}
"""Fields of ``rounds``."""

FIELDS: Mapping[str, Mapping[str, str]] = {
    "## Fields of a file": FILE, "### Of a question": QUESTION, "### Of `draw`": DRAW,
    "### Of `rounds`": ROUNDS,
}  # fmt: skip
"""Heading -> field or fields -> meaning."""
