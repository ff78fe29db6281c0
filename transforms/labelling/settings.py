"""Settings for choosing the frames to review."""

from __future__ import annotations

from dataclasses import dataclass, field

from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.guarded import ErrorOf
from surgqa.ontology.times import SECOND_US

NO_RECORD = ErrorOf(
    "a record of labelling is damaged",
    "what 'surgqa label' wrote",
    "copy the folder 'label' of the store from where it was whole",
    OutputBroken,
)
"""Message about labelling files in a store that cannot be read."""


@dataclass(frozen=True, slots=True)
class SignWeights:
    """Weights of the signs of uncertainty; no unit, only their ratios matter.

    Our choice: certain errors (a label that changes within one track, a gap between two detections)
    count more than a low score, which half of the correct boxes of a little-trained detector also
    have.
    """

    margin: float = 1.0
    entropy: float = 0.5
    flicker: float = 1.0
    hole: float = 1.5
    fragment: float = 0.75
    switch: float = 1.5
    disagreement: float = 1.5
    named: float = 1.5
    outlined: float = 1.0


@dataclass(frozen=True, slots=True)
class Choosing:
    """Settings of how frames are chosen.

    Attributes:
        threshold: score from which a detector's boxes are accepted, [0, 1]; the same setting as in
            ``surgqa observe``.
        margin: distance from the threshold within which a score is doubtful, [0, 1].
        crowd: the signs ``margin`` and ``entropy`` are the sum of the boxes' doubts divided by this
            number, at most 1. It is 4 because more instruments are rarely in view.
        neighbour_us: maximum distance of neighbouring samples, microseconds; one and a half
            periods of sampling at 1 fps.
        same_iou: minimum overlap of boxes of neighbours that show the same thing, [0, 1]; 0.5 is
            the median overlap of one instrument's boxes one second apart.
        fragment_frames: a track with at most this many frames is a fragment.
        weights: weights of the signs.
        floor: value of a frame without any sign, compared with signs in [0, 1]. With it, a round is
            filled with diverse frames when no doubtful frame is left.
        near_dhash: maximum hash distance, of 64, of frames that count as identical; a strong JPEG
            changes the hash by 1, one second of a real video by 8 (median).
        far_dhash: hash distance, of 64, from which frames count as entirely different; median of
            frames of one real video over a minute apart.
        far_us: time distance from which frames of one video count as entirely different,
            microseconds.
        spread: a video may give at most this many times an equal share of the frames before other
            videos are used.
        seed: decides between frames with equal scores.
    """

    threshold: float = 0.25
    margin: float = 0.2
    crowd: int = 4
    neighbour_us: int = 1_500_000
    same_iou: float = 0.5
    fragment_frames: int = 1
    weights: SignWeights = field(default_factory=SignWeights)
    floor: float = 0.02
    near_dhash: int = 3
    far_dhash: int = 20
    far_us: int = 30 * SECOND_US
    spread: float = 2.0
    seed: int = 0
