"""Rounds: silence before the answer is due, the answer from then on, for as long as it holds."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.keys import Key
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range, Stretch
from surgqa.transforms.algebra.tree import Name
from surgqa.transforms.algebra.types import INSTANT
from surgqa.transforms.language.program import Rounds
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.printers import PrintContext
from surgqa.transforms.questions.rounds import planned, rounds_of
from surgqa.transforms.questions.units import recordings
from surgqa.transforms.timeline.relation import on_axis
from surgqa.transforms.timeline.relation.draft import RelationDraft
from tests.each import cases
from tests.transforms.questions.made import program, relation
from tests.transforms.timeline.videos import RETRACT, Seen

S = 1_000_000
DUE = Rounds(Name(INSTANT, "due"), before=(2, 3), after=1, otherwise="wait", accept=("unsure",),
             within=2 * S)  # fmt: skip
STREAM = program("stream", """
unit: {stream: any, length: 60..60 s, every: 60 s}
let:
  number: {count: instrument.label, overlaps: [window.start, round]}
rounds: {every: 10 s, say: number}
answer: number
say: "{{ number | whole }}"
""", "How many?")  # fmt: skip


def rounds(
    due: tuple[float, float] | None,
    end: int = 60,
    of: Rounds = DUE,
    salt: int = 0,
    begin: float = 0,
):
    """Rounds of a stream of [begin, end) seconds whose answer is due between two times."""
    low, high = (on_axis(0, np.array([round(t * S)])) for t in (due or (0, 0)))
    none = np.array([due is None])
    rows = Rows(RelationDraft().finish(), np.zeros(1, np.int64), {
        "due": Range.of(low, low, high, ~none, none),
        "window": Stretch(*(Range.exact(np.array([round(t * S)])) for t in (begin, end))),
    })  # fmt: skip
    asked = replace(STREAM, rounds=of)
    (plan,) = planned(asked, rows, [Key("test", salt)])
    if plan is None:
        return None
    (found,) = rounds_of(asked, [plan], rows, [PrintContext(0, {})], ["the answer"])
    return found


@cases("salt", range(8))
def test_the_answer_is_expected_from_when_it_is_certainly_there(salt):
    found = rounds((30, 32), salt=salt)
    early = [one for one in found if one["current_us"] < 32 * S]
    late = [one for one in found if one["current_us"] >= 32 * S]
    assert len(early) in (2, 3) and len(late) == 2
    assert late[0]["current_us"] == 32 * S
    assert {one["expected_output"] for one in early} == {"wait"}
    assert {one["expected_output"] for one in late} == {"The answer"}
    assert all(one["current_us"] < 28 * S for one in early)  # none within 2 s before it is due
    assert [one["answerable"] for one in found] == [False] * len(early) + [True] * 2


def test_silence_may_be_put_in_other_words_until_then():
    found = rounds((30, 30))
    assert {tuple(one["accepted_outputs"]) for one in found if not one["answerable"]} == {
        ("wait", "unsure")
    }
    assert {tuple(one["accepted_outputs"]) for one in found if one["answerable"]} == {
        ("The answer",)
    }


def test_where_nothing_is_due_all_rounds_expect_silence():
    found = rounds(None)
    assert len(found) == 4
    assert {one["expected_output"] for one in found} == {"wait"}
    times = [one["current_us"] for one in found]
    assert times == sorted(times) and all(0 < t < 60 * S for t in times)


def test_no_room_is_no_stream():
    assert rounds((3, 3)) is None  # two rounds do not fit before
    assert rounds((59, 59)) is None  # and none after
    assert rounds((30, 30)) is not None


def test_asked_again_and_again_it_is_answered_anew():
    seen = [Seen("hook", None, RETRACT)]
    both = [*seen, Seen("grasper", None, RETRACT)]
    known = relation({t: both if t >= 25 else seen for t in range(60)})
    (item,) = Asker(known, recordings(known), "0").ask(STREAM).items
    told = [(one["current_us"] // S, one["expected_output"]) for one in item.extra["rounds"]]
    assert told == [(10, "1"), (20, "1"), (30, "2"), (40, "2"), (50, "2")]
    assert item.answer == "2" and item.answer_value == {"number": 2}


def test_it_is_not_asked_again_where_nobody_looked():
    seen = [Seen("hook", None, RETRACT)]
    known = relation({t: seen for t in range(60) if not 12 < t < 18})
    asked = Asker(known, recordings(known), "0").ask(STREAM)
    assert not asked.items  # at the last round the answer is not certain


def test_every_round_sees_from_the_start_to_its_time():
    for one in rounds((30, 32)):
        assert (one["start_us"], one["end_us"]) == (0, one["current_us"])


@given(
    begin=st.integers(-30_000, 0), slack=st.integers(0, 3_000),
    due=st.none() | st.integers(0, 90_000), end=st.integers(1, 120), salt=st.integers(0, 99),
)  # fmt: skip
def test_no_time_of_a_round_reveals_the_event(begin, slack, due, end, salt):
    """Rounds are whole seconds, equally far apart, whenever the event begins (milliseconds)."""
    event = None if due is None else ((due - slack) / 1000, due / 1000)
    found = rounds(event, end, salt=salt, begin=begin / 1000)
    if found is None:
        return
    times = [one["current_us"] for one in found]
    assert not any(time % S for time in times)
    assert len({b - a for a, b in pairwise(times)}) == 1
    assert begin * 1000 < times[0] and times[-1] < end * S
    early = [one["current_us"] for one in found if not one["answerable"]]
    if due is not None:
        assert 2 <= len(early) <= 3 and early[-1] < (due - slack) * 1000 - 2 * S
        assert 0 <= times[len(early)] - due * 1000 < S and len(times) == len(early) + 2


def test_a_stream_in_which_nothing_comes_is_answered_by_silence():
    wait = program("wait", """
unit: {stream: any, length: 24..24 s, every: 60 s}
let:
  hit: {first: instrument, starts_in: window, or: none}
rounds: {due: hit.start, before: 2..3, after: 1, else: no_alert, within: 2 s}
answer: hit
say: "alert: {{ hit | name }}"
""", "Which instrument comes?")  # fmt: skip
    known = relation(dict.fromkeys(range(60), [Seen("hook", None, RETRACT)]))
    (item,) = Asker(known, recordings(known), "0").ask(wait).items
    assert item.answer == "no_alert"
    assert {one["expected_output"] for one in item.extra["rounds"]} == {"no_alert"}
