"""The last look at a chain before it is kept: do its four questions belong together?"""

from __future__ import annotations

from collections.abc import Sequence

from ontology.records import Item
from ontology.statements import lint_clue, lint_knowledge


def incoherence(items: Sequence[Item], names: Sequence[Sequence[str]]) -> str | None:
    """Why a chain is discarded, None where it holds together (SurgCoT 3.5, check 4).

    Args:
        items: main question, Q1, Q2, Q3.
        names: phrases of Q1's answer, each in several forms.
    """
    main, first, second, third = items
    if not first.window.duration_us > second.window.duration_us > third.window.duration_us:
        return "the windows do not become narrower"
    if main.window != first.window:
        return "the main question does not look at the window of Q1"
    told = (second.context or "").casefold()
    if not all(any(form.casefold() in told for form in forms) for forms in names):
        return "the context of Q2 does not restate the answer of Q1"
    if _right(second) not in (third.context or "").casefold():
        return "the context of Q3 does not restate the answer of Q2"
    for item in (first, second, third):
        boxed = bool(item.evidence) and " at [" in (third.clue or "")
        problems = lint_knowledge(item.knowledge or "")
        problems += lint_clue(item.clue or "", has_box=boxed and item is third)
        if problems:
            return f"knowledge or clue breaks a rule: {problems[0]}"
        if item.knowledge == item.clue:
            return "knowledge and clue are the same sentence"
    return None


def _right(item: Item) -> str:
    return next(option.text for option in item.options if option.is_answer).casefold()
