"""Decide which videos to keep; each decision states its measure, its limit and a reason."""

from transforms.evidence.curate.duplicates import near_duplicates
from transforms.evidence.curate.harmonise import Change, harmonise
from transforms.evidence.curate.rules import decide
from transforms.evidence.curate.settings import CurateSettings, DuplicateSettings
from transforms.evidence.curate.stretches import stretches
from transforms.evidence.curate.verdict import Verdict, verdict

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
