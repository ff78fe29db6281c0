"""Rounds of a stream, and that nothing of what comes later is in a question or a round."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .right_queries import RIGHT, STREAMS, about, add_right
from .stream_world import S, StreamWorld

BEGINS, ENTERS, ALERT, NEVER = (
    "state_begins", "state_begins of an instrument", "alert", "alert, never",
)  # fmt: skip
NOW_AND_BEFORE = [
    name
    for name, entry in RIGHT.items()
    if not name.startswith(("state_next", "whole")) and entry[1] < 200
]


@pytest.fixture
def world(tmp_path) -> StreamWorld:
    return StreamWorld(tmp_path / "out")


def changed(row: dict, number: int, **change) -> dict:
    row["rounds"][number].update(change)
    return row


ROUNDS = [
    (BEGINS, 1, {"round_index": 2}),
    (BEGINS, 1, {"start_us": 0}),
    (BEGINS, 1, {"end_us": 98 * S}),
    (BEGINS, 1, {"current_us": 93 * S, "end_us": 93 * S}),
    (BEGINS, 0, {"current_us": 90 * S, "end_us": 90 * S}),
    (BEGINS, 2, {"answerable": True}),
    (BEGINS, 3, {"answerable": False}),
    (BEGINS, 0, {"accepted_outputs": ["preparation"]}),
    (BEGINS, 0, {"accepted_outputs": []}),
    (BEGINS, 2, {"current_us": 109 * S, "end_us": 109 * S}),
    (BEGINS, 3, {"current_us": 111 * S, "end_us": 111 * S}),
    (ALERT, 3, {"answerable": False}),
    (NEVER, 3, {"answerable": True}),
]


@pytest.mark.parametrize(("name", "number", "change"), ROUNDS)
def test_a_round_at_fault_is_found(world, name, number, change):
    row = add_right(world, name)
    assert "rounds_malformed" in world.codes(changed(row, number, **change))


OUTPUTS = [
    (BEGINS, 2, "clipping and cutting"),
    (BEGINS, 3, "unanswerable"),
    (BEGINS, 4, "preparation"),
    (BEGINS, 1, "uncertain"),
    (ENTERS, 1, "The clip applier."),
    (ALERT, 0, "alert: polyp in view"),
    (ALERT, 3, "no_alert"),
    (ALERT, 4, "alert: ulcer in view"),
    (NEVER, 2, "alert: polyp in view"),
]


@pytest.mark.parametrize(("name", "number", "output"), OUTPUTS)
def test_a_round_that_expects_another_output_is_found(world, name, number, output):
    row = add_right(world, name)
    row = changed(row, number, expected_output=output, accepted_outputs=[output])
    assert world.codes(row) == {"round_differs"}


def test_a_silent_stream_has_four_rounds(world):
    task, at, times, slots, value, (answer, options) = STREAMS[NEVER]
    row = world.stream(task, at, [*times, 170], slots, value, answer, options)
    assert world.codes(row) == {"rounds_malformed"}


@pytest.mark.parametrize(
    "times", [[94, 110, 118], [94, 99, 104, 107, 110, 118], [94, 110, 112, 118], [99, 104, 110]]
)
def test_numbers_of_rounds_around_the_event(world, times):
    task, at, _, slots, value, (answer, options) = STREAMS[BEGINS]
    row = world.stream(task, at, times, slots, value, answer, options)
    assert world.codes(row) == {"rounds_malformed"}


def test_the_first_round_must_have_something_to_lose(world):
    task, at, _, slots, value, (answer, options) = STREAMS[BEGINS]
    row = world.stream(task, at, [108, 109, 110, 118], slots, value, answer, options)
    assert "rounds_malformed" in world.codes(row)


@pytest.mark.parametrize("event", [None, 109 * S, 111 * S, 80 * S, "110"])
def test_another_time_of_the_event_is_found(world, event):
    row = add_right(world, BEGINS)
    row["answer_value"] = json.dumps({**STREAMS[BEGINS][4], "event_us": event})
    assert {"answer_differs", "rounds_malformed"} <= world.codes(row)


def test_another_tolerance_is_found(world):
    row = add_right(world, BEGINS)
    row["answer_value"] = json.dumps({**STREAMS[BEGINS][4], "tolerance_us": 3 * S})
    assert world.codes(row) == {"answer_differs", "rounds_malformed"}


# evidence that does not bear the stream out


def test_the_label_must_hold_at_every_later_round(world):
    row = add_right(world, ALERT)
    world.regions[95].update(label=None, x1=None, y1=None, x2=None, y2=None)
    assert world.codes(row) == {"round_differs"}


def test_the_label_must_be_absent_before_the_event(world):
    row = add_right(world, ALERT)
    world.regions[70].update(label="polyp")
    assert "not_unique" in world.codes(row)


def test_a_flicker_starts_nothing(world):
    row = add_right(world, ALERT)
    for second in range(91, 100):
        world.regions[second].update(label=None)
    assert {"gate_failed", "answer_differs"} & world.codes(row)


def test_what_begins_earlier_is_the_event(world):
    row = add_right(world, ALERT)
    for second in (87, 88, 89):
        world.regions[second].update(label="polyp")
    assert {"answer_differs"} <= world.codes(row)


def test_two_labels_that_begin_together_are_no_single_event(world):
    row = add_right(world, BEGINS)
    world.span("phase", "gallbladder_packaging", 110, 150)
    assert "not_unique" in world.codes(row)


def test_what_nobody_looked_at_is_not_known_to_be_absent(world):
    row = add_right(world, NEVER)
    world.regions[140:145] = []
    assert world.codes(row) == {"answer_undecided"}


def test_a_silent_stream_in_which_something_comes_is_found(world):
    row = add_right(world, NEVER)
    for second in range(145, 150):
        world.regions[second].update(label="ulcer")
    assert {"answer_differs", "round_differs"} <= world.codes(row)


def test_only_the_first_clip_of_the_recording_counts(world):
    row = add_right(world, "alert, first of the recording")
    world.at(10, "grasper-1")["pairs"] = [{"verb": "clip", "target": "cystic_artery"}]
    assert "not_unique" in world.codes(row)


def test_what_sets_no_alert_off_may_begin_with_what_does(world):
    row = add_right(world, "alert, first of the recording")
    for second in range(120, 140):
        world.event("v1", second, "grasper-2", None, [("retract", "gallbladder")])
    assert world.codes(row) == set()


def test_a_phase_out_of_order_is_an_alert(world):
    world.segments = [one for one in world.segments if one["start_us"] < 150 * S]
    world.span("phase", "gallbladder_extraction", 150, 200)
    said = "gallbladder extraction before gallbladder dissection"
    row = world.stream(
        "proactive/workflow_alert", 130, [136, 141, 146, 150, 160],
        about("phase", alert="workflow_alert"),
        {"alert": "workflow_alert", "reason": said, "event_us": 150 * S, "tolerance_us": 2 * S},
        f"alert: {said}",
    )  # fmt: skip
    assert world.problems(row) == []
    missing = next(one for one in world.segments if one["label"] == "clipping_and_cutting")
    missing["label"] = "cleaning_and_coagulation"
    assert "answer_differs" in world.codes(row)


# pointers


@pytest.mark.parametrize(
    ("name", "pointer", "code"),
    [
        ("state_now", {"kind": "segments", "id": "phase-60-calot_triangle_dissection",
                       "start_us": 60 * S, "end_us": 91 * S}, "future_shown"),
        ("state_now", {"kind": "segments", "id": "phase-60-calot_triangle_dissection",
                       "start_us": 50 * S, "end_us": 80 * S}, "pointer_outside"),
        ("state_now", {"kind": "segments", "id": "phase-99-nothing", "start_us": 60 * S,
                       "end_us": 80 * S}, "pointer_missing"),
        ("state_now", {"kind": "regions", "id": "finding-95-polyp", "start_us": 95 * S,
                       "end_us": 95 * S}, "future_shown"),
        ("state_now", {"kind": "videos", "id": "testset/v1", "start_us": 0, "end_us": 90 * S},
         None),
        ("state_now", {"kind": "labels", "id": "experience-novice-None", "start_us": 0,
                       "end_us": 0}, None),
        ("state_next", {"kind": "segments", "id": "phase-110-clipping_and_cutting",
                        "start_us": 110 * S, "end_us": 120 * S}, None),
        ("state_next", {"kind": "segments", "id": "phase-110-clipping_and_cutting",
                        "start_us": 110 * S, "end_us": 121 * S}, "pointer_outside"),
        ("state_begins", {"kind": "segments", "id": "phase-110-clipping_and_cutting",
                          "start_us": 110 * S, "end_us": 118 * S}, None),
        ("state_begins", {"kind": "segments", "id": "phase-110-clipping_and_cutting",
                          "start_us": 110 * S, "end_us": 119 * S}, "pointer_outside"),
    ],
)  # fmt: skip
def test_pointers_end_by_the_query_time_or_the_last_round(world, name, pointer, code):
    row = add_right(world, name)
    row["evidence"] = [pointer]
    assert world.codes(row) == ({code} if code else set())


def test_a_timed_item_needs_a_pointer(world):
    row = add_right(world, "state_now")
    row["evidence"] = []
    assert world.codes(row) == {"pointer_none"}


# nothing of what comes later


def without_later(world: StreamWorld, until_us: int) -> None:
    """The recording's labels as if it had been labelled up to a time alone."""
    world.events = [one for one in world.events if one["time_us"] <= until_us]
    world.regions = [one for one in world.regions if one["time_us"] <= until_us]
    world.segments = [one for one in world.segments if one["start_us"] <= until_us]
    for one in world.segments:
        one["end_us"] = min(one["end_us"], until_us)


