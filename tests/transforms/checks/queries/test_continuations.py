"""Questions about eight seconds of a stage: right items pass, each fault has its code."""

from __future__ import annotations

import orjson
import pytest

from ontology.keys import digest
from transforms.checks.queries import rule_name

from ..stream_world import KEY, S
from .unit_worlds import (
    AFTER,
    LAP,
    LIGAMENT,
    NOW,
    ORDERS,
    PREP,
    STAGE_ITEMS,
    UTERINE,
    WASHING,
    StageWorld,
    going_on,
    letter,
    names_of,
    starred,
    us,
)


@pytest.fixture
def world(tmp_path) -> StageWorld:
    return StageWorld(tmp_path)


@pytest.mark.parametrize("name", STAGE_ITEMS)
def test_a_right_item_passes(world, name):
    row = world.right(name)
    assert world.problems(row) == []
    assert (
        rule_name(row, None, orjson.loads(row["slots"])) == STAGE_ITEMS[name][0].partition("/")[2]
    )


@pytest.mark.parametrize("name", STAGE_ITEMS)
def test_every_leaf_of_the_value_is_compared(world, name):
    value = STAGE_ITEMS[name][3]
    for key, one in value.items():
        wrong = one[::-1] if isinstance(one, list) else f"{one}x" if key in (
            "kind", "stage", "label") else one + 1  # fmt: skip
        assert world.codes(world.right(name, value={**value, key: wrong})) == {"answer_differs"}


SLOTS = [
    ("frame", 276, "slot_differs"),
    ("frame", True, "slot_differs"),
    ("frames", 192, "slot_differs"),
    ("found_by", "onset", "slot_differs"),
    ("interval", [0, 31 * S], "slot_differs"),
    ("about", {"kind": "step"}, "slot_differs"),
    ("sample_id", "0" * 32, "slots_malformed"),
    ("sample_id", digest("continuation", KEY, LAP, WASHING), "picture_differs"),
    ("sample_id", digest("continuation", KEY, LAP, "vagina_transection"), "answer_undecided"),
    ("track", "open", "slots_malformed"),
    ("track", None, "slots_malformed"),
    ("fps", 25, "slots_malformed"),
    ("fps", "25.0", "slots_malformed"),
    ("fps", "0", "slots_malformed"),
    ("fps", "fast", "slots_malformed"),
]


@pytest.mark.parametrize("name", ["middle", "next_stage", "frame_order"])
@pytest.mark.parametrize(("slot", "wrong", "code"), SLOTS)
def test_every_slot_is_compared(world, name, slot, wrong, code):
    slots = STAGE_ITEMS[name][2]
    assert world.codes(world.right(name, slots={**slots, slot: wrong})) == {code}


def test_the_rate_gives_the_number_of_pictures(world):
    slots = STAGE_ITEMS["middle"][2] | {"fps": "24"}
    assert world.codes(world.right("middle", slots=slots)) == {"slot_differs", "answer_differs",
                                                               "text_disagrees"}  # fmt: skip


def test_the_stage_is_named(world):
    slots = STAGE_ITEMS["middle"][2] | {"stage": WASHING}
    assert world.codes(world.right("middle", slots=slots)) == {"slot_differs"}


@pytest.mark.parametrize("name", STAGE_ITEMS)
@pytest.mark.parametrize("later_us", [-40_000, 40_000, 1])
def test_only_the_picture_of_the_rule_is_asked_at(world, name, later_us):
    task, at, slots, value, answer, options, *more = STAGE_ITEMS[name]
    slots = {**slots, "shown_us": sorted(slots["shown_us"])[:2]} if "shown_us" in slots else slots
    row = world.item(task, us(at) + later_us, slots, value, answer, options,
                     **(more[0] if more else {}))  # fmt: skip
    assert world.codes(row) == {"picture_differs"}


MOVED = [
    # what makes another picture the right one
    ("middle", ("phase", PREP, 31.999999, 33)),
    ("middle", ("event", "out_of_body", 25, 29)),
    ("middle", ("condition", "outside_the_patient", 0, 0.1)),
    ("two labels", ("phase", LIGAMENT, 91, 93)),
    ("onset", ("event", "out_of_body", 127.999, 130)),
    ("onset", ("event", "out_of_body", 119, 120.001)),
    ("hidden", ("phase", WASHING, 199.9, 200)),
]


@pytest.mark.parametrize(("name", "span"), MOVED)
def test_labels_move_the_picture(world, name, span):
    world.span(*span)
    moved = span[2:] != (199.9, 200)  # too far away to be one with the stage
    assert ("picture_differs" in world.codes(world.right(name))) == moved


