"""Decide which videos to keep; each decision states its measure, its limit and a reason."""

from surgqa.transforms.evidence.curate.duplicates import near_duplicates
from surgqa.transforms.evidence.curate.harmonise import harmonise
from surgqa.transforms.evidence.curate.rules import decide, verdict
from surgqa.transforms.evidence.curate.settings import CurateSettings
from surgqa.transforms.evidence.curate.states import stretches

__all__ = [
    "CurateSettings",
    "decide",
    "harmonise",
    "near_duplicates",
    "stretches",
    "verdict",
]
