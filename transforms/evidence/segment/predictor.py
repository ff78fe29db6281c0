"""The protocol of predictors, and SAM2's video predictor on frames in memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from surgqa.transforms.evidence.base import at_hand, shared, weights_digest
from surgqa.transforms.evidence.segment.model import Sam2, beside_weights, load
from surgqa.transforms.evidence.segment.prompts import MaskPrompt
from surgqa.transforms.evidence.segment.settings import SegmentSettings

_init_lock = threading.Lock()
"""The package reads frames through a function of its module, which is replaced during the call."""


@dataclass(frozen=True, slots=True, eq=False)
class PredictedMask:
    """The mask of an object at one sample.

    Attributes:
        offset: index of the frame, from 0.
        object: number of the object, as in its prompts.
        mask: bool (H, W); empty if the object is not visible.
        score: confidence in object and mask, [0, 1].
    """

    offset: int
    object: int
    mask: np.ndarray
    score: float


class Predictor(Protocol):
    """Tracks objects through the frames of one window."""

    def track(
        self, pictures: Sequence[np.ndarray], prompts: Sequence[MaskPrompt]
    ) -> Iterator[PredictedMask]:
        """Yield the mask of each object at each sample from ``since`` to ``until``, in any order.

        Args:
            pictures: N of uint8 (H, W, 3), RGB.
            prompts: prompts by (object, offset). An offset is an index into the given frames.
        """


class Sam2Predictor:
    """Predictor that runs SAM2.  It holds only settings; a process loads the model on first use.

    The result for an object depends only on its own prompts, not on other objects.
    """

    def __init__(self, settings: SegmentSettings) -> None:
        self.settings = settings

    def track(
        self, pictures: Sequence[np.ndarray], prompts: Sequence[MaskPrompt]
    ) -> Iterator[PredictedMask]:
        """See :class:`Predictor`; only one frame at a time is scaled and kept for the model.

        Raises:
            UserError: sam2 is not installed, or the weights do not belong to SAM2.
            SourceMissing: the weights do not exist; nothing is downloaded.
        """
        if not prompts or not len(pictures):
            return
        sam2 = _model(self.settings)
        import torch

        torch.set_num_threads(1)
        first = {p.object: p for p in reversed(prompts)}
        late = [p for p in first.values() if p.since < p.offset]
        yield from _walk(sam2, self.settings, pictures, prompts, 1)
        if late:
            yield from _walk(sam2, self.settings, pictures, late, -1)


def _model(settings: SegmentSettings) -> Sam2:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    digest = weights_digest(settings.weights, settings.sha256)
    settings = replace(settings, weights=at_hand(settings.weights, settings.sha256))
    key = (
        "sam2", digest, str(beside_weights(settings.weights)),
        settings.config, settings.image_size, settings.device,
    )  # fmt: skip
    return shared(key, lambda: load(settings))


@contextmanager
def _computing(sam2: Sam2, settings: SegmentSettings) -> Iterator[None]:
    import torch

    reduced = settings.precision == "bf16"
    with (
        torch.inference_mode(),
        torch.autocast(sam2.device.type, dtype=torch.bfloat16, enabled=reduced),
    ):
        yield


class _Pictures:
    """Frames as SAM2 indexes them: each is scaled when the model requests it, and not cached."""

    def __init__(self, sam2: Sam2, pictures: Sequence[np.ndarray]) -> None:
        self._sam2, self._pictures = sam2, pictures

    def __len__(self) -> int:
        return len(self._pictures)

    def __getitem__(self, index: int) -> Any:
        import cv2
        import torch

        side = self._sam2.model.image_size
        scaled = cv2.resize(self._pictures[index], (side, side), interpolation=cv2.INTER_LINEAR)
        values = torch.from_numpy(scaled).to(self._sam2.device).permute(2, 0, 1).float() / 255
        return (values - self._sam2.mean) / self._sam2.spread


def _state(sam2: Sam2, pictures: Sequence[np.ndarray]) -> dict[str, Any]:
    """Return SAM2's inference state for a new video, whose frames are in memory."""
    height, width = pictures[0].shape[:2]
    frames = _Pictures(sam2, pictures)
    with _init_lock:
        kept = sam2.module.load_video_frames
        sam2.module.load_video_frames = lambda **_: (frames, height, width)
        try:
            state: dict[str, Any] = sam2.model.init_state(video_path="pictures in memory")
        finally:
            sam2.module.load_video_frames = kept
    return state


