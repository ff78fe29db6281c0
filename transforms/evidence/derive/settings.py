"""Every limit of the derived evidence, with its unit and where it comes from.

"Units" are frame widths and heights (boxes in [0, 1]), "units a second" their speed.
"SurgCoT" and "SurgSTU" stand for what those papers or their public material state; all
else is our choice, and says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """Tips and their speed.

    Attributes:
        border: a box nearer than this to the frame's edge touches it, units.  Our choice:
            three pixels of 320, what detectors leave between an object and the edge.
        entering_share: a track whose boxes (or masks) touch the edge in at least this
            share of its samples shows whole instruments, else tips.  Our choice: half.
        masked_share: tips come from masks where at least this share of a track's samples
            has one, else all from boxes; switching between the two would look like
            motion.  Our choice.
        gap_us: longest time between neighbouring samples of one motion, microseconds.
            SurgSTU's later public material.
        periods: but at least this many sample periods (1 fps would have no motion at
            all).  Our choice, as for annotated tracks.
        base_us: smoothed speed is measured over about this time.  Our choice: at 25 fps
            two neighbouring boxes differ by their jitter more than by their motion.
        fast: a peak of speed is at least this, units a second.  Our choice: "fast" among
            the words for speed.
        peak_us: a peak is the highest within this time to both sides.  Our choice: half
            a second, as for extremes of a trajectory.
        still: a tip below this stands still, units a second.  Our choice: "stationary"
            among the words for speed, about the jitter of boxes.
        slow: a tip below this is slow, at or above it moves.  Our choice: the lower end
            of "moderate" among the words for speed.
        stop_us: a stop lasts at least this.  Our choice.
    """

    border: float = 0.01
    entering_share: float = 0.5
    masked_share: float = 0.8
    gap_us: int = 700_000
    periods: float = 1.5
    base_us: int = 200_000
    fast: float = 0.15
    peak_us: int = 500_000
    still: float = 0.02
    slow: float = 0.05
    stop_us: int = 500_000

    def gap(self, period_us: int) -> int:
        """Longest microseconds between neighbouring samples of a run."""
        return max(self.gap_us, int(self.periods * period_us))


@dataclass(frozen=True, slots=True)
class ContactLimits:
    """Touching, onsets of actions, and the region a tool works in.

    Attributes:
        touch: a tool nearer than this touches, units.  Our choice: about the jitter of a
            box's edge.
        part: touching ends when farther than this.  Our choice: four times as far, so
            that jitter does not end it.
        bridge_us: partings up to this are no end of a contact.  Our choice: one missed
            sample at 5 fps.
        reach: a tool within this can be about to act, units.  Our choice: a third of a
            tip's usual size.
        brake_from: an onset by deceleration comes from at least this speed, units a
            second.  Our choice: twice ``MotionLimits.slow``, so that it halves at least.
        brake_us: and falls below ``MotionLimits.slow`` within this time.  Our choice.
        onset_us: candidates of one pair within this time are one onset, at the earliest:
            SurgCoT counts the first minimal cue, not the developed event.
        settle_us: a tissue is the region of a tool that stays this long.  Our choice:
            longer than a passing overlap.
        switch_us: between two regions lies at most this, else the second is new work and
            no switch.  Our choice: SurgCoT's longest lead of a cue.
    """

    touch: float = 0.005
    part: float = 0.02
    bridge_us: int = 300_000
    reach: float = 0.03
    brake_from: float = 0.10
    brake_us: int = 1_000_000
    onset_us: int = 1_000_000
    settle_us: int = 300_000
    switch_us: int = 2_000_000


@dataclass(frozen=True, slots=True)
class CueLimits:
    """What announces an action (SurgCoT, cue-action alignment).

    Attributes:
        approach_us: an approach lasts at least this.  Our choice, fixed with the task.
        approach: and brings tool and tissue nearer by at least this, units between
            centres.  Our choice, fixed with the task.
        smooth_us: distances are means over this time, so that at 25 fps the noise of boxes
            does not hide how they change.  Our choice: one period at 5 fps, where it
            changes nothing.
        jitter: a rise up to this does not end a fall, units.  Our choice: a fifth of the
            least fall.  Without smoothing and jitter (0 and 0: the strict rule) most
            approaches at 25 fps are missed; docs/derived.md has the figures.
        stall_us: a fall that makes no way for longer than this has ended.  Our choice.
        positioned_us: positioned without engaging: within reach and slow for this long.
            Our choice, as long as an approach.
        camera_us: growth is compared over this time.  Our choice: one second.
        camera_growth: the camera moves in when boxes grow by at least this factor over
            ``camera_us``, and out when they shrink by it.  Our choice: eight percent,
            above the jitter of single boxes over a second.
        camera_boxes: at least so many boxes, one of them tissue.  Our choice: one box
            alone may be an object that moves.
        camera_agree: each of them changes at least by this share of the common change.
            Our choice: half.
        speech_us: how finely the start of a spoken intent is known.  Our choice: the
            largest error that the tests of the speech extractor allow.
    """

    approach_us: int = 500_000
    approach: float = 0.05
    smooth_us: int = 200_000
    jitter: float = 0.01
    stall_us: int = 500_000
    positioned_us: int = 500_000
    camera_us: int = 1_000_000
    camera_growth: float = 1.08
    camera_boxes: int = 2
    camera_agree: float = 0.5
    speech_us: int = 500_000


@dataclass(frozen=True, slots=True)
class PresenceLimits:
    """When an instrument comes and goes.

    Attributes:
        away_us: a track that begins within this after another of its class ended goes on
            with it: the linker lost it.  Our choice: the linker's own longest gap.
        seen_us: presences shorter than this (a sample counts its period) are flickering
            detections and neither come nor go.  Our choice: two samples at 5 fps.
    """

    away_us: int = 2_500_000
    seen_us: int = 400_000


@dataclass(frozen=True, slots=True)
class TissueLimits:
    """The states of a tissue over time.

    Attributes:
        vote_us: a state is the majority within this time to both sides.  Our choice:
            half a second, how far a label at 1 fps holds.
        tool: a change is put down to the nearest tool within this, units.  Our choice:
            about the size of a tip.
    """

    vote_us: int = 500_000
    tool: float = 0.10


@dataclass(frozen=True, slots=True)
class ShotLimits:
    """Cuts and changes of light.

    Attributes:
        luma_step: mean absolute change of grey, [0, 1], above which a picture is another.
            Our choice, fixed with SurgCoT's segmentation.
        colour_step: the same for the distance of colour histograms, [0, 1].  Measured on
            laparoscopic frames: no neighbours 1 s apart within one shot exceeded 0.39.
        lag_us: beside its neighbour a sample is compared with the one nearest to this
            before it, so that fades are found at any rate.  The histogram limit was
            measured at one second.
        reach_us: pictures farther apart than this are not compared; the limits say
            nothing about them.  Our choice: one and a half times the lag.
        light: change of mean grey, [0, 1], that is a change of light when the structure
            stays.  Our choice: above what moving instruments change.
        same_bits: pictures whose 64-bit difference hashes differ in at most so many bits
            show one structure.  Measured: JPEG moves it by 1, frames a minute apart in
            one video differ by 11 or more (5th percentile).
        same_gradient: or those whose gradients correlate at least so.  Our choice.
    """

    luma_step: float = 0.25
    colour_step: float = 0.40
    lag_us: int = 1_000_000
    reach_us: int = 1_500_000
    light: float = 0.10
    same_bits: int = 10
    same_gradient: float = 0.6


@dataclass(frozen=True, slots=True)
class HierarchyLimits:
    """Segments by fused cues (SurgCoT names the cues, the fusing and the pruning; the
    numbers are our choice, fixed with the benchmark's rules).

    Attributes:
        merge_us: boundary candidates within this are one, at their median.
        apart_us: of two boundaries within this the weaker is suppressed.
        shortest_us: shorter segments are joined to a neighbour.
        longest_us: longer ones are cut into equal parts.
        phrase_us: neighbouring anchors of one phase and action with at most this between
            them are one.
    """

    merge_us: int = 1_000_000
    apart_us: int = 3_000_000
    shortest_us: int = 5_000_000
    longest_us: int = 60_000_000
    phrase_us: int = 2_000_000


@dataclass(frozen=True, slots=True)
class DeriveSettings:
    """All limits of one run; part of what evidence is keyed by."""

    motion: MotionLimits = field(default_factory=MotionLimits)
    contact: ContactLimits = field(default_factory=ContactLimits)
    cues: CueLimits = field(default_factory=CueLimits)
    presence: PresenceLimits = field(default_factory=PresenceLimits)
    tissue: TissueLimits = field(default_factory=TissueLimits)
    shots: ShotLimits = field(default_factory=ShotLimits)
    hierarchy: HierarchyLimits = field(default_factory=HierarchyLimits)
