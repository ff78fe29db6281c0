"""SurgSTU: its categories, and published scores that the type of an answer does not imply."""

from surgqa.transforms.scoring.surgstu.categories import CATEGORY_WEIGHT, category_of
from surgqa.transforms.scoring.surgstu.scorers import SCORERS

__all__ = ["CATEGORY_WEIGHT", "SCORERS", "category_of"]