@pytest.mark.parametrize("name", NOW_AND_BEFORE)
def test_past_and_present_are_computed_from_what_came_by_the_query_time(world, name):
    row = add_right(world, name)
    without_later(world, row["query_us"])
    assert world.problems(row) == []


@settings(deadline=None, max_examples=15)
@given(name=st.sampled_from(NOW_AND_BEFORE), data=st.data())
def test_whatever_comes_later_changes_nothing(tmp_path_factory, name, data):
    world = StreamWorld(tmp_path_factory.getbasetemp() / "later")
    row = add_right(world, name)
    second = row["query_us"] // S
    without_later(world, row["query_us"])
    for later in range(second + 1, 200):
        track = data.draw(st.sampled_from([None, "grasper-1", "hook-1", "clipper-1"]))
        world.event("v1", later, track, None, [("cut", "liver")] if track else None)
        world.looked(later)
        world.regions[-1]["label"] = data.draw(st.sampled_from([None, "polyp", "ulcer"]))
    for kind, label in (("phase", "preparation"), ("event", "out_of_body"), ("action", "tying")):
        world.span(kind, label, data.draw(st.integers(second + 1, 199)), 200)
    assert world.problems(row) == []


@pytest.mark.parametrize("name", STREAMS)
def test_a_round_is_computed_from_what_came_by_its_time(world, name):
    """A stream cut off at a round expects the same of the rounds up to it."""
    row = add_right(world, name)
    for one in row["rounds"]:
        cut = StreamWorld(world.root)
        without_later(cut, one["current_us"])
        wrong = [detail for code, detail in cut.problems(row) if code == "round_differs"]
        shown = tuple(f"round {n} " for n in range(one["round_index"] + 1))
        assert not [detail for detail in wrong if detail.startswith(shown)]