HARMLESS = [
    ("middle", ("condition", "surgical_smoke", 12, 15)),
    ("middle", ("event", "bleeding", 12, 15)),
    ("onset", ("event", "out_of_body", 128, 130)),
    ("onset", ("event", "out_of_body", 110, 120)),
    ("middle", ("phase", PREP, 32, 33)),
]


@pytest.mark.parametrize(("name", "span"), HARMLESS)
def test_other_labels_do_not(world, name, span):
    world.span(*span)
    assert "picture_differs" not in world.codes(world.right(name))


ACTIONS = [
    (117, 119, True),  # an earlier one
    (101.9, 103, False),  # before the stage has settled
    (102.04, 103, True),  # the picture before it lies two seconds into the stage
    (102, 103, False),
    (134, 136, False),  # a later one
]


@pytest.mark.parametrize(("start", "end", "moved"), ACTIONS)
def test_the_earliest_action_of_a_settled_stage_counts(world, start, end, moved):
    world.moment("action", "cut", start, end)
    assert (world.codes(world.right("onset")) == {"picture_differs"}) == moved


@pytest.mark.parametrize(("ends", "codes"), [(100, set()), (99.999999, {"answer_undecided"})])
def test_an_interval_of_ten_seconds_is_long_enough(world, ends, codes):
    short = next(one for one in world.segments if one["label"] == "vagina_transection")
    short["end_us"] = us(ends)
    text = "91 s to 99 s, pictures 2275 to 2474"
    task, at, *told, more = going_on("vagina_transection", 91, 2275, (90, ends), text)
    row = world.item(task, us(at), *told, **more)
    assert world.codes(row) == codes


def test_only_actions_are_onsets(world):
    world.moment("contact", "", 110, 111)
    assert world.problems(world.right("onset")) == []


def test_a_recording_without_times_has_no_eight_seconds(world):
    world.videos[0]["clock"] = "order"
    assert world.codes(world.right("middle")) == {"answer_undecided"}


TEXTS = [
    "the recording from 11 s to 19 s",
    "the recording from 11 s to 19 s, pictures 275 to 475",
    "the recording from 11 s to 19.001 s, pictures 275 to 474",
    "the recording from 19 s to 11 s, pictures 275 to 474",
    "pictures 275 to 474, from 11 s to 19 s",
]


@pytest.mark.parametrize("answer", TEXTS)
def test_the_text_tells_times_and_pictures(world, answer):
    assert world.codes(world.right("middle", answer=answer)) == {"text_disagrees"}


def test_the_text_may_tell_more(world):
    answer = "the next 8 s: from 11.000 s to 19 s, pictures 275 to 474 of 5000"
    assert world.problems(world.right("middle", answer=answer)) == []


def test_a_continuation_has_no_options(world):
    row = world.right("middle")
    row["answer_key"] = "A"
    assert world.codes(row) == {"options_malformed"}
    row = world.right("middle", options=["this", "that*"])
    assert world.codes(row) == {"options_malformed"}


def changed(world, name, **columns) -> set[str]:
    row = world.right(name)
    row.update(columns)
    return world.codes(row)


def test_mode_and_form(world):
    assert changed(world, "middle", form="open") == {"options_malformed"}
    assert changed(world, "stage_now", form="yes_no") == {"options_malformed"}
    assert changed(world, "frame_order", form="open") == {"options_malformed"}
    assert changed(world, "next_stage", task_mode="streaming") == {"mode_differs"}
    present = {"task": "present/next_stage", "temporal_mode": "present"}
    # At present the label would be that of the stage under way.
    assert "answer_differs" in changed(world, "next_stage", **present)


@pytest.mark.parametrize("name", ["middle", "next_stage"])
def test_the_look_ahead_is_measured(world, name):
    assert world.codes(world.right(name, measured={})) == {"measure_differs"}
    wrong = world.right(name, measured={"look_ahead_s": 10.0})
    assert world.codes(wrong) == {"measure_differs"}


OPTIONS = [
    ("stage_now", NOW[:3], NOW[1], {"options_malformed"}),
    ("stage_now", NOW, NOW[0], {"option_false", "option_true"}),
    ("stage_now", [*NOW[:3], "gallbladder dissection"], NOW[1], {"option_unreadable"}),
    ("stage_now", [*NOW, "unanswerable"], NOW[1], {"options_malformed"}),
    ("next_stage", AFTER, AFTER[0], {"option_false", "option_true"}),
    ("next_stage", [*AFTER[:3], *names_of(PREP)], AFTER[1], {"options_malformed"}),
    ("next_stage", [*AFTER[:3], "unanswerable"], AFTER[1], {"option_unreadable"}),
    ("frame_order", ORDERS, ORDERS[0], {"option_false", "option_true"}),
    ("frame_order", [*ORDERS[:3], "A, B, D"], ORDERS[2], {"option_unreadable"}),
    ("frame_order", [*ORDERS[:3], "A, A, B"], ORDERS[2], {"option_unreadable"}),
    ("frame_order", ORDERS[1:], ORDERS[2], {"options_malformed"}),
]


