"""From evidence to facts: spans, runs of instants, what is known, and ids of rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ontology.records import (
    UNKNOWN,
    InstrumentTable,
    Media,
    MediaKind,
    Source,
    Span,
    Video,
    VideoEvidence,
)
from transforms.exports.evidence import evidence_tables
from transforms.timeline import build_timeline
from transforms.timeline.channels import fact_book, place_of
from transforms.timeline.facts import Channel, FactBook

S = 1_000_000
IDLE = (("null_verb", "null_target"),)
CUT = (("dissect", "cystic_duct"), ("retract", "null_target"))
TOOLS = ("clipper", "grasper", "hook")
GRASP = (("grasp", "gallbladder"),)
SETS = (CUT, GRASP, IDLE)


def table(rows, instants, labels=TOOLS, sets=()) -> InstrumentTable:
    """Rows of (second, label, pair set or None) at instants in seconds."""
    order = sorted((instants.index(t), labels.index(name), pair or ()) for t, name, pair in rows)
    n = len(order)
    return InstrumentTable(
        instants_us=np.array([round(t * S) for t in instants], dtype=np.int64),
        frames=np.array([round(t * 25) for t in instants], dtype=np.int64),
        sample=np.array([r[0] for r in order], dtype=np.int32),
        label=np.array([r[1] for r in order], dtype=np.int16),
        box_xyxy=np.full((n, 4), np.nan),
        score=np.ones(n),
        pairs=np.array([sets.index(r[2]) if r[2] else UNKNOWN for r in order], np.int16),
        track=np.full(n, UNKNOWN, np.int32),
        row=np.zeros(n, np.int32),
        labels=labels,
        pair_sets=sets,
        box_origin="none",
        pointer="{frame}:{row}",
    )


def evidence(*spans: Span, instruments=None, regions=None) -> VideoEvidence:
    video = Video("cholec80", "v01", "p", "s", Fraction(25), S, 100 * S, Media(MediaKind.ABSENT),
                  None, "v01", "l", "l", (Source("tools.txt", "0" * 64),), TOOLS)  # fmt: skip
    return VideoEvidence(video, instruments, spans=spans, regions=regions or {})


def span(kind: str, label: str, start: float, end: float, **more) -> Span:
    return Span(kind, label, round(start * S), round(end * S), "p.txt", "line 1", **more)


def of(one: VideoEvidence) -> FactBook:
    return fact_book(one, build_timeline(one))


def runs(channel: Channel) -> list[tuple[str, float, float]]:
    return [(f.label, f.start_us / S, f.last_us / S) for f in channel.facts]


def known(channel: Channel) -> list[tuple[float, float]]:
    return [(a / S, b / S) for a, b in channel.known]


def test_spans_are_facts_as_they_are():
    channel = of(evidence(span("rating", "cvs", 1, 9, value=2.0, rater="a", subject="hook")))
    (fact,) = channel.channels["rating"].facts
    assert (fact.start_us, fact.last_us, fact.value, fact.rater) == (S, 9 * S, 2.0, "a")
    assert (fact.subject, fact.table, fact.place) == ("hook", "segments", "p.txt line 1")


def test_exclusive_kinds_are_known_where_one_of_them_holds():
    book = of(evidence(span("phase", "a", 0, 10), span("phase", "b", 10, 20),
                       span("phase", "c", 30, 40), span("event", "x", 35, 60)))  # fmt: skip
    assert known(book.channels["phase"]) == [(0, 20), (30, 40)]


def test_other_kinds_are_known_to_be_absent_wherever_anything_is_labelled():
    book = of(evidence(span("phase", "a", 0, 10), span("event", "x", 5, 15),
                       span("phase", "b", 30, 40)))  # fmt: skip
    assert known(book.channels["event"]) == [(0, 15), (30, 40)]
    assert book.channels["event"].looked_for is None


def test_instants_become_runs():
    rows = [(0, "hook", None), (1, "hook", None), (3, "hook", None), (3, "grasper", None)]
    channel = of(evidence(instruments=table(rows, [0, 1, 2, 3, 4]))).channels["instrument"]
    assert runs(channel) == [("hook", 0, 1), ("grasper", 3, 3), ("hook", 3, 3)]
    assert known(channel) == [(0, 4)]
    assert channel.instants_us == (0, S, 2 * S, 3 * S, 4 * S)
    assert channel.looked_for == TOOLS
    assert [f.place for f in channel.facts][:2] == ["tools.txt frames 0 to 25",
                                                   "tools.txt frame 75"]  # fmt: skip


def test_a_gap_ends_a_run_and_what_is_known():
    rows = [(t, "hook", None) for t in (0, 1, 2.5, 4.1)]
    channel = of(evidence(instruments=table(rows, [0, 1, 2.5, 4.1]))).channels["instrument"]
    assert runs(channel) == [("hook", 0, 2.5), ("hook", 4.1, 4.1)]
    assert known(channel) == [(0, 2.5), (4.1, 4.1)]
    assert not channel.is_known(2 * S, 4 * S)


def test_two_of_one_kind_are_one_fact():
    rows = [(0, "grasper", None), (0, "grasper", None), (1, "grasper", None)]
    channel = of(evidence(instruments=table(rows, [0, 1]))).channels["instrument"]
    assert runs(channel) == [("grasper", 0, 1)]


def test_what_is_done_is_known_where_it_is_known_of_everyone():
    rows = [(0, "hook", CUT), (1, "hook", CUT), (1, "grasper", None), (2, "hook", CUT),
            (2, "grasper", GRASP), (3, "clipper", IDLE)]  # fmt: skip
    book = of(evidence(instruments=table(rows, [0, 1, 2, 3], sets=SETS)))
    triplets, targets = book.channels["triplet"], book.channels["target"]
    assert runs(triplets) == [
        ("hook,dissect,cystic_duct", 0, 0), ("hook,retract,null_target", 0, 0),
        ("grasper,grasp,gallbladder", 2, 2), ("hook,dissect,cystic_duct", 2, 2),
        ("hook,retract,null_target", 2, 2),
    ]  # fmt: skip
    assert runs(targets) == [("cystic_duct", 0, 0), ("cystic_duct", 2, 2), ("gallbladder", 2, 2)]
    for channel in (triplets, targets):
        assert channel.instants_us == (0, 2 * S, 3 * S), "idling is known, an unknown deed is not"
        assert known(channel) == [(0, 0), (2, 3)]


def test_no_interactions_no_such_channel():
    book = of(evidence(instruments=table([(0, "hook", None)], [0, 1])))
    assert set(book.channels) == {"instrument"}


def test_regions_beside_spans_have_a_name_of_their_own():
    regions = {"finding": table([(1, "polyp", None)], [0, 1, 2], ("polyp", "ulcer"))}
    alone = of(evidence(regions=regions))
    beside = of(evidence(span("finding", "polyp", 0, 5), regions=regions))
    assert set(alone.channels) == {"finding"}
    assert alone.channels["finding"].looked_for == ("polyp", "ulcer")
    assert set(beside.channels) == {"finding", "finding_region"}
    assert beside.channels["finding"].instants_us is None
    assert beside.channels["finding_region"].instants_us == (0, S, 2 * S)


def test_a_place_does_not_name_its_source_twice():
    assert place_of("a.txt", "a.txt:3") == "a.txt:3"
    assert place_of("a.txt", "line 3") == "a.txt line 3"
    assert place_of("", "line 3") == "line 3"


ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(TOOLS), st.sampled_from((*SETS, None))),
    max_size=25,
)
PARTS = st.lists(
    st.tuples(st.sampled_from(("phase", "event")), st.sampled_from("ab"), st.integers(0, 9),
              st.integers(1, 9)), max_size=8,
)  # fmt: skip


@settings(max_examples=40)
@given(ROWS, ROWS, PARTS, st.sets(st.integers(0, 9), min_size=1))
def test_every_pointer_names_a_row_of_the_evidence_tables(rows, found, parts, more):
    instants = sorted({row[0] for row in (*rows, *found)} | more)
    one = evidence(
        *(span(kind, label, start, start + long) for kind, label, start, long in parts),
        instruments=table(rows, instants, sets=SETS),
        regions={"finding": table(found, instants, sets=SETS)},
    )
    timeline = build_timeline(one)
    tables = evidence_tables(one, timeline, ())
    there = {
        (name, row[column]): (row[first], row[last])
        for name, column, first, last in (("segments", "segment_id", "start_us", "end_us"),
                                          ("events", "event_id", "time_us", "time_us"),
                                          ("regions", "region_id", "time_us", "time_us"))
        for row in tables[name].to_pylist()
    }  # fmt: skip
    for channel in fact_book(one, timeline).channels.values():
        for fact in channel.facts:
            for pointer in fact.pointers(2**62):
                first, last = there[pointer.kind, pointer.id]
                assert first <= pointer.start_us <= pointer.end_us <= last
            assert len({name for _, name in fact.marks}) == len(fact.marks)


@settings(max_examples=40)
@given(ROWS, st.sets(st.integers(0, 9), min_size=1))
def test_runs_hold_at_exactly_the_instants_that_show_the_label(rows, more):
    instants = sorted({row[0] for row in rows} | more)
    one = evidence(instruments=table(rows, instants, sets=SETS))
    channel = of(one).channels["instrument"]
    shown = {(t * S, name) for t, name, _ in rows}
    for time in (t * S for t in instants):
        assert {f.label for f in channel.meeting(time, time)} == {n for t, n in shown if t == time}
        assert channel.is_known(time, time)
    assert {(t, f.label) for f in channel.facts for t, _ in f.marks} == shown


def test_the_same_facts_whatever_the_order_of_the_rows_kinds():
    parts = (span("phase", "a", 0, 10), span("event", "x", 2, 3), span("phase", "b", 10, 20))
    one = evidence(*parts)
    assert of(replace(one, spans=parts[::-1])).channels == of(one).channels
