"""Every number that choosing, importing and measuring depend on."""

from __future__ import annotations

from dataclasses import dataclass, field

from ontology.errors import OutputBroken
from ontology.guarded import Telling
from ontology.times import SECOND_US

NO_RECORD = Telling(
    "a record of labelling is damaged",
    "what 'surgqa label' wrote",
    "copy the folder 'label' of the store from where it was whole",
    OutputBroken,
)
"""Said of what 'surgqa label' keeps in a store and cannot read again."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign of uncertainty counts; no unit, only their ratios matter.

    Our own choice: what is wrong beyond doubt (a label that changes within one track, a
    hole between two sightings) counts more than a low score, which half of all right
    boxes of a young detector have as well.
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
    """How frames are chosen.

    Attributes:
        threshold: score from which a detector's boxes are believed, [0, 1]; that of
            observing.
        margin: distance from the threshold within which a score is in doubt, [0, 1].
        crowd: boxes in doubt at which ``margin`` and ``entropy`` are 1; fewer give a share.
            Instruments in view are rarely more than four.
        neighbour_us: two samples up to this far apart are neighbours, microseconds; one
            and a half periods of sampling at 1 fps.
        same_iou: boxes of neighbours that overlap this much show the same thing, [0, 1];
            0.5 is the median overlap of one instrument's boxes one second apart.
        fragment_frames: a track seen in this many frames or fewer is a fragment.
        weights: of the signs.
        floor: what a frame without any sign still counts beside signs in [0, 1]; it lets
            diversity fill a round when there is no more doubt.
        near_dhash: frames with a hash distance up to this, of 64, are one picture; a
            strong JPEG changes the hash by 1, one second of a real video by 8 (median).
        far_dhash: distance from which pictures count as wholly different, of 64; median
            of frames of one real video over a minute apart.
        far_us: time from which frames of one video count as wholly different,
            microseconds.
        spread: a video may give this many times its equal share before others are asked.
        seed: decides which of two equal frames comes first.
    """

    threshold: float = 0.25
    margin: float = 0.2
    crowd: int = 4
    neighbour_us: int = 1_500_000
    same_iou: float = 0.5
    fragment_frames: int = 1
    weights: Weights = field(default_factory=Weights)
    floor: float = 0.02
    near_dhash: int = 3
    far_dhash: int = 20
    far_us: int = 30 * SECOND_US
    spread: float = 2.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class HoldingOut:
    """How the part for measuring is set apart, once for a project.

    Attributes:
        share: of surgeries or stretches, (0, 1).
        stretch_us: with too few surgeries, stretches of at most this length are set
            apart instead, microseconds.
        guard_us: frames this close to a stretch that is held out are not labelled for
            training, microseconds: one second apart, real frames are nearly the same.
        seed: decides which.
    """

    share: float = 0.2
    stretch_us: int = 30 * SECOND_US
    guard_us: int = 2 * SECOND_US
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Importing:
    """How boxes that come back are told apart.

    Attributes:
        same_box: a corner that moved by no more than this is where it was, in parts of
            the frame; the tools write hundredths of a pixel.
        outside: a box may leave the frame by this and is clipped, in parts of the frame;
            one that leaves it further is rejected.
        same_label_iou: a box without its id is the exported one of the same label that
            it overlaps this much, [0, 1].
        other_label_iou: the same for a box whose label was changed, [0, 1].
    """

    same_box: float = 1e-4
    outside: float = 0.02
    same_label_iou: float = 0.3
    other_label_iou: float = 0.6


@dataclass(frozen=True, slots=True)
class Measuring:
    """How a detector is measured on the part held out.

    Attributes:
        confidence: boxes below are not looked at, [0, 1]; an average precision needs the
            weak ones too.
        batch: pictures that are decoded at once.
    """

    confidence: float = 0.01
    batch: int = 8
