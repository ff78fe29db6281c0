"""What holds at the moment: state_now, doing_now, presence_now, target_now."""

from __future__ import annotations

import pytest

from .scenes import (
    NOWHERE,
    TOOLS,
    S,
    every,
    found,
    query,
    results,
    scene,
    span,
    spans,
    table,
    times,
    us,
    values,
    wrong,
)

PHASES = spans("phase", ("preparation", 0, 60), ("calot_triangle_dissection", 60, 120),
               ("clipping_and_cutting", 120.4, 180))  # fmt: skip
SUTURE = ("suturing", "knot_tying")


def test_the_phase_that_holds():
    asked = found(scene(*PHASES, seconds=180), "state_now.phase")
    assert len(asked) > 30
    for one in asked:
        label = one.value["label"]
        (span,) = [s for s in PHASES if s.label == label]
        assert span.start_us + S <= one.query_us <= span.end_us
        assert one.window.start_us == max(0, one.query_us - 10 * S)
        assert one.window.end_us == one.query_us
        assert one.slots == {"about": {"kind": "phase"}}
        assert one.value == {"kind": "phase", "label": label}
        (pointer,) = one.pointers
        assert (pointer.kind, pointer.start_us, pointer.end_us) == (
            "segments", span.start_us, one.query_us)  # fmt: skip
        assert one.right not in wrong(one)
        assert len(wrong(one)) == 6
        assert one.names[0][0] == one.right


def test_no_phase_is_asked_for_where_it_just_changed_or_nothing_is_labelled():
    asked = times(found(scene(*PHASES, seconds=200), "state_now.phase", every=1))
    assert not asked & {60.0 + 0.5, 121.0, 120.0 + 0.5}
    assert 121 not in asked, "it has held for 0.6 s only"
    assert 122 in asked
    assert not [t for t in asked if t > 180]
    assert 1 not in asked, "a window of one second holds one picture"


def test_two_labels_at_once():
    both = (*spans("phase", ("preparation", 0, 40), ("calot_triangle_dissection", 30, 60)),)
    asked = times(found(scene(*both, seconds=60), "state_now.phase", every=1))
    assert not [t for t in asked if 30 < t <= 40]
    assert {29, 42} <= asked
    _, reasons = results(scene(*both, seconds=60), query("state_now.phase", every=1))
    assert "not exactly one label of the kind holds" in reasons


def test_a_flicker_is_not_asked_about():
    parts = spans("phase", ("preparation", 0, 30), ("clipping_and_cutting", 30, 30.4),
                  ("preparation", 30.4, 60))  # fmt: skip
    asked = found(scene(*parts, seconds=60), "state_now.phase", every=1)
    assert {one.value["label"] for one in asked} == {"preparation"}
    assert not times(asked) & {30.0 + 0.4, 31.0}


def test_the_scenes_label_is_asked_for_without_what_somebody_does():
    parts = (span("action", "grasping", 0, 60, subject="left_hand"),
             *spans("phase", ("preparation", 0, 60)))  # fmt: skip
    assert found(scene(*parts, seconds=60), "state_now.action") == []


def test_what_others_do_is_no_wrong_option_for_the_scene():
    parts = (span("action", "suturing", 0, 60),
             span("action", "knot_tying", 0, 60, subject="left_hand"))  # fmt: skip
    for one in found(scene(*parts, seconds=60, dataset="avos"), "state_now.action"):
        assert "knot tying" not in wrong(one)


@pytest.mark.parametrize("name", ["hand", "hook"])
def test_what_somebody_does(name):
    parts = (span("action", "grasping", 0, 60, subject=name),
             span("action", "retracting", 30, 40, subject=name),
             span("action", "retracting", 0, 60, subject="nobody"))  # fmt: skip
    asked = found(scene(*parts, seconds=60), "action_of")
    assert asked
    for one in asked:
        assert one.value == {"kind": "action", "label": "grasping", "subject": name}
        assert one.slots == {"about": {"kind": "action", "subject": name}}
        assert one.fields["subject"].label == name
        assert f"'grasping' of the {name} is noted" in one.note, "the question names it, too"
        assert not 30 <= one.query_us / S <= 40, "two actions at once"


