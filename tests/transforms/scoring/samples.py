"""A row for every task of SurgSTU: the typed answer, and how it is printed, by hand.

Answers are written out in the form of their templates, so that they test the reading of the
form and not the code that prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson

from surgqa.transforms.questions.row_fields import stage_fields
from tests.transforms.scoring.typed.drawn import programs

START_US = 100_000_000
END_US = 125_000_000

BOX = [0.15421, 0.38702, 0.34366, 0.47711]
BOX_TEXT = "[154, 387, 344, 477]"
FAR = [0.70049, 0.61, 0.9, 0.82]
FAR_TEXT = "[700, 610, 900, 820]"
COUNTS = ["1", "2", "3", "4"]
YES_NO = ["Yes", "No"]
SETS = ["Grasper", "Grasper, hook", "Bipolar forceps, grasper", "Hook"]


def at(seconds: float) -> int:
    """Microseconds in the video of a time in the clip."""
    return START_US + round(seconds * 1_000_000)


def tool(label: str, number: int = 1) -> dict[str, Any]:
    """An instance of an instrument."""
    return {"label": label, "subject": label, "track": f"{label}-{number}"}


def presence(label: str, number: int, start: float, end: float) -> dict[str, Any]:
    """An instance that stays in view from one time to another."""
    return {"track": tool(label, number), "start": at(start), "end": at(end),
            "start_box": BOX, "end_box": FAR}  # fmt: skip


CUT = {"verb": "dissect", "target": "cystic_duct"}
STEPS = [{"start": at(0), "verb": "grasp", "target": "gallbladder"},
         {"start": at(5), "verb": "retract", "target": "gallbladder"},
         {"start": at(9), "verb": "null_verb", "target": None}]  # fmt: skip

OPEN: Mapping[str, tuple[list[Any], str]] = {
    "spatial_temporal_grounding/trajectory": (
        [at(3.004), BOX, at(7), FAR], f"{BOX_TEXT} at 3.00 s and {FAR_TEXT} at 7.00 s"),
    "spatial_temporal_grounding/window": (
        [[presence("grasper", 1, 0, 12), presence("grasper", 2, 2, 9), presence("hook", 1, 3, 25)]],
        f"Grasper on the left: Window [0.00 s - 12.00 s], Start BBox {BOX_TEXT}, "
        f"End BBox {FAR_TEXT}\n"
        f"Grasper on the right: Window [2.00 s - 9.00 s], Start BBox {BOX_TEXT}, "
        f"End BBox {FAR_TEXT}\n"
        f"Hook: Window [3.00 s - 25.00 s], Start BBox {BOX_TEXT}, End BBox {FAR_TEXT}"),
    "spatial_temporal_grounding/locate": ([BOX], BOX_TEXT),
    "spatial_temporal_grounding/locate_by_action": (
        [tool("bipolar"), BOX], f"Bipolar forceps: {BOX_TEXT}"),
    "spatial_temporal_grounding/locate_by_target": (
        [tool("grasper", 2), BOX], f"Grasper on the left: {BOX_TEXT}"),
    "spatial_temporal_grounding/segment": (["middle left"], "Middle left"),
    "spatial_temporal_grounding/closest": (
        [tool("bipolar")], "The bipolar forceps are nearest to the point."),
    "spatial_temporal_grounding/refusal_absent_instrument": (
        ["absent"], "The hook is not present in this clip."),
    "interaction_captioning/next_action": ([CUT], "Dissect the cystic duct"),
    "interaction_captioning/action_status": (["clip"], "The clip applier is clipping."),
    "interaction_captioning/movement_status": (["moderate"], "Moderate"),
    "interaction_captioning/target_interaction": (["cystic_duct"], "Cystic duct"),
    "interaction_captioning/identify_bbox": ([tool("grasper")], "Grasper"),
    "interaction_captioning/refusal_no_specific_action": (["null_verb"], "The hook is idling."),
    "interaction_captioning/reverse_target": (
        [["bipolar", "grasper"]], "Bipolar forceps, grasper"),
    "interaction_captioning/interaction_duration": ([14_000_000, 3], "14.00 s in 3 stretches"),
    "interaction_captioning/interaction_count": (
        [3, 14_000_000], "3 stretches, 14.00 s in total"),
    "interaction_captioning/longest_continuous_action": (
        [8_000_000, at(3), at(11)], "8.00 s, from 3.00 s to 11.00 s"),
    "interaction_captioning/idle_duration": (
        [6_000_000, 0.3, 0.24, "25-50 %"],
        "6.00 s idle: 30 % of the visible time (25-50 %) and 24 % of the clip"),
    "interaction_captioning/first_appearance_time": ([at(3)], "3.00 s"),
    "interaction_captioning/last_appearance_time": ([at(21.5)], "21.50 s"),
    "interaction_captioning/first_action": ([CUT, at(3)], "Dissect the cystic duct at 3.00 s"),
    "interaction_captioning/action_sequence": (
        [STEPS], "0.00 s, grasp the gallbladder\n5.00 s, retract the gallbladder\n9.00 s, idle"),
    "interaction_captioning/most_active_instrument": (
        ["grasper", 14_000_000], "Grasper (14.00 s)"),
    "interaction_captioning/most_target_diversity_instrument": (
        ["grasper", 3], "Grasper (3 targets)"),
    "interaction_captioning/dominant_verb": (
        ["dissect", 14_000_000, 0.6], "Dissect (14.00 s, 60 %)"),
    "interaction_captioning/distinct_targets_touched": (
        [2, ["cystic_duct", "gallbladder"]], "2: cystic duct, gallbladder"),
    "relation_comparison/rel_pos": (["left", "above"], "To the left and above"),
    "relation_comparison/rel_change": (["closer", -0.3512], "Closer (-0.35)"),
    "relation_comparison/comparison": (
        [False, "gallbladder", "liver"], "No: gallbladder and liver"),
    "velocity_estimation/velocity": (
        [0.0101, 0.19961, 0.08333, "moderate"],
        "Min 0.010, max 0.200, mean 0.083 units/s; moderate"),
    "chain_of_thought/trajectory_reasoning": (
        [BOX, 4_000_000, 0.3333, "short", 0.08333, "moderate", "dissect", 0.75, 2],
        f"Initialisation: {BOX_TEXT} at t=3.00 s\n"
        "Movement profile: 4.00 s, path 0.33 units (short), mean speed 0.083 units/s (moderate)\n"
        "Consistency: dissect for 75% of the window, 2 stretches\n"
        "Summary: from there the hook moves a short way at moderate speed and mostly dissects"),
}  # fmt: skip
"""Task -> (values of the answer's parts, printed answer) of every open task."""

CLOSED: Mapping[str, tuple[list[Any], list[str], str]] = {
    "counting/counting_distinct": ([2], COUNTS, "B"),
    "counting/counting_specific": ([3], COUNTS, "C"),
    "counting/counting_concurrent": ([4], COUNTS, "D"),
    "existence/existence_global": ([True], YES_NO, "A"),
    "existence/existence_local_inst": ([False], YES_NO, "B"),
    "existence/existence_local_target": ([True], YES_NO, "A"),
    "classes/classes": ([["grasper", "hook"]], SETS, "B"),
}
"""Task -> (values of the answer's parts, option texts, right key) of every closed task."""

TASKS = (*OPEN, *CLOSED)


@cache
def _told(task: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Names of the answer's parts, and what a row of the shipped template says of itself."""
    program = next(one for one in programs() if (one.benchmark, one.task) == ("surgstu", task))
    (stage,) = program.stages
    told = {"template_id": program.id, **stage_fields(program, stage)}
    return tuple(name for name, _ in stage.answer), told


def row(task: str, item_id: str = "", video: str = "VID01", **changes: Any) -> dict[str, Any]:
    """A row of ``data/`` with the columns that scoring reads.

    ``values``, ``answer`` and ``key`` among the changes replace the sample's.
    """
    names, told = _told(task)
    if task in CLOSED:
        values, texts, key = CLOSED[task]
        key = changes.pop("key", key)
        options = [{"key": "ABCD"[i], "text": text, "is_answer": "ABCD"[i] == key, "kind": "x"}
                   for i, text in enumerate(texts)]  # fmt: skip
        answer = f"{key}) {texts['ABCD'.index(key)]}"
    else:
        (values, answer), options, key = OPEN[task], [], None
    values, answer = changes.pop("values", values), changes.pop("answer", answer)
    value = dict(zip(names, values, strict=True))
    return {
        "item_id": item_id or task, "benchmark": "surgstu", "dataset": "cholect50",
        "video_id": video, "start_us": START_US, "end_us": END_US, "answer": answer,
        "options": options, "answer_key": key, "rounds": None, **told,
        "answer_value": orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode(), **changes,
    }  # fmt: skip
