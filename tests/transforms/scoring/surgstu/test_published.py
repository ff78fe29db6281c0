"""SurgSTU's published scores: rows that say their types earn what the table of its tasks gives."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from tests.transforms.scoring.samples import BOX, BOX_TEXT, FAR, FAR_TEXT, OPEN, at, row
from tests.transforms.scoring.typed.drawn import programs
from transforms.questions.told import told_fields
from transforms.scoring.parse import read_verb
from transforms.scoring.score import score_row

BIPOLAR = {"label": "bipolar", "subject": "bipolar", "track": "bipolar-1"}
GRASPER = {"label": "grasper", "subject": "grasper", "track": "grasper-1"}
CUT = {"verb": "dissect", "target": "cystic_duct"}
STEPS = [{"start": at(0), "verb": "grasp", "target": "gallbladder"},
         {"start": at(5), "verb": "retract", "target": "gallbladder"},
         {"start": at(9), "verb": "null_verb", "target": None}]  # fmt: skip

NEW: dict[str, tuple[list[Any], str]] = {
    "trajectory": ([at(3.004), BOX, at(7), FAR], f"{BOX_TEXT} at 3.00 s and {FAR_TEXT} at 7.00 s"),
    "locate": ([BOX], BOX_TEXT),
    "locate_by_action": ([BIPOLAR, BOX], f"Bipolar forceps: {BOX_TEXT}"),
    "segment": (["middle left"], "Middle left"),
    "closest": ([BIPOLAR], "The bipolar forceps are nearest to the point."),
    "refusal_absent_instrument": (["absent"], "The hook is not present in this clip."),
    "next_action": ([CUT], "Dissect the cystic duct"),
    "action_status": (["clip"], "The clip applier is clipping."),
    "movement_status": (["moderate"], "Moderate"),
    "target_interaction": (["cystic_duct"], "Cystic duct"),
    "refusal_no_specific_action": (["null_verb"], "The hook is idling."),
    "reverse_target": ([["bipolar", "grasper"]], "Bipolar forceps, grasper"),
    "interaction_duration": ([14_000_000, 3], "14.00 s in 3 stretches"),
    "interaction_count": ([3, 14_000_000], "3 stretches, 14.00 s in total"),
    "longest_continuous_action": ([8_000_000, at(3), at(11)], "8.00 s, from 3.00 s to 11.00 s"),
    "idle_duration": ([6_000_000, 0.3, 0.24, "25-50 %"],
                      "6.00 s idle: 30 % of the visible time and 24 % of the clip (25-50 %)"),
    "first_appearance_time": ([at(3)], "3.00 s"),
    "last_appearance_time": ([at(21.5)], "21.50 s"),
    "first_action": ([CUT, at(3)], "Dissect the cystic duct at 3.00 s"),
    "most_active_instrument": (["grasper", 14_000_000], "Grasper (14.00 s)"),
    "most_target_diversity_instrument": (["grasper", 3], "Grasper (3 targets)"),
    "dominant_verb": (["dissect", 14_000_000, 0.6], "Dissect (14.00 s, 60 %)"),
    "distinct_targets_touched": ([2, ["cystic_duct", "gallbladder"]],
                                 "2: cystic duct, gallbladder"),
    "rel_pos": (["left", "above"], "To the left and above"),
    "rel_change": (["closer", -0.3512], "Closer (-0.35)"),
    "comparison": ([False, "gallbladder", "liver"], "No: gallbladder and liver"),
    "velocity": ([0.0101, 0.19961, 0.08333, "moderate"],
                 "Min 0.010, max 0.200, mean 0.083 units/s; moderate"),
    "trajectory_reasoning": (
        [BOX, 4_000_000, 0.3333, "short", 0.08333, "moderate", "dissect", 0.75, 2],
        OPEN["chain_of_thought/trajectory_reasoning"][1],
    ),
}  # fmt: skip
"""Task -> (values of the answer's parts, printed answer): the same answers as the samples'."""

REPLIES = (
    BOX_TEXT, FAR_TEXT, "[254, 387, 444, 477]", f"hook: {BOX_TEXT}", f"bipolar: {FAR_TEXT}",
    f"Extreme Left: {BOX_TEXT} at t=3.00 s", f"{BOX_TEXT} at 3.00 s, then {FAR_TEXT} at 7.00 s",
    f"Extreme Left: {BOX_TEXT} at t=8.00 s; Extreme Right: {FAR_TEXT} at t=12.00 s",
    "left, top", "middle left", "the bipolar", "hook", "grasper", "The grasper is not visible.",
    f"The hook is not visible, maybe {BOX_TEXT}", "There is no hook.", "dissect the liver",
    "It dissects the cystic duct", "clipping", "idle", "fast", "It moves moderately", "none",
    "the cystic duct", "the cystic duct and the liver", "It is not performing any action.",
    "bipolar and grasper", "7 seconds", "14 s", "3", "two", "8 s", "8.00 s, from 5.00 s to 13.00 s",
    "from 3 s to 11 s", "6 s idle, 30% of the time", "3 s idle (10-25%)", "8.00 s", "21.5",
    "dissect the cystic duct at 8.00 s", "dissect", "closer (-0.35)", "closer (0.35)", "closer",
    "farther (+0.20)", "right and above", "left", "yes: liver", "no: liver and gallbladder",
    "mean 0.083 units/s, moderate", "min 0.02, max 0.2, mean 0.05; slow", "0.083 units/s",
    "Movement profile: 4.00 s, path 0.50 units; slow. Summary: it mostly dissects",
)  # fmt: skip


def new_row(name: str) -> dict[str, Any]:
    """The sample's question with an answer that says its types."""
    program = next(one for one in programs() if one.id == f"surgstu.{name}")
    values, printed = NEW[name]
    fields = [field for field, _ in program.stages[0].answer]
    value = orjson.dumps(dict(zip(fields, values, strict=True))).decode()
    full = next(task for task in OPEN if task.endswith(f"/{name}"))
    return row(full) | {"answer": printed, "answer_value": value} | told_fields(
        program, program.stages[0])  # fmt: skip


@pytest.mark.parametrize("name", NEW)
def test_every_reply_earns_what_it_did(name):
    old = row(next(task for task in OPEN if task.endswith(f"/{name}")))
    new = new_row(name)
    for reply in (*REPLIES, new["answer"]):
        if name == "first_action" and read_verb(reply) is None:
            continue  # the time alone was not read
        before, after = score_row(old, reply), score_row(new, reply)
        assert after.score == pytest.approx(before.score, abs=1e-9), reply
        assert (after.iou, after.hit) == (before.iou, before.hit), reply
    assert score_row(new, new["answer"]).score == 1.0


def test_the_order_of_steps_and_the_instruments_of_a_window():
    program = next(one for one in programs() if one.id == "surgstu.action_sequence")
    printed = "0.00 s, grasp the gallbladder\n5.00 s, retract the gallbladder\n9.00 s, idle"
    new = row("interaction_captioning/action_sequence") | {
        "answer": printed, "answer_value": orjson.dumps({"steps": STEPS}).decode(),
    } | told_fields(program, program.stages[0])  # fmt: skip
    old = row("interaction_captioning/action_sequence")
    for reply in (printed, "grasp the gallbladder -> idle", "retract the liver, then idle", "idle"):
        assert score_row(new, reply).score == pytest.approx(score_row(old, reply).score), reply
