"""Answers that a question gives away by its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from ontology.concepts import vocabulary
from transforms.language.operators import operators
from transforms.language.template import Call, Ref, Wording

_LABELS: Mapping[str, tuple[str, ...]] = {
    "verb": ("verbs",),
    "action": ("verbs", "targets"),
    "steps": ("verbs", "targets"),
    "target": ("targets",),
    "target_labels": ("targets",),
    "instrument": ("instruments",),
    "instrument_class": ("instruments",),
    "labels": ("instruments",),
    "runs": ("instruments",),
}
"""Type of an answer's field -> vocabularies its labels come from."""

_ECHOES: Mapping[tuple[str, str], str] = {("named", "tool"): "of", ("box_at", "tool"): "of"}
"""(answer rule, field) -> the argument whose slot the field repeats."""


def answer_shown(question: Wording, answer: Call, text: Wording) -> Iterator[tuple[str, str]]:
    """(message, fix) for every way in which the question holds its answer.

    A question may name the refusal ("or say none"); it may not name one label of the
    kind that is asked for, nor the slot that the answer repeats.
    """
    fields = [
        p.path[1] for p in text if isinstance(p, Ref) and p.path[0] == "answer" and p.path[1:]
    ]
    asked = {p.path[0] for p in question if isinstance(p, Ref)}
    for field in fields:
        slot = answer.args.get(_ECHOES.get((answer.op, field), ""))
        if slot in asked:
            fix = f"leave '{slot}' out of the question, or 'answer.{field}' out of the answer"
            yield f"the slot {slot!r} is the answer itself", fix
    rule = operators("answer").get(answer.op)
    words = " \N{WHITE SQUARE} ".join(p for p in question if isinstance(p, str)).lower()
    for kind in sorted({k for f in fields if rule for k in _LABELS.get(rule.gives.get(f, ""), ())}):
        found = spellings(kind).search(words)
        if found:
            yield (
                f"names {found.group(0)!r}, which can be the answer",
                "use a slot, or leave it out",
            )


@cache
def spellings(kind: str) -> re.Pattern[str]:
    """Display names of a vocabulary; of verbs the inflections, as 'clip' is also a noun.

    The words for nothing ('idle', 'no specific target') are no answer given away: a fair
    question offers them.
    """
    texts: set[str] = set()
    for term in vocabulary(kind).values():
        if not term.id.startswith("null_"):
            texts |= {term.gerund, term.third} if kind == "verbs" else {term.display}
    longest_first = sorted(texts, key=lambda t: (-len(t), t))
    return re.compile(r"\b(" + "|".join(map(re.escape, longest_first)).lower() + r")\b")
