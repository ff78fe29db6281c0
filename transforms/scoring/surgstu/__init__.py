"""SurgSTU: its categories, and published scores that the type of an answer does not imply."""

from transforms.scoring.surgstu.categories import CATEGORY_WEIGHT, category_of
from transforms.scoring.surgstu.scorers import SCORERS

__all__ = ["CATEGORY_WEIGHT", "SCORERS", "category_of"]
