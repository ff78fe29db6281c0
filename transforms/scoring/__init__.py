"""Score the texts that a model answered against the gold values, next to what guessing scores.

The input is rows of ``data/`` and predictions; the output is numbers.  No question is generated.
"""

from surgqa.transforms.scoring.predictions import AskedIds, asked_of, load_predictions
from surgqa.transforms.scoring.report import Report
from surgqa.transforms.scoring.score import score_dataset

__all__ = ["AskedIds", "Report", "asked_of", "load_predictions", "score_dataset"]
