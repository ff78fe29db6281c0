"""Questions about the next action: right items pass, each fault has its code."""

from __future__ import annotations

import orjson
import pytest

from transforms.checks.queries import rule_name
from transforms.checks.queries.clips import Limits, derived_clips

from ..stream_world import S
from .unit_worlds import (
    ACTION_ITEMS,
    FIVE,
    NAMES,
    PLANS,
    TWICE,
    ActionWorld,
    at_42,
    derivation,
    letter,
    starred,
)

DERIVED = ["next", "history", "plan"]


def world_for(name: str, tmp_path) -> ActionWorld:
    return ActionWorld(tmp_path, cut_by_people="people" in name)


@pytest.fixture
def world(tmp_path) -> ActionWorld:
    return ActionWorld(tmp_path)


@pytest.mark.parametrize("name", ACTION_ITEMS)
def test_a_right_item_passes(tmp_path, name):
    world = world_for(name, tmp_path)
    row = world.right(name)
    assert world.problems(row) == []
    assert (
        rule_name(row, None, orjson.loads(row["slots"])) == ACTION_ITEMS[name][0].partition("/")[2]
    )


@pytest.mark.parametrize("benchmark", ["medstream", "mine"])
def test_the_task_says_the_rule_whatever_the_benchmark(world, benchmark):
    row = world.right("next")
    row["benchmark"] = benchmark
    assert world.problems(row) == []


def test_clips_by_hand(world):
    view = world.view()
    found = derived_clips(view, Limits(5, 1, 0, 0))
    assert [(c.first, c.last, c.action, c.purity, c.centrality) for c in found] == [
        (10, 42, FIVE[0], 30 / 33, 1.0), (43, 50, FIVE[1], 1.0, 0.75),
        (51, 58, FIVE[0], 0.75, 1.0), (59, 64, FIVE[3], 1.0, None), (65, 71, FIVE[4], 1.0, 1.0),
    ]  # fmt: skip
    pure = derived_clips(view, Limits(5, 1, 0.8, 0.8))
    assert [c.first for c in pure] == [10, 59, 65]
    fine = derived_clips(view, Limits(1, 1, 0, 0))
    assert [c.first for c in fine] == [10, 30, 33, 43, 51, 59, 65]


@pytest.mark.parametrize("name", ACTION_ITEMS)
def test_every_leaf_of_the_value_is_compared(tmp_path, name):
    world = world_for(name, tmp_path)
    value = ACTION_ITEMS[name][3]
    changes = [{**value, key: other(value[key])} for key in value if key != "derivation"]
    told = value["derivation"]
    kept = ("shortest", "reach", "purity", "centrality")
    changes += [{**value, "derivation": {**told, key: other(told[key])}}
                for key in told if key not in kept]  # fmt: skip
    for changed in changes:
        assert world.codes(world.right(name, value=changed)) == {"answer_differs"}, changed


def other(one):
    """The same value made a different one of its type."""
    if isinstance(one, list):
        return one[:-1]
    return f"{one}x" if isinstance(one, str) else one + 1


@pytest.mark.parametrize("name", ACTION_ITEMS)
def test_every_slot_is_compared(tmp_path, name):
    world = world_for(name, tmp_path)
    slots = ACTION_ITEMS[name][2]
    for key in set(slots) - {"about", "told", "horizon"}:
        wrong = other(slots[key]) if slots[key] is not None else 0.25
        found = world.codes(world.right(name, slots={**slots, key: wrong}))
        assert found == {"slot_differs"}, key
        missing = {one: value for one, value in slots.items() if one != key}
        assert world.codes(world.right(name, slots=missing)) == {"slots_malformed"}, key


def test_shares_agree_to_a_millionth(world):
    near, far = at_42(centrality=0.7500009), at_42(centrality=0.750002)
    assert world.codes(world.right("next", slots=near)) == set()
    assert world.codes(world.right("next", slots=far)) == {"slot_differs"}


