"""Scores of SAP-Bench's ranked next actions: strict and relaxed, by sample and by video."""

from transforms.scoring.choices import load_choices
from transforms.scoring.own import Settings
from transforms.scoring.sapbench.baselines import BASELINES
from transforms.scoring.sapbench.books import SapbenchBooks, gold
from transforms.scoring.sapbench.items import BENCHMARK, COLUMNS, is_ranked, item_of
from transforms.scoring.sapbench.marks import RANKS, mark_of, score_item
from transforms.scoring.sapbench.ranked import Ranked, read_ranked
from transforms.scoring.sapbench.report import SapbenchReport
from transforms.scoring.sapbench.scores import SapbenchRows
from transforms.scoring.sapbench.tables import MEASURES, Draws, Share, percent, shares


def books(settings: Settings) -> SapbenchRows:
    """Return the object that scores rankings and plans."""
    return SapbenchRows(settings.surgeons)


__all__ = [
    "BASELINES",
    "BENCHMARK",
    "COLUMNS",
    "MEASURES",
    "RANKS",
    "Draws",
    "Ranked",
    "SapbenchBooks",
    "SapbenchReport",
    "Share",
    "books",
    "gold",
    "is_ranked",
    "item_of",
    "load_choices",
    "mark_of",
    "percent",
    "read_ranked",
    "score_item",
    "shares",
]
