"""Every limit of the derived evidence, with its unit and its source.

"Units" are frame widths and heights (boxes in [0, 1]); speeds are in "units per second".
"SurgCoT" and "SurgSTU" mark limits that those papers or their public material state.  All other
limits are our choice, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """Limits for tips and their speed.

    Attributes:
        border: a box nearer than this to the frame's edge touches it, units.  Our choice:
            three pixels of 320, the distance that detectors leave between object and edge.
        entering_share: if at least this share of a track's boxes (or masks) touches the edge,
            the track shows whole instruments, otherwise tips.  Our choice: half.
        masked_share: tips are taken from masks if at least this share of a track's samples
            has one, otherwise all from boxes, because a switch between the two would look
            like motion.  Our choice.
        gap_us: longest time between consecutive samples of one motion, microseconds.
            SurgSTU's later public material.
        periods: the gap is at least this many sample periods (otherwise there would be no
            motion at 1 fps).  Our choice, as for annotated tracks.
        base_us: smoothed speed is measured over about this time.  Our choice: at 25 fps
            the jitter of consecutive boxes is larger than their motion.
        fast: least speed of a peak, units per second.  Our choice: the speed from which questions
            call a movement "fast" (``ontology/vocab/speeds.yaml``).
        peak_us: a peak is the highest speed within this time before and after.  Our choice:
            half a second, as for extremes of a trajectory.
        still: a slower tip stands still, units per second.  Our choice: the highest speed that
            ``speeds.yaml`` calls "stationary", about the jitter of boxes.
        slow: speed below which a tip is slow, and above which it moves. Our choice: the lowest
            speed that ``speeds.yaml`` calls "moderate".
        stop_us: least duration of a stop.  Our choice.
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
        """Longest time between consecutive samples of a run, microseconds."""
        return max(self.gap_us, int(self.periods * period_us))


@dataclass(frozen=True, slots=True)
class ContactLimits:
    """Limits for contact, onsets of actions, and the region a tool works in.

    Attributes:
        touch: a tool at most this far away touches, units.  Our choice: about the jitter of
            a box's edge.
        part: a contact ends when the tool is farther away than this.  Our choice: four times
            ``touch``, so that jitter does not end it.
        bridge_us: separations up to this long do not end a contact.  Our choice: one missed
            sample at 5 fps.
        reach: a tool within this distance may be about to act, units.  Our choice: a third
            of a tip's usual size.
        brake_from: least speed before an onset by deceleration, units per second.  Our
            choice: twice ``MotionLimits.slow``, so that the speed at least halves.
        brake_us: longest time for the fall below ``MotionLimits.slow``.  Our choice.
        onset_us: candidates of one pair within this time are one onset, at the earliest candidate.
            In SurgCoT, an event begins at its first sign.
        settle_us: a tissue becomes a tool's region after this time.  Our choice: longer
            than a passing overlap.
        switch_us: longest time between two regions; after a longer one, the second is new
            work and no switch.  Our choice: SurgCoT's longest lead of a cue.
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
    """Limits for cues that announce an action (SurgCoT, cue-action alignment).

    Attributes:
        approach_us: least duration of an approach.  Our choice.
        approach: least decrease of the distance of the centres, units.  Our choice.
        smooth_us: distances are means over this time, so that at 25 fps the noise of boxes does not
            hide how they change.  Our choice: one period at 5 fps, where it has no effect.
        jitter: a rise up to this does not end a fall, units.  Our choice: a fifth of the
            least fall.  Without smoothing and jitter (0 and 0: the strict rule) most
            approaches at 25 fps are missed; docs/derived.md has the figures.
        stall_us: a fall without progress for longer than this has ended.  Our choice.
        positioned_us: a tool is positioned if it is within reach, slow and not touching for
            this long.  Our choice, as long as an approach.
        camera_us: time over which the growth of boxes is compared. Our choice: one second.
        camera_growth: the camera moves in if boxes grow by at least this factor over
            ``camera_us``, and out if they shrink by it.  Our choice: eight percent,
            above the jitter of single boxes over a second.
        camera_boxes: least number of boxes, one of them of tissue.  Our choice: a single box
            may be an object that moves.
        camera_agree: each box changes by at least this share of the common change; our choice.
        speech_us: uncertainty of the start of a spoken intent.  Our choice: the largest
            error that the tests of the speech extractor allow.
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
    """Limits for instruments that enter and leave.

    Attributes:
        away_us: a track that begins within this time after another track of its class ended
            continues that track. Our choice: the longest gap over which the linker continues
            tracks.
        seen_us: presences shorter than this (a sample counts one period) are taken for flickering
            detections and give no entering or leaving. Our choice: two samples at 5 fps.
    """

    away_us: int = 2_500_000
    seen_us: int = 400_000


@dataclass(frozen=True, slots=True)
class TissueLimits:
    """Limits for the states of a tissue over time.

    Attributes:
        vote_us: the state at a time is the most frequent one in the boxes within this time before
            and after.  Our choice: half a second, as long as a label at 1 fps is valid.
        tool: a change is attributed to the nearest tool within this distance, units.  Our
            choice: about the size of a tip.
    """

    vote_us: int = 500_000
    tool: float = 0.10


@dataclass(frozen=True, slots=True)
class ShotLimits:
    """Limits for cuts and changes of light.

    Attributes:
        luma_step: mean change of grey, [0, 1], above which a frame is different.  Our choice.
        colour_step: the same for the distance of colour histograms, [0, 1].  Measured on
            laparoscopic frames: no frames 1 s apart within one shot exceeded 0.39.
        lag_us: a sample is compared with the sample before it, and with the sample nearest to this
            time earlier, so that fades are found at any rate. The histogram limit was measured at
            one second.
        reach_us: frames farther apart are not compared, because the limits are not valid
            for them.  Our choice: one and a half times the lag.
        light: least change of mean grey, [0, 1], for a change of light when the structure
            stays the same.  Our choice: more than moving instruments change.
        same_bits: frames whose 64-bit difference hashes differ in at most this many bits
            have the same structure.  Measured: JPEG changes 1 bit; frames a minute apart in
            one video differ by 11 or more (5th percentile).
        same_gradient: so have frames with at least this cosine of gradients.  Our choice.
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
    """Limits for segments from fused cues.  SurgCoT names the cues and says that cues are fused and
    boundaries removed; the numbers are our choice.

    Attributes:
        merge_us: boundary candidates within this time become one boundary, at their median.
        apart_us: time within which the weaker of two boundaries is removed.
        shortest_us: shorter segments are joined to a neighbour.
        longest_us: longer segments are divided into equal parts.
        phrase_us: consecutive anchors of one phase and action are joined if the time
            between them is at most this.
    """

    merge_us: int = 1_000_000
    apart_us: int = 3_000_000
    shortest_us: int = 5_000_000
    longest_us: int = 60_000_000
    phrase_us: int = 2_000_000


@dataclass(frozen=True, slots=True)
class DeriveSettings:
    """All limits of one run; they are part of the cache key of evidence."""

    motion: MotionLimits = field(default_factory=MotionLimits)
    contact: ContactLimits = field(default_factory=ContactLimits)
    cues: CueLimits = field(default_factory=CueLimits)
    presence: PresenceLimits = field(default_factory=PresenceLimits)
    tissue: TissueLimits = field(default_factory=TissueLimits)
    shots: ShotLimits = field(default_factory=ShotLimits)
    hierarchy: HierarchyLimits = field(default_factory=HierarchyLimits)
