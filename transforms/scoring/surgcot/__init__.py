"""Scores of chains: each stage, the whole chain, one stage given another, times (SurgCoT)."""

from transforms.scoring.surgcot.books import SurgcotBooks
from transforms.scoring.surgcot.items import COLUMNS, Item, ItemScore, item_of, score_item
from transforms.scoring.surgcot.replies import chosen
from transforms.scoring.surgcot.report import SurgcotReport
from transforms.scoring.surgcot.stages import BENCHMARK
from transforms.scoring.surgcot.tables import Group

__all__ = [
    "BENCHMARK",
    "COLUMNS",
    "Group",
    "Item",
    "ItemScore",
    "SurgcotBooks",
    "SurgcotReport",
    "chosen",
    "item_of",
    "score_item",
]
