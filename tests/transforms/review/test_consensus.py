"""Majorities, ties, and answers on which raters agree against the reference."""

from __future__ import annotations

import pytest

from transforms.review.terms import Flaw
from transforms.review.votes import Vote, verdict


def votes(text: str) -> list[Vote]:
    """``B+`` answers B and finds it valid, ``C-`` answers C and wants it out."""
    return [
        Vote(f"r{k}", word[0], word[1] == "+", () if word[1] == "+" else (Flaw.NONE_RIGHT,), "")
        for k, word in enumerate(text.split())
    ]


@pytest.mark.parametrize(
    ("said", "keep", "disputed", "contested", "untouched"),
    [
        ("B+ B+ B+", True, False, False, True),
        ("B+ B+ B-", True, False, False, False),
        ("B+ B- B-", False, False, False, False),
        ("B- B- B-", False, False, False, False),
        ("B+ B-", True, True, False, False),
        ("B- B- B+ B+", True, True, False, False),
        ("B- B- B- B+", False, False, False, False),
        ("B+", True, False, False, True),
        ("B-", False, False, False, False),
        ("C+ C+ B+", True, False, True, True),
        ("C+ D+ B+", True, False, False, True),
        ("C+ C+ B+ B+", True, False, False, True),
        ("C+ C- B-", False, False, True, False),
    ],
)
def test_what_is_decided(said: str, keep, disputed, contested, untouched) -> None:
    found = verdict(votes(said), "B", drop_contested=False)
    assert (found.keep, found.disputed, found.contested, found.untouched) == (
        keep, disputed, contested, untouched
    )  # fmt: skip
    assert bool(found.reason) != keep


def test_contested_questions_go_if_that_is_asked_for() -> None:
    found = verdict(votes("C+ C+ B+"), "B", drop_contested=True)
    assert not found.keep and not found.untouched
    assert found.reason == "2 of 3 answer C, which is not the reference"
    assert verdict(votes("B+ B+ C+"), "B", drop_contested=True).keep


def test_open_questions_are_never_contested() -> None:
    own_words = [Vote("a", "scissors", True, (), ""), Vote("b", "scissors", True, (), "")]
    found = verdict(own_words, None, drop_contested=True)
    assert found.keep and not found.contested


def test_the_reason_names_what_those_call_wrong_who_want_it_out() -> None:
    said = [
        Vote("a", "B", False, (Flaw.WRONG_CLUE, Flaw.IMPLAUSIBLE), ""),
        Vote("b", "B", False, (Flaw.IMPLAUSIBLE,), ""),
        Vote("c", "B", True, (Flaw.UNCLEAR,), ""),
    ]
    found = verdict(said, "B", drop_contested=False)
    assert found.reason == "clinically implausible (2 of 3); wrong clue (1 of 3)"


def test_a_mark_by_one_who_keeps_it_touches_it() -> None:
    said = [Vote("a", "B", True, (Flaw.UNCLEAR,), ""), Vote("b", "B", True, (), "")]
    found = verdict(said, "B", drop_contested=False)
    assert found.keep and not found.untouched and not found.disputed
