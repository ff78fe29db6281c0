"""Scores of streams and of open answers: content C, responsiveness R, stability S, overall score O.

C states whether an answer is correct, R how soon after an event it comes, and S whether it is kept
(``docs/scoring.md`` has the formulas). An item has one answer, or one for each round of a stream.
An answer is compared with the expected words and with the protocol (words with a fixed meaning,
such as ``no_alert``). If these decide nothing, the item's rubric rates the answer.
"""

from surgqa.transforms.scoring.outputs.judging import load_judgements
from surgqa.transforms.scoring.outputs.report import WordScoring
from surgqa.transforms.scoring.outputs.scores import Decay

__all__ = ["Decay", "WordScoring", "load_judgements"]
