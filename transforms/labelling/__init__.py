"""Active learning: choose frames for people to correct, store corrections as layers, record rounds.

Boxes that people confirmed, moved, added or deleted override a detector's boxes in the evidence,
and the detector is trained on them.  The observed evidence itself is never changed.
"""

from transforms.labelling.choose import Choice, choose
from transforms.labelling.layer import corrected, layers_of
from transforms.labelling.rounds import Project
from transforms.labelling.view import FolderView, StoreView

__all__ = [
    "Choice",
    "FolderView",
    "Project",
    "StoreView",
    "choose",
    "corrected",
    "layers_of",
]
