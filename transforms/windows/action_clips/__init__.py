"""Action clips of a video, derived or imported, and the samples of next actions they give."""

from transforms.windows.action_clips.adapter import derived_clips, instants_of, with_phases
from transforms.windows.action_clips.clips import Clip, VideoClips, tiles
from transforms.windows.action_clips.derive import (
    Derived,
    Instants,
    context_of,
    derive,
    own_actions,
    raw_runs,
)
from transforms.windows.action_clips.imported import Imported
from transforms.windows.action_clips.predecessor import read_predecessor
from transforms.windows.action_clips.runs import Calibration, calibrated
from transforms.windows.action_clips.samples import (
    Sample,
    answer_value,
    samples_of,
    slots,
)
from transforms.windows.action_clips.settings import ActionLimits
from transforms.windows.action_clips.statistics import Figures, figures
from transforms.windows.action_clips.tables import read_clip_table

__all__ = [
    "ActionLimits",
    "Calibration",
    "Clip",
    "Derived",
    "Figures",
    "Imported",
    "Instants",
    "Sample",
    "VideoClips",
    "answer_value",
    "calibrated",
    "context_of",
    "derive",
    "derived_clips",
    "figures",
    "instants_of",
    "own_actions",
    "raw_runs",
    "read_clip_table",
    "read_predecessor",
    "samples_of",
    "slots",
    "tiles",
    "with_phases",
]
