"""Train the small SAM2 of the segmentation tests from random weights, on rendered clips only.

    python -m benchmarks.train_mini_sam2 OUT.pt [--steps 700] [--seed 1]

The code is that of SAM2 and its video predictor, with the widths in :data:`OVERRIDES` (1.4 million
parameters instead of 39).  The clips show tools and blobs that move over mottled tissue, cover each
other and leave.  OUT.pt receives half-precision weights and OUT.json the configuration.  The last
lines printed are the overlap with the truth on clips not used in training.  The model shows that
prompts, memory and propagation work; it has never seen real surgery.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np
import orjson

CONFIG = "configs/sam2.1/sam2.1_hiera_t.yaml"
SIZE = 128
WIDTH = 64
MEMORY_WIDTH = 16
OVERRIDES: dict[str, Any] = {
    "image_size": SIZE,
    "image_encoder.trunk.embed_dim": 16,
    "image_encoder.trunk.stages": [1, 1, 2, 1],
    "image_encoder.trunk.global_att_blocks": [3],
    "image_encoder.neck.backbone_channel_list": [128, 64, 32, 16],
    "image_encoder.neck.d_model": WIDTH,
    "image_encoder.neck.position_encoding.num_pos_feats": WIDTH,
    "memory_attention.num_layers": 1,
    "memory_attention.d_model": WIDTH,
    "memory_attention.layer.d_model": WIDTH,
    "memory_attention.layer.dim_feedforward": 256,
    "memory_attention.layer.self_attention.embedding_dim": WIDTH,
    "memory_attention.layer.cross_attention.embedding_dim": WIDTH,
    "memory_attention.layer.cross_attention.kv_in_dim": MEMORY_WIDTH,
    "memory_encoder.in_dim": WIDTH,
    "memory_encoder.out_dim": MEMORY_WIDTH,
    "memory_encoder.position_encoding.num_pos_feats": MEMORY_WIDTH,
    "memory_encoder.mask_downsampler.embed_dim": WIDTH,
    "memory_encoder.fuser.layer.dim": WIDTH,
    "multimask_output_in_sam": False,
    "multimask_output_for_tracking": False,
    "sam_mask_decoder_extra_args.dynamic_multimask_via_stability": False,
}
"""Widths of the small model.  It gives one mask for each prompt, because learning to choose among
three would take longer than everything else."""

BATCH = 8
FRAMES = 4
LEARNING_RATE = 1e-3
TISSUE = np.array([150.0, 70.0, 62.0])
UNSEEN = 10_000_000
MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
SPREAD = np.array([0.229, 0.224, 0.225], dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """A rendered clip of T frames with K objects.

    Attributes:
        pictures: uint8 (T, H, W, 3), RGB.
        masks: bool (T, K, H, W), the visible pixels of each object.
    """

    pictures: np.ndarray
    masks: np.ndarray


@dataclass(slots=True)
class _Body:
    """A moving object; lengths in pixels, angles in radians."""

    tool: bool
    colour: np.ndarray
    centre: np.ndarray
    velocity: np.ndarray
    angle: float
    turn: float
    size: tuple[float, float]


def render(seed: int, frames: int, height: int = SIZE, width: int = SIZE) -> Clip:
    """Return the clip of a seed, with one to three objects; later ones are in front."""
    rng = np.random.default_rng(seed)
    tissue = _tissue(rng, height, width)
    drift = rng.normal(0, 0.6, 2)
    bodies = [_body(rng, height, width) for _ in range(int(rng.integers(1, 4)))]
    pictures = np.zeros((frames, height, width, 3), np.uint8)
    masks = np.zeros((frames, len(bodies), height, width), bool)
    for t in range(frames):
        shift = np.array([[1, 0, drift[0] * t], [0, 1, drift[1] * t]], np.float32)
        canvas = cv2.warpAffine(tissue, shift, (width, height), borderMode=cv2.BORDER_REFLECT)
        for k, body in enumerate(bodies):
            shape = _drawn(body, height, width)
            masks[t, :k] &= ~shape
            masks[t, k] = shape
            shade = 0.8 + 0.4 * (np.arange(width) / width if body.tool else 0.5)
            canvas = np.where(shape[..., None], body.colour * np.broadcast_to(
                np.asarray(shade)[..., None], (width, 1)), canvas)  # fmt: skip
            body.centre = body.centre + body.velocity + rng.normal(0, 0.4, 2)
            body.angle += body.turn
        canvas = canvas + rng.normal(0, 4, canvas.shape)
        pictures[t] = np.clip(cv2.GaussianBlur(canvas, (3, 3), 0.6), 0, 255).astype(np.uint8)
    return Clip(pictures, masks)


def _tissue(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Return a mottled reddish background in uneven light, float64 (H, W, 3)."""
    ground = np.tile(TISSUE + rng.normal(0, 18, 3), (height, width, 1))
    for cells, strength in ((4, 26), (12, 14), (32, 8)):
        coarse = rng.normal(0, strength, (cells, cells, 3)) * [1, 0.8, 0.8]
        ground += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[0:height, 0:width]
    away = np.hypot(x / width - rng.uniform(0.3, 0.7), y / height - rng.uniform(0.3, 0.7))
    return ground * (1.15 - 0.6 * away)[..., None]


