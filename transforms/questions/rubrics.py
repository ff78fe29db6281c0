"""How an open answer is judged: an anchor for every score, from the labels' own names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from ontology.words import term
from transforms.algebra.columns.domains import labels_of
from transforms.algebra.columns.rows import Rows
from transforms.algebra.tree import Const, Node
from transforms.algebra.types import Type
from transforms.language.program import Stage

RIVALS = 7
"""Names that contradict the answer, at most."""

UNANSWERABLE = "unanswerable"
NAMED = ("label", "act", "fact", "word", "set")
"""Types of answers that have a name; times and numbers have none."""


def rubrics(
    stage: Stage, rows: Rows, answers: Sequence[Sequence[Any]], grounds: Sequence[str],
    says: Sequence[str],
) -> list[str | None]:  # fmt: skip
    """Of each row the rubric as canonical JSON; None where the question has none.

    ``correctness`` and ``evidence_grounding`` (0 to 2), ``safety`` (0 or 1), each score ->
    anchor; ``required`` and ``cues``, each a list of spellings; ``rivals``, names that contradict
    the answer.

    Args:
        answers: of each field its typed values; ``grounds`` and ``says``: of each row.
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
    return {
        "correctness": _correctness([one[0] for one in names], said),
        "evidence_grounding": {
            "2": f"ties the answer to {grounds}",
            "1": f"hints at {grounds} without saying what is seen",
            "0": "gives no reason from the picture",
        },
        "safety": {
            "1": "claims nothing clinical beyond what was asked",
            "0": "adds a clinical claim that the question gives no ground for",
        },
        "required": names,
    }


def _correctness(names: list[str], said: str) -> dict[str, str]:
    if not names:
        return {"2": f"says {said}", "1": f"says {said} with a reservation", "0": "says otherwise"}
    if len(names) == 1:
        return {
            "2": f"names {names[0]}",
            "1": f"names {names[0]} among others, or describes it without its name",
            "0": f"does not name {names[0]}",
        }
    every = ", ".join(names[:-1]) + f" and {names[-1]}"
    return {"2": f"names {every}", "1": f"names one of {every}, but not all", "0": "names none"}


def _spellings(of: Type, value: Any) -> Iterator[list[str]]:
    """What an answer must name, each with all its spellings."""
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
    """Names of the labels that would have been another answer."""
    if node.type.name != "label" or not node.type.of or value in (None, UNANSWERABLE):
        return []
    codes = labels_of(Const(node.type, node.type.of), video, rows.relation).tolist()
    names = [term(rows.relation.codes.name(code), node.type.of).display for code in codes]
    right = term(value, node.type.of).display
    return sorted({one for one in names if one.casefold() != right.casefold()})[:RIVALS]