MEASURED = {"look_ahead_s": 17.0, "purity": 1.0, "centrality": 0.75}


@pytest.mark.parametrize("name", MEASURED)
def test_every_measured_value_is_compared(world, name):
    less = {key: one for key, one in MEASURED.items() if key != name}
    assert world.codes(world.right("next", measured=less)) == {"measure_differs"}
    wrong = MEASURED | {name: MEASURED[name] + 0.1}
    assert world.codes(world.right("next", measured=wrong)) == {"measure_differs"}


def changed(world, name, **columns) -> set[str]:
    row = world.right(name)
    row.update(columns)
    return world.codes(row)


def test_mode_and_form(world):
    assert changed(world, "next", task_mode="streaming") == {"mode_differs"}
    assert changed(world, "next", form="open") == {"options_malformed"}
    present = {"task": "present/next_action", "temporal_mode": "present"}
    assert changed(world, "next", **present) == {"mode_differs"}


def test_one_picture_has_a_window_without_length(world):
    row = world.right("next")
    row["checks"][0]["limit"] = "<= 5"
    assert world.codes(row) == {"query_window_differs"}
    row["checks"][0]["limit"] = ""
    assert world.codes(row) == {"query_window_differs"}


@pytest.mark.parametrize("at_us", [41 * S, 42 * S + 1, 9 * S, 71 * S, 150 * S])
def test_only_the_second_before_a_clip_is_asked_at(world, at_us):
    task, _, slots, value, answer, options, measured = ACTION_ITEMS["next"]
    row = world.item(task, at_us, slots, value, answer, options, measured=measured)
    assert world.codes(row) == {"picture_differs"}


def test_nothing_is_asked_over_a_hole_of_derived_clips(world):
    world.events = [one for one in world.events if one["time_us"] != 42 * S]
    # The clip of 43 s still begins a stretch, but nobody knows what was done before.
    assert world.codes(world.right("next")) == {"picture_differs"}
    value = {**ACTION_ITEMS["next"][3], "derivation": derivation(42, 43, 50) | {"reach": 2}}
    assert "picture_differs" not in world.codes(world.right("next", value=value))


@pytest.mark.parametrize(("name", "wrong"), [("shortest", 0), ("shortest", 2.5), ("reach", None),
                                             ("purity", 1.5), ("centrality", True)])  # fmt: skip
def test_settings_must_be_possible(world, name, wrong):
    told = derivation(42, 43, 50) | {name: wrong}
    value = {**ACTION_ITEMS["next"][3], "derivation": told}
    assert world.codes(world.right("next", value=value)) == {"slots_malformed"}


def test_other_settings_give_other_clips(world):
    value = {**ACTION_ITEMS["next"][3], "derivation": derivation(42, 43, 50) | {"shortest": 3}}
    assert "slot_differs" in world.codes(world.right("next", value=value))
    value["derivation"] |= {"shortest": 5, "purity": 0.8}
    found = world.codes(world.right("next", value=value))
    assert found == {"answer_differs", "slot_differs", "measure_differs"}


def test_what_nobody_knows_is_not_decided(world):
    for one in world.events:
        one["pairs"] = None
    assert world.codes(world.right("next")) == {"answer_undecided"}


@pytest.mark.parametrize("told", [["dissection"], ["dissection", "vessel_clipping", "dissection"]])
def test_what_is_told_are_the_last_actions(world, told):
    slots = {**ACTION_ITEMS["history"][2], "told": told}
    assert world.codes(world.right("history", slots=slots)) == set()


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (["vessel_clipping"], "slot_differs"),
        (["dissection", "vessel_clipping"], "slot_differs"),
        (["dissection", "coagulation"], "slot_differs"),
        ([], "slots_malformed"),
        (None, "slots_malformed"),
    ],
)
def test_what_is_told_wrongly(world, told, code):
    slots = {**ACTION_ITEMS["history"][2], "told": told}
    assert world.codes(world.right("history", slots=slots)) == {code}


