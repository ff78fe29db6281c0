"""Scores of answers in words: content C, responsiveness R, stability S and overall score O.

An item has one answer for its window, or one for each round of a stream.  A rubric decides where
neither an exact match nor the protocol does.
"""

from transforms.scoring.outputs.books import FLOORS, Manner, OutputBooks, oracle
from transforms.scoring.outputs.items import COLUMNS, item_of
from transforms.scoring.outputs.judging import load_judgements
from transforms.scoring.outputs.report import OutputReport
from transforms.scoring.outputs.scores import FIXED, LINEAR, Decay, score_item

__all__ = [
    "COLUMNS",
    "FIXED",
    "FLOORS",
    "LINEAR",
    "Decay",
    "Manner",
    "OutputBooks",
    "OutputReport",
    "item_of",
    "load_judgements",
    "oracle",
    "score_item",
]
