"""Spans, whole labels and moments as facts, and the holes between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.ontology.records import Span, VideoEvidence, VideoLabel
from surgqa.transforms.timeline.relation import FAR, Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.timeline.videos import S, video


def relation(*spans: Span, labels: tuple[VideoLabel, ...] = ()) -> Relation:
    """The facts of one recording that has no instruments, with whole-second labels."""
    return relation_of([(VideoEvidence(video(S), None, spans, labels=labels), None)])


def span(kind: str, label: str, start: int, end: int, **more) -> Span:
    """A labelled interval in seconds."""
    return Span(kind, label, start * S, end * S, "test", "row", **more)


def column(known: Relation, name: str) -> list:
    return getattr(known.facts, name).tolist()


def test_a_span_is_known_to_half_a_label_period():
    known = relation(span("phase", "preparation", 3, 9))
    assert (column(known, "s0"), column(known, "s"), column(known, "s1")) == (
        [-FAR], [3 * S], [3 * S + S // 2],
    )  # fmt: skip
    assert column(known, "e0") == [9 * S - S // 2]


def test_phases_that_abut_share_a_border_and_nothing_lies_between():
    known = relation(span("phase", "preparation", 0, 5), span("phase", "dissection", 5, 9))
    marks = dict(zip(column(known, "s"), zip(column(known, "s_mark"), column(known, "e_mark"),
                                             strict=True), strict=True))  # fmt: skip
    assert marks[0][1] == marks[5 * S][0] != -1
    assert marks[0][0] == marks[5 * S][1] == -1
    inner = [(a, b) for a, b in zip(known.holes.u0.tolist(), known.holes.u1.tolist(), strict=True)
             if a > -FAR and b < FAR]  # fmt: skip
    assert inner == []


def test_gestures_of_two_hands_share_no_border():
    """One hand may stop a little before the other begins."""
    left, right = {"subject": "left_hand"}, {"subject": "right_hand"}
    known = relation(span("gesture", "suturing", 0, 5, **left),
                     span("gesture", "tying", 5, 9, **right))  # fmt: skip
    assert set(column(known, "e_mark")) == {-1}
    known = relation(span("gesture", "suturing", 0, 5, **left),
                     span("gesture", "tying", 5, 9, **left))  # fmt: skip
    assert column(known, "e_mark")[0] == column(known, "s_mark")[1] != -1


def test_a_phase_may_go_on_through_a_hole_and_be_one_with_its_like():
    known = relation(span("phase", "preparation", 0, 5), span("phase", "preparation", 8, 9))
    first, then = sorted(range(2), key=lambda i: column(known, "s")[i])
    assert column(known, "e1")[first] == 8 * S
    assert column(known, "s0")[then] == 5 * S
    assert len(set(column(known, "grp"))) == 1
    assert column(known, "x1")[first] == column(known, "e1")[then]


def test_a_label_of_the_whole_recording_belongs_to_no_time():
    label = VideoLabel("procedure_type", "cholecystectomy", None, "", "test", "row")
    known = relation(span("phase", "preparation", 0, 5), labels=(label,))
    place = column(known, "subject").index(known.codes.known("procedure_type"))
    assert (column(known, "s0")[place], column(known, "e1")[place]) == (-FAR, FAR)
    assert (0, "whole_label") in known.looked


def test_facts_do_not_depend_on_the_order_of_what_was_read():
    spans = [span("phase", "preparation", 0, 5), span("phase", "dissection", 5, 9),
             span("step", "clip", 2, 4)]  # fmt: skip
    a, b = relation(*spans), relation(*spans[::-1])
    for name in ("s", "e", "s0", "e1"):
        np.testing.assert_array_equal(getattr(a.facts, name), getattr(b.facts, name))
    assert [a.codes.name(c) for c in column(a, "label")] == [
        b.codes.name(c) for c in column(b, "label")
    ]


# -- labels of single instants, told as spans ---------------------------------------------------


def times(known: Relation, name: str) -> list[float]:
    return [x / S for x in column(known, name)]


def test_a_run_of_labelled_seconds_began_and_ended_between_two_of_them():
    known = relation(span("phase", "preparation", 0, 5, sampled_us=S),
                     span("phase", "dissection", 5, 9, sampled_us=S))  # fmt: skip
    assert times(known, "e")[0] == times(known, "s")[1] == 4.5
    assert times(known, "e0")[0] == times(known, "s0")[1] == 4.000001
    assert times(known, "e1")[0] == times(known, "s1")[1] == 5
    assert column(known, "e_mark")[0] == column(known, "s_mark")[1] != -1


def test_the_second_after_the_last_label_is_not_looked_at():
    known = relation(span("phase", "preparation", 2, 5, sampled_us=S))
    assert times(known, "s") == times(known, "s1") == [2]
    assert times(known, "e") == times(known, "e0") == [4.000001]
    assert (column(known, "s0"), column(known, "e1")) == ([-FAR], [FAR])
    assert known.holes.u0.tolist() == [-FAR, 4 * S + 1]
    assert known.holes.u1.tolist() == [2 * S, FAR]


def test_an_interval_over_the_last_label_was_looked_at_to_its_end():
    known = relation(span("phase", "preparation", 2, 5, sampled_us=S), span("step", "clip", 3, 5))
    steps = np.flatnonzero(known.holes.kind == known.codes.known("step"))
    assert known.holes.u0[steps].tolist() == [-FAR, 5 * S]


# -- what was looked for ------------------------------------------------------------------------


def test_labels_of_ones_own_are_sought_as_far_as_they_are_seen():
    known = relation(span("phase", "preparation", 0, 5), span("finding", "polyp", 1, 2))
    assert known.looked_for[0, "finding"]["label"] == {"polyp"}
    assert (0, "phase") not in known.looked_for  # one phase excludes all others


def test_a_dataset_seeks_what_its_map_can_say():
    one = replace(video(S), dataset="multibypass140")
    spans = (span("phase", "preparation", 0, 5), span("event", "out_of_body", 1, 2))
    known = relation_of([(VideoEvidence(one, None, spans), None)])
    assert len(known.looked_for[0, "phase"]["label"]) > 5
    assert "out_of_body" in known.looked_for[0, "event"]["label"]


def whole(kind: str, label: str, value: float | None, rater: str = "") -> VideoLabel:
    return VideoLabel(kind, label, value, rater, "test", "row")


def test_raters_of_one_thing_make_one_fact_whose_value_lies_between_theirs():
    known = relation(
        labels=(whole("rating", "suturing", 2, "a"), whole("rating", "suturing", 4, "b"))
    )
    assert (column(known, "value_lo"), column(known, "value_hi")) == ([2], [4])
    assert column(known, "rater") == [-1]
    assert len(known.proofs[0][1]) == 2


def test_what_is_noted_as_absent_is_no_fact_and_its_absence_is_known():
    known = relation(labels=(whole("finding", "polyp", 0), whole("finding", "ulcer", 1)))
    assert [known.codes.name(c) for c in column(known, "label")] == ["ulcer"]
    assert known.looked_for[0, "whole_label"]["label"] == {"polyp", "ulcer"}
