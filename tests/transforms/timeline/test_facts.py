"""Facts and channels: what meets a moment, what starts, where a kind was looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ontology.records import Pointer
from transforms.timeline.facts import Channel, Fact, merged, stretches

S = 1_000_000
TIMES = st.integers(0, 60)
STRETCHES = st.lists(st.tuples(TIMES, TIMES).map(lambda ends: (min(ends), max(ends))))


def fact(label: str, start: int, last: int, table: str = "segments") -> Fact:
    marks = ((start, f"{label}-{start}"),)
    return Fact(label, start, last, table, marks, "here")


def channel(*facts: Fact, known=((0, 100),), instants=None) -> Channel:
    order = sorted(facts, key=lambda f: (f.start_us, f.last_us, f.label))
    return Channel("phase", tuple(order), tuple(known), None, instants, 1)


FACTS = st.lists(
    st.builds(lambda name, ends: fact(name, min(ends), max(ends)), st.sampled_from("abc"),
              st.tuples(TIMES, TIMES)), max_size=12)  # fmt: skip


@given(FACTS, TIMES, TIMES)
def test_meeting_and_starting_are_what_a_look_at_every_fact_gives(facts, one, other):
    first, last = min(one, other), max(one, other)
    of = channel(*facts)
    meeting = [f for f in of.facts if f.start_us <= last and f.last_us >= first]
    assert of.meeting(first, last) == meeting
    assert of.starting(first, last) == [f for f in of.facts if first < f.start_us <= last]


@given(STRETCHES)
def test_merged_stretches_cover_the_same_moments_and_stand_apart(spans):
    covered = {t for first, last in spans for t in range(2 * first, 2 * last + 1)}
    out = merged(spans)
    assert {t for first, last in out for t in range(2 * first, 2 * last + 1)} == covered
    assert all(a[1] < b[0] for a, b in zip(out, out[1:], strict=False))
    assert merged(reversed(spans)) == out


@given(st.sets(TIMES, min_size=1), st.integers(1, 10))
def test_a_stretch_joins_instants_that_are_neighbours(instants, period):
    ordered = sorted(instants)
    out = stretches(ordered, period)
    assert sorted(t for t in ordered for first, last in out if first <= t <= last) == ordered
    for (_, last), (first, _) in zip(out, out[1:], strict=False):
        assert first - last > 1.5 * period
    for before, after in zip(ordered, ordered[1:], strict=False):
        together = any(first <= before and after <= last for first, last in out)
        assert together == (after - before <= 1.5 * period)


@given(STRETCHES, TIMES, TIMES)
def test_known_is_known_all_the_way(spans, one, other):
    first, last = min(one, other), max(one, other)
    known = merged(spans)
    of = channel(known=known)
    assert of.is_known(first, last) == any(a <= first and last <= b for a, b in known)


def test_absence_is_told_of_what_was_looked_for():
    anything = channel()
    some = Channel("finding", (), (), ("polyp",), None, 1)
    assert anything.knows("polyp")
    assert some.knows("polyp")
    assert not some.knows("ulcer")


def test_a_span_points_at_itself_up_to_a_time():
    (pointer,) = fact("a", 3, 9).pointers(7)
    assert pointer == Pointer("segments", "a-3", 3, 7)
    assert fact("a", 3, 9).pointers(20)[0].end_us == 9


def test_a_run_points_at_its_first_and_last_row_that_may_be_seen():
    run = Fact("a", 1, 9, "events", ((1, "r1"), (5, "r5"), (9, "r9")), "here")
    assert [p.id for p in run.pointers(20)] == ["r1", "r9"]
    assert [p.id for p in run.pointers(8)] == ["r1", "r5"]
    assert [p.id for p in run.pointers(4)] == ["r1"]
    assert run.pointers(0) == ()
    assert all(p.start_us == p.end_us for p in run.pointers(20))
