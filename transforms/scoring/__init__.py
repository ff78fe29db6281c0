"""Score the texts that a model answered against the gold values, next to what guessing scores.

The input is rows of ``data/`` and predictions; the output is numbers. No question is generated.

Terms of this room:

- Mark: the scores of one response to one item. A scorer is the function that makes marks.
- Gold: the correct value of an answer, from ``answer_value``.
- Floor: the score of a way of guessing that ignores the video.
- Collector (`...Books`): an object that takes rows one by one and returns a report at the end.
- Tidy text: a response after its spaces, dashes and markdown were normalised.
- Interval: a 95 % bootstrap interval, for which whole videos are drawn.
"""

from surgqa.transforms.scoring.predictions import AskedIds, asked_of, load_predictions
from surgqa.transforms.scoring.report import Report
from surgqa.transforms.scoring.score import score_dataset

__all__ = ["AskedIds", "Report", "asked_of", "load_predictions", "score_dataset"]
