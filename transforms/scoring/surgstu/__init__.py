"""Published scores of SurgSTU where the type of an answer does not give them."""

from transforms.scoring.surgstu.scorers import SCORERS

__all__ = ["SCORERS"]
