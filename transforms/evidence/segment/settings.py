"""Settings for segmentation; every limit used by its rules is one of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Precision = Literal["fp32", "bf16"]
PromptKind = Literal["box", "point"]


@dataclass(frozen=True, slots=True)
class MaskSettings:
    """Settings of how a video is cut into windows, what is tracked, and how masks are cleaned.

    Attributes:
        window: number of samples that are tracked together, at least 2. A larger window needs more
            memory and drifts further away from the prompts.
        overlap: samples that neighbouring windows share, at least 1 and at most half a window, so
            that a sample is in at most two windows.
        prompt: ``box``, or ``point`` (the centre of the box).
        prompt_score: minimum score of a box that may prompt, [0, 1].  Higher than the linker's 0.5
            for new tracks, because a wrong prompt spoils a whole window.
        again_us: an object is prompted again by the first good box this long after its last prompt,
            in microseconds; 0 for never.  This corrects drift, and finds objects that came back.
        reach_us: how far from its track's boxes an object is searched for, before the first and
            after the last in the window, in microseconds.
        follow_us: how far to each side of a person's mark a tissue is followed, within its clip, in
            microseconds.  Our choice: tissues stay visible, but drift grows.
        most_objects: maximum number of objects of a window, because each object costs time. The
            objects with the largest sum of scores are used.
        hole_px: holes of at most this many pixels are filled; 8 is SAM2's own value.
        speck_px: separate parts of at most this many pixels are removed, because even one of them
            would enlarge the box.
        least_area: masks below this share of the frame are left out.
        tolerance_px: largest distance of a simplified outline from the pixels' outline, in pixels.
        same_iou: minimum overlap of objects without a track to be the same object in neighbouring
            windows, (0, 1].
    """

    window: int = 32
    overlap: int = 4
    prompt: PromptKind = "box"
    prompt_score: float = 0.6
    again_us: int = 8_000_000
    reach_us: int = 2_000_000
    follow_us: int = 30_000_000
    most_objects: int = 12
    hole_px: int = 8
    speck_px: int = 8
    least_area: float = 0.0002
    tolerance_px: float = 1.0
    same_iou: float = 0.5

    def __post_init__(self) -> None:
        if self.window < 2:
            raise ValueError("window must be at least 2 samples")
        if not 1 <= self.overlap <= self.window // 2:
            raise ValueError("overlap must be 1 sample to half a window")


@dataclass(frozen=True, slots=True)
class SegmentSettings(MaskSettings):
    """Settings for SAM2; all except ``weights`` and ``device`` affect the evidence.

    Attributes:
        weights: a SAM2 checkpoint (``.pt``), also an address in remote storage, which each worker
            downloads once.  A file of the same name that ends in ``.json`` may be next to it, with
            ``config`` and ``overrides`` for a model of other widths.
        config: a configuration in the package, such as ``configs/sam2.1/sam2.1_hiera_t.yaml``
            (``t``, ``s``, ``b+``, ``l``), or ``auto``: from the file next to the weights, else from
            the shapes of the weights.
        sha256: digest that the checkpoint must have; None for any.
        image_size: side of the square to which frames are scaled, in pixels, a multiple of 32; None
            for the configuration's value (1024 for public checkpoints, which were trained at it; a
            frame then takes 10 s on one CPU core, at 256 0.3 s).
        device: ``auto``, ``cpu`` or ``cuda:N``; ``auto`` uses the first CUDA device, else the CPU.
        precision: ``bf16`` computes in bfloat16 wherever PyTorch's autocast allows it.
    """

    weights: Path = field(kw_only=True)
    config: str = "auto"
    sha256: str | None = None
    image_size: int | None = None
    device: str = "auto"
    precision: Precision = "fp32"
