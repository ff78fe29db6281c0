"""What the grammar rules let through and what they don't."""

from __future__ import annotations

import pytest

from surgqa.transforms.language.filters import FILTERS
from surgqa.transforms.language.grammar import agreement, articles, marks_and_spaces
from surgqa.transforms.language.wording import compile_wording
from tests.each import cases

INSTRUMENTS = frozenset({("tool",), ("other",), ("answer", "tool")})


def messages(text: str) -> list[str]:
    """What is said about a wording."""
    wording = compile_wording(text, FILTERS)
    both = (*articles(wording, INSTRUMENTS), *agreement(wording, INSTRUMENTS))
    return [message for message, _ in both]


@cases(
    "text",
    [
        "Where is {{ tool | the }}?",
        "How far does {{ tool | the }} move?",
        "Which structure does {{ tool | the }} touch?",
        "At noon, is {{ tool | the }} in view?",
        "When {{ tool | the }} is in view, where?",
        "Is there a {{ tool | name }}?",
        "Name the {{ tool | the }}.",
        "Is there a instrument?",
        "Is there an hook?",
    ],
)
def test_mistakes(text: str) -> None:
    assert len(messages(text)) == 1


@pytest.mark.parametrize(
    ("text", "fix"), [("Is there a instrument?", "'an instrument'"), ("Is it an hook?", "'a hook'")]
)
def test_the_right_article_is_named(text: str, fix: str) -> None:
    ((_, found),) = articles(compile_wording(text, FILTERS), INSTRUMENTS)
    assert found == f"write {fix}"


@cases(
    "text",
    [
        "Where {{ tool | is }} {{ tool | the }}?",
        "The instrument is {{ tool | the }}.",
        "The centre of {{ tool | the }} is where?",
        "Do {{ tool | the }} and {{ other | the }} act together?",
        "Where are {{ tool | the }} and {{ other | the }}?",
        "When {{ tool | the }} and {{ other | the }} are in view, where?",
        "Is {{ target | the }} being acted on?",
        "Is there {{ tool | a }}?",
        "Give a one-word answer.",
        "Does a European clip an artery within an hour of an MRI?",
    ],
)
def test_right_sentences(text: str) -> None:
    assert messages(text) == []


@cases(
    ("text", "question", "count"),
    [
        ("Where is it, e.g. left?", True, 0),
        ("where is it?", True, 1),
        ("Where is it? give the box.", True, 1),
        ("\N{WHITE SQUARE} is it?", True, 1),
        ("\N{WHITE SQUARE}: [1, 2]", False, 0),
        ("Where is it", True, 1),
        ("where  is it", True, 3),
        ("", True, 1),
    ],
)
def test_marks_and_spaces(text: str, question: bool, count: int) -> None:
    assert len(list(marks_and_spaces(text, question))) == count
