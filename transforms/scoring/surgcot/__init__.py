"""Scores of SurgCoT chains: each stage, the whole chain, conditional scores, and times."""

from transforms.scoring.own import Settings
from transforms.scoring.replies import chosen
from transforms.scoring.surgcot.books import SurgcotBooks
from transforms.scoring.surgcot.items import COLUMNS, Item, ItemScore, item_of, score_item
from transforms.scoring.surgcot.report import SurgcotReport
from transforms.scoring.surgcot.stages import BENCHMARK
from transforms.scoring.surgcot.tables import Group


def books(settings: Settings) -> SurgcotBooks:
    """Return the object that scores the stages of the benchmark."""
    return SurgcotBooks()


__all__ = [
    "BENCHMARK",
    "COLUMNS",
    "Group",
    "Item",
    "ItemScore",
    "SurgcotBooks",
    "SurgcotReport",
    "books",
    "chosen",
    "item_of",
    "score_item",
]
