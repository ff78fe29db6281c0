"""SurgSTU: its categories, and published scores that the type of an answer does not imply."""

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
"""The later scheme: core task -> category."""

CATEGORY_OF_NAME = {"comparison": "interaction"}
"""Tasks that the later scheme moved to another category than their core task's."""

CATEGORY_WEIGHT = {"closest": 0.8}
"""Weight of a task's items inside its category; 1 if the task is not listed."""


def category_of(core_task: str, name: str) -> str | None:
    """Return the category of a task, None if it has none."""
    return CATEGORY_OF_NAME.get(name) or CATEGORIES.get(core_task)
