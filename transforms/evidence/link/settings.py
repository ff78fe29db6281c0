"""Named limits for linking; all of them are settings of a run, none is a literal in the code.

Lengths are fractions of the frame's diagonal.  A cost is the negative natural logarithm of a
probability density over an area of one squared diagonal, so costs can be added.

Sources of the values: ``drift`` comes from boxes of five cholecystectomies.  In one second they
move by 0.046 of the diagonal (median), 0.139 (90th percentile) and 0.53 (maximum).  The
heavy-tailed density of :mod:`~transforms.evidence.link.tracks` has that median and that 90th
percentile at 0.0325. The other values were tuned on seeds 0 to 2 of simulated motion at 1, 5 and 25
frames per second (docs/linking.md); results are reported for other seeds.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """Limits and weights for linking the boxes of one video.

    Attributes:
        high_score: minimum score of a box that may open a track (ByteTrack's high scores).
        low_score: minimum score of a box that may continue a track; other boxes are dropped.
        reidentify_us: longest time, in microseconds, after which a track is found again: an
            occlusion of two seconds and one missed box at one frame per second.
        low_us: the same for boxes of low score; microseconds.
        tentative_instants: instants within which a track needs its second box (ByteTrack's
            unconfirmed tracks).
        rest: spread of a box that does not move, in diagonals.
        rest_share: the same as a fraction of the box's side. Both values are added.
        drift: growth of the spread with time, in diagonals per second.
        drift_us: time after which the spread stops growing; microseconds.
        speed_fade_s: time in which a predicted speed dies out, seconds; instruments stop.
        speed_learn_s: time over which a track's speed is averaged, seconds.
        place_learn: minimum weight of a new box in a track's smoothed position, 0 to 1.
        size_weight: cost of a box whose area is larger or smaller by a factor of 2.718 (e).
        class_error: share of boxes, 0 to 1, that get a class which the track never had.
        class_prior: boxes of unknown class (of score 1) that are added to a track's boxes.
        class_chance: probability of any single class among the wrong classes.
        switch_weight: cost of a class other than the track's, per second since the track's last
            box; a change of class is possible.
        age_weight: cost per second since the last box of a track that was missed.
        looks_weight: cost of a completely different appearance, relative to ``looks_neutral``.
        looks_neutral: difference in appearance, 0 to 1, that neither raises nor lowers the cost. It
            is also used for a box without a descriptor.
        high_limit: cost from which a box of high score opens its own track instead.
        low_limit: cost from which a box of low score is left without a track instead.
        duplicate_overlap: a box that would open a track is a duplicate if its IoU with a better box
            of its kind and instant is at least this.
        confirm_us: a track of one box is dropped if the instants before and after it were sampled,
            both within this time; microseconds.
        least_share: a track is dropped if it has boxes at a smaller share of the instants from its
            first to its last box.
        smooth_boxes: a track with at least this many boxes gives all of them its class.
        bridge_us: longest time between two boxes of a track for interpolating boxes at the sampled
            instants between them; microseconds, 0 for none.
    """

    high_score: float = 0.5
    low_score: float = 0.1
    reidentify_us: int = 4_000_000
    low_us: int = 2_000_000
    tentative_instants: int = 1
    rest: float = 0.002
    rest_share: float = 0.04
    drift: float = 0.03
    drift_us: int = 3_000_000
    speed_fade_s: float = 0.7
    speed_learn_s: float = 0.3
    place_learn: float = 0.6
    size_weight: float = 1.0
    class_error: float = 0.015
    class_prior: float = 0.17
    class_chance: float = 0.25
    switch_weight: float = 1.8
    age_weight: float = 0.7
    looks_weight: float = 6.0
    looks_neutral: float = 0.25
    high_limit: float = 2.7
    low_limit: float = 0.5
    duplicate_overlap: float = 0.8
    confirm_us: int = 250_000
    least_share: float = 0.3
    smooth_boxes: int = 3
    bridge_us: int = 1_000_000
