"""Every answer rule: a right item passes, a wrong answer is found, limits are kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from transforms.checks import Severity
from transforms.checks.rules import load_rules

S = 1_000_000
ROOT = Path(__file__).parents[3]
NAMES = sorted(name.removeprefix("surgstu/") for name in load_rules() if "surgstu/" in name)


def codes(report) -> dict[str, int]:
    """Errors by code."""
    return {code: n for code, n in report.counts.items() if report_is_error(report, code)}


def report_is_error(report, code: str) -> bool:
    return any(f.severity is Severity.ERROR for f in report.findings if f.code == code)


def at(second: float) -> dict:
    return {"moment": {"time_us": int(second * S)}}


def over(first: int, last: int) -> dict:
    return {"span": {"start_us": first * S, "end_us": last * S}}


def tool(track: str, instance: int | None = None) -> dict:
    return {"label": track.split("-")[0], "instance": instance, "track_id": track}


def test_every_documented_task_has_a_rule_and_every_rule_an_item(right_items):
    documented = set()
    for line in (ROOT / "docs/answers.md").read_text(encoding="utf-8").splitlines():
        cells = line.split(" | ")
        forms = {"box", "interval", "text", "number", "time", "yes_no", "choice"}
        if len(cells) >= 4 and cells[2].strip() in forms:
            documented |= set(re.findall(r"`([a-z_]+)`", cells[1]))
    assert set(NAMES) == documented == set(right_items)


@pytest.mark.parametrize("name", NAMES)
def test_a_right_item_passes(world, add, name):
    add(name)
    report = world.check()
    assert report.recomputed == {f"surgstu/{name}": 1}
    assert [f"{f.code}: {f.detail}" for f in report.findings if f.severity is Severity.ERROR] == []


def other(value):
    """The same value with its first leaf (by key) made a different one of its type."""
    if isinstance(value, dict):
        key = min(value)
        return {**value, key: other(value[key])}
    if isinstance(value, list):
        return [other(value[0]), *value[1:]]
    if isinstance(value, bool):
        return not value
    return value + "x" if isinstance(value, str) else value + 0.001 if value else 1


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_value_is_found(world, add, right_items, name):
    add(name, value=other(right_items[name][3]))
    assert world.check().counts["answer_differs"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_leaf_of_the_value_is_compared(world, add, right_items, name):
    value = right_items[name][3]
    for index, key in enumerate(sorted(value)):
        add(name, value={**value, key: other_leaf(value[key])}, item_id=f"{index:032x}")
    assert world.check().counts["answer_differs"] == len(value)


def other_leaf(value):
    return [*value, "x"] if isinstance(value, list) and not value else other(value)


LIMITS = [
    # (task, changes to the right item, code)
    ("trajectory", {"slots": {"tool": tool("hook-1"), **over(4, 9), "axis": "horizontal"}}, "gate"),
    ("trajectory", {"slots": {"tool": tool("grasper-1", 1), **over(4, 12), "axis": "vertical"}},
     "unique"),
    ("window", {"slots": at(1.5)}, "undecided"),
    ("window", {"slots": at(35), "window": "w2", "value": {"instruments": []}}, "gate"),
    ("locate", {"slots": {"tool": tool("grasper-2"), **at(12)}}, "instance"),
    ("locate", {"slots": {"tool": tool("grasper-2", 1), **at(12)}}, "instance"),
    ("locate", {"slots": {"tool": tool("grasper-2", 2), **at(17)}}, "undecided"),
    ("locate", {"slots": {"tool": tool("clipper-1"), **at(12)}}, "undecided"),
    ("locate", {"slots": at(12)}, "slots"),
    ("segment", {"slots": {"tool": tool("hook-1"), **at(6)}}, "gate"),
    ("closest", {"slots": {"point": {"x": 0.5, "y": 0.79}, **at(12)}}, "unique"),
    ("closest", {"slots": {"point": {"x": 0.5, "y": 0.79}, **at(31)}, "window": "w2"}, "gate"),
    ("refusal_absent_instrument", {"slots": {"kind": {"label": "hook"}}}, "undecided"),
    ("refusal_absent_instrument", {"slots": {"kind": {"label": "forceps"}}}, "vocabulary"),
    ("next_action", {"slots": {"tool": tool("hook-1"), "verb": {"label": "cut"},
                               "ended": {"time_us": 7 * S}}}, "undecided"),
    ("next_action", {"slots": {"tool": tool("hook-1"), "verb": {"label": "null_verb"},
                               "ended": {"time_us": 8 * S}}}, "undecided"),
    ("action_status", {"slots": {"tool": tool("hook-1"), **over(5, 13)}}, "undecided"),
    ("action_status", {"slots": {"tool": tool("hook-1"), **over(7, 8)}}, "gate"),
    ("action_status", {"slots": {"tool": tool("hook-1"), **over(17, 23)}}, "gate"),
    ("target_interaction", {"slots": {"tool": tool("clipper-1"), **over(30, 33)}, "window": "w2"},
     "undecided"),
    ("identify_bbox", {"slots": {"box": {"box_xyxy": [0.0, 0.0, 0.1, 0.1]}, **at(12)}},
     "undecided"),
    ("identify_bbox", {"slots": {"box": {"box_xyxy": [0.65, 0.75, 0.75, 0.85]}, **at(1)}}, "gate"),
    ("refusal_no_specific_action", {"slots": {"tool": tool("hook-1"), **at(5)}}, "undecided"),
    ("refusal_no_specific_action", {"slots": {"tool": tool("hook-1"), **at(3)}}, "undecided"),
    ("reverse_target", {"slots": {"target": {"label": "gallbladder"}, **over(28, 34)},
                        "window": "w2"}, "undecided"),
    ("dominant_verb", {"slots": {"tool": tool("clipper-1")}, "window": "w2"}, "undecided"),
    ("idle_duration", {"slots": {"tool": tool("hook-2")}, "window": "w2"}, "unique"),
    ("first_appearance_time", {"slots": {"kind": {"label": "grasper"}}}, "gate"),
    ("last_appearance_time", {"slots": {"kind": {"label": "grasper"}}}, "gate"),
    ("first_action", {"slots": {"tool": tool("grasper-1", 1)}}, "gate"),
    ("action_sequence", {"slots": {"tool": tool("grasper-1", 1)}}, "gate"),
    ("longest_continuous_action", {"slots": {"tool": tool("hook-1"), "verb": {"label": "cut"}}},
     "undecided"),
    ("rel_pos", {"slots": {"tool": tool("grasper-1", 1), "other": tool("grasper-2", 2), **at(12)}},
     "gate"),
    ("rel_pos", {"slots": {"tool": tool("hook-1"), "other": tool("hook-1"), **at(12)}}, "slots"),
    ("comparison", {"slots": {"tool": tool("hook-1"), "other": tool("grasper-1"), **over(2, 5)}},
     "gate"),
    ("velocity", {"slots": {"tool": tool("hook-1"), **over(4, 5)}}, "gate"),
    ("counting_specific", {"slots": {"kind": {"label": "forceps"}, **at(12)}}, "vocabulary"),
    ("existence_local_target", {"slots": {"target": {"label": "liver"}, **at(31)}, "window": "w2"},
     "undecided"),
    ("counting_distinct", {"slots": at(30)}, "undecided"),
]  # fmt: skip
SHORT = {
    "gate": "gate_failed", "unique": "not_unique", "undecided": "answer_undecided",
    "instance": "instance_differs", "slots": "slots_malformed", "vocabulary": "outside_vocabulary",
}  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "short"), LIMITS, ids=lambda v: str(v)[:60])
def test_a_broken_limit_is_found(world, add, name, changes, short):
    row = add(name, **changes)
    report = world.check()
    assert SHORT[short] in report.counts, report.findings
    assert {f.item_id for f in report.findings if f.code == SHORT[short]} == {row["item_id"]}


@pytest.mark.parametrize(("before", "found"), [("null_verb", {}), ("cut", {"answer_undecided": 1})])
def test_what_was_stopped_may_stand_in_the_slot_of_the_change(world, add, before, found):
    slots = {"tool": tool("hook-1"), "ended": {"time_us": 7 * S, "before": before}}
    add("next_action", slots=slots)
    assert codes(world.check()) == found


def test_a_time_singles_out_one_of_two_tracks(world, add):
    """Another hook much later leaves the next action unique, but not the idle time."""
    for second in (22, 23):
        world.event("v1", second, "hook-9", [0.1, 0.8, 0.2, 0.9], [("cut", "liver")])
    add("next_action")
    assert codes(world.check(link=False)) == {}
    add("idle_duration")
    assert codes(world.check(link=False)) == {"not_unique": 1}


def test_a_second_fitting_instrument_is_found(world, add):
    add("locate_by_action")
    world.at(12, "grasper-2")["pairs"] = [{"verb": "retract", "target": "liver"}]
    assert codes(world.check()).keys() == {"not_unique"}


def test_an_unannotated_rival_leaves_the_answer_open(world, add):
    add("locate_by_action")
    world.at(12, "grasper-2")["pairs"] = None
    assert codes(world.check()) == {"answer_undecided": 1}


def test_overlapping_boxes_are_not_unique(world, add):
    add("identify_bbox")
    grasper, hook = world.at(12, "grasper-2"), world.at(12, "hook-1")
    grasper.update({k: hook[k] + 0.001 * (k in ("x1", "x2")) for k in ("x1", "y1", "x2", "y2")})
    assert "not_unique" in world.check(link=False).counts


def test_a_tie_is_not_unique(world, add):
    add("longest_continuous_action")
    for second in (12, 13):
        world.at(second, "hook-1")["pairs"] = [{"verb": "cut", "target": "cystic_duct"}]
    report = world.check()
    assert report.counts["not_unique"] == 1  # now 5 s against 5 s


def test_winner_needs_a_tenth_more(world, add):
    add("most_active_instrument")
    for second in range(24):
        if second not in (0, 1, 2):
            world.drop(second, "grasper-1")
    # grasper 2.5 + 6 = 8.5 s against 15 s of the hook
    assert codes(world.check(link=False)).keys() == {"answer_differs"}
    for second in (7, 8, 9, 10, 11, 12):
        world.at(second, "hook-1")["pairs"] = [{"verb": "null_verb", "target": "null_target"}]
    # hook 9 s against 8.5 s: a winner, but not by a tenth
    report = world.check(link=False)
    assert codes(report).keys() == {"answer_differs", "not_unique"}


def test_speed_at_a_class_boundary_is_refused(world, add):
    add("movement_status", value={"speed_class": "slow", "mean_speed": 0.048}, form="text")
    for second in range(4, 13):
        event = world.at(second, "hook-1")
        shift = 0.2 + 0.048 * (second - 4) - (event["x1"] + event["x2"]) / 2
        event["x1"], event["x2"] = event["x1"] + shift, event["x2"] + shift
    assert codes(world.check(link=False)).keys() == {"gate_failed"}


def test_a_jump_and_a_hole_break_continuity(world, add):
    add("velocity")
    event = world.at(8, "hook-1")
    event["y1"], event["y2"] = event["y1"] + 0.62, event["y2"] + 0.62
    assert {"gate_failed", "answer_differs"} <= world.check(link=False).counts.keys()
    world.drop(8, "hook-1")
    report = world.check(link=False)
    assert any("presence" in f.detail for f in report.findings if f.code == "gate_failed")


def test_a_box_that_is_missing_leaves_the_nearest_open(world, add):
    add("closest")
    world.at(12, "grasper-1").update(x1=None, y1=None, x2=None, y2=None)
    assert codes(world.check(link=False)) == {"answer_undecided": 1}


def test_time_nobody_annotated_is_not_asserted(world, add):
    add("existence_global", slots={"kind": {"label": "clipper"}}, value={"yes": False},
        options=["Yes", "No*"], answer="B) No")  # fmt: skip
    assert codes(world.check()) == {}
    world.events = [e for e in world.events if e["time_us"] not in (8 * S, 9 * S)]
    assert codes(world.check(link=False)) == {"answer_undecided": 1}


def test_only_the_clip_is_seen(world, add):
    """Hooks of the second clip must not count in the first, nor the other way round."""
    add("last_appearance_time")
    add("counting_distinct", slots=at(25), window="w2", value={"number": 1},
        options=["1*", "2", "3", "4"], answer="A) 1")  # fmt: skip
    assert codes(world.check()) == {}


JUNK = [None, "x", -1, 1.5, True, [], ["x"], {}, {"x": 1}]


def spoiled(slots: dict, junk) -> list[dict]:
    """Copies of the slots, each with one slot or one part of a slot made junk."""
    out = [{**slots, name: junk} for name in slots]
    out += [{k: v for k, v in slots.items() if k != name} for name in slots]
    for name, value in slots.items():
        if isinstance(value, dict):
            out += [{**slots, name: {**value, part: junk}} for part in value]
    return out


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_spoiled_slots_are_findings_and_never_a_crash(world, add, right_items, junk):
    wanted = set()
    for name in NAMES:
        slots = right_items[name][2]
        for number, wrong in enumerate(spoiled(slots, junk)):
            row = add(name, slots=wrong, item_id=f"{len(world.rows):032x}", chain_id=str(number))
            changed = {key for key in slots if key not in wrong or wrong[key] != slots[key]}
            if not still_right(name, changed, wrong):
                wanted.add(row["item_id"])
    report = world.check(link=False)
    assert wanted - {f.item_id for f in report.findings} == set()


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_spoiled_values_are_findings_and_never_a_crash(world, add, right_items, junk):
    for name in NAMES:
        value = right_items[name][3]
        for number, wrong in enumerate(spoiled(value, junk)):
            if wrong != value or repr(wrong) != repr(value):
                add(name, value=wrong, item_id=f"{len(world.rows):032x}", chain_id=str(number))
    report = world.check(link=False)
    found = {f.item_id for f in report.findings if f.code == "answer_differs"}
    assert {row["item_id"] for row in world.rows} == found


def still_right(name: str, changed: set[str], wrong: dict) -> bool:
    """The change leaves a question with the same answer."""
    if changed <= {"truth"}:  # the side drawn for a yes/no question decides nothing
        return True
    if name == "next_action" and "verb" not in wrong:  # it may stand in the slot 'ended'
        return changed == {"verb"}
    point = wrong.get("point")  # the hook is the nearest to a point far out, too
    return name == "closest" and isinstance(point, dict) and -1 in point.values()
