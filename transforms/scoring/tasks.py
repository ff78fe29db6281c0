"""Which scorer serves which task, and the one way a response is scored.

A row's ``task`` is ``<core task>/<name>``; names are those of docs/answers.md.  The formulas
are described in docs/scoring.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from transforms.scoring import captioning as cap
from transforms.scoring import grounding as ground
from transforms.scoring import relations as rel
from transforms.scoring.case import (
    SCORE_ONLY,
    WITH_BOTH,
    WITH_BOX,
    WITH_LABEL,
    Case,
    Mark,
    Task,
)
from transforms.scoring.medstream.items import BENCHMARK as MEDSTREAM
from transforms.scoring.parse import (
    read_instrument,
    read_option,
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
from transforms.scoring.sapbench.items import BENCHMARK as SAPBENCH
from transforms.scoring.sapbench.items import is_ranked
from transforms.scoring.sapbench.plans import is_plan
from transforms.scoring.surgcot.stages import BENCHMARK as SURGCOT
from transforms.scoring.text import answer_parts, tidy


def mark_option(text: str, case: Case) -> Mark | None:
    """1 for the right option, 0 for a wrong one, None where no option is chosen."""
    key = read_option(text, case.options)
    if key is None:
        return None
    right = float(key == case.answer_key)
    return Mark(right, accuracy=right)


CHOICE = Task(str, mark_option, WITH_LABEL, closed=True)
"""Any question with options: accuracy on the option."""

_LOCATE = Task(ground.read_located, ground.mark_locate, WITH_BOX)
_LOCATE_BY = Task(ground.read_located, ground.mark_locate_by, WITH_BOTH)
_TIME = Task(read_time, cap.mark_time, SCORE_ONLY)
_TOP_CLASS = Task(cap.read_instrument_label, cap.label_marker("label"), WITH_LABEL)
_VERB = Task(read_verb, cap.label_marker("verb"), WITH_LABEL)

SURGSTU: Mapping[str, Task] = {
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

BENCHMARKS: Mapping[str, Mapping[str, Task]] = {"surgstu": SURGSTU}


def task_of(row: Mapping[str, Any]) -> Task | None:
    """The scorer of a row, None where there is none.

    A task that is not listed is scored by its options if it has them and a right one; a
    row with rounds is a stream and needs a scorer of its own, as all of ``medstream`` do, the
    published tasks of ``sapbench``, and the stages of chains.
    """
    ranked = row["benchmark"] == SAPBENCH and (is_ranked(row) or is_plan(row))
    if row["benchmark"] in (MEDSTREAM, SURGCOT) or ranked:
        return None
    known = BENCHMARKS.get(row["benchmark"], {}).get(row["task"].rpartition("/")[2])
    if known is not None:
        return known
    closed = row["options"] and row["answer_key"] and not row["rounds"]
    return CHOICE if closed else None


@lru_cache(maxsize=8192)
def read_response(task: Task, response: str) -> tuple[Any, ...]:
    """Predictions a response can be read as, the most explicit part's first; may be empty."""
    read = (task.read(part) for part in answer_parts(tidy(response)))
    return tuple(prediction for prediction in read if prediction is not None)


def mark_response(task: Task, response: str, case: Case) -> Mark | None:
    """The mark of a response, None where it cannot be read (scores 0, is counted)."""
    marks = (task.mark(prediction, case) for prediction in read_response(task, response))
    return next((mark for mark in marks if mark is not None), None)
