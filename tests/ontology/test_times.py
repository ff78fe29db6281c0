"""Exact time: frames there and back, and numbers printed as a person would round them."""

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from surgqa.ontology.times import (
    frame_to_us,
    period_us,
    print_number,
    print_seconds,
    round_half_up,
    us_to_frame,
)

RATES = {
    "25": Fraction(25),
    "30": Fraction(30),
    "29.97": Fraction(30_000, 1001),
    "59.94": Fraction(60_000, 1001),
    "1": Fraction(1),
}
EXACT = Context(prec=1000)

rates = pytest.mark.parametrize("fps", RATES.values(), ids=RATES.keys())


@rates
@given(index=st.integers(0, 10_000_000))
def test_a_frame_is_found_again_from_its_time(fps, index):
    assert us_to_frame(frame_to_us(index, fps), fps) == index


@rates
@given(index=st.integers(0, 10_000_000))
def test_a_frame_starts_at_the_microsecond_nearest_to_its_exact_time(fps, index):
    off = frame_to_us(index, fps) - Fraction(index * 1_000_000) / fps
    assert -Fraction(1, 2) < off <= Fraction(1, 2)


@rates
@given(index=st.integers(0, 10_000_000))
def test_later_frames_start_later(fps, index):
    assert frame_to_us(index, fps) < frame_to_us(index + 1, fps)


@pytest.mark.parametrize(
    ("fps", "expected"),
    [
        pytest.param(RATES["25"], 40_000, id="25"),
        pytest.param(RATES["30"], 33_333, id="30"),
        pytest.param(RATES["29.97"], 33_367, id="29.97"),
        pytest.param(RATES["59.94"], 16_683, id="59.94"),
        pytest.param(RATES["1"], 1_000_000, id="1"),
        pytest.param(Fraction(1, 35), 35_000_000, id="one-in-35-s"),
    ],
)
def test_period(fps, expected):
    assert period_us(fps) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(Fraction(1, 2), 1, id="half"),
        pytest.param(Fraction(3, 2), 2, id="one-and-a-half"),
        pytest.param(Fraction(-1, 2), 0, id="minus-half-goes-up"),
        pytest.param(Fraction(-3, 2), -1, id="minus-one-and-a-half-goes-up"),
        pytest.param(Fraction(499, 1000), 0, id="just-below-half"),
        pytest.param(Fraction(7), 7, id="whole"),
    ],
)
def test_round_half_up(value, expected):
    assert round_half_up(value) == expected


@pytest.mark.parametrize(
    ("time_us", "decimals", "expected"),
    [
        pytest.param(1_005_000, 2, "1.01", id="tie-goes-up"),
        pytest.param(1_004_999, 2, "1.00", id="just-below-a-tie"),
        pytest.param(-1_005_000, 2, "-1.01", id="negative-tie"),
        pytest.param(-4_999, 2, "0.00", id="no-minus-zero"),
        pytest.param(24_930_000, 2, "24.93", id="published-example"),
        pytest.param(3_500_000, 0, "4", id="no-decimals"),
        pytest.param(3_450_000, 1, "3.5", id="one-decimal"),
        pytest.param(1, 6, "0.000001", id="microsecond"),
    ],
)
def test_print_seconds(time_us, decimals, expected):
    assert print_seconds(time_us, decimals) == expected


@given(time_us=st.integers(-(10**12), 10**12), decimals=st.integers(0, 6))
def test_seconds_are_rounded_like_decimals(time_us, decimals):
    step = Decimal(1).scaleb(-decimals)
    rounded = (Decimal(time_us) / 1_000_000).quantize(step, ROUND_HALF_UP)
    assert print_seconds(time_us, decimals) == f"{rounded if rounded else abs(rounded):f}"


finite = st.floats(allow_nan=False, allow_infinity=False)
near = st.integers(-(10**7), 10**7).map(lambda n: n / 10_000)


@given(value=finite | near, decimals=st.integers(0, 5))
@example(value=0.125, decimals=2)
@example(value=2.675, decimals=2)
@example(value=-0.0049, decimals=2)
@example(value=-1.5e-05, decimals=4)
@example(value=2.0**70, decimals=2)
@example(value=123456789012345.67, decimals=3)
@example(value=1e25, decimals=4)
def test_numbers_are_rounded_as_their_shortest_decimal_form(value, decimals):
    step = Decimal(1).scaleb(-decimals)
    rounded = Decimal(repr(value)).quantize(step, ROUND_HALF_UP, EXACT)
    assert print_number(value, decimals) == f"{rounded if rounded else abs(rounded):f}"


@given(value=st.floats(-0.1, 0.1), decimals=st.integers(0, 5))
def test_nothing_prints_as_minus_zero(value, decimals):
    text = print_number(value, decimals)
    assert text.strip("0.") or not text.startswith("-")
