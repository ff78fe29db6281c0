"""Timed questions: a right item of every rule passes, and what is wrong is found by its code."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontology.concepts import vocabulary
from ontology.keys import digest
from transforms.checks import Severity
from transforms.checks.queries import rule_name
from transforms.checks.queries.base import RULES
from transforms.checks.queries.future import STREAMS as WAITED

from .right_queries import PHASES, RIGHT, STREAMS, about, add_right, chosen
from .stream_world import KEY, S, StreamWorld

ALL = {**RIGHT, **STREAMS}
PAST = [name for name in RIGHT if not name.startswith("state_next")]


@pytest.fixture
def world(tmp_path) -> StreamWorld:
    return StreamWorld(tmp_path / "out")


def errors(world) -> dict[str, int]:
    """Errors by code, of the whole check."""
    report = world.check()
    severe = {f.code for f in report.findings if f.severity is Severity.ERROR}
    return {code: n for code, n in report.counts.items() if code in severe}


def test_every_rule_has_a_right_item(world):
    used = {rule_name(add_right(world, name), ALL[name][4], ALL[name][3]) for name in ALL}
    assert used == {*RULES, *WAITED}


@pytest.mark.parametrize("name", ALL)
def test_a_right_item_passes(world, name):
    assert world.problems(add_right(world, name)) == []


def test_all_right_items_pass_as_a_dataset(world):
    for number, name in enumerate(ALL):
        add_right(world, name)["template_id"] = f"medstream.test{number}"
    report = world.check()
    assert [f"{f.code}: {f.detail}" for f in report.findings if f.severity is Severity.ERROR] == []
    assert sum(report.recomputed.values()) == len(ALL)


def other(value):
    """The same value made a different one of its type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, list):
        return value[:-1]
    return f"{value}x" if isinstance(value, str) else 1 if value is None else value + 1


@pytest.mark.parametrize("name", ALL)
def test_every_leaf_of_the_value_is_compared(world, name):
    value = ALL[name][4]
    for key in value:
        found = world.codes(add_right(world, name, value={**value, key: other(value[key])}))
        assert "answer_differs" in found, key


@settings(deadline=None, max_examples=40)
@given(kind=st.sampled_from(["phase", "instrument", "finding"]), data=st.data())
def test_any_other_label_is_found(tmp_path_factory, kind, data):
    """Whatever label of its kind is put in the right one's place."""
    names = [name for name, entry in ALL.items()
             if entry[3]["about"]["kind"] == kind and "label" in entry[4]]  # fmt: skip
    name = data.draw(st.sampled_from(names))
    value = ALL[name][4]
    labels = sorted(set(vocabulary(f"{kind}s")) - {value["label"]})
    label = data.draw(st.sampled_from(labels))
    world = WORLDS.setdefault(0, StreamWorld(tmp_path_factory.getbasetemp() / "labels"))
    row = add_right(world, name, value={**value, "label": label})
    assert "answer_differs" in world.codes(row)


WORLDS: dict[int, StreamWorld] = {}


CHANGES = [
    # window
    ("state_now", {"start_us": 81 * S}, "query_window_differs"),
    ("state_now", {"end_us": 91 * S}, "query_window_differs"),
    ("state_now", {"query_us": 91 * S}, "query_window_differs"),
    ("state_now", {"query_us": None}, "query_window_differs"),
    ("state_now", {"window_id": "0" * 32}, "query_window_differs"),
    ("state_now", {"checks": []}, "query_window_differs"),
    ("state_now", {"start_us": 90 * S, "window_id": digest("query", KEY, 90 * S, 90 * S),
                   "checks": [{"name": "window_s", "measured": 0.0, "limit": ""}]},
     "query_window_differs"),
    ("state_begins", {"end_us": 119 * S}, "query_window_differs"),
    ("state_begins", {"window_id": digest("query", KEY, 90 * S, 118 * S)}, "query_window_differs"),
    # modes
    ("state_now", {"temporal_mode": "retrospective"}, "mode_differs"),
    ("state_now", {"task_mode": "streaming"}, "mode_differs"),
    ("state_begins", {"task_mode": "single_turn"}, "mode_differs"),
    ("alert", {"options": [{"key": "A", "text": "x", "is_answer": True, "kind": ""}]},
     "mode_differs"),
    # slots
    ("state_now", {"slots": {"about": {"kind": "phase"}, "seen_us": 91 * S}}, "future_shown"),
    ("state_now", {"slots": {}}, "slots_malformed"),
    ("presence_now", {"slots": about("instrument")}, "slots_malformed"),
    ("presence_now", {"slots": about("instrument", "spoon")}, "outside_vocabulary"),
    ("presence_before, never", {"slots": about("instrument", "phaco_handpiece")},
     "outside_vocabulary"),
    ("state_next", {"checks": [{"name": "window_s", "measured": 30.0, "limit": ""}]},
     "slots_malformed"),
    ("score_now", {"slots": about("rating", "nothing")}, "outside_vocabulary"),
    ("alert", {"slots": about("finding", alert="fire_alert")}, "slots_malformed"),
    ("alert", {"slots": about("finding", alert="bleeding_alert")}, "answer_differs"),
    ("set_now", {"slots": about("gesture")}, "answer_undecided"),
    # limits
    ("state_now", {"checks": [{"name": "window_s", "measured": 10.0, "limit": "<= 5"}]},
     "check_failed"),
    # text
    ("state_ended", {"answer": "It was the packaging."}, "text_disagrees"),
    ("target_now", {"answer": "The hook is dissecting the liver."}, "text_disagrees"),
    ("set_before", {"answer": "A grasper."}, "text_disagrees"),
    ("alert", {"answer": "alert: ulcer in view"}, "text_disagrees"),
    ("state_now", {"answer": "B) preparation"}, "text_disagrees"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "code"), CHANGES)
