"""Typed values: times of the recording, with bounds only where there are any; none is null."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.algebra.columns.codes import value_codes
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.typed import may_be_one, plain, typed
from surgqa.transforms.algebra.columns.values import Box, Group, Label, Range, Stretch, Truth
from surgqa.transforms.algebra.tree import Call, Name, Pattern, Read
from surgqa.transforms.algebra.types import DURATION, INSTANT, NUMBER, STRETCH, TRUTH, Type
from surgqa.transforms.timeline.relation import on_axis
from tests.transforms.questions.made import relation, rows
from tests.transforms.timeline.videos import RETRACT, S, Seen, box_at

TRUE, FALSE = np.ones(1, bool), np.zeros(1, bool)


@pytest.fixture(scope="module")
def here():
    """One filling of the second of two recordings."""
    seen = [Seen("hook", box_at(0.5, 0.5), RETRACT)]
    known = relation({0: []}, {0: [], 1: seen, 2: seen, 3: []})
    return rows(known, (1, 0, 3))


def instant(*seconds: float) -> Range:
    low, at, high = (on_axis(1, np.array([int(s * S)])) for s in seconds)
    return Range.of(low, at, high, TRUE)


def test_times_count_from_the_recording_and_have_bounds_where_there_are_any(here):
    assert plain(instant(2, 2, 2), INSTANT, here) == [2 * S]
    assert plain(instant(1, 2, 3), INSTANT, here) == [
        {"time_us": 2 * S, "earliest_us": S, "latest_us": 3 * S}
    ]
    span = Stretch(instant(1, 1, 1), instant(2, 2, 2))
    assert plain(span, STRETCH, here) == [{"start": S, "end": 2 * S}]


def test_numbers_and_lengths(here):
    two = Range.exact(np.array([2.0]))
    assert plain(two, NUMBER, here) == [2]
    share = Range.of(*(np.array([x]) for x in (0.25, 0.5, 2 / 3)), TRUE)
    assert plain(share, NUMBER, here) == [{"value": 0.5, "least": 0.25, "most": 0.666667}]
    assert plain(Range.exact(np.array([1_500_000])), DURATION, here) == [1_500_000]


def test_none_is_null_everywhere(here):
    nothing = np.array([-1])
    none = Range.of(nothing, nothing, nothing, FALSE, none=TRUE)
    assert plain(none, INSTANT, here) == plain(none, NUMBER, here) == [None]
    assert plain(Label(nothing, FALSE, TRUE), Type("label"), here) == [None]
    assert plain(Box(np.full((1, 4), np.nan), FALSE, TRUE), Type("box"), here) == [None]


def test_labels_acts_and_sets_are_ids(here):
    codes = here.relation.codes
    act, hook = codes.code("retract,gallbladder"), codes.code("hook")
    assert plain(Label.known(np.array([act])), Type("act"), here) == [
        {"verb": "retract", "target": "gallbladder"}
    ]
    assert plain(Label.known(np.array([codes.code("retract")])), Type("act"), here) == [
        {"verb": "retract", "target": None}
    ]
    members = Group(np.zeros(1, np.int64), np.array([hook]), TRUE)
    assert plain(members, Type("set", "instrument"), here) == [["hook"]]
    assert plain(Truth(TRUE, FALSE, TRUE), TRUTH, here) == [True]


def test_a_fact_is_its_labels_with_its_printed_times(here):
    fact = Call(
        Type("fact", "instrument"), "only", (("of", Pattern(Type("fact"), ("instrument",))),)
    )
    (found,) = typed(fact, here)
    assert found.pop("track").startswith("hook")
    assert found == {
        "label": "hook", "subject": "hook", "start_us": S // 2, "end_us": 5 * S // 2,
    }  # fmt: skip
    (start,) = typed(Read(INSTANT, fact, "start"), here)
    assert start == {"time_us": S // 2, "earliest_us": 1, "latest_us": S}


def test_parts_are_stretches(here):
    parts = Call(Type("stretches"), "parts", (("of", Name(STRETCH, "window")), ("n", 3)))
    assert typed(parts, here) == [[{"start": k * S, "end": (k + 1) * S} for k in range(3)]]


def test_equal_lists_of_facts_have_equal_codes(here):
    once = Pattern(Type("facts", "instrument"), ("instrument",))
    listed = Call(Type("sequence", "record"), "sequence", (("of", once), ("fields", ("end",))))
    other = Call(Type("sequence", "record"), "sequence", (("of", once), ("fields", ("start",))))
    codes = [value_codes(evaluate(node, here), here).tolist() for node in (listed, listed, other)]
    assert codes[0] == codes[1] != codes[2]


def test_times_whose_bounds_meet_may_be_one():
    early, late = ({"time_us": t, "earliest_us": t - 3, "latest_us": t + 3} for t in (10, 15))
    assert may_be_one(early, late) and may_be_one([early], [late]) and may_be_one(early, 13)
    assert not may_be_one(early, 14) and not may_be_one([early], [early, late])
