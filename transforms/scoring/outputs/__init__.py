"""Scores of answers in words: content C, responsiveness R, stability S and overall score O.

An item has one answer for its window, or one for each round of a stream. A rubric decides where
neither an exact match nor the protocol decides.
"""

from surgqa.transforms.scoring.outputs.books import WordScoring
from surgqa.transforms.scoring.outputs.judging import load_judgements
from surgqa.transforms.scoring.outputs.scores import Decay

__all__ = ["Decay", "WordScoring", "load_judgements"]