def test_a_change_is_found_by_its_code(world, name, change, code):
    row = add_right(world, name)
    change = {key: json.dumps(value) if key == "slots" else value for key, value in change.items()}
    row.update(change)
    assert code in world.codes(row)


ASKED_ELSEWHERE = [
    # an item of the rule at another second: the evidence does not decide it, or otherwise
    ("state_now", 60, "answer_undecided"),
    ("state_now", 140, "answer_differs"),
    ("presence_now", 100, "answer_differs"),
    ("presence_now of an event", 170, "answer_undecided"),
    ("presence_now of an event", 181, "answer_differs"),
    ("place_now", 100, "answer_undecided"),
    ("score_now", 111, "answer_undecided"),
    ("state_now with a subject", 80, "answer_undecided"),
    ("state_ended", 58, "answer_undecided"),
    ("state_ended", 60, "answer_undecided"),
    ("state_ended of an instrument", 79, "answer_undecided"),
    ("states_done", 105, "answer_differs"),
    ("presence_before", 34, "answer_undecided"),
    ("presence_before", 80, "answer_differs"),
    ("presence_before, never", 125, "answer_undecided"),
    ("presence_before, never", 145, "answer_differs"),
    ("target_now", 5, "answer_undecided"),
    ("state_next", 75, "answer_differs"),
    ("state_next", 100, None),
    ("state_next, too far", 85, "answer_differs"),
]


@pytest.mark.parametrize(("name", "second", "code"), ASKED_ELSEWHERE)
def test_asked_at_another_time(world, name, second, code):
    task, _, looking, slots, value, (answer, options), *more = ALL[name]
    given_more = more[0] if more else {}
    row = world.put(task, second, looking, slots, value, answer, options, **given_more)
    found = world.codes(row)
    assert (code in found) if code else found == set()


OPTIONS = [
    ("state_now", [*PHASES[:2], "the chisel"], PHASES[1], "option_unreadable"),
    ("state_now", PHASES, PHASES[2], "option_false"),
    ("state_now", ["Calot's triangle dissection", *PHASES], PHASES[1], "option_true"),
    ("state_now", PHASES[1:2], PHASES[1], "options_malformed"),
    ("state_now", [*PHASES, "unanswerable"], PHASES[1], "options_malformed"),
    ("state_next", PHASES, PHASES[2], "options_malformed"),
    ("state_next", [*PHASES, "unanswerable"], "unanswerable", "option_false"),
    ("state_next, too far", [*PHASES, "unanswerable"], PHASES[2], "option_false"),
    ("state_begins", [*PHASES, "unanswerable"], PHASES[2], "options_malformed"),
    ("set_now", ["grasper, hook", "hook, grasper", "hook"], "grasper, hook", "option_true"),
    ("set_now", ["grasper, grasper", "grasper, hook"], "grasper, hook", "option_unreadable"),
    ("number_now", ["1", "2", "two or 2"], "2", "option_true"),
    ("place_now", ["upper left", "top left"], "upper left", "option_unreadable"),
    ("place_now", ["upper left", "lower left"], "lower left", "option_false"),
    ("whole_score", ["low", "medium", "dire"], "low", "option_unreadable"),
    ("presence_now", ["Yes", "No"], "No", "option_false"),
    ("presence_now", ["Yes", "No", "Maybe"], "Yes", "options_malformed"),
]


