"""Names of chains: their benchmark, stages and tasks (SurgCoT)."""

from __future__ import annotations

from collections.abc import Mapping

from ontology.times import SECOND_US

BENCHMARK = "surgcot"

STAGES = ("main", "q1", "q2", "q3")
"""A row's ``stage`` is the place in here, and the end of its ``task``."""

LABELS = ("main", "Q1", "Q2", "Q3")
"""Stages as they are printed."""

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
"""Labels that are no farther apart know the options of a standard chain from each other."""


def scale_of(resolution_us: int | None) -> str:
    """How exact a chain is, by how far its labels are apart."""
    return SCALES[(resolution_us or 0) > FINE_US]
