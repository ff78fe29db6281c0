"""Hand-made rows: every task with its answer value, the printed answer and the columns.

Answers are written out by hand in the canonical form, so that they test the reading of
the form and not the code that prints it.
"""

from __future__ import annotations

from typing import Any

import orjson

START_US = 100_000_000
END_US = 125_000_000

BOX = [0.15421, 0.38702, 0.34366, 0.47711]
BOX_TEXT = "[154, 387, 344, 477]"
FAR = [0.70049, 0.61, 0.9, 0.82]
FAR_TEXT = "[700, 610, 900, 820]"
COUNTS = ["1", "2", "3", "4"]
YES_NO = ["Yes", "No"]
SETS = ["grasper", "grasper, hook", "bipolar forceps, grasper", "hook"]


def at(seconds: float) -> int:
    """Microseconds in the video of a time in the clip."""
    return START_US + round(seconds * 1_000_000)


def tool(label: str, instance: int | None = None, **more: Any) -> dict[str, Any]:
    return {"label": label, "instance": instance, "track_id": "t1", **more}


def _extreme(side: str, seconds: float, box: list[float]) -> dict[str, Any]:
    return {"side": side, "time_us": at(seconds), "box_xyxy": box}


def _presence(label: str, instance: int | None, start: float, end: float) -> dict[str, Any]:
    span = {"start_us": at(start), "end_us": at(end)}
    return tool(label, instance, **span, start_box_xyxy=BOX, end_box_xyxy=FAR)


_PLACE = {"time_us": at(3), "box_xyxy": BOX}
_STEPS = [
    {"start_us": at(0), "verb": "grasp", "target": "gallbladder"},
    {"start_us": at(5), "verb": "retract", "target": "gallbladder"},
    {"start_us": at(9), "verb": "null_verb", "target": "null_target"},
]

OPEN: dict[str, tuple[dict[str, Any], str]] = {
    "spatial_temporal_grounding/trajectory": (
        {
            "axis": "horizontal",
            "extremes": [_extreme("left", 3.004, BOX), _extreme("right", 7, FAR)],
        },
        f"Extreme Left: {BOX_TEXT} at t=3.00 s; Extreme Right: {FAR_TEXT} at t=7.00 s",
    ),
    "spatial_temporal_grounding/window": (
        {
            "instruments": [
                _presence("grasper", 1, 0, 12),
                _presence("grasper", 2, 2, 9),
                _presence("hook", None, 3, 25),
            ]
        },
        f"grasper (instance 1): Window [0.00 s – 12.00 s], Start BBox {BOX_TEXT}, "
        f"End BBox {FAR_TEXT}\n"
        f"grasper (instance 2): Window [2.00 s – 9.00 s], Start BBox {BOX_TEXT}, "
        f"End BBox {FAR_TEXT}\n"
        f"hook: Window [3.00 s – 25.00 s], Start BBox {BOX_TEXT}, End BBox {FAR_TEXT}",
    ),
    "spatial_temporal_grounding/locate": (tool("grasper", **_PLACE), BOX_TEXT),
    "spatial_temporal_grounding/locate_by_action": (
        tool("bipolar", **_PLACE),
        f"bipolar forceps: {BOX_TEXT}",
    ),
    "spatial_temporal_grounding/locate_by_target": (
        tool("grasper", 2, **_PLACE),
        f"grasper (instance 2): {BOX_TEXT}",
    ),
    "spatial_temporal_grounding/segment": (
        {"horizontal": "left", "vertical": "middle"},
        "left, middle",
    ),
    "spatial_temporal_grounding/closest": (tool("bipolar"), "bipolar forceps"),
    "spatial_temporal_grounding/refusal_absent_instrument": (
        {"refusal": True, "label": "hook"},
        "The hook is not present in this clip; no bounding box exists.",
    ),
    "interaction_captioning/next_action": (
        {"verb": "dissect", "target": "cystic_duct"},
        "dissect the cystic duct",
    ),
    "interaction_captioning/action_status": ({"verb": "clip"}, "clip"),
    "interaction_captioning/movement_status": (
        {"speed_class": "moderate", "mean_speed": 0.083},
        "moderate",
    ),
    "interaction_captioning/target_interaction": ({"target": "cystic_duct"}, "cystic duct"),
    "interaction_captioning/identify_bbox": (tool("grasper", 2), "grasper (instance 2)"),
    "interaction_captioning/refusal_no_specific_action": ({"verb": "null_verb"}, "idle"),
    "interaction_captioning/reverse_target": (
        {"labels": ["bipolar", "grasper"]},
        "bipolar forceps, grasper",
    ),
    "interaction_captioning/interaction_duration": (
        {"seconds": 14.0, "count": 3},
        "14.00 s in 3 stretches",
    ),
    "interaction_captioning/interaction_count": (
        {"seconds": 14.0, "count": 3},
        "3 stretches, 14.00 s in total",
    ),
    "interaction_captioning/longest_continuous_action": (
        {"seconds": 8.0, "start_us": at(3), "end_us": at(11)},
        "8.00 s, from 3.00 s to 11.00 s",
    ),
    "interaction_captioning/idle_duration": (
        {"seconds": 6.0, "share_visible": 0.3, "share_clip": 0.24, "bucket": "25-50"},
        "6.00 s idle: 30% of its visible time and 24% of the clip (25-50%)",
    ),
    "interaction_captioning/first_appearance_time": ({"time_us": at(3)}, "3.00 s"),
    "interaction_captioning/last_appearance_time": ({"time_us": at(21.5)}, "21.50 s"),
    "interaction_captioning/first_action": (
        {"verb": "dissect", "target": "cystic_duct", "time_us": at(3)},
        "dissect the cystic duct at 3.00 s",
    ),
    "interaction_captioning/action_sequence": (
        {"steps": _STEPS},
        "(0.00 s) grasp the gallbladder → (5.00 s) retract the gallbladder → (9.00 s) idle",
    ),
    "interaction_captioning/most_active_instrument": (
        {"label": "grasper", "seconds": 14.0},
        "grasper (14.00 s)",
    ),
    "interaction_captioning/most_target_diversity_instrument": (
        {"label": "grasper", "count": 3},
        "grasper (3 targets)",
    ),
    "interaction_captioning/dominant_verb": (
        {"verb": "dissect", "seconds": 14.0, "share": 0.6},
        "dissect (14.00 s, 60%)",
    ),
    "interaction_captioning/distinct_targets_touched": (
        {"labels": ["cystic_duct", "gallbladder"], "count": 2},
        "2: cystic duct, gallbladder",
    ),
    "relation_comparison/rel_pos": (
        {"horizontal": "left", "vertical": "above"},
        "to the left and above",
    ),
    "relation_comparison/rel_change": ({"change": "closer", "delta": -0.3512}, "closer (-0.35)"),
    "relation_comparison/comparison": (
        {"same": False, "targets": ["gallbladder", "liver"]},
        "No: gallbladder and liver",
    ),
    "velocity_estimation/velocity": (
        {
            "min_speed": 0.0101,
            "max_speed": 0.19961,
            "mean_speed": 0.08333,
            "speed_class": "moderate",
            "camera_motion": "unknown",
        },
        "min 0.010, max 0.200, mean 0.083 units/s; moderate",
    ),
    "chain_of_thought/trajectory_reasoning": (
        {
            "box_xyxy": BOX,
            "seconds": 4.0,
            "path_length": 0.3333,
            "path_class": "short",
            "mean_speed": 0.08333,
            "speed_class": "moderate",
            "verb": "dissect",
            "verb_share": 0.75,
            "blocks": 2,
        },
        f"Initialisation: {BOX_TEXT} at t=3.00 s\n"
        "Movement profile: 4.00 s, path 0.33 units (short), mean speed 0.083 units/s (moderate)\n"
        "Consistency: dissect for 75% of the window, 2 stretches\n"
        "Summary: from there the hook moves a short way at moderate speed and mostly dissects",
    ),
}
"""Task -> (answer value, printed answer) of every open task."""

