"""Blind guessing: answers that rules find from options, questions and labels, without the video."""

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
