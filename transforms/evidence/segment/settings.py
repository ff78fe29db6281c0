"""Settings of segmentation; every limit that a rule here uses is one of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Precision = Literal["fp32", "bf16"]
PromptKind = Literal["box", "point", "both"]


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """What SAM2 runs with; all but ``weights`` and ``device`` decide the evidence.

    Attributes:
        weights: a SAM2 checkpoint (``.pt``), also by an address in remote storage, fetched
            once a worker.  A file of the same name that ends in ``.json``
            may stand beside it: ``config`` and ``overrides`` of a model of other widths.
        config: a configuration inside the package, as
            ``configs/sam2.1/sam2.1_hiera_t.yaml`` (``t``, ``s``, ``b+``, ``l``), or ``auto``:
            what the file beside the weights says, else what the weights' own shapes say.
        sha256: digest that the checkpoint must have; None for any.
        image_size: side of the square that pictures are scaled to, in pixels, a multiple
            of 32; None for what the configuration says (1024 for public checkpoints, which
            were trained at it; a frame then takes 10 s on one CPU core, at 256 0.3 s).
        device: ``auto``, ``cpu`` or ``cuda:N``; ``auto`` takes the first CUDA device, else
            the CPU.
        precision: ``bf16`` computes in bfloat16 where PyTorch deems it safe.
        window: samples that are tracked in one go, at least 2.  Memory grows with it, and
            so does drift away from the prompts.
        overlap: samples that neighbouring windows share, at least 1 and at most half a
            window, so that a sample is in two windows at most.
        prompt: ``box``, ``point`` (the tip) or ``both``.  Without a tip, ``point`` takes the
            middle of the box and ``both`` the box alone.
        prompt_score: least score of a box that may prompt, [0, 1].  Higher than the
            linker's 0.5 for new tracks: a wrong prompt spoils a whole window.
        again_us: an object is prompted again by the first good box this long after its
            last prompt, in microseconds; 0 for never.  Corrects drift, and finds what left
            and came back.
        reach_us: how far from its track's boxes an object is looked for, before the first
            and after the last in the window, in microseconds.
        follow_us: how far to each side of where a person pointed at a tissue it is followed, within
            its clip, in microseconds.  Our choice: tissues stay, but drift grows.
        most_objects: objects a window has at most; cost is per object.  Those with the
            largest sum of scores are taken.
        hole_px: holes of at most so many pixels are filled; 8 is SAM2's own value.
        speck_px: separate parts of at most so many pixels are removed, because a single
            one would stretch the box.
        least_area: masks below this share of the frame are left out.
        tolerance_px: how far a simplified outline may be from the pixels' own, in pixels.
        same_iou: least overlap at which objects without a track are the same in
            neighbouring windows, (0, 1].
    """

    weights: Path
    config: str = "auto"
    sha256: str | None = None
    image_size: int | None = None
    device: str = "auto"
    precision: Precision = "fp32"
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
            raise ValueError("a window has at least two samples")
        if not 1 <= self.overlap <= self.window // 2:
            raise ValueError("windows share at least one sample and at most half of them")