CLOSED: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "counting/counting_distinct": ({"number": 2}, COUNTS, "B"),
    "counting/counting_specific": ({"number": 3}, COUNTS, "C"),
    "counting/counting_concurrent": ({"number": 4}, COUNTS, "D"),
    "existence/existence_global": ({"yes": True}, YES_NO, "A"),
    "existence/existence_local_inst": ({"yes": False}, YES_NO, "B"),
    "existence/existence_local_target": ({"yes": True}, YES_NO, "A"),
    "classes/classes": ({"labels": ["grasper", "hook"]}, SETS, "B"),
}
"""Task -> (answer value, option texts, right key) of every closed task."""

TASKS = (*OPEN, *CLOSED)


def row(sample: str, item_id: str = "", video: str = "VID01", **changes: Any) -> dict[str, Any]:
    """A row of ``data/`` with the columns that scoring reads, for the task of a sample.

    ``value``, ``answer`` and ``key`` among the changes replace the sample's.
    """
    if sample in CLOSED:
        value, texts, key = CLOSED[sample]
        key = changes.pop("key", key)
        options = [
            {"key": "ABCD"[i], "text": text, "is_answer": "ABCD"[i] == key, "kind": "x"}
            for i, text in enumerate(texts)
        ]
        answer = f"{key}) {texts['ABCD'.index(key)]}"
    else:
        (value, answer), options, key = OPEN[sample], [], None
    value, answer = changes.pop("value", value), changes.pop("answer", answer)
    return {
        "item_id": item_id or sample,
        "benchmark": "surgstu",
        "task": sample,
        "template_id": f"surgstu.{sample.rpartition('/')[2]}",
        "dataset": "cholect50",
        "video_id": video,
        "start_us": START_US,
        "end_us": END_US,
        "answer": answer,
        "options": options,
        "answer_key": key,
        "answer_value": orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode(),
        "rounds": None,
        "form": None,
        "unit": None,
        "rule": None,
        "rule_args": None,
        **changes,
    }
