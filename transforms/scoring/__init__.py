"""Score the responses of a model by the correct answers, and compare them with guessing.

The input is rows of ``data/`` and a model's responses; the output is a report of numbers.

``docs/README.md`` explains words such as item, unit, round and chain. Here also:

- Scorer: a function that returns the scores of one response to one item (its *mark*).
- Gold: the correct value of an answer, from ``answer_value``.
- Floor: the score of a way of guessing that ignores the video.
- Collector (classes named ``...Books``): an object that takes rows one by one and returns a report
  at the end.
- Tidy text: a response without markdown, with normalised spaces and dashes.
- Interval: a 95 % confidence interval from bootstrap draws of whole videos.
"""

from surgqa.transforms.scoring.predictions import AskedIds, asked_of, load_predictions
from surgqa.transforms.scoring.report import Report
from surgqa.transforms.scoring.score import score_dataset

__all__ = ["AskedIds", "Report", "asked_of", "load_predictions", "score_dataset"]
