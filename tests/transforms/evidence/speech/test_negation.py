"""How far a negator reaches: after a comma, a part of a sentence begins with its next word."""

from __future__ import annotations

from surgqa.transforms.evidence.speech.negation import negated
from surgqa.transforms.evidence.speech.tokens import SpokenToken
from tests.each import cases


@cases(
    ("text", "wanted"),
    [
        ("look, never cut", True),
        ("look, we never cut", True),
        ("never, cut", False),
        ("look, cut", False),
        ("cut, never", False),
    ],
)
def test_a_comma_ends_the_reach(text: str, wanted: bool):
    words = text.split()
    said = [SpokenToken(one.strip(","), one, k, k + 1, one.endswith(","))
            for k, one in enumerate(words)]  # fmt: skip
    verb = [one.text for one in said].index("cut")
    assert negated(said, verb) == wanted
