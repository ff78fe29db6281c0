"""How good an answer is: a model's text against the gold value, beside what guessing gets.

Nothing here generates questions; rows of ``data/`` and predictions come in, numbers go out.
"""

from transforms.scoring.asked import Asked, asked_of
from transforms.scoring.score import (
    COLUMNS,
    Group,
    ItemScore,
    Report,
    load_predictions,
    score_dataset,
)

__all__ = [
    "COLUMNS",
    "Asked",
    "Group",
    "ItemScore",
    "Report",
    "asked_of",
    "load_predictions",
    "score_dataset",
]
