"""Rubrics for rating open answers: a text for every score, made from the labels' names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import orjson

from surgqa.ontology.words import term
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.algebra.columns.domains import labels_of
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.tree import Const, Node
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.language.program import Stage

UNANSWERABLE = "unanswerable"
NAMED = ("label", "act", "fact", "word", "set")
"""Types of answers that have a name, unlike times and numbers."""


def rubrics(
    stage: Stage, rows: Rows, answers: Sequence[Sequence[Any]], grounds: Sequence[str],
    says: Sequence[str],
) -> list[str | None]:  # fmt: skip
    """Return the rubric of each row as canonical JSON; None if the question has no rubric.

    ``correctness`` and ``evidence_grounding`` (0 to 2) and ``safety`` (0 or 1) state in words what
    each score means. ``required`` and ``cues`` hold lists of spellings; ``rivals`` holds names that
    contradict the answer.

    Args:
        answers: for each field of the answer, one value for each row.
        grounds: for each row, a text that states what the answer is based on.
        says: for each row, the printed answer.
    """
    if stage.rubric is None:
        return [None] * rows.n
    nodes = [node for _, node in stage.answer]
    out: list[str | None] = []
    for i in range(rows.n):
        names = [one for node, column in zip(nodes, answers, strict=True)
                 for one in _spellings(node.type, column[i])]  # fmt: skip
        rubric = _rubric(names, grounds[i], says[i])
        rubric["cues"] = [list(words) for words in stage.rubric.cues]
        rubric["rivals"] = _rivals(nodes[0], answers[0][i], int(rows.video[i]), rows)
        out.append(orjson.dumps(rubric, option=orjson.OPT_SORT_KEYS).decode())
    return out


def _rubric(names: list[list[str]], grounds: str, said: str) -> dict[str, Any]:
    first = [one[0] for one in names]
    which = ("none", "one", "several")[min(len(first), 2)]
    words = {"said": said, "grounds": grounds, "name": "".join(first[:1]),
             "every": f"{', '.join(first[:-1])} and {''.join(first[-1:])}"}  # fmt: skip
    parts = {**_anchors(), "correctness": _anchors()["correctness"][which]}
    levels = {part: {score: text.format(**words) for score, text in scores.items()}
            for part, scores in parts.items()}  # fmt: skip
    return {**levels, "required": names}


@cache
def _anchors() -> Mapping[str, Any]:
    name = "rubric.yaml"
    return read_yaml((resources.files(__package__) / name).read_text("utf-8"), name).data


def _spellings(of: Type, value: Any) -> Iterator[list[str]]:
    """Yield the names that an answer must contain, each as a list of its spellings."""
    if of.name not in NAMED or value in (None, UNANSWERABLE):
        return
    if isinstance(value, list):
        for one in value:
            yield from _spellings(Type("label", of.of), one)
    elif of.name == "word":
        yield [value]
    elif isinstance(value, Mapping):
        fields = ("label",) if value.get("label") else ("verb", "target")
        for field in fields:
            if value.get(field):
                yield _of_term(value[field], of.of if field == "label" else field)
    else:
        yield _of_term(value, of.of)


def _of_term(label: str, domain: str) -> list[str]:
    found = term(label, domain)
    forms = (found.gerund, found.third) if domain == "verb" else ()
    return list(dict.fromkeys(one for one in (found.display, *forms, *found.synonyms) if one))


def _rivals(node: Node, value: Any, video: int, rows: Rows) -> list[str]:
    """Return the names of the other labels that the answer could have had."""
    if node.type.name != "label" or not node.type.of or value in (None, UNANSWERABLE):
        return []
    codes = labels_of(Const(node.type, node.type.of), video, rows.relation).tolist()
    names = [term(rows.relation.codes.name(code), node.type.of).display for code in codes]
    right = term(value, node.type.of).display
    return sorted({one for one in names if one.casefold() != right.casefold()})