@pytest.mark.parametrize(("name", "options", "right", "code"), OPTIONS)
def test_options_at_fault(world, name, options, right, code):
    answer, options = chosen(options, right)
    row = add_right(world, name, answer=answer, options=options)
    assert code in world.codes(row)


def test_an_open_item_has_no_key(world):
    row = add_right(world, "state_ended")
    row["answer_key"] = "A"
    assert world.codes(row) == {"options_malformed"}


@pytest.mark.parametrize(
    ("name", "change", "code"),
    [
        ("place_now", {"x1": 0.2, "x2": 0.46}, "gate_failed"),
        ("place_now", {"x1": None, "x2": None, "y1": None, "y2": None}, "answer_undecided"),
        ("place_now", {"x1": 0.5, "x2": 0.6}, "answer_differs"),
    ],
)
def test_places_of_regions(world, name, change, code):
    row = add_right(world, name)
    world.regions[92].update(change)
    assert code in world.codes(row)


def test_two_regions_have_no_one_place(world):
    row = add_right(world, "place_now")
    world.looked(92)
    assert "not_unique" in world.codes(row)


def test_two_labels_of_one_subject_are_not_one(world):
    row = add_right(world, "state_now with a subject")
    world.span("action", "cutting", 20, 40, subject="right_hand")
    assert world.problems(row) == []
    world.span("action", "cutting", 20, 40, subject="left_hand")
    assert "not_unique" in world.codes(row)


def test_two_actions_of_one_instrument(world):
    row = add_right(world, "target_now")
    world.at(25, "hook-1")["pairs"] = [
        {"verb": "coagulate", "target": "liver"}, {"verb": "dissect", "target": "cystic_duct"},
    ]  # fmt: skip
    assert "not_unique" in world.codes(row)
    world.at(25, "hook-1")["pairs"] = None
    assert world.codes(row) == {"answer_undecided"}


def test_raters_who_disagree_have_no_common_word_at_a_time(world):
    row = add_right(world, "score_now")
    world.span("rating", "cvs_two_structures", 100, 110, value=0.0)
    assert world.codes(row) == {"answer_undecided"}


def test_absence_where_nobody_looked_is_not_known(world):
    row = add_right(world, "presence_before, never")
    world.events = [one for one in world.events if not 30 <= one["time_us"] // S <= 40]
    assert world.codes(row) == {"answer_undecided"}


def test_a_still_has_a_window_without_length(world):
    world.videos[0].update(media_kind="image", clock="whole", duration_us=S)
    row = world.put("present/finding_presence", 0, 0, about("finding", "polyp"), {"yes": False},
                    "B) No", ["Yes", "No*"])  # fmt: skip
    assert world.problems(row) == []
    world.videos[0].update(media_kind="video", clock="time", duration_us=200 * S)
    assert "query_window_differs" in world.codes(row)


def test_regions_beside_spans_of_their_kind(world):
    """Where a kind is labelled by spans too, the question says which of them is meant.

    Its proof does not: where there is nothing of the kind, it points to what there is instead.
    """
    world.span("finding", "ulcer", 0, 200)
    row = add_right(world, "presence_now of a finding")
    by_region, by_span = row["evidence"], [{"kind": "segments", "id": "finding-0-ulcer",
                                            "start_us": 0, "end_us": 40 * S}]  # fmt: skip
    assert by_region[0]["kind"] == "regions"
    for proof in (by_region, by_span):
        row["evidence"] = proof
        row["slots"] = json.dumps({"about": {"kind": "finding", "table": "regions"},
                                   "label": "polyp"})  # fmt: skip
        assert world.codes(row) == set()
        row["slots"] = json.dumps(about("finding", "ulcer"))
        assert world.codes(row) == {"answer_differs", "option_false", "option_true"}


def test_a_task_without_a_rule_is_not_passed_in_silence(world):
    row = add_right(world, "state_now")
    row["answer_value"] = json.dumps({"mood": "calm"})
    assert world.codes(row) == {"rule_missing"}


def test_one_item_of_a_template_for_each_window(world):
    for second in (90, 95):
        row = add_right(world, "state_now")
        task, _, looking, slots, value, (answer, options) = RIGHT["state_now"]
        world.rows.remove(row)
        world.put(task, second, looking, slots, value, answer, options)
    assert errors(world) == {}
    world.rows.append({**world.rows[0], "item_id": "0" * 32})
    assert errors(world) == {"template_repeated": 1}
