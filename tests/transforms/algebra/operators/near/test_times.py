"""Times near an answer: outside all that it may be, in every place equally often."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from ontology.keys import Key
from transforms.algebra.operators.near.times import Asked, Room, candidates, chosen, span_of

S = 1_000_000
WIDE = Room(0, 200 * S, 200 * S)
ONCE_A_SECOND = {"time_us": 100_500_000, "earliest_us": 100_000_001, "latest_us": 101_000_000}
SEGMENT = {"start": 100 * S, "end": 104 * S}


def asked(answer, salt=0, room=WIDE, fps=25, apart=(S // 2, S), preferred=()) -> Asked:
    return Asked(answer, 3, room, Key("near", salt), Fraction(fps), apart, preferred)


def every(one: Asked) -> list:
    return chosen(one, candidates(one))


def test_a_time_that_is_known_has_wrong_ones_at_half_a_second_to_a_second():
    places = Counter()
    for salt in range(200):
        wrong = every(asked(100 * S, salt))
        assert len(set(wrong)) == 3
        assert all(S // 2 <= abs(t - 100 * S) <= S for t in wrong)
        assert all(t % 40_000 == 0 for t in wrong)  # whole frames
        places[sum(t < 100 * S for t in wrong)] += 1
    assert set(places) == {0, 1, 2, 3}
    assert all(30 < n < 70 for n in places.values())


@pytest.mark.parametrize("salt", range(12))
def test_a_time_known_to_a_second_has_wrong_ones_a_second_beyond_its_range(salt):
    for time in every(asked(ONCE_A_SECOND, salt, fps=1)):
        assert time <= 99_000_002 or time >= 101_999_999


@pytest.mark.parametrize("salt", range(12))
def test_segments_are_as_long_as_the_right_one_and_meet_nothing(salt):
    spans = sorted(map(span_of, [SEGMENT, *every(asked(SEGMENT, salt))]))
    assert all(b - a == 4 * S for a, b in spans)
    assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:], strict=False))


def test_segments_of_other_events_come_first():
    wrong = every(asked(SEGMENT, preferred=(90_700_000, 110_200_000, 120_900_000, 130 * S, 80 * S,
                                            70 * S)))  # fmt: skip
    assert {value["start"] for value in wrong} <= {t * S for t in (70, 80, 90, 110, 120, 130)}


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