def _body(rng: np.random.Generator, height: int, width: int) -> _Body:
    tool = bool(rng.random() < 0.6)
    scale = min(height, width)
    grey = rng.uniform(90, 230)
    colour = np.full(3, grey) if tool and rng.random() < 0.6 else rng.uniform(20, 240, 3)
    size = (
        (rng.uniform(0.5, 1.1) * scale, rng.uniform(0.07, 0.2) * scale)
        if tool
        else (rng.uniform(0.12, 0.38) * scale, rng.uniform(0.12, 0.38) * scale)
    )
    return _Body(
        tool, colour, rng.uniform(0.25, 0.75, 2) * (width, height), rng.normal(0, 2.2, 2),
        rng.uniform(0, 2 * np.pi), rng.normal(0, 0.03), size,
    )  # fmt: skip


def _drawn(body: _Body, height: int, width: int) -> np.ndarray:
    """Return the pixels of one body; a tool is a shaft that ends in two jaws at its centre."""
    canvas = np.zeros((height, width), np.uint8)
    axis = np.array([np.cos(body.angle), np.sin(body.angle)])
    across = np.array([-axis[1], axis[0]])
    length, thick = body.size
    if not body.tool:
        middle = (float(body.centre[0]), float(body.centre[1]))
        box = (middle, (length, thick), float(np.degrees(body.angle)))
        cv2.ellipse(canvas, box, 1, -1)
        return canvas > 0
    base = body.centre + axis * thick
    shaft = [base + across * thick / 2, base + axis * length + across * thick / 2,
             base + axis * length - across * thick / 2, base - across * thick / 2]  # fmt: skip
    jaws = [
        [base + across * side * thick / 2, body.centre - axis * thick + across * side * thick / 2,
         base - across * side * thick / 10]
        for side in (-1, 1)
    ]  # fmt: skip
    for outline in (shaft, *jaws):
        points = np.rint(np.array(outline) * 16).astype(np.int32)
        cv2.fillPoly(canvas, [points], 1, shift=4)
    return canvas > 0


def tight_box(mask: np.ndarray) -> np.ndarray:
    """Return float32 (x1, y1, x2, y2) in pixels; x2 and y2 are one past the last pixel."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], np.float32)


def examples(seed: int, frames: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield without end (frames, masks (T, H, W), box in the first frame), one object a clip."""
    number = seed * 1_000_000
    while True:
        number += 1
        clip = render(number, frames)
        seen = clip.masks[0].sum((1, 2))
        k = int(np.argmax(seen * (1 + np.random.default_rng(number).random(len(seen)))))
        if seen[k] >= SIZE:
            yield clip.pictures, clip.masks[:, k], tight_box(clip.masks[0, k])


def build(seed: int) -> Any:
    """Return the untrained model, on the CPU with one thread."""
    import torch
    from sam2.build_sam import build_sam2_video_predictor

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    extra = [f"++model.{k}={orjson.dumps(v).decode()}" for k, v in OVERRIDES.items()]
    extra.append("++model.binarize_mask_from_pts_for_mem_enc=true")
    return build_sam2_video_predictor(
        CONFIG, device="cpu", hydra_overrides_extra=extra, apply_postprocessing=False
    )


