"""What is over: state_ended, states_done, presence_before, set_before, left_view."""

from __future__ import annotations

from ontology.records import Clock, MediaKind

from .scenes import (
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
    wrong,
)

PHASES = spans("phase", ("preparation", 0, 60), ("calot_triangle_dissection", 60, 130),
               ("clipping_and_cutting", 130, 140),
               ("gallbladder_dissection", 140, 220))  # fmt: skip


def tools(shown, last=60, vocabulary=TOOLS, **more):
    """A recording in which instruments are labelled every second."""
    return scene(instruments=table(every(0, last, shown), vocabulary), seconds=last + 1, **more)


def test_the_only_phase_that_ended():
    asked = found(scene(*PHASES, seconds=220), "state_past.phase", every=1, look_back=60)
    assert {one.value["label"] for one in asked} == {"preparation", "calot_triangle_dissection"}
    for one in asked:
        start, last = one.window.start_us, one.window.end_us
        ended = [s for s in PHASES if start < s.end_us < last]
        assert [s.label for s in ended] == [one.value["label"]]
        assert ended[0].end_us < one.query_us == last <= ended[0].end_us + 11 * S
        assert start == max(0, last - 60 * S)
        (pointer,) = one.pointers
        assert (pointer.start_us, pointer.end_us) == (ended[0].start_us, ended[0].end_us)
        assert one.right not in wrong(one)
        assert one.fields["ended"] == ended[0].end_us


def test_two_phases_that_ended_are_not_asked_about():
    parts = spans("phase", ("preparation", 0, 60), ("calot_triangle_dissection", 60, 62),
                  ("clipping_and_cutting", 62, 200))  # fmt: skip
    asked = found(scene(*parts, seconds=200), "state_past.phase", every=1)
    assert not [one for one in asked if one.value["label"] == "calot_triangle_dissection"]
    assert all(one.query_us <= 62 * S for one in asked)


def test_a_phase_that_comes_back_has_not_ended():
    parts = spans("phase", ("preparation", 0, 60), ("clipping_and_cutting", 60, 60.5),
                  ("preparation", 60.5, 200))  # fmt: skip
    assert found(scene(*parts, seconds=200), "state_past.phase", every=1) == []


def test_a_phase_that_goes_on_under_the_same_name_has_not_ended():
    parts = spans("phase", ("preparation", 0, 60), ("preparation", 60, 120))
    one = scene(*parts, seconds=120)
    assert found(one, "state_past.phase", every=1) == []
    assert found(one, "states_done.phase", every=1) == []


def test_nothing_ended_where_the_labels_end():
    parts = spans("phase", ("preparation", 0, 60), ("clipping_and_cutting", 90, 200))
    asked = found(scene(*parts, seconds=200), "state_past.phase", every=1, look_back=30)
    assert asked == []
    assert found(scene(*parts[:1], seconds=60), "state_past.phase", every=1) == []


def test_how_many_phases_ended():
    asked = found(scene(*PHASES, seconds=220), "states_done.phase", every=1, look_back=90)
    assert asked
    for one in asked:
        ended = [s for s in PHASES if one.window.start_us < s.end_us < one.query_us]
        assert one.value == {"number": len(ended)}
        assert one.right == str(len(ended))
        assert len(one.pointers) == len(ended)
        assert one.right not in wrong(one)
        assert len(set(wrong(one))) == 3
    assert {one.value["number"] for one in asked} == {1, 2, 3}


def test_what_came_and_went():
    shown = {"hook": range(20, 26), "grasper": range(61)}
    asked = found(tools(shown), "seen_before.instrument", every=1, look_back=30)
    assert {one.value["yes"] for one in asked} == {True, False}
    for one in asked:
        label, first, last = one.slots["label"], one.window.start_us // S, one.query_us // S
        inside = [t for t in shown.get(label, ()) if first <= t <= last]
        assert one.value["yes"] == bool(inside)
        assert last not in inside, "still there"
        assert label != "grasper"
        assert one.pointers
        assert all(p.end_us <= one.query_us for p in one.pointers)