def _walk(
    sam2: Sam2,
    settings: SegmentSettings,
    pictures: Sequence[np.ndarray],
    prompts: Sequence[MaskPrompt],
    way: int,
) -> Iterator[PredictedMask]:
    """Track through the window, forwards (way 1) or backwards (-1), object by object.

    An object is tracked from its own first prompt, and only as long as it is searched for.
    Otherwise SAM2 would search earlier frames for the object too, and remember other things that it
    took for the object. Backwards, the frame of the prompt itself is not returned again.
    """
    ends = {p.object: p.until - 1 if way > 0 else -p.since for p in prompts}
    stops = sorted({p.offset * way for p in prompts} | {end + 1 for end in ends.values()})
    if stops[-1] > 0 > way:  # SAM2 cannot start backwards at frame 0, so no step starts there
        stops = [stop for stop in stops if stop]
    prompted = {(p.object, p.offset) for p in prompts if way < 0}
    with _computing(sam2, settings):
        state = _state(sam2, pictures)
    for stop, upto in pairwise(stops):
        with _computing(sam2, settings):
            for number in [n for n in state["obj_ids"] if ends[n] < stop]:
                sam2.model.remove_object(state, number, need_output=False)
            for prompt in prompts:
                if prompt.offset * way == stop:
                    _add(sam2, state, prompt, pictures[0].shape[:2])
        if not state["obj_ids"]:
            continue
        steps = sam2.model.propagate_in_video(
            state, start_frame_idx=stop * way, max_frame_num_to_track=upto - stop - 1,
            reverse=way < 0,
        )  # fmt: skip
        for offset, objects, logits in _each(steps, sam2, settings):
            for place, number in enumerate(objects):
                if offset * way <= ends[number] and (number, offset) not in prompted:
                    yield _found(state, place, number, offset, logits[place, 0])


def _each(steps: Iterator[Any], sam2: Sam2, settings: SegmentSettings) -> Iterator[Any]:
    """Yield the steps; inference mode and autocast are on only while a step is computed."""
    while True:
        with _computing(sam2, settings):
            step = next(steps, None)
        if step is None:
            return
        yield step


def _add(sam2: Sam2, state: dict[str, Any], prompt: MaskPrompt, size: tuple[int, int]) -> None:
    height, width = size
    given: dict[str, Any] = {}
    if prompt.box is not None:
        given["box"] = np.array(prompt.box, np.float32) * [width, height, width, height]
    if prompt.point is not None:
        given["points"] = np.array([prompt.point], np.float32) * [width, height]
        given["labels"] = np.array([1], np.int32)
    sam2.model.add_new_points_or_box(state, frame_idx=prompt.offset, obj_id=prompt.object, **given)


def _found(
    state: dict[str, Any], place: int, number: int, offset: int, logits: Any
) -> PredictedMask:
    """Mask and score: probability that the object is visible, times the pixels' mean confidence."""
    kept = state["output_dict_per_obj"][place]
    out = kept["cond_frame_outputs"].get(offset) or kept["non_cond_frame_outputs"][offset]
    values = logits.float().cpu().numpy()
    mask = values > 0
    there = float(out["object_score_logits"].float().sigmoid())
    inside = 1 / (1 + np.exp(-values[mask].astype(np.float64)))
    return PredictedMask(offset, number, mask, there * float(inside.mean()) if len(inside) else 0.0)
