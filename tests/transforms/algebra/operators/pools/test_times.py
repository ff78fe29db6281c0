"""Times near an answer: outside all that it may be, in every place equally often."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from surgqa.ontology.keys import Key
from surgqa.transforms.algebra.operators.pools.times import (
    Room,
    TimeRequest,
    candidates,
    chosen,
    places_of,
    rows_around,
    span_of,
)

S = 1_000_000
WIDE = Room(0, 200 * S, 200 * S)
ONCE_A_SECOND = {"time_us": 100_500_000, "earliest_us": 100_000_001, "latest_us": 101_000_000}
SEGMENT = {"start": 100 * S, "end": 104 * S}


def asked(answer, salt=0, room=WIDE, fps=25, apart=S // 2, even=False) -> TimeRequest:
    return TimeRequest(answer, 3, room, Key("near", salt), Fraction(fps), apart, even)


def every(one: TimeRequest) -> list:
    return chosen(one, candidates(one))


KNOWN = [
    (100 * S, 25, 520_000),  # whole frames
    (100 * S, 30, S // 2),
    ({"time_us": 100 * S, "earliest_us": 99_980_001, "latest_us": 100_020_000}, 25, 520_000),
    (ONCE_A_SECOND, 1, 2 * S),
    (ONCE_A_SECOND, 25, 2 * S),
]


@pytest.mark.parametrize(("answer", "fps", "step"), KNOWN)
def test_instants_stand_in_an_even_row_and_at_each_place_equally_often(answer, fps, step):
    """Distances and decimals are alike: nothing of a row shows which of it is right."""
    places = Counter()
    right = span_of(answer)[0]
    for salt in range(200):
        row = sorted([right, *every(asked(answer, salt, fps=fps))])
        assert {b - a for a, b in zip(row, row[1:], strict=False)} == {step}
        places[row.index(right)] += 1
    assert set(places) == {0, 1, 2, 3}
    assert all(30 < n < 70 for n in places.values())


@pytest.mark.parametrize("salt", range(12))
def test_a_time_known_to_a_second_has_wrong_ones_a_second_beyond_its_range(salt):
    for time in every(asked(ONCE_A_SECOND, salt, fps=1)):
        assert time <= 99_000_001 or time >= 102 * S


@pytest.mark.parametrize("salt", range(12))
def test_segments_are_as_long_as_the_right_one_and_stand_side_by_side(salt):
    spans = sorted(map(span_of, [SEGMENT, *every(asked(SEGMENT, salt))]))
    assert all(b - a == 4 * S for a, b in spans)
    assert all(a[1] == b[0] for a, b in zip(spans, spans[1:], strict=False))


@pytest.mark.parametrize("salt", range(12))
def test_a_row_that_is_even_keeps_the_place_that_was_drawn(salt):
    """Without room for that place nothing is offered, and else what there is room for."""
    free = every(asked(SEGMENT, salt))
    place = sum(one["start"] < SEGMENT["start"] for one in free)
    room = Room(SEGMENT["start"] - 4 * S * place, 200 * S, 200 * S)
    assert every(asked(SEGMENT, salt, room, even=True)) == free
    if place:
        less = Room(room.low + S, 200 * S, 200 * S)
        assert every(asked(SEGMENT, salt, less, even=True)) == []
        assert len(every(asked(SEGMENT, salt, less))) == 3


def test_all_lie_in_the_room_and_close_enough():
    room = Room(96 * S, 112 * S, 16 * S)
    assert len(every(asked(SEGMENT, room=room))) == 3
    assert every(asked(SEGMENT, room=Room(96 * S, 112 * S, 15 * S))) == []
    assert every(asked(SEGMENT, room=Room(97 * S, 111 * S, 16 * S))) == []
    assert every(asked(100 * S, room=Room(99 * S, 101 * S, S // 2))) == []


def test_what_is_not_certainly_wrong_is_not_offered():
    one = asked(100 * S)
    free = [t for t in candidates(one) if t > 100 * S]
    assert all(t > 100 * S for t in chosen(one, free))
    assert chosen(one, free[:2]) == []


@pytest.mark.parametrize("answer", [100 * S, ONCE_A_SECOND, SEGMENT])
def test_a_row_reaches_as_far_whichever_of_it_is_right(answer):
    for salt in range(8):
        one = asked(answer, salt, even=True)
        spans = [span_of(value) for value in (answer, *every(one))]
        reach = min(a for a, _ in spans), max(b for _, b in spans)
        places = places_of(one.key, 3)[:1]
        assert rows_around(answer, 3, places, one.apart, one.fps) == reach
