"""Names of chains: their benchmark, stages and tasks (SurgCoT)."""

from __future__ import annotations

from collections.abc import Mapping

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