def test_what_ended_as_the_window_began_was_not_seen_in_it():
    parts = (span("event", "out_of_body", 20, 40), *spans("phase", ("preparation", 0, 200)))
    one = scene(*parts, seconds=200)
    asked = found(one, "seen_before.finding", every=1, look_back=30)
    assert asked == []
    for look_back in (30, 20):
        template = query("seen_before.finding", every=1, look_back=look_back)
        asked = results(one, _of(template, "event"))[0]
        said = {q.query_us / S for q in asked if q.value["yes"]}
        assert said
        assert max(said) <= 39 + look_back, "at least a second of it lies in the window"


def _of(template, kind):
    from dataclasses import replace

    return replace(template, args={**template.args, "of": kind})


def test_a_gap_in_the_window_says_nothing():
    at = every(0, 20, {"hook": [3]}) | every(40, 60, {"hook": [45]})
    one = scene(instruments=table(at, TOOLS), seconds=61)
    asked = times(found(one, "seen_before.instrument", every=1, look_back=15))
    assert {t for t in asked if 20 < t < 53} == set()
    assert asked


def test_everything_that_was_in_view():
    shown = {"hook": range(20, 26), "grasper": range(10, 61), "scissors": [30]}
    asked = found(tools(shown), "set_before", every=1, look_back=20)
    assert asked
    for one in asked:
        first, last = one.window.start_us // S, one.query_us // S
        true = {n for n, at in shown.items() if any(first <= t <= last for t in at)}
        assert set(one.value["labels"]) == true
        assert one.right == ", ".join(sorted(true))
        assert len(set(wrong(one)) - {one.right}) == 3
        assert len(one.names) == len(true)


def test_the_instrument_that_left():
    shown = {"hook": range(5, 26), "grasper": range(61)}
    asked = found(tools(shown), "tool_left", every=1, look_back=20)
    assert asked
    for one in asked:
        assert one.value == {"kind": "instrument", "label": "hook"}
        assert 25 * S < one.query_us <= 36 * S
        assert "grasper" in wrong(one), "it is there and stayed"
        assert "hook" not in wrong(one)
        assert [p.start_us for p in one.pointers] == [5 * S, 25 * S]


def test_an_instrument_that_came_back_or_left_beside_another():
    back = {"hook": [*range(5, 26), *range(27, 61)]}
    assert times(found(tools(back), "tool_left", every=1)) <= {26.0}
    both = {"hook": range(5, 26), "scissors": range(5, 26)}
    assert found(tools(both), "tool_left", every=1) == []


def test_an_instrument_in_the_windows_first_picture_alone_left_as_well():
    shown = {"hook": range(0, 31), "grasper": range(0, 61)}
    (one,) = found(tools(shown), "tool_left", every=60, look_back=20)
    first = one.window.start_us // S
    before = shown | {"scissors": range(0, first)}
    assert len(found(tools(before), "tool_left", every=60, look_back=20)) == 1
    inside = shown | {"scissors": range(0, first + 1)}
    asked = found(tools(inside), "tool_left", every=1, look_back=20)
    assert "hook" not in {q.value["label"] for q in asked}


def test_an_instrument_that_left_unseen():
    at = every(0, 25, {"hook": range(0, 26)}) | every(40, 60, {})
    one = scene(instruments=table(at, TOOLS), seconds=61)
    assert found(one, "tool_left", every=1) == [], "nobody looked after second 25"


def test_a_still_has_no_past():
    findings = {"finding": table({0: ["polyp"]}, ("polyp", "ulcer"))}
    still = scene(seconds=1, regions=findings, instruments=table({0: ["hook"]}, TOOLS),
                  clock=Clock.WHOLE, media=MediaKind.IMAGE)  # fmt: skip
    for name in ("seen_before.finding", "seen_before.instrument", "set_before", "tool_left",
                 "state_past.phase", "states_done.phase"):  # fmt: skip
        assert found(still, name) == [], name


def test_a_still_has_a_present():
    findings = {"finding": table({0: ["polyp"]}, ("polyp", "ulcer"))}
    still = scene(seconds=1, regions=findings, clock=Clock.WHOLE, media=MediaKind.IMAGE)
    (one,) = found(still, "presence.finding")
    assert (one.window.start_us, one.window.end_us, one.query_us) == (0, 0, 0)