def test_presence_of_a_tool():
    shown = {"hook": range(10, 40), "grasper": range(30, 60)}
    one = scene(instruments=table(every(0, 60, shown), TOOLS), seconds=61)
    asked = found(one, "presence.instrument", every=1)
    assert {v["yes"] for v in values(asked)} == {True, False}
    for question in asked:
        second, label = question.query_us // S, question.slots["label"]
        assert question.query_us % S == 0
        assert question.value == {"yes": second in shown.get(label, ())}
        assert question.slots["about"] == {"kind": "instrument"}
        assert question.pointers
        assert all(p.start_us <= p.end_us <= question.query_us for p in question.pointers)


def test_presence_is_not_asked_between_annotated_instants():
    one = scene(instruments=table(every(0, 60, {"hook": [5, 50]}, step=5), TOOLS), period=5)
    asked = times(found(one, "presence.instrument", every=1))
    assert asked
    assert all(t % 5 == 0 for t in asked)


def test_nothing_outside_the_vocabulary_is_said_to_be_absent():
    one = scene(instruments=table(every(0, 60, {"hook": range(60)}), ("hook", "grasper")))
    labels = {q.slots["label"] for q in found(one, "presence.instrument", every=1)}
    assert labels == {"hook", "grasper"}


def test_presence_of_an_event_that_has_spans():
    parts = (*PHASES, span("event", "out_of_body", 100.5, 110))
    asked = found(scene(*parts, seconds=200, dataset="heichole"), "out_of_body", every=1)
    for one in asked:
        inside = 101.5 <= one.query_us / S <= 110
        if one.slots["label"] == "out_of_body":
            assert one.value["yes"] == inside
            assert not 100.5 < one.query_us / S < 101.5
        assert one.query_us <= 180 * S, "nothing at all is labelled afterwards"


def test_absence_points_at_what_was_labelled_then():
    regions = {"finding": table(every(0, 60, {"polyp": [50]}), ("polyp", "ulcer"))}
    for question in found(scene(regions=regions), "presence.finding", every=1):
        (pointer,) = question.pointers
        there = question.query_us == 50 * S
        assert (pointer.kind, pointer.end_us) == ("regions" if there else "videos",
                                                  question.query_us)  # fmt: skip
    for question in found(scene(*PHASES, regions=regions), "presence.finding", every=1):
        assert {p.kind for p in question.pointers} <= {"regions", "segments"}


DEEDS = {
    10: [("hook", NOWHERE, (("dissect", "cystic_duct"),))],
    20: [("hook", NOWHERE, (("dissect", "cystic_duct"), ("dissect", "cystic_plate")))],
    30: [("grasper", NOWHERE, (("null_verb", "null_target"),))],
    40: [("grasper", NOWHERE, (("retract", "null_target"),))],
    50: [("hook", NOWHERE, (("dissect", "liver"),)), ("grasper", NOWHERE, None)],
}


def _deeds():
    at = {t: DEEDS.get(t, []) for t in range(61)}
    return scene(instruments=table(at, TOOLS, pairs=True), seconds=61, dataset="cholect50")


def test_what_an_instrument_acts_on():
    (one,) = found(_deeds(), "target_now", every=1)
    assert one.query_us == 10 * S, "elsewhere nobody does one thing to something known"
    assert one.value == {"instrument": "hook", "verb": "dissect", "target": "cystic_duct"}
    assert one.slots["tool"] == {"label": "hook"}
    assert one.right == "cystic duct"
    assert len(one.wrong) == 7
    assert not {"no specific target", "nothing", "cystic duct"} & set(wrong(one))
    assert [p.id for p in one.pointers] == ["250-hook-1"]


def test_a_question_at_the_very_beginning_has_no_window():
    one = scene(instruments=table(every(0, 1, {"hook": [0, 1]}), TOOLS), seconds=2)
    asked, reasons = results(one, query("set_now.instrument", every=1))
    assert asked == []
    assert "too near the beginning for two pictures" in reasons
    assert us(2) == 2 * S
