"""Checks the rubrics of open answers (``docs/scoring.md``) by making them again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from surgqa.transforms.algebra.tree import Call, Const, Node
from surgqa.transforms.algebra.types import Type, many
from surgqa.transforms.checks.proof.rows import Problem, ProofRow
from surgqa.transforms.checks.proof.terms import forms, spellings
from surgqa.transforms.checks.proof.texts import Unprintable, plain
from surgqa.transforms.checks.proof.words import names_instances, silence_of
from surgqa.transforms.language.program import Stage

UNANSWERABLE = "unanswerable"
NAMED = ("label", "act", "fact", "word", "set")
"""Types of answers that are expressed by names."""


def rubric_problems(
    asked: ProofRow, track_words: Mapping[str, str] | None, given: Mapping[Node, Any]
) -> Iterator[Problem]:
    """Yield (code, detail) for wrong entries of an item's rubric.

    Args:
        track_words: for each track, the words that distinguish it from others of its class within
            the window.
        given: values that no column of the row contains, such as the competing labels
            (:func:`rival_nodes`).
    """
    text = asked.row["rubric"]
    if (asked.stage.rubric is None) != (not text):
        yield "stage_texts", f"rubric: {text!r}"
    if asked.stage.rubric is None or not text:
        return
    try:
        found, wanted = orjson.loads(text), _expected(asked, track_words or {}, given)
    except (orjson.JSONDecodeError, Unprintable, KeyError) as error:
        yield "words_differ", f"rubric: {error}"
        return
    if not isinstance(found, dict):
        yield "words_differ", f"rubric {text!r} is no JSON object"
        return
    for name in sorted({*found, *wanted}):
        if found.get(name) != wanted.get(name):
            shown = f"{found.get(name)!r}, expected {wanted.get(name)!r}"
            yield "words_differ", f"rubric.{name} {shown}"


def rival_nodes(stage: Stage) -> list[Node]:
    """Return the expression for all labels that compete with the answer; [] for no label."""
    of = stage.answer[0][1].type
    if stage.rubric is None or of.name != "label" or not of.of:
        return []
    return [Call(many("set", of), "labels", (("of", Const(of, of.of)),))]


def _expected(
    asked: ProofRow, track_words: Mapping[str, str], given: Mapping[Node, Any]
) -> dict[str, Any]:
    rubric, known = asked.stage.rubric, asked.known(given=given)
    assert rubric is not None
    page = asked.page(track_words if names_instances(asked.stage) else defaultdict(str))
    said = _said(asked) or plain(asked.stage.say, known, page)
    grounds = plain(rubric.grounds, known, page)
    names = [one for name, node in asked.stage.answer
             for one in _names(node.type, asked.value[name])]  # fmt: skip
    full, half, none = _anchors([one[0] for one in names], said)
    return {
        "correctness": {"2": full, "1": half, "0": none},
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
        "cues": [list(words) for words in rubric.cues],
        "rivals": _rivals(asked, given),
    }


def _said(asked: ProofRow) -> str:
    """Return the expected reply if there is no answer (such as "unanswerable"); otherwise ''."""
    if asked.answer == UNANSWERABLE and len(asked.stage.answer) == 1:
        return UNANSWERABLE
    return silence_of(asked)


def _anchors(names: Sequence[str], said: str) -> tuple[str, str, str]:
    """Return the rubric's texts for full, half and no credit."""
    match names:
        case []:
            return f"says {said}", f"says {said} with a reservation", "says otherwise"
        case [one]:
            among = f"names {one} among others, or describes it without its name"
            return f"names {one}", among, f"does not name {one}"
        case [*first, last]:
            every = f"{', '.join(first)} and {last}"
            return f"names {every}", f"names one of {every}, but not all", "names none"
    raise TypeError(f"{names!r} are not names")


def _names(of: Type, value: Any) -> Iterator[list[str]]:
    """Yield, for each name that an answer must contain, all spellings of the name."""
    if of.name not in NAMED or value is None or value == UNANSWERABLE:
        return
    if isinstance(value, list):
        yield from (spellings(one, of.of) for one in value)
    elif isinstance(value, Mapping) and value.get("label"):
        yield spellings(value["label"], of.of)
    elif isinstance(value, Mapping):
        yield from (spellings(value[k], k) for k in ("verb", "target") if value.get(k))
    else:
        yield [value] if of.name == "word" else spellings(value, of.of)


def _rivals(asked: ProofRow, given: Mapping[Node, Any]) -> list[str]:
    """Return names of labels that compete with the answer, sorted."""
    nodes, (name, node) = rival_nodes(asked.stage), asked.stage.answer[0]
    label, of = asked.value[name], node.type.of
    if not nodes or label is None or label == UNANSWERABLE:
        return []
    right = forms(label, of).name.casefold()
    every = {forms(one, of).name for one in given[nodes[0]]}
    return sorted(one for one in every if one.casefold() != right)
