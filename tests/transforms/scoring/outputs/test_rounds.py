"""R and S: the check values of the specification, each of its rules, and their properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.scoring.outputs.normalise import is_positive
from surgqa.transforms.scoring.outputs.report import rounded
from surgqa.transforms.scoring.outputs.scores import (
    FIXED,
    Decay,
    first_positive_us,
    overall,
    responsiveness,
    stability,
)
from tests.each import cases
from tests.transforms.scoring.medstream.samples import SIX, second

TIMES = [second(t) for t in SIX]
EVENT, DELTA = second(40), second(2)


def r_of(first, event=EVENT, times=TIMES, decay=Decay()):  # noqa: B008 - frozen
    positive = [first is not None and t >= first for t in times]
    return responsiveness(times, positive, event, DELTA, decay)


@cases(
    ("first", "expected"),
    [(10, "0.0000"), (20, "0.3571"), (30, "0.7143"), (40, "1.0000"), (50, "0.7143"),
     (60, "0.3571"), (None, "0.0000")],
)  # fmt: skip
def test_check_values_of_responsiveness(first, expected):
    assert str(rounded(r_of(None if first is None else second(first)))) == expected


def test_check_values_of_stability_and_overall():
    positive = [False, False, False, True, False, True]
    assert str(rounded(stability(TIMES, positive, EVENT))) == "0.6667"
    assert str(rounded(overall(0.5, r_of(second(30))))) == "0.5643"


def test_the_whole_tolerance_is_on_time_and_no_more():
    times = [second(t) for t in (10, 38, 42, 60)]
    assert r_of(second(38), times=times) == r_of(second(42), times=times) == 1.0
    assert r_of(second(37), times=[second(t) for t in (10, 37, 42, 60)]) < 1.0
    assert r_of(second(43), times=[second(t) for t in (10, 38, 43, 60)]) < 1.0


def test_the_first_positive_counts_though_it_is_withdrawn():
    positive = [False, True, False, False, True, True]
    assert first_positive_us(TIMES, positive) == second(20)
    assert str(rounded(responsiveness(TIMES, positive, EVENT, DELTA, Decay()))) == "0.3571"


def test_an_early_side_without_length_earns_nothing():
    times = [second(t) for t in (39, 40, 50)]
    assert responsiveness(times, [True, True, True], EVENT, DELTA, Decay()) == 1.0
    times = [second(t) for t in (37, 45, 50)]
    assert responsiveness(times, [True, True, True], EVENT, DELTA, Decay()) == 0.0


def test_an_event_that_never_comes():
    assert r_of(None, event=None) == 1.0
    assert r_of(second(10), event=None) == r_of(second(60), event=None) == 0.0
    assert stability(TIMES, [False] * 6, None) is None


def test_stability_without_a_round_at_or_after_the_event():
    assert stability(TIMES, [True] * 6, second(61)) is None


def test_a_fixed_horizon_serves_both_sides():
    decay = Decay(FIXED)
    assert r_of(second(30), decay=decay) == r_of(second(50), decay=decay)
    assert r_of(second(30), decay=decay) == pytest.approx(1 - 8 / 30)
    assert r_of(second(10), decay=decay) == pytest.approx(1 - 28 / 30)
    assert r_of(second(30), decay=Decay(FIXED, second(8))) == 0.0


@cases(
    ("mode", "said", "expected"),
    [
        ("future", "unanswerable", False), ("future", "Unanswerable.", False),
        ("future", "", False), ("future", "clipping", True), ("future", "??", False),
        ("future", "unanswerable, but perhaps clipping", True), ("future", "no_alert", True),
        ("proactive", "alert: x", True), ("proactive", "alert", True), ("proactive", "", False),
        ("proactive", "no_alert", False), ("proactive", "uncertain", False),
        ("proactive", "a lesion", False), ("proactive", "unanswerable", False),
    ],
)  # fmt: skip
def test_positive(mode, said, expected):
    assert is_positive(mode, said) is expected


def test_overall_of_a_single_turn_is_its_content():
    assert overall(0.4, None) == 0.4
    assert overall(1.0, 1.0) == 1.0


streams = st.lists(st.integers(0, 10**9), min_size=2, max_size=8, unique=True).map(sorted)
decays = st.one_of(st.just(Decay()), st.builds(Decay, st.just(FIXED), st.integers(1, 10**9)))


@given(streams, st.data(), st.integers(0, 10**9), st.integers(1, 10**7), decays)
def test_r_and_s_stay_between_0_and_1(times, data, event, delta, decay):
    positive = data.draw(st.lists(st.booleans(), min_size=len(times), max_size=len(times)))
    assert 0.0 <= responsiveness(times, positive, event, delta, decay) <= 1.0
    s = stability(times, positive, event)
    assert s is None or 0.0 <= s <= 1.0
    assert responsiveness(times, positive, None, delta, decay) == float(not any(positive))


@given(streams, st.integers(0, 10**9), st.integers(1, 10**7), decays)
def test_r_falls_with_the_distance_on_each_side(times, event, delta, decay):
    def r(first):
        return responsiveness(times, [t >= first for t in times], event, delta, decay)

    early = [r(t) for t in times if t <= event]
    late = [r(t) for t in times if t >= event]
    assert early == sorted(early)
    assert late == sorted(late, reverse=True)
    assert all(value >= r(times[-1] + 1) for value in early + late)


@given(streams, st.data(), st.integers(0, 10**9))
def test_the_first_answer_alone_decides_r(times, data, event):
    positive = data.draw(st.lists(st.booleans(), min_size=len(times), max_size=len(times)))
    if not any(positive):
        return
    first = positive.index(True)
    held = [i >= first for i in range(len(times))]
    assert responsiveness(times, positive, event, DELTA, Decay()) == responsiveness(
        times, held, event, DELTA, Decay()
    )


@cases(
    ("value", "printed"),
    [(0.00005, "0.0000"), (0.00015, "0.0002"), (0.12345, "0.1234"), (0.12355, "0.1236"),
     (1.0, "1.0000"), (2 / 3, "0.6667")],
)  # fmt: skip
def test_four_decimals_halves_to_even(value, printed):
    assert str(rounded(value)) == printed
