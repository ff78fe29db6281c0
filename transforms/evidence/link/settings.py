"""Named limits of linking; every one is a setting of a run, none a literal in code.

Lengths are in parts of the picture's diagonal.  A cost is minus the natural logarithm of
a probability density over an area of one squared diagonal, so that costs add up.

Where the numbers come from: ``drift`` from boxes of five cholecystectomies, which in one
second move by 0.046 of the diagonal (median), 0.139 (ninth tenth) and 0.53 (largest);
the heavy-tailed density of :mod:`~transforms.evidence.link.cost` has that median and that
ninth tenth at 0.0325.  The others were set on seeds 0 to 2 of made-up motion at 1, 5 and
25 pictures a second (docs/linking.md); figures are told for other seeds.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """Limits and weights of linking one video's boxes.

    Attributes:
        high_score: least score of a box that may open a track (ByteTrack's high scores).
        low_score: least score of a box that may continue one; others are not kept.
        reidentify_us: longest time, in microseconds, after which a track is found again:
            a cover of two seconds and one missed box at one picture a second.
        low_us: the same for boxes of low score; microseconds.
        tentative_instants: instants within which a track needs its second box (ByteTrack's
            unconfirmed tracks).
        rest: spread of a box that does not move, in diagonals.
        rest_share: the same in parts of the box's side; both are added.
        drift: growth of the spread with time, in diagonals a second.
        drift_us: time after which the spread grows no more; microseconds.
        speed_fade_s: time in which a predicted speed dies out, seconds: tools stop, they
            do not fly on.
        speed_learn_s: time over which a track's speed is averaged, seconds.
        place_learn: least weight of a new box in a track's smoothed place, 0 to 1.
        size_weight: cost of a box e times as large or as small in area.
        class_error: share of boxes to which the detector gives a class that the track
            never had, 0 to 1.
        class_prior: boxes of unknown class (of score 1) that are added to a track's.
        class_chance: probability of any one class among those.
        switch_weight: cost of another class than the track's, for each second since the
            track's last box; a switch is no ban.
        age_weight: cost of each second since the last box of a track that was missed.
        looks_weight: cost of entirely different looks above ``looks_neutral``.
        looks_neutral: unlikeness at which looks say nothing, and that of a box without a
            descriptor, 0 to 1.
        high_limit: cost at which a box of high score rather opens a track of its own.
        low_limit: cost at which a box of low score is rather of nothing.
        duplicate_overlap: a box that would open a track while it overlaps a better box of
            its kind and instant by this IoU is a second detection of the same thing.
        confirm_us: a track of one box is dropped where the instants before and after were
            looked at, both within this time; microseconds.
        least_share: a track is dropped that has boxes at a smaller share of the instants
            from its first to its last.
        smooth_boxes: least boxes of a track for its class to replace that of its boxes.
        bridge_us: longest time between two boxes of a track for boxes to be interpolated
            at the instants looked at between them; microseconds, 0 for none.
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
