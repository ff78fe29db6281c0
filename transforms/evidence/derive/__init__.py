"""Rules that derive events from observed evidence: motion, contact, cues, shots, segments.

The rules are pure functions on the tables of :mod:`ontology.observed`. They use no models and no
images other than thumbnails, and count whole microseconds. A happening is a derived event, and a
stretch is a derived interval. :func:`derive` is called once per video.
"""

from surgqa.transforms.evidence.derive.derive import derive
from surgqa.transforms.evidence.derive.settings import DeriveSettings
from surgqa.transforms.evidence.derive.shots import changes_of_picture
from surgqa.transforms.evidence.derive.steps import fill_steps

__all__ = [
    "DeriveSettings",
    "changes_of_picture",
    "derive",
    "fill_steps",
]
