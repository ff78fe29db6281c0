"""Query windows and rounds of streams: the rules S01 to S05, S08 and S09 of their shape."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from ontology.keys import digest
from ontology.records import Media, MediaKind, Video
from ontology.rounds import DELTA_US, horizons
from transforms.windows.queries import (
    SILENT_ROUNDS,
    query_window,
    rounds_with_event,
    silent_rounds,
    stream_window,
)

S = 1_000_000
VIDEO = Video("cholec80", "v01", "p", "s", Fraction(25), S, 100 * S, Media(MediaKind.ABSENT),
              None, "v01", "l", "l", (), ())  # fmt: skip
BEFORE = st.sampled_from((2, 3))


@given(st.integers(0, 10**10), st.integers(0, 10**9))
def test_a_query_sees_what_lies_behind_it(query_us, look_back_us):
    window = query_window(VIDEO, query_us, look_back_us)
    assert (window.start_us, window.end_us) == (max(0, query_us - look_back_us), query_us)
    assert window.kind == "query"
    assert window.window_id == digest("query", "cholec80/v01", window.start_us, query_us)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_stream_sees_what_lies_between_the_question_and_its_last_round(query_us, length):
    window = stream_window(VIDEO, query_us, query_us + length)
    assert (window.start_us, window.end_us) == (query_us, query_us + length)
    assert window.window_id == digest("stream", "cholec80/v01", query_us, query_us + length)


@given(st.integers(0, 200), st.integers(0, 90 * S), st.integers(-S, 30 * S), BEFORE)
def test_rounds_rise_around_the_event(query, lead, later, before):
    query_us = query * S
    event = query_us + lead
    last = event + later
    times = rounds_with_event(query_us, event, last, before)
    if not times:
        return
    assert len(times) == before + 2
    assert query_us < times[0]
    assert all(a < b for a, b in pairwise(times)), "S01"
    early = [t for t in times if t < event]
    assert (len(early), len(times) - len(early)) == (before, 2), "S04"
    assert event in times, "S05: a perfect model can be on time"
    assert not any(event - DELTA_US < t < event for t in times), "S05"
    assert times[-1] == last, "S08: no later than its last round"
    assert all(t % S == 0 for t in early), "a whole-second grid"
    assert all(late > 0 or last <= event + DELTA_US for late in horizons(times, event)[1:])
    assert horizons(times, event)[0] > 0, "S09: an answer in the first round earns nothing"


@given(st.integers(0, 200), st.integers(20 * S, 61 * S), st.integers(4, 20), BEFORE)
def test_rounds_always_fit_a_stream_as_long_as_ours(query, lead, later, before):
    event = query * S + lead
    assert rounds_with_event(query * S, event, event + later * S, before)


@given(st.integers(0, 100), st.integers(20, 60), BEFORE)
def test_rounds_before_the_event_are_spread_evenly(query, lead, before):
    event = (query + lead) * S
    times = [query * S, *rounds_with_event(query * S, event, event + 10 * S, before)[:before]]
    gaps = [after - one for one, after in pairwise(times)]
    assert max(gaps) - min(gaps) <= S


def test_rounds_do_not_fit():
    assert rounds_with_event(0, 2 * S, 9 * S, 2) == [], "the event is too near the question"
    assert rounds_with_event(0, 30 * S, 30 * S, 2) == [], "nothing is left after the event"
    assert rounds_with_event(0, 30 * S, 29 * S, 2) == []
    assert rounds_with_event(0, 4 * S, 9 * S, 3) == [], "three rounds within two seconds"


@given(st.integers(0, 200), st.integers(0, 90))
def test_silent_rounds(query, length):
    query_us, last = query * S, (query + length) * S
    times = silent_rounds(query_us, last)
    assert bool(times) == (length >= SILENT_ROUNDS)
    if times:
        assert len(times) == SILENT_ROUNDS
        assert times[-1] == last
        assert all(a < b for a, b in pairwise([query_us, *times])), "S01"
        assert all(t % S == 0 for t in times)


@given(st.lists(st.integers(0, 200), min_size=2, max_size=6, unique=True), st.integers(0, 200))
def test_horizons_are_the_formula(seconds, event):
    times = sorted(seconds)
    assume(times[0] < event <= times[-1])
    step = min(b - a for a, b in pairwise(times))
    early, late = horizons([t * S for t in times], event * S)
    assert early == (event - 2 - times[0]) * S
    assert late == (times[-1] - event - 2 + step) * S


def test_horizons_of_the_worked_example():
    times = [10 * S, 20 * S, 30 * S, 40 * S, 50 * S, 60 * S]
    assert horizons(times, 40 * S) == (28 * S, 28 * S)
