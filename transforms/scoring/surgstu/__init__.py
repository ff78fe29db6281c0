"""SurgSTU: its categories of tasks, and its own scorers for some types of answers."""

from surgqa.transforms.scoring.surgstu.scorers import SCORERS

__all__ = ["CATEGORY_WEIGHT", "SCORERS", "category_of"]

CATEGORIES = {
    "counting": "multi_choice",
    "existence": "multi_choice",
    "classes": "multi_choice",
    "spatial_temporal_grounding": "spatio_temporal",
    "velocity_estimation": "spatio_temporal",
    "chain_of_thought": "spatio_temporal",
    "relation_comparison": "spatio_temporal",
    "interaction_captioning": "interaction",
}
"""Core task -> category, in the benchmark's later version."""

CATEGORY_OF_NAME = {"comparison": "interaction"}
"""Task -> category, for tasks that the later version counts in another category."""

CATEGORY_WEIGHT = {"closest": 0.8}
"""Task -> weight of its items in its category; 1 for other tasks."""


def category_of(core_task: str, name: str) -> str | None:
    """Return the category of a task, None if it has none."""
    return CATEGORY_OF_NAME.get(name) or CATEGORIES.get(core_task)
