"""One right item for every task; every value was worked out on paper from the world's table."""

from __future__ import annotations

from .world import S, box_at, hook_box, instrument, moment, span

HOOK = instrument("hook-1")
NUMBERS = ["1", "2*", "3", "4"]
YES, NO = ["Yes*", "No"], ["Yes", "No*"]


def _boxed(track, instance, second, box) -> dict:
    return {**instrument(track, instance), "time_us": second * S, "box_xyxy": box}


def _run(track, instance, first, last, start, end) -> dict:
    return {
        **instrument(track, instance), "start_us": first * S, "end_us": last * S,
        "start_box_xyxy": start, "end_box_xyxy": end,
    }  # fmt: skip


STILL, LEFT = box_at(0.7, 0.8), box_at(0.3, 0.8)

RIGHT_ITEMS: dict[str, tuple] = {
    # name: (core task, form, slots, value, answer, options)
    "trajectory": (
        "spatial_temporal_grounding", "box", {"tool": HOOK, **span(4, 12), "axis": "horizontal"},
        {"axis": "horizontal", "extremes": [
            {"side": "left", "time_us": 4 * S, "box_xyxy": hook_box(4)},
            {"side": "right", "time_us": 12 * S, "box_xyxy": hook_box(12)}]},
        "Extreme Left: [210, 150, 310, 250] at t=4.00; Right: [450, 150, 550, 250] at t=12.00",
    ),
    "window": (
        "spatial_temporal_grounding", "interval", moment(12),
        {"instruments": [
            _run("grasper-1", 1, 0, 23, STILL, STILL),
            _run("grasper-2", 2, 10, 15, LEFT, LEFT),
            _run("hook-1", None, 2, 21, hook_box(2), hook_box(21))]},
        "grasper (instance 1): [0.00 - 23.00], [650, 750, 750, 850], [650, 750, 750, 850]\n"
        "grasper (instance 2): [10.00 - 15.00], [250, 750, 350, 850], [250, 750, 350, 850]\n"
        "hook: [2.00 - 21.00], [150, 150, 250, 250], [720, 150, 820, 250]",
    ),
    "locate": (
        "spatial_temporal_grounding", "box", {"tool": instrument("grasper-2", 2), **moment(12)},
        _boxed("grasper-2", 2, 12, LEFT), "grasper at 12.00 s: [250, 750, 350, 850]",
    ),
    "locate_by_action": (
        "spatial_temporal_grounding", "box", {"verb": {"label": "retract"}, **moment(12)},
        _boxed("grasper-1", 1, 12, STILL), "grasper at 12.00 s: [650, 750, 750, 850]",
    ),
    "locate_by_target": (
        "spatial_temporal_grounding", "box", {"target": {"label": "liver"}, **moment(12)},
        _boxed("grasper-2", 2, 12, LEFT), "grasper at 12.00 s: [250, 750, 350, 850]",
    ),
    "segment": (
        "spatial_temporal_grounding", "text", {"tool": HOOK, **moment(12)},
        {"horizontal": "centre", "vertical": "top"}, "Horizontally centre, vertically top.",
    ),
    "closest": (
        "spatial_temporal_grounding", "text", {"point": {"x": 0.45, "y": 0.3}, **moment(12)},
        instrument("hook-1"), "The hook.",
    ),
    "refusal_absent_instrument": (
        "spatial_temporal_grounding", "text", {"kind": {"label": "bipolar"}},
        {"refusal": True, "label": "bipolar"}, "It is not present in this clip.",
    ),
    "next_action": (
        "interaction_captioning", "text",
        {"tool": HOOK, "verb": {"label": "null_verb"}, "ended": {"time_us": 7 * S}},
        {"verb": "dissect", "target": "cystic_duct"}, "It dissects the cystic duct.",
    ),
    "action_status": (
        "interaction_captioning", "text", {"tool": HOOK, **span(7, 13)},
        {"verb": "dissect"}, "dissecting",
    ),
    "movement_status": (
        "interaction_captioning", "text", {"tool": HOOK, **span(4, 12)},
        {"speed_class": "slow", "mean_speed": 0.03}, "It moves slow.",
    ),
    "target_interaction": (
        "interaction_captioning", "text", {"tool": HOOK, **span(7, 13)},
        {"target": "cystic_duct"}, "The cystic duct.",
    ),
    "identify_bbox": (
        "interaction_captioning", "text", {"box": {"box_xyxy": hook_box(12)}, **moment(12)},
        instrument("hook-1"), "The hook.",
    ),
    "refusal_no_specific_action": (
        "interaction_captioning", "text", {"tool": HOOK, **moment(4)},
        {"verb": "null_verb"}, "It is idle.",
    ),
    "reverse_target": (
        "interaction_captioning", "text", {"target": {"label": "gallbladder"}, **span(15, 19)},
        {"labels": ["grasper", "hook"]}, "The grasper and the hook.",
    ),
    "interaction_duration": (
        "interaction_captioning", "number",
        {"tool": HOOK, "verb": {"label": "dissect"}, "target": {"label": "cystic_duct"}},
        {"seconds": 7.0, "count": 1}, "7.00 s in one stretch.",
    ),
    "interaction_count": (
        "interaction_captioning", "number",
        {"tool": HOOK, "verb": {"label": "dissect"}, "target": {"label": "gallbladder"}},
        {"seconds": 5.0, "count": 1}, "Once, 5.00 s.",
    ),
    "longest_continuous_action": (
        "interaction_captioning", "interval", {"tool": HOOK, "verb": {"label": "dissect"}},
        {"seconds": 7.0, "start_us": 6_500_000, "end_us": 13_500_000},
        "7.00 s, from 6.50 s to 13.50 s.",
    ),
    "idle_duration": (
        "interaction_captioning", "text", {"tool": HOOK},
        {"seconds": 5.0, "share_visible": 0.25, "share_clip": 5 / 24, "bucket": "25-50"},
        "5.00 s, 25-50 % of its visible time.",
    ),
    "first_appearance_time": (
        "interaction_captioning", "time", {"kind": {"label": "hook"}},
        {"time_us": 2 * S}, "At 2.00 s.",
    ),
    "last_appearance_time": (
        "interaction_captioning", "time", {"kind": {"label": "hook"}},
        {"time_us": 21 * S}, "At 21.00 s.",
    ),
    "first_action": (
        "interaction_captioning", "text", {"tool": HOOK},
        {"verb": "dissect", "target": "cystic_duct", "time_us": 7 * S},
        "From 7.00 s it dissects the cystic duct.",
    ),
    "action_sequence": (
        "interaction_captioning", "text", {"tool": HOOK},
        {"steps": [
            {"start_us": 1_500_000, "verb": "null_verb", "target": "null_target"},
            {"start_us": 6_500_000, "verb": "dissect", "target": "cystic_duct"},
            {"start_us": 13_500_000, "verb": "coagulate", "target": "cystic_artery"},
            {"start_us": 16_500_000, "verb": "dissect", "target": "gallbladder"}]},
        "(1.50) idle -> (6.50) dissect cystic duct -> (13.50) coagulate cystic artery -> "
        "(16.50) dissect gallbladder",
    ),
    "most_active_instrument": (
        "interaction_captioning", "text", {},
        {"label": "grasper", "seconds": 29.5}, "The grasper, 29.50 s.",
    ),
    "most_target_diversity_instrument": (
        "interaction_captioning", "text", {}, {"label": "hook", "count": 3}, "The hook, 3.",
    ),
    "dominant_verb": (
        "interaction_captioning", "text", {"tool": HOOK},
        {"verb": "dissect", "seconds": 12.0, "share": 0.6}, "dissecting, 12.00 s",
    ),
    "distinct_targets_touched": (
        "interaction_captioning", "text", {"tool": HOOK},
        {"labels": ["cystic_artery", "cystic_duct", "gallbladder"], "count": 3},
        "cystic artery, cystic duct and gallbladder",
    ),
    "rel_pos": (
        "relation_comparison", "text",
        {"tool": HOOK, "other": instrument("grasper-1", 1), **moment(12)},
        {"horizontal": "left", "vertical": "above"}, "To the left and above.",
    ),
    "rel_change": (
        "relation_comparison", "text",
        {"tool": HOOK, "other": instrument("grasper-1", 1), **span(2, 12)},
        {"change": "maintained", "delta": 0.4**0.5 - 0.61**0.5}, "maintained, -0.15",
    ),
    "comparison": (
        "relation_comparison", "yes_no",
        {"tool": HOOK, "other": instrument("grasper-1"), **span(17, 21)},
        {"same": True, "targets": ["gallbladder", "gallbladder"]}, "A) Yes", YES,
    ),
    "velocity": (
        "velocity_estimation", "number", {"tool": HOOK, **span(4, 12)},
        {"min_speed": 0.03, "max_speed": 0.03, "mean_speed": 0.03, "speed_class": "slow",
         "camera_motion": "unknown"},
        "min 0.030, max 0.030, mean 0.030 units/s; slow",
    ),
    "counting_distinct": (
        "counting", "choice", moment(12), {"number": 2}, "B) 2", NUMBERS,
    ),
    "counting_specific": (
        "counting", "choice", {"kind": {"label": "grasper"}, **moment(12)}, {"number": 2},
        "B) 2", NUMBERS,
    ),
    "counting_concurrent": (
        "counting", "choice", span(8, 20), {"number": 3}, "C) 3", ["1", "2", "3*", "4"],
    ),
    "existence_global": (
        "existence", "yes_no", {"kind": {"label": "hook"}, "truth": "yes"}, {"yes": True},
        "A) Yes", YES,
    ),
    "existence_local_inst": (
        "existence", "yes_no", {"kind": {"label": "scissors"}, "truth": "no", **moment(12)},
        {"yes": False}, "B) No", NO,
    ),
    "existence_local_target": (
        "existence", "yes_no", {"target": {"label": "liver"}, "truth": "yes", **moment(12)},
        {"yes": True}, "A) Yes", YES,
    ),
    "classes": (
        "classes", "choice", moment(12), {"labels": ["grasper", "hook"]}, "C) grasper and hook",
        ["hook", "grasper", "grasper and hook*", "grasper, hook and bipolar forceps"],
    ),
    "trajectory_reasoning": (
        "chain_of_thought", "text", {"tool": HOOK, **span(4, 12)},
        {"box_xyxy": hook_box(4), "seconds": 8.0, "path_length": 0.24, "path_class": "short",
         "mean_speed": 0.03, "speed_class": "slow", "verb": "dissect", "verb_share": 6 / 9,
         "blocks": 2},
        "Box [210, 150, 310, 250]; 8.00 s, short path, slow; dissecting.",
    ),
}  # fmt: skip
