"""Spans, whole labels and moments as facts, and the holes between them."""

from __future__ import annotations

import numpy as np

from ontology.records import Span, VideoEvidence, VideoLabel
from tests.transforms.timeline.videos import S, video
from transforms.timeline.relation import FAR, Relation
from transforms.timeline.relation.gather import relation_of


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
