"""Scores of time-aware items: content, responsiveness, stability and their sum (MedStreamBench)."""

from transforms.scoring.medstream.books import Manner, MedstreamBooks
from transforms.scoring.medstream.floors import FLOORS, oracle
from transforms.scoring.medstream.items import BENCHMARK, COLUMNS, item_of
from transforms.scoring.medstream.judgements import load_judgements
from transforms.scoring.medstream.report import MedstreamReport
from transforms.scoring.medstream.rounds import FIXED, LINEAR, Decay
from transforms.scoring.medstream.scores import score_item

__all__ = [
    "BENCHMARK",
    "COLUMNS",
    "FIXED",
    "FLOORS",
    "LINEAR",
    "Decay",
    "Manner",
    "MedstreamBooks",
    "MedstreamReport",
    "item_of",
    "load_judgements",
    "oracle",
    "score_item",
]
