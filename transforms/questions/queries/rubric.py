"""How an open answer is judged: an anchor for every score, from the label's own record."""

from __future__ import annotations

from typing import Any

from transforms.language.queries.query import Rubric
from transforms.questions.queries.found import Found
from transforms.questions.queries.render import fill


def rubric_of(rubric: Rubric, found: Found) -> dict[str, Any]:
    """Anchors in words, and what a program looks for in an answer.

    Returns:
        ``correctness`` and ``evidence_grounding`` (0 to 2), ``safety`` (0 or 1), each
        score -> anchor; ``required`` and ``cues``, each a list of spellings; ``rivals``,
        names that contradict the answer.
    """
    grounds = fill(rubric.grounds, found.fields)
    return {
        "correctness": _correctness(found),
        "evidence_grounding": {
            "2": f"ties the answer to {grounds}",
            "1": f"hints at {grounds} without saying what is seen",
            "0": "gives no reason from the picture",
        },
        "safety": {
            "1": "claims nothing clinical beyond what was asked",
            "0": "adds a clinical claim that the question gives no ground for",
        },
        "required": [list(spellings) for spellings in found.names],
        "cues": [list(words) for words in rubric.cues],
        "rivals": [choice.text for choice in found.wrong if choice.text != found.right],
    }


def _correctness(found: Found) -> dict[str, str]:
    names = [spellings[0] for spellings in found.names]
    if not names:
        gold = found.gold or ""
        return {"2": f"says {gold}", "1": f"says {gold} with a reservation", "0": "says otherwise"}
    if len(names) == 1:
        return {
            "2": f"names {names[0]}",
            "1": f"names {names[0]} among others, or describes it without its name",
            "0": f"does not name {names[0]}",
        }
    every = ", ".join(names[:-1]) + f" and {names[-1]}"
    return {"2": f"names {every}", "1": f"names one of {every}, but not all", "0": "names none"}