@pytest.mark.parametrize("horizon", [0, True, "3", None])
def test_horizons_are_whole(world, horizon):
    row = world.right("plan", slots=at_42(horizon=horizon))
    assert world.codes(row) == {"slots_malformed"}


def test_a_plan_is_no_longer_than_what_follows(world):
    assert world.codes(world.right("plan", slots=at_42(horizon=5))) == {"answer_undecided"}
    found = world.codes(world.right("plan", slots=at_42(horizon=2)))
    assert found == {"answer_differs", "measure_differs", "options_malformed", "option_false"}


REVERSED = NAMES[::-1]
OPTIONS = [
    ("next", REVERSED, REVERSED[3], {"options_malformed"}),
    ("next", NAMES[:4], NAMES[1], {"options_malformed"}),
    ("next", [*NAMES, "unanswerable"], NAMES[1], {"options_malformed"}),
    ("next", ["dissection", *NAMES[1:]], NAMES[1], {"options_malformed"}),
    ("next", NAMES, NAMES[0], {"option_false", "option_true"}),
    ("history", NAMES, NAMES[4], {"option_false", "option_true"}),
    ("plan", PLANS[:3], PLANS[1], {"options_malformed"}),
    ("plan", PLANS, PLANS[2], {"option_false", "option_true"}),
    ("plan", [*PLANS[:3], "Vessel Clipping, then Sewing, then Coagulation"], PLANS[1],
     {"option_unreadable"}),
    ("plan", [*PLANS[:3], "Vessel Clipping, then Coagulation"], PLANS[1], {"options_malformed"}),
    ("plan", [*PLANS[:3], "Dissection, then Dissection, then Coagulation"], PLANS[1],
     {"options_malformed"}),
    ("plan", [*PLANS[:3], "unanswerable"], PLANS[1], {"option_unreadable"}),
    ("plan cut by people", [TWICE[0], *TWICE[:3]], TWICE[1], {"options_malformed"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "texts", "right", "codes"), OPTIONS)
def test_options_at_fault(tmp_path, name, texts, right, codes):
    world = world_for(name, tmp_path)
    row = world.right(name, answer=letter([*texts, ""], right), options=starred(texts, right))
    if texts[-1] == "unanswerable" and name == "next":
        row["answer"] = f"B) {right}"
    assert world.codes(row) == codes


def test_exactly_one_option_is_marked(world):
    row = world.right("next")
    row["options"][0]["is_answer"] = True
    assert world.codes(row) == {"options_malformed"}


def test_proof_ends_with_the_clips_it_is_about(world):
    row = world.right("next")
    phase = next(one for one in world.segments if one["label"] == "gallbladder_dissection")
    proof = {"kind": "segments", "id": phase["segment_id"], "start_us": 51 * S}
    row["evidence"] = [{**proof, "end_us": 59 * S}]
    assert world.problems(row) == []
    row["evidence"] = [{**proof, "end_us": 59 * S + 1}]
    assert world.codes(row) == {"pointer_outside"}
    row["evidence"] = [{**proof, "id": "none", "end_us": 59 * S}]
    assert world.codes(row) == {"pointer_missing"}


def test_clips_that_overlap_have_no_next(tmp_path):
    world = world_for("cut by people", tmp_path)
    world.span("next_action", "coagulation", 69, 71)
    assert world.codes(world.right("cut by people")) == {"answer_undecided"}


def test_a_clip_that_people_cut_has_a_phase_where_both_its_ends_have_one(tmp_path):
    world = world_for("cut by people", tmp_path)
    world.segments = [one for one in world.segments if one["label"] != "clipping_and_cutting"]
    slots = ACTION_ITEMS["cut by people"][2]
    assert world.codes(world.right("cut by people")) == {"slot_differs"}
    assert world.codes(world.right("cut by people", slots={**slots, "phase": None})) == set()
