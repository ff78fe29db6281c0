"""Scorers of rows that do not say their rule, by the names of SurgSTU's tasks."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.scoring.case import SCORE_ONLY, WITH_BOTH, WITH_BOX, WITH_LABEL, Task
from transforms.scoring.parse import (
    read_instrument,
    read_pair,
    read_region,
    read_time,
    read_verb,
)
from transforms.scoring.passages import (
    read_comparison,
    read_idle,
    read_rel_change,
    read_sequence,
    read_speeds,
    read_stretch,
    read_trace,
)
from transforms.scoring.surgstu import captioning as cap
from transforms.scoring.surgstu import grounding as ground
from transforms.scoring.surgstu import relations as rel
from transforms.scoring.tasks import CHOICE

_LOCATE = Task(ground.read_located, ground.mark_locate, WITH_BOX)
_LOCATE_BY = Task(ground.read_located, ground.mark_locate_by, WITH_BOTH)
_TIME = Task(read_time, cap.mark_time, SCORE_ONLY)
_TOP_CLASS = Task(cap.read_instrument_label, cap.label_marker("label"), WITH_LABEL)
_VERB = Task(read_verb, cap.label_marker("verb"), WITH_LABEL)

BY_NAME: Mapping[str, Task] = {
    "trajectory": Task(ground.read_trajectory, ground.mark_trajectory, WITH_BOX),
    "window": Task(ground.read_window_answer, ground.mark_window, WITH_BOX),
    "locate": _LOCATE,
    "locate_by_action": _LOCATE_BY,
    "locate_by_target": _LOCATE_BY,
    "segment": Task(read_region, ground.mark_segment, WITH_LABEL),
    "closest": Task(read_instrument, ground.mark_instrument, WITH_LABEL),
    "refusal_absent_instrument": Task(ground.read_absence, ground.mark_refusal, WITH_LABEL),
    "next_action": Task(read_pair, cap.mark_pair, WITH_LABEL),
    "action_status": _VERB,
    "movement_status": Task(cap.read_speed_word, cap.label_marker("speed_class"), WITH_LABEL),
    "target_interaction": Task(cap.read_target, cap.label_marker("target"), WITH_LABEL),
    "identify_bbox": Task(read_instrument, ground.mark_instrument, WITH_LABEL),
    "refusal_no_specific_action": _VERB,
    "reverse_target": Task(cap.read_instrument_set, cap.mark_set, WITH_LABEL),
    "interaction_duration": Task(read_time, cap.mark_duration, SCORE_ONLY),
    "interaction_count": Task(cap.read_block_count, cap.mark_block_count, WITH_LABEL),
    "longest_continuous_action": Task(read_stretch, cap.mark_stretch, SCORE_ONLY),
    "idle_duration": Task(read_idle, cap.mark_idle, WITH_LABEL),
    "first_appearance_time": _TIME,
    "last_appearance_time": _TIME,
    "first_action": Task(cap.read_first_action, cap.mark_first_action, WITH_LABEL),
    "action_sequence": Task(read_sequence, cap.mark_sequence, WITH_LABEL),
    "most_active_instrument": _TOP_CLASS,
    "most_target_diversity_instrument": _TOP_CLASS,
    "dominant_verb": _VERB,
    "distinct_targets_touched": Task(cap.read_target_set, cap.mark_set, WITH_LABEL),
    "rel_pos": Task(rel.read_position, rel.mark_position, WITH_LABEL),
    "rel_change": Task(read_rel_change, rel.mark_change, WITH_LABEL),
    "comparison": Task(read_comparison, rel.mark_comparison, WITH_LABEL),
    "velocity": Task(read_speeds, rel.mark_velocity, WITH_LABEL),
    "counting_distinct": CHOICE,
    "counting_specific": CHOICE,
    "counting_concurrent": CHOICE,
    "existence_global": CHOICE,
    "existence_local_inst": CHOICE,
    "existence_local_target": CHOICE,
    "classes": CHOICE,
    "trajectory_reasoning": Task(read_trace, ground.mark_trace, WITH_BOTH),
}
