"""What comes next: state_next at once, state_begins in rounds."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ontology.rounds import DELTA_US

from .scenes import (
    BYPASS,
    TOOLS,
    S,
    every,
    found,
    items,
    query,
    results,
    scene,
    span,
    spans,
    table,
    values,
    wrong,
)

CHOLE_PHASES = spans("phase", ("preparation", 0, 90.4), ("calot_triangle_dissection", 90.4, 230),
                     ("clipping_and_cutting", 230, 300), ("gallbladder_dissection", 300, 420),
                     ("cleaning_and_coagulation", 420, 500))  # fmt: skip
OPERATION = scene(*CHOLE_PHASES, seconds=500)
NEXT = ("state_next.phase", "state_next_open.phase")
SEEDS = [str(seed) for seed in range(6)]


def foretold(evidence, name="state_next.phase", every=20):
    """Questions with an answer, of many seeds."""
    asked = [q for seed in SEEDS for q in found(evidence, name, every=every, seed=seed)]
    return [q for q in asked if "unanswerable" not in q.value]


def hidden(evidence, name="state_next.phase", every=20):
    """Questions that nobody can answer, of many seeds."""
    asked = [q for seed in SEEDS for q in found(evidence, name, every=every, seed=seed)]
    return [q for q in asked if "unanswerable" in q.value]


@pytest.mark.parametrize("name", NEXT)
def test_the_only_phase_that_can_follow_and_soon_does(name):
    asked = foretold(OPERATION, name)
    follows = {a.label: b for a, b in pairwise(CHOLE_PHASES)}
    assert {q.value["label"] for q in asked} == {
        "calot_triangle_dissection", "clipping_and_cutting", "gallbladder_dissection"
    }, "after the dissection of the gallbladder either of two may follow"  # fmt: skip
    for one in asked:
        (now,) = [s for s in CHOLE_PHASES if s.start_us <= one.query_us < s.end_us]
        then = follows[now.label]
        assert one.value == {"kind": "phase", "label": then.label}
        assert one.query_us < then.start_us <= one.query_us + 30 * S
        assert one.window.end_us == one.query_us
        assert one.window.start_us == max(0, one.query_us - 30 * S)
        assert [(c.name, c.measured) for c in one.checks] == [("look_ahead_s", 30.0)]
        assert "unanswerable" in wrong(one)
        assert one.right not in wrong(one)
        assert all(p.end_us <= one.query_us + 30 * S for p in one.pointers)
        assert one.rounds == ()


@pytest.mark.parametrize("name", NEXT)
def test_what_nobody_can_tell(name):
    asked = hidden(OPERATION, name)
    assert asked
    for one in asked:
        assert one.value == {"unanswerable": True}
        assert (one.right, one.gold) == ("unanswerable", "unanswerable")
        begins = [s.start_us for s in CHOLE_PHASES
                  if one.query_us < s.start_us <= one.query_us + 30 * S]  # fmt: skip
        assert begins == []
        assert one.query_us + 30 * S <= 500 * S, "labelled to the end of the look-ahead"
        assert all(p.end_us <= one.query_us + 30 * S for p in one.pointers)


def test_the_options_do_not_tell_whether_there_is_an_answer():
    shapes = set()
    for one in (*foretold(OPERATION), *hidden(OPERATION)):
        (now,) = [s for s in CHOLE_PHASES if s.start_us <= one.query_us < s.end_us]
        texts = {*wrong(one), one.right}
        current = now.label.replace("_", " ").replace("calot", "Calot")
        assert current not in texts, "the phase under way cannot come next"
        shapes.add((len(texts), len(one.wrong)))
    assert len(shapes) == 1


def test_as_many_options_where_the_order_is_not_known():
    parts = spans("phase", ("preparation", 0, 100), ("gastric_pouch_creation", 100, 300))
    for procedure in (BYPASS, "appendectomy"):
        one = scene(*parts, seconds=300, dataset="multibypass140", procedure=procedure)
        assert {len(q.wrong) for q in (*hidden(one), *foretold(one))} == {7}


@pytest.mark.parametrize(("parts", "why"), [
    ((("preparation", 0, 100), ("clipping_and_cutting", 100, 200)), "not the usual order"),
    ((("gallbladder_dissection", 0, 100), ("cleaning_and_coagulation", 100, 200)), "two may"),
    ((("preparation", 0, 100), ("preparation", 100, 200)), "the same goes on"),
    ((("preparation", 0, 100), ("calot_triangle_dissection", 101, 200)), "not labelled between"),
    ((("preparation", 0, 1.5), ("calot_triangle_dissection", 1.5, 200)), "too near the start"),
    ((("preparation", 0, 100), ("calot_triangle_dissection", 100, 100.4),
      ("clipping_and_cutting", 100.4, 200)), "a flicker"),
])  # fmt: skip
def test_not_foretold(parts, why):
    assert foretold(scene(*spans("phase", *parts), seconds=200)) == [], why


def test_two_phases_at_once_foretell_nothing():
    parts = (*spans("phase", ("preparation", 0, 100), ("calot_triangle_dissection", 60, 200),
                    ("clipping_and_cutting", 200, 300)),)  # fmt: skip
    asked = foretold(scene(*parts, seconds=300), every=5)
    assert asked
    assert not [q for q in asked if 60 <= q.query_us / S <= 101]
    assert all(not 60 < q.query_us / S <= 100 for q in hidden(scene(*parts, seconds=300)))


def test_a_phase_that_comes_at_any_time_is_not_foretold():
    parts = spans("phase", ("preparation", 0, 100), ("cleaning_and_coagulation", 100, 200))
    assert foretold(scene(*parts, seconds=200, dataset="multibypass140", procedure=BYPASS)) == []


def test_the_order_of_an_unknown_operation_foretells_nothing():
    assert foretold(scene(*CHOLE_PHASES, seconds=500, procedure="appendectomy")) == []


def test_no_phases_no_question():
    asked, reasons = results(scene(seconds=60), query("state_next.phase"))
    assert (asked, reasons) == ([], {"no label of kind 'phase'"})


def streams_are_sound(asked, kind="phase"):
    for one in asked:
        event, times = one.value["event_us"], [t for t, _ in one.rounds]
        assert one.value["tolerance_us"] == DELTA_US
        assert one.query_us == one.window.start_us < times[0]
        assert one.window.end_us == times[-1]
        assert len(times) in (4, 5)
        assert event in times
        assert [there for _, there in one.rounds] == [t >= event for t in times]
        assert sum(t >= event for t in times) == 2
        assert not [t for t in times if event - DELTA_US < t < event]
        assert 20 <= event // S - one.query_us // S <= 60
        assert one.value["kind"] == kind
        assert one.slots == {"about": {"kind": kind}}
        assert all(p.end_us <= times[-1] for p in one.pointers)
        assert one.right not in wrong(one)
        assert "unanswerable" not in wrong(one)


def test_a_phase_that_is_waited_for():
    asked = found(OPERATION, "state_begins.phase")
    streams_are_sound(asked)
    starts = {s.label: s.start_us for s in CHOLE_PHASES[1:]}
    assert {q.value["label"]: q.value["event_us"] for q in asked} == starts
    for one in asked:
        label = one.value["label"]
        (mine,) = [s for s in CHOLE_PHASES if s.label == label]
        assert one.rounds[-1][0] <= mine.end_us, "it holds at every round from its beginning"


def test_all_rounds_but_the_one_at_the_event_are_on_whole_seconds():
    for one in found(OPERATION, "state_begins.phase"):
        odd = [t for t, _ in one.rounds if t % S]
        assert odd in ([], [one.value["event_us"]])


@pytest.mark.parametrize(("parts", "why"), [
    ((("preparation", 0, 19), ("calot_triangle_dissection", 19, 200)), "too near the start"),
    ((("preparation", 0, 99.9), ("clipping_and_cutting", 99.9, 100.2),
      ("preparation", 100.2, 200)), "a flicker, and what it interrupts comes back"),
    ((("preparation", 0, 100), ("calot_triangle_dissection", 90, 200)), "two at once"),
    ((("preparation", 0, 60), ("calot_triangle_dissection", 99, 200)), "not known before"),
    ((("preparation", 0, 100), ("preparation", 100, 200)), "it was there all the time"),
])  # fmt: skip
def test_not_waited_for(parts, why):
    for seed in SEEDS:
        one = scene(*spans("phase", *parts), seconds=200)
        asked = found(one, "state_begins.phase", seed=seed)
        if why == "two at once":
            asked = [q for q in asked if q.query_us > 90 * S]
        assert asked == [], why


def test_a_phase_that_comes_back_is_waited_for_only_after_it_was_gone():
    parts = spans("phase", ("preparation", 0, 60), ("calot_triangle_dissection", 60, 75),
                  ("preparation", 75, 200))  # fmt: skip
    for seed in SEEDS:
        for one in found(scene(*parts, seconds=200), "state_begins.phase", seed=seed):
            if one.value["event_us"] == 75 * S:
                pytest.fail("another began between the question and the event")


SHOWN = {"grasper": range(0, 201), "hook": range(60, 90), "scissors": range(130, 131),
         "clipper": range(165, 190)}  # fmt: skip


def tools(shown, step=1, last=200, **more):
    at = every(0, last, shown, step)
    return scene(instruments=table(at, TOOLS), seconds=last + 1, period=step, **more)


def test_an_instrument_that_comes_into_view():
    for seed in SEEDS:
        asked = found(tools(SHOWN), "tool_enters", seed=seed)
        streams_are_sound(asked, "instrument")
        events = {(q.value["label"], q.value["event_us"] // S) for q in asked}
        assert ("hook", 60) in events
        assert events <= {("hook", 60), ("clipper", 165)}, "scissors are a flicker"
        for one in asked:
            assert {int(t) // S for t, there in one.rounds if there} <= set(
                SHOWN[one.value["label"]])  # fmt: skip


def test_two_instruments_that_come_together_are_not_waited_for():
    both = {"hook": range(60, 90), "scissors": range(60, 90)}
    assert found(tools(both), "tool_enters") == []


def test_an_instrument_that_is_there_when_the_question_is_put():
    back = {"hook": [*range(0, 58), *range(60, 90)]}
    assert found(tools(back), "tool_enters") == []


def test_labels_too_far_apart_do_not_tell_when_something_begins():
    for step in (3, 5, 10):
        one = tools({"hook": range(60, 120)}, step=step)
        assert found(one, "tool_enters") == [], f"every {step} s"
    assert found(tools({"hook": range(60, 120)}, step=2), "tool_enters")


def test_finished_items_of_a_stream():
    for one in items(OPERATION, query("state_begins.phase", every=5)):
        rounds = one.extra["rounds"]
        said = next(o.text for o in one.options if o.is_answer)
        assert one.extra["task_mode"] == "streaming"
        assert [r["expected_output"] for r in rounds] == [
            said if r["answerable"] else "unanswerable" for r in rounds]  # fmt: skip
        assert all(r["expected_output"] in r["accepted_outputs"] for r in rounds)
        assert [(r["start_us"], r["end_us"]) for r in rounds] == [
            (one.window.start_us, r["current_us"]) for r in rounds]  # fmt: skip


def test_nobodys_label_is_waited_for():
    parts = (span("gesture", "G1", 0, 60, subject="hook"),)
    assert values(found(scene(*parts, seconds=60), "state_begins.gesture")) == []