@pytest.mark.parametrize(("name", "texts", "right", "codes"), OPTIONS)
def test_options_at_fault(world, name, texts, right, codes):
    row = world.right(name, answer=letter(texts, right), options=starred(texts, right))
    assert world.codes(row) == codes


BESIDE = [
    # another label of the kind, and what is wrong then with the stage of the picture at 120 s
    (("phase", PREP, 119, 121), {"not_unique"}),
    (("phase", "packaging", 119, 121), {"not_unique"}),
    (("phase", "packaging", 120, 121), {"not_unique"}),
    (("phase", "packaging", 119, 120), set()),
    (("step", "durotomy", 119, 121), set()),
]


@pytest.mark.parametrize(("span", "codes"), BESIDE)
def test_no_other_label_shares_the_picture(world, span, codes):
    world.span(*span)
    assert world.codes(world.right("stage_now")) == codes


@pytest.mark.parametrize("gap", [(119.5, 120.5), (119, 119.5)])
def test_a_picture_between_two_labels_shows_no_stage_for_certain(world, gap):
    kept = [one for one in world.segments if one["label"] != UTERINE]
    world.segments[:] = kept
    world.span("phase", UTERINE, 100, gap[0])
    world.span("phase", UTERINE, gap[1], 140)
    assert world.codes(world.right("stage_now")) == {"answer_undecided"}


FOLLOWING = [
    # one more label, and what is wrong then with the stage after the one at 11 s, which ends at 30
    (("phase", "packaging", 28, 29), {"answer_undecided"}),
    (("phase", "packaging", 10, 11.5), {"answer_undecided"}),
    (("phase", "packaging", 10, 11), set()),
    (("phase", "packaging", 30, 31), {"answer_undecided"}),
    (("phase", "anaesthesia", 29.9, 30), {"answer_undecided"}),
    (("phase", WASHING, 30, 33), {"answer_undecided"}),
]


@pytest.mark.parametrize(("span", "codes"), FOLLOWING)
def test_one_stage_follows(world, span, codes):
    world.span(*span)
    assert world.codes(world.right("next_stage")) == codes


def test_a_label_that_is_no_stage_may_follow_and_is_not_asked_for(world):
    for one in world.segments:
        if one["label"] == LIGAMENT:
            one.update(label="packaging")
    assert world.codes(world.right("next_stage")) == {"answer_undecided"}


def test_nothing_follows_the_last_stage(world):
    world.segments[:] = [one for one in world.segments if one["label"] in (PREP, None)]
    assert world.codes(world.right("next_stage")) == {"answer_undecided"}


SHOWN = [
    ([us(18), us(12), us(16)], {"picture_differs"}),
    ([us(18), us(12)], {"picture_differs"}),
    ([us(18), us(12), us(12)], {"picture_differs"}),
    ([us(18), us(12), "15000000"], {"slots_malformed"}),
    (us(18), {"slots_malformed"}),
    ([us(18), us(12), us(19)], {"picture_differs", "future_shown"}),
    ([us(12), us(18), us(15)], {"answer_differs", "option_false"}),
]


@pytest.mark.parametrize(("shown", "codes"), SHOWN)
def test_pictures_shown(world, shown, codes):
    slots = {**STAGE_ITEMS["frame_order"][2], "shown_us": shown}
    assert world.codes(world.right("frame_order", slots=slots)) == codes


def test_all_pictures_lie_in_the_window(world):
    assert world.codes(world.right("frame_order", look_back=6)) == set()
    assert world.codes(world.right("frame_order", look_back=5)) == {"query_window_differs"}


def test_proof_ends_with_the_eight_seconds(world):
    row = world.right("onset")
    stage = next(one for one in world.segments if one["label"] == UTERINE)
    proof = {"kind": "segments", "id": stage["segment_id"], "start_us": 100 * S}
    row["evidence"] = [{**proof, "end_us": 128 * S}]
    assert world.problems(row) == []
    row["evidence"] = [{**proof, "end_us": 129 * S}]
    assert world.codes(row) == {"pointer_outside"}
    row = world.right("stage_now")
    row["evidence"] = [{**proof, "end_us": 121 * S}]
    assert world.codes(row) == {"future_shown"}
