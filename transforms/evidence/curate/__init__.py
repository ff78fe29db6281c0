"""Decide which videos to keep; each decision states its measure, its limit and a reason."""

from surgqa.transforms.evidence.curate.duplicates import near_duplicates
from surgqa.transforms.evidence.curate.harmonise import Change, harmonise
from surgqa.transforms.evidence.curate.rules import decide
from surgqa.transforms.evidence.curate.settings import CurateSettings, DuplicateSettings
from surgqa.transforms.evidence.curate.stretches import stretches
from surgqa.transforms.evidence.curate.verdict import Verdict, verdict

__all__ = [
    "Change",
    "CurateSettings",
    "DuplicateSettings",
    "Verdict",
    "decide",
    "harmonise",
    "near_duplicates",
    "stretches",
    "verdict",
]
