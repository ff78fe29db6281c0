"""Blind guessing: answers that rules find from options, questions and labels, without the video.

Words such as template, chain and stage are explained in ``docs/README.md``.  Here also:

- Feature: a property of an option, such as its rank among the item's options, as a whole number (a
  code).
- Rule: a way of guessing that adds the learned values of one or more features of each option.
- Setting: which texts besides the question a model sees, such as earlier answers of a chain.
- Ask: one question as a model sees it. Each round of a stream is a separate ask.
- Fold: the questions of some surgeries, guessed with rules learned from all other surgeries.
- Cell: a fold, or one half of it if there are only two folds.
- Shelf: a scratch file with the rows of one template.
"""

from surgqa.transforms.blind.folder import guesses_of, replies_of
from surgqa.transforms.blind.guess import MARGIN, Guess, guess
from surgqa.transforms.blind.items import COLUMNS, Ask, asks_of
from surgqa.transforms.blind.report import Blind, guesses, marks_of, outstanding, summed, table_of
from surgqa.transforms.blind.shelves import Shelves

__all__ = [
    "COLUMNS",
    "MARGIN",
    "Ask",
    "Blind",
    "Guess",
    "Shelves",
    "asks_of",
    "guess",
    "guesses",
    "guesses_of",
    "marks_of",
    "outstanding",
    "replies_of",
    "summed",
    "table_of",
]