def follow(model: Any, pictures: Any, prompts: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the tracker on B clips of T frames, with prompts in the first frame.

    Args:
        pictures: float32 tensor (B, T, 3, S, S), normalised.
        prompts: point_coords (B, P, 2) in pixels of the model, point_labels (B, P).

    Returns:
        The T outputs of the model's ``track_step``, with the presence scores.
    """
    outputs: dict[str, dict[int, Any]] = {"cond_frame_outputs": {}, "non_cond_frame_outputs": {}}
    told = []
    count = pictures.shape[1]
    for t in range(count):
        features = model.forward_image(pictures[:, t])
        _, vision, places, sizes = model._prepare_backbone_features(features)
        out = model.track_step(
            frame_idx=t, is_init_cond_frame=t == 0, current_vision_feats=vision,
            current_vision_pos_embeds=places, feat_sizes=sizes,
            point_inputs=prompts if t == 0 else None, mask_inputs=None,
            output_dict=outputs, num_frames=count,
        )  # fmt: skip
        outputs["cond_frame_outputs" if t == 0 else "non_cond_frame_outputs"][t] = out
        told.append(out)
    return told


def loss_of(told: list[dict[str, Any]], truth: Any) -> Any:
    """Return cross-entropy and Dice of masks where the object is present, plus presence loss."""
    import torch.nn.functional as F

    total = 0.0
    for t, out in enumerate(told):
        here = truth[:, t]
        present = (here.flatten(1).sum(1) > 0).float()
        score = out["object_score_logits"][:, 0]
        total = total + 0.2 * F.binary_cross_entropy_with_logits(score, present)
        counted = present * (score > 0).float()
        logits = out["pred_masks_high_res"][:, 0].clamp(-30, 30)
        pixel = F.binary_cross_entropy_with_logits(logits, here, reduction="none").mean((1, 2))
        chance = logits.sigmoid()
        shared = 2 * (chance * here).sum((1, 2)) + 1
        dice = 1 - shared / (chance.sum((1, 2)) + here.sum((1, 2)) + 1)
        total = total + ((4 * pixel + dice) * counted).sum() / counted.sum().clamp(min=1)
    return total / len(told)


def prompts_of(boxes: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """Return boxes with jitter, or in every fourth batch one point inside each object."""
    import torch

    if rng.random() < 0.25:
        inside = [np.argwhere(mask) for mask in masks]
        points = np.stack([spots[rng.integers(len(spots))][::-1] for spots in inside])
        coords, labels = points[:, None] + 0.5, np.ones((len(boxes), 1))
    else:
        extent = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
        moved = boxes + np.clip(rng.normal(0, 0.04, boxes.shape), -0.1, 0.1) * extent
        coords, labels = moved.reshape(-1, 2, 2), np.tile([2, 3], (len(boxes), 1))
    return {
        "point_coords": torch.from_numpy(np.ascontiguousarray(coords, dtype=np.float32)),
        "point_labels": torch.from_numpy(labels.astype(np.int32)),
    }


def as_input(pictures: np.ndarray) -> np.ndarray:
    """Convert uint8 (..., H, W, 3) to float32 (..., 3, H, W), normalised for the model."""
    return np.moveaxis((pictures.astype(np.float32) / 255 - MEAN) / SPREAD, -1, -3)


def train(steps: int, seed: int) -> Any:
    """Train for ``steps`` steps of :data:`BATCH` clips; a seed always gives the same weights."""
    import torch

    model = build(seed)
    with torch.no_grad():
        model.sam_mask_decoder.pred_obj_score_head.layers[-1].bias.fill_(2.0)
    best = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=1e-4)
    pace = torch.optim.lr_scheduler.OneCycleLR(best, LEARNING_RATE, steps, pct_start=0.1)
    source, rng = examples(seed, FRAMES), np.random.default_rng(seed)
    start, recent = time.perf_counter(), []
    for step in range(1, steps + 1):
        pictures, masks, boxes = map(
            np.stack, zip(*(next(source) for _ in range(BATCH)), strict=True)
        )
        told = follow(
            model, torch.from_numpy(as_input(pictures)), prompts_of(boxes, masks[:, 0], rng)
        )
        loss = loss_of(told, torch.from_numpy(masks.astype(np.float32)))
        best.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        best.step()
        pace.step()
        recent.append(float(loss.detach()))
        if step % 50 == 0 or step == steps:
            spent = time.perf_counter() - start
            print(f"step {step} loss {np.mean(recent[-50:]):.3f} {spent:.0f} s", flush=True)
    return model


def overlap(model: Any, clips: int = 20, frames: int = 8) -> tuple[list[float], list[float]]:
    """Return the mean IoU by frame, of the model and of the filled first box, on unseen clips."""
    import torch

    ours, filled = np.zeros((clips, frames)), np.zeros((clips, frames))
    source = examples(UNSEEN, frames)
    for clip in range(clips):
        pictures, masks, box = next(source)
        prompt = {
            "point_coords": torch.from_numpy(box.reshape(1, 2, 2)),
            "point_labels": torch.tensor([[2, 3]], dtype=torch.int32),
        }
        with torch.inference_mode():
            told = follow(model, torch.from_numpy(as_input(pictures))[None], prompt)
        still = np.zeros(masks.shape[1:], bool)
        still[int(box[1]) : int(box[3]), int(box[0]) : int(box[2])] = True
        for t, out in enumerate(told):
            found = out["pred_masks_high_res"][0, 0].numpy() > 0
            ours[clip, t] = _iou(found, masks[t])
            filled[clip, t] = _iou(still, masks[t])
    return ours.mean(0).tolist(), filled.mean(0).tolist()


def _iou(one: np.ndarray, other: np.ndarray) -> float:
    either = (one | other).sum()
    return float((one & other).sum() / either) if either else 1.0


def save(model: Any, out: Path) -> None:
    """Write half-precision weights as ``{"model": ...}``, and the configuration as JSON."""
    import torch

    torch.save({"model": {k: v.half() for k, v in model.state_dict().items()}}, out)
    told = {"config": CONFIG, "overrides": OVERRIDES}
    out.with_suffix(".json").write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2) + b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    model = train(told.steps, told.seed)
    save(model, told.out)
    ours, filled = overlap(model)
    print("IoU by frame      ", " ".join(f"{x:.2f}" for x in ours), f"mean {np.mean(ours):.3f}")
    print("filled first box  ", " ".join(f"{x:.2f}" for x in filled), f"mean {np.mean(filled):.3f}")


if __name__ == "__main__":
    main()
