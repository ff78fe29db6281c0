"""Continuations of an operation for eight seconds, and how people rate generated videos of them
(SurgVeo).

A sample is a frame, the real continuation, and its stage.  A model generates two videos for it, one
for each prompt.  Every rater scores each video from 1 to 5 in four dimensions at three times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from surgqa.ontology.concepts import load_data
from surgqa.ontology.times import SECOND_US

CONTINUATION = "continuation"
"""Form whose answer is an interval of the video, for models that generate video."""

LENGTH_US = 8 * SECOND_US
"""Length of a continuation."""

BASELINE, STAGE_AWARE = PROMPTS = ("baseline", "stage_aware")
TIMES_S = (1, 3, 8)
"""Seconds after the video's start at which it is rated."""
LOWEST, HIGHEST = 1, 5
RATERS_PER_TRACK = 2

DIMENSIONS = {
    "visual": "Visual Perceptual",
    "instrument": "Instrument Operation",
    "feedback": "Environment Feedback",
    "intent": "Surgical Intent",
}
"""The rated dimensions, from appearance to strategy: id -> name."""

ASKED = {
    "visual": "Does it look real: sharpness, light, texture, smooth motion, no artefacts?",
    "instrument": "Real instruments, handled rightly, on a plausible path, with fitting force?",
    "feedback": "Does tissue answer as physics and anatomy demand: deforming, bleeding, charring?",
    "intent": "Does what is done serve the operation at the point it has reached?",
}

ERROR_TYPES = {
    "visual_quality": "visual quality is distorted",
    "instrument": "wrong or impossible instrument",
    "operation": "inappropriate operation",
    "target": "inappropriate target",
    "feedback": "wrong response of the tissue",
    "intent": "wrong surgical intent",
}


@cache
def anchors() -> Mapping[str, Mapping[int, str]]:
    """Return the meaning of each score of each dimension, in words, from HIGHEST to LOWEST.

    The words are from ``ontology/scales/surgveo.yaml``.
    """
    words = load_data("scales", "surgveo")["anchors"]
    scores = range(HIGHEST, LOWEST - 1, -1)
    return {name: {score: str(words[name][score]) for score in scores} for name in DIMENSIONS}


def scale(dimension: str) -> str:
    """Return the meanings of a dimension's scores in one line, for a cell of a rating sheet."""
    return " | ".join(f"{score}: {words}" for score, words in anchors()[dimension].items())


LAPAROSCOPIC, NEUROSURGICAL = "laparoscopic", "neurosurgical"


@dataclass(frozen=True, slots=True)
class OperationTrack:
    """One part of the benchmark: one kind of operation.

    Attributes:
        procedure, modality: words that are used in prompts.
        kind: kind of the intervals that are used as stages.
        stages: concept ids in the order of an operation.
        fps: frames per second of the published videos of the part.
    """

    name: str
    procedure: str
    modality: str
    kind: str
    stages: tuple[str, ...]
    fps: Fraction


TRACKS = {
    LAPAROSCOPIC: OperationTrack(
        LAPAROSCOPIC, "laparoscopic hysterectomy", "laparoscope", "phase",
        ("preparation", "ligament_and_peritoneum_division",
         "uterine_vessel_and_ligament_division", "vagina_transection", "specimen_removal",
         "hysterectomy_suturing", "washing"),
        Fraction(25),
    ),
    NEUROSURGICAL: OperationTrack(
        NEUROSURGICAL, "endoscopic transsphenoidal pituitary surgery", "endoscope", "step",
        ("nasal_corridor_creation", "anterior_sphenoidotomy", "septum_displacement",
         "sphenoid_sinus_clearance", "haemostasis", "sellotomy", "durotomy", "tumour_excision",
         "synthetic_graft_placement", "fat_graft_placement", "dural_sealant",
         "debris_clearance"),
        Fraction(24),
    ),
}  # fmt: skip
"""The benchmark's two tracks, with the stages that it uses from AutoLaparo and PitVis."""

FIELDS = (
    "sample_id", "track", "prompt", "rater_id", "time_s", "dimension", "score", "error_types",
    "comment",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score by one rater.

    Attributes:
        prompt: one of PROMPTS.
        time_s: one of TIMES_S.
        dimension: a key of DIMENSIONS.
        score: LOWEST to HIGHEST.
        error_types: keys of ERROR_TYPES.  A type applies to the whole video: it counts once per
            rater and video, even if several rows contain it.
        where: file and line, for messages; not a column.
    """

    sample_id: str
    track: str
    prompt: str
    rater_id: str
    time_s: int
    dimension: str
    score: int
    error_types: tuple[str, ...] = ()
    comment: str = ""
    where: str = ""
