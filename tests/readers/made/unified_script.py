"""The events of the made-up videos of the sample, with their times, in the ontology's words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from surgqa.ontology.times import frame_to_us

SECONDS = 150
STEP_S = Fraction(2, 5)
"""Distance of the samples of tool tracks."""
UNKNOWN_WORD, WRONG_TIME, OVER_EDGE, NO_TIME, BARE = 1, 2, 4, 8, 16
"""Bits of a variant: what is odd in the first file."""

NAMES = {"clipper": "clip_applier", "irrigator": "suction_irrigator", "bipolar": "bipolar_forceps",
         "bleeding": "hemorrhage", "clip": "clipping", "cut": "division",
         "calot_triangle_dissection": "calot_dissection"}  # fmt: skip
"""Concepts that the files spell otherwise."""
EFFECTS = {"dissect": "separated", "coagulate": "sealed", "clip": "occluded", "cut": "divided",
           "aspirate": "cleared", "irrigate": "washed", "retract": "exposed"}  # fmt: skip

PHASES = (("preparation", 0, 12), ("calot_triangle_dissection", 12, 62),
          ("clipping_and_cutting", 62, 96), ("gallbladder_dissection", 96, 150))  # fmt: skip
ACTIONS = (
    ("grasper", "retract", "gallbladder", "6", "60"),
    ("hook", "dissect", "cystic_pedicle", "13", "20.6"),
    ("bipolar", "coagulate", "blood_vessel", "22", "22.8"),
    ("irrigator", "aspirate", "fluid", "26", "29.4"),
    ("hook", "dissect", "peritoneum", "32", "38"),
    ("hook", "dissect", "cystic_duct", "38.4", "44"),
    ("hook", "coagulate", "cystic_pedicle", "44.6", "48.2"),
    ("hook", "dissect", "cystic_artery", "51", "57"),
    ("clipper", "clip", "cystic_artery", "66", "69.2"),
    ("clipper", "clip", "cystic_duct", "72.4", "76"),
    ("scissors", "cut", "cystic_artery", "83", "84.8"),
    ("scissors", "cut", "cystic_duct", "88.6", "90.6"),
    ("hook", "dissect", "gallbladder", "100", "110"),
    ("hook", "coagulate", "cystic_plate", "110.6", "113.4"),
    ("hook", "dissect", "gallbladder", "114.2", "124"),
    ("irrigator", "irrigate", "liver", "128", "132"),
    ("irrigator", "aspirate", "fluid", "132.6", "136.2"),
)  # fmt: skip
"""Tool, verb, target, start and end in seconds: multiples of 0.2, whole frames at any rate."""
TRANSITIONS = ((4, 5), (5, 6), (12, 13), (13, 14), (15, 16))
"""Actions of one tool that follow each other within a second."""
CUES = (
    ("approach", 1, "-1.2", "1"), ("approach", 8, "-1.4", "1.2"), ("positioned", 8, "-1.2", "0.8"),
    ("approach", 9, "-1.6", "1.4"), ("positioned", 11, "-1.2", "1"), ("camera", 12, "-1.6", "1"),
    ("intent", 4, "-1.4", "2.2"), ("intent", 15, "-1.4", "2"),
)  # fmt: skip
"""Cue, action that it announces, start relative to the action's, length."""
SAID = (
    ("2", "3.6", "We begin with an overview of the upper abdomen."),
    ("30.6", "32.8", "Now we dissect the peritoneum with the hook."),
    ("61", "63.2", "Both structures are seen to enter the gallbladder."),
    ("92", "94", "The duct and the artery are divided."),
    ("126.6", "128.6", "We will irrigate the liver."),
)  # fmt: skip
STATES = ((8, "1.6", "clipped"), (9, "1.8", "clipped"), (10, "0.8", "divided"),
          (11, "0.8", "divided"))  # fmt: skip
"""Action, seconds after its start, state that its target then is in."""
EVENTS = {"clipped": "clip_placed", "divided": "division"}
CONTACTS = (1, 5, 9, 11)
WATCHED = ("tracks", "speech", "camera", "anomaly")


@dataclass(frozen=True, slots=True)
class AnomalyKeyframe:
    """A key frame of an anomaly."""

    frame: int
    box: tuple[int, int, int, int]
    size: str
    state: str


@dataclass(frozen=True, slots=True)
class Case:
    """One video.

    Attributes:
        stated: whether the file tells rate and size.
        shift: by how many fifths of a second all but phases and anomalies are late.
    """

    name: str
    fps: int
    size: tuple[int, int]
    stated: bool
    shift: int
    anomaly: tuple[str, str, str, tuple[AnomalyKeyframe, ...], Fraction] | None = None

    def frame(self, seconds: str, shifted: bool = True) -> int:
        """Return the number of the frame at a time of the script."""
        late = Fraction(self.shift, 5) if shifted else 0
        return int((Fraction(seconds) + late) * self.fps)

    def us(self, frame: int) -> int:
        """Return the start of a frame."""
        return frame_to_us(frame, Fraction(self.fps))


def cases(variant: int) -> list[Case]:
    """Return the three videos of a variant."""
    boxes = ((540, 420, 80, 60), (535, 415, 90, 70), (530, 410, 100, 80), (530, 410, 100, 80))
    bleeding = tuple(
        AnomalyKeyframe(frame, box, size, state)
        for frame, box, size, state in zip(
            (647, 650, 655, 680), boxes, ("small", "medium", "large", "large"),
            ("present", "present", "present", "controlled"), strict=True,
        )
    )  # fmt: skip
    spilling = (AnomalyKeyframe(2900, (300, 500, 60, 45), "small", "warning"),
                AnomalyKeyframe(2950, (280, 480, 120, 90), "large", "present"))  # fmt: skip
    bare = bool(variant & BARE) and not variant & (WRONG_TIME | OVER_EDGE)
    return [
        Case("case_01", 30, (1280, 720), not bare, variant % 3,
             ("bleeding", "blood_vessel", "slipped clip", bleeding, Fraction("22.67"))),
        Case("case_02", 30, (1280, 720), False, (variant + 1) % 3),
        Case("case_03", 25, (1920, 1080), True, (variant + 2) % 3,
             ("bile_spillage", "gallbladder", "torn wall", spilling, Fraction("122.4"))),
    ]  # fmt: skip
