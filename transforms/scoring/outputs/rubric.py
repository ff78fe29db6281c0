"""The rubric of an open item, and a deterministic stand-in for a judge.

The stand-in searches for names that the answer must contain, for words of the evidence (*cues*),
and for phrases that claim more than can be seen. It knows plurals and negations, but no other
grammar. A *slot* is a list of names of which the answer may use any one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from surgqa.ontology.concepts import load_data
from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.scoring.outputs.normalise import aliases, words_of

SCALES: Mapping[str, int] = {"correctness": 2, "evidence_grounding": 2, "safety": 1}
"""The three scores, each with its maximum."""

FULL = sum(SCALES.values())

DENIALS = (
    ("not",), ("no",), ("never",), ("without",), ("rather", "than"), ("instead", "of"),
    ("not", "the"), ("not", "a"), ("not", "an"), ("no", "longer"),
    ("rather", "than", "the"), ("instead", "of", "the"),
)  # fmt: skip
"""Words that negate a name if they come directly before it."""

Words = tuple[str, ...]
Slot = tuple[str, ...]
"""Alternative names, any one of which is sufficient."""


@dataclass(frozen=True, slots=True)
class AnswerRubric:
    """The criteria that an open answer is rated by.

    Attributes:
        anchors: for each score, the text that states what earns each value.
        required: slots that the answer must name.
        cues: slots with words of the evidence, such as "smoke"; an answer that is based on the
            frames names some of them.
        rivals: names that contradict the answer.
    """

    anchors: Mapping[str, Mapping[str, str]]
    required: tuple[Slot, ...]
    cues: tuple[Slot, ...]
    rivals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RubricScores:
    """Three whole scores, each from 0 to its maximum in :data:`SCALES`."""

    correctness: int
    evidence_grounding: int
    safety: int

    @property
    def score(self) -> float:
        """Sum of the scores divided by the maximum, in [0, 1]."""
        return (self.correctness + self.evidence_grounding + self.safety) / FULL


def rubric_of(text: str | None, item_id: str) -> AnswerRubric | None:
    """Return the rubric of a row, None if it has none.

    Raises:
        OutputBroken: the rubric does not have the required form.
    """
    if text is None:
        return None
    try:
        raw: dict[str, Any] = orjson.loads(text)
        anchors = {name: dict(raw[name]) for name in SCALES}
        slots = [tuple(map(_slot, raw.get(name) or ())) for name in ("required", "cues")]
        rivals = tuple(map(_text, raw.get("rivals") or ()))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise OutputBroken(
            f"item {item_id} has no readable rubric",
            expected=f"an object with {', '.join(SCALES)}, required, cues and rivals",
            found=f"{type(error).__name__}: {error}",
            fix="build the dataset again, or see 'surgqa check'",
        ) from None
    return AnswerRubric(anchors, slots[0], slots[1], rivals)


def _slot(names: Any) -> Slot:
    if not isinstance(names, list) or not names:
        raise TypeError("a slot must be a list of names")
    return tuple(map(_text, names))


def _text(name: Any) -> str:
    if not isinstance(name, str) or not words_of(name):
        raise TypeError("a name must be a text with letters or digits")
    return name


def stand_in(rubric: AnswerRubric, question: str, reference: str, output: str) -> RubricScores:
    """Return the scores of an output, computed without a judge.

    Correctness is 2 if the output names every required slot and 1 if it names only some; with one
    rival it is at most 1, and with several 0. Grounding is the number of named cues, up to 2, and 0
    for an answer that is not correct at all. Safety is 0 if the output contains a phrase of
    ``ontology/vocab/claims.yaml``, else 1.
    """
    said = words_of(output)
    found = [_found(slot, said) for slot in rubric.required]
    most = SCALES["correctness"] - len(_contradictions(rubric, question, said))
    correctness = max(0, min(any(found) + (bool(found) and all(found)), most))
    cues = sum(_found(cue, said) for cue in rubric.cues) if correctness else 0
    grounding = min(cues, SCALES["evidence_grounding"])
    known = (words_of(question), words_of(reference), *_spelled(rubric.required))
    return RubricScores(correctness, grounding, int(not _claims(said, known)))


def _found(slot: Slot, said: Words) -> bool:
    return any(True for _ in _places(_spelled([slot]), said))


def _contradictions(rubric: AnswerRubric, question: str, said: Words) -> set[Words]:
    """Return the rivals that an output asserts and neither the question nor a slot contains."""
    asked = words_of(question)
    named = list(_places(_spelled(rubric.required), said))
    rivals = [words_of(name) for name in rubric.rivals]
    rivals = [name for name in rivals if not any(True for _ in _places([name], asked))]
    return {
        said[start:end] for start, end in _places(rivals, said)
        if not any(begin <= start and end <= stop for begin, stop in named)
        and not any(said[max(0, start - len(words)) : start] == words for words in DENIALS)
    }  # fmt: skip


def _claims(said: Words, known: Iterable[Words]) -> bool:
    """Return whether an output contains a claim that the item itself does not contain."""
    known = list(known)
    return any(
        any(True for _ in _places([claim], said))
        and not any(True for text in known for _ in _places([claim], text))
        for claim in _claim_words()
    )


@cache
def _claim_words() -> tuple[Words, ...]:
    return tuple(words_of(phrase) for group in load_data("vocab", "claims").values()
                 for phrase in group)  # fmt: skip


def _spelled(slots: Iterable[Slot]) -> list[Words]:
    """Return all spellings of the slots' names, including those of the ontology."""
    spelled = (words_of(name) for slot in slots for given in slot for name in aliases(given))
    return list(dict.fromkeys(words for words in spelled if words))


def _places(names: Sequence[Words], said: Words) -> Iterable[tuple[int, int]]:
    """Yield (start, end) of names in an output, as word indices; the last word may be a plural."""
    for name in names:
        for start in range(len(said) - len(name) + 1):
            *first, last = said[start : start + len(name)]
            if tuple(first) == name[:-1] and last in (name[-1], f"{name[-1]}s"):
                yield start, start + len(name)
