"""Active learning: frames chosen for people to correct, corrections as layers, rounds of both.

Boxes that people confirmed, moved, added or deleted stand above a detector's in the
evidence, and the detector is trained from them.  Nothing here changes what was observed.
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
