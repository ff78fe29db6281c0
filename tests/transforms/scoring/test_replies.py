"""Replies to chains: letters, texts and times however they are written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.scoring.replies import chosen, instant_said, span_said
from tests.each import cases

SPANS = [("A", "20.00 s to 21.50 s"), ("B", "21.50 s to 23.00 s"), ("C", "23.00 s to 24.50 s"),
         ("D", "24.50 s to 26.00 s")]  # fmt: skip
INSTANTS = [("A", "21.07 s"), ("B", "21.57 s"), ("C", "22.07 s"), ("D", "22.57 s")]


@cases(
    ("reply", "key"),
    [("B", "B"), ("b) 21.57 s", "B"), ("The answer is (C).", "C"), ("21.57 s", "B"),
     ("It begins at 21.57 seconds.", "B"), ("t = 22.07", "C"), ("0:22.57", "D"), ("21.57", "B"),
     ("<think>A</think>D", "D"), ("21.6 s", None), ("I do not know", None), ("", None)],
)  # fmt: skip
def test_an_instant_is_chosen_by_letter_text_or_time(reply, key):
    assert chosen(reply, INSTANTS) == key


@cases(
    ("reply", "key", "span"),
    [("B", "B", (21.5, 23.0)), ("from 21.50 s to 23.00 s", "B", (21.5, 23.0)),
     ("21.5-23 s", "B", (21.5, 23.0)), ("[24.5, 26.0]", "D", (24.5, 26.0)),
     ("21.0 s to 23.0 s", None, (21.0, 23.0)), ("21.50 s", None, None), ("never", None, None)],
)  # fmt: skip
def test_a_segment_is_chosen_or_stated(reply, key, span):
    assert chosen(reply, SPANS) == key and span_said(reply, SPANS) == span


def test_a_free_instant_is_read_where_no_option_is_chosen():
    assert instant_said("about 21.6 s", INSTANTS) == 21.6
    assert instant_said("C", INSTANTS) == 22.07
    assert instant_said("no idea", INSTANTS) is None


def test_options_that_are_no_times_state_none():
    boxes = [("A", "[540, 420, 80, 60]"), ("B", "[1, 2, 3, 4]")]
    assert instant_said("A", boxes) is None and chosen("at 21.57 s", boxes) is None
    words = [("A", "clipping, from 21.57 s"), ("B", "cutting, from 21.57 s")]
    assert chosen("at 21.57 s", words) is None


@given(st.text(max_size=80))
def test_no_text_makes_the_reading_fail(text):
    for options in (SPANS, INSTANTS):
        assert chosen(text, options) in {None, *"ABCD"}
        span_said(text, options)
        instant_said(text, options)
