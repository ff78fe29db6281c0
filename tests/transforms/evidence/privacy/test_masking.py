"""Names, dates and identifiers in what is said: found, and nothing else touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.evidence.privacy import mask_text


def scores(sentences) -> tuple[float, float]:
    """Recall (marked spans that are wholly masked) and precision (masks that touch a mark)."""
    found = marked = right = masks = 0
    for text, truth in sentences:
        _, spans = mask_text(text)
        under = {i for span in spans for i in range(span.start, span.end)}
        marked += len(truth)
        found += sum(all(i in under for i in range(a, b) if text[i].isalnum()) for a, b, _ in truth)
        masks += len(spans)
        right += sum(any(s.start < b and s.end > a for a, b, _ in truth) for s in spans)
    return found / marked, right / masks


def test_the_tuned_sentences_are_masked_as_marked(sentences):
    listed = sentences("tuned")
    assert len(listed) >= 120
    assert scores(listed) == (1.0, 1.0)
    for text, truth in listed:
        assert [span.kind for span in mask_text(text)[1]] == [kind for _, _, kind in truth], text


def test_sentences_that_were_never_tuned_on(sentences):
    recall, precision = scores(sentences("fresh"))
    assert recall >= 0.9 and precision >= 0.95


@pytest.mark.parametrize("name", ["tuned", "fresh"])
def test_masked_text_is_the_text_with_its_spans_replaced(sentences, name):
    for text, _ in sentences(name):
        check(text)


PIECES = st.sampled_from(
    ["Dr. ", "Mr ", "patient ", "my name is ", "John", "Smith", " ", ", ", ". ", "Calot", "'s ",
     "triangle", "3 ", "March ", "2021", "12/03/2021", "MRN ", "123456", "ninety", " years old",
     "[NAME]", "[", "]", "NAME", "at ", "Hospital", "University of ", "May", "5 mm", "王", "医生",
     "患者", "李小明", "，", "2021年", "3月", "5日", "van ", "J. ", "a@b.co", "www.x.org", "O'",
     "\n"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join)))
def test_any_text_is_masked_once_and_for_all(text):
    check(text)


def check(text: str) -> None:
    masked, spans = mask_text(text)
    place, rebuilt = 0, ""
    for span in spans:
        assert 0 <= place <= span.start < span.end <= len(text)
        rebuilt += text[place : span.start] + f"[{span.kind}]"
        place = span.end
    assert rebuilt + text[place:] == masked
    assert mask_text(masked) == (masked, ())


def test_chinese_rules_hold_whatever_the_language_is_said_to_be():
    text = "患者张伟，由王医生主刀。"
    assert mask_text(text, "en") == mask_text(text, "zh") == mask_text(text)
    assert mask_text(text)[0] == "患者[NAME]，由[NAME]医生主刀。"
