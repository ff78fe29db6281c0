"""Stretches of a recording, what holds at a time, and how far a window reaches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ontology.records import Clock, MediaKind
from transforms.questions.queries.common import channel_kind, possible, seen
from transforms.questions.queries.found import holding, note_of, seconds, subject_of

from .scenes import (
    TOOLS,
    S,
    book,
    every,
    found,
    query,
    results,
    scene,
    search,
    span,
    spans,
    table,
    us,
)

PHASES = spans("phase", ("preparation", 0, 60), ("calot_triangle_dissection", 60, 200))


@given(st.integers(1, 500), st.integers(1, 200))
def test_every_time_lies_in_one_of_the_stretches(duration, length):
    one = search(scene(seconds=duration), query("state_now.phase", every=length))
    numbers = one.stretches()
    for second in range(1, duration + 1):
        assert one.stretch_of(second * S) in numbers
        assert (second - 1) // length == one.stretch_of(second * S)


def test_one_question_for_each_stretch_at_most():
    asked = found(scene(*PHASES, seconds=200), "state_now.phase", every=50)
    assert [one.query_us // S for one in asked] == sorted(one.query_us // S for one in asked)
    assert len({(one.query_us - 1) // (50 * S) for one in asked}) == len(asked) == 4


def test_windows_hold_two_pictures_at_least_but_those_of_stills():
    one = search(scene(*PHASES, seconds=200), query("state_now.phase"))
    assert one.window(us(1)) is None
    assert one.window(us(2)).duration_us == 2 * S
    still = scene(seconds=1, clock=Clock.WHOLE, media=MediaKind.IMAGE)
    assert search(still, query("state_now.phase")).window(0).duration_us == 0


@given(st.integers(0, 2000))
def test_a_span_holds_a_second_after_it_began(tenths):
    time = tenths * S // 10
    channel = book(scene(*PHASES, seconds=200)).channels["phase"]
    holds, touching = holding(channel, time)
    assert {f.label for f in holds} == {
        s.label for s in PHASES if s.start_us + S <= time <= s.end_us}  # fmt: skip
    assert {f.label for f in touching} == {
        s.label for s in PHASES
        if s.start_us <= time and s.end_us > time - S
        and not s.start_us + S <= time <= s.end_us}  # fmt: skip


def test_no_labels_no_question():
    asked, reasons = results(scene(seconds=60), query("state_now.phase"))
    assert (asked, reasons) == ([], {"no label of kind 'phase'"})
    asked, reasons = results(scene(seconds=60), query("state_past.phase"))
    assert (asked, reasons) == ([], {"no label of kind 'phase'"})


def test_what_could_be_absent():
    tools = scene(*PHASES, instruments=table(every(0, 9, {}), TOOLS))
    one = search(tools, query("presence.instrument"))
    assert possible(one, one.book.channels["instrument"]) == TOOLS
    assert possible(one, one.book.channels["phase"])[0] == "preparation"


def test_proof_of_absence_never_lies_ahead():
    shown = {"hook": [30, 31, 33, 34]}
    one = search(scene(*PHASES, instruments=table(every(0, 60, shown), TOOLS)),
                 query("presence.instrument"))  # fmt: skip
    channel = one.book.channels["instrument"]
    assert [p.id for p in seen(one, channel, us(31))] == ["750-hook-1", "775-hook-1"]
    (pointer,) = seen(one, channel, us(32))
    assert (pointer.kind, pointer.end_us) == ("segments", us(32))
    bare = search(scene(instruments=table(every(0, 60, {}), TOOLS)), query("presence.instrument"))
    (pointer,) = seen(bare, bare.book.channels["instrument"], us(32))
    assert (pointer.kind, pointer.id, pointer.end_us) == ("videos", "cholec80/v01", us(32))


def test_regions_beside_spans_are_of_the_same_kind():
    parts = span("finding", "polyp", 0, 9)
    one = book(scene(parts, regions={"finding": table(every(0, 9, {}), ("polyp",))}))
    assert {channel_kind(channel) for channel in one.channels.values()} == {"finding"}


def test_whose_label_it_is():
    parts = [span("action", "cutting", 0, 9, subject=who) for who in ("hook", "hand", "nobody", "")]
    facts = book(scene(*parts)).channels["action"].facts
    named = {fact.subject: subject_of(fact) for fact in facts}
    assert named["hook"].kind == "instrument"
    assert named["hand"].kind == "structure"
    assert named["nobody"] is None
    assert named[""] is None


def test_numbers_in_notes_have_three_decimals_at_most():
    assert seconds(90_400_000) == "90.4"
    assert seconds(1_234_567) == "1.235"
    assert seconds(100 * S) == "100"
    assert seconds(0) == "0"
    fact = book(scene(span("phase", "preparation", 0, 33.366700))).channels["phase"].facts[0]
    assert "to 33.367 s (phase.txt preparation 0)" in note_of("phase", "preparation", fact)
