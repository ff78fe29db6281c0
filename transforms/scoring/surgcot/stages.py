"""Names used in SurgCoT: the benchmark, its stages and its tasks."""

from __future__ import annotations

from collections.abc import Mapping

from ontology.times import SECOND_US

BENCHMARK = "surgcot"

STAGES = ("main", "q1", "q2", "q3")
"""A row's ``stage`` is an index into this tuple; its ``task`` ends with that name."""

LABELS = ("main", "Q1", "Q2", "Q3")
"""Names of the stages as printed."""

TASKS: Mapping[str, str] = {
    "causal_action_ordering": "CAO",
    "cue_action_alignment": "CAA",
    "affordance_mapping": "AM",
    "micro_transition_localization": "MTL",
    "anomaly_onset_tracking": "AOT",
}
"""Core task -> its short name, in the order of the paper."""

SCALES = ("standard", "coarse")
FINE_US = SECOND_US // 2
"""Largest distance between labels that still distinguishes the options of a standard chain."""


def scale_of(resolution_us: int | None) -> str:
    """Return the scale of a chain, from the time between its labels in microseconds."""
    return SCALES[(resolution_us or 0) > FINE_US]
