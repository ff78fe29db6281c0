"""Build a SAM2 model from a checkpoint: choose configuration, weights and device."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.errors import (
    UnknownName,
    UserError,
    ValueInvalid,
    WeightsBroken,
    WeightsMissing,
)
from surgqa.ontology.plugins import needed
from surgqa.transforms.evidence.base import device_of
from surgqa.transforms.evidence.segment.settings import SegmentSettings

PACKAGE = "sam2"
needs_package = partial(needed, "segmentation", PACKAGE, "segment")
"""Context manager for imports of the packages."""
STRIDE = 32
SIZES = {(96, 12): "t", (96, 16): "s", (112, 24): "b+", (144, 48): "l"}
"""Configurations by (width of the first stage, blocks) of the image encoder."""

AS_PUBLISHED: Mapping[str, Any] = {
    "sam_mask_decoder_extra_args.dynamic_multimask_via_stability": True,
    "sam_mask_decoder_extra_args.dynamic_multimask_stability_delta": 0.05,
    "sam_mask_decoder_extra_args.dynamic_multimask_stability_thresh": 0.98,
    "binarize_mask_from_pts_for_mem_enc": True,
}
"""Values that the package adds to a configuration for video.  Its hole filling is left out, because
it needs a CUDA extension and has no effect without it."""

MEAN = (0.485, 0.456, 0.406)
SPREAD = (0.229, 0.224, 0.225)

_CONFIG = re.compile(r"configs/sam2(\.1)?/[\w.+-]+\.yaml")
_KEY = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")


@dataclass(frozen=True, slots=True, eq=False)
class Sam2:
    """A loaded model.

    Attributes:
        model: the package's video predictor, in evaluation mode.
        module: the module in which it is defined.
        device: torch device.
        mean, spread: tensors (3, 1, 1) for normalising frames.
    """

    model: Any
    module: Any
    device: Any
    mean: Any
    spread: Any


def load(settings: SegmentSettings) -> Sam2:
    """Build the model and load the weights; takes about a second, plus time to read the file.

    Raises:
        UserError: sam2 is not installed; the file or its configuration does not belong to SAM2.
    """
    module = _package()
    import torch

    torch.set_num_threads(1)
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    device = device_of(settings.device, gpus)
    weights = _weights(settings.weights)
    beside = beside_weights(settings.weights)
    config = settings.config
    if config == "auto":
        shapes = {name: tuple(value.shape) for name, value in weights.items()}
        config = beside.get("config") or config_of(shapes, settings.weights)
    overrides = {**AS_PUBLISHED, **beside.get("overrides", {})}
    if settings.image_size is not None:
        overrides["image_size"] = settings.image_size
    model = _built(config, overrides, device, settings.weights)
    _fill(model, weights, config, settings.weights)
    where = torch.device(device)
    mean, spread = (torch.tensor(v, device=where).view(3, 1, 1) for v in (MEAN, SPREAD))
    return Sam2(model, module, where, mean, spread)


def _package() -> Any:
    with needs_package():
        from sam2 import sam2_video_predictor as module
    module.tqdm = _silent  # the package would draw a progress bar for every window
    return module


def _silent(steps: Iterable[int], **_: Any) -> Iterable[int]:
    return steps


def beside_weights(weights: Path) -> Mapping[str, Any]:
    """Configuration and overrides from the ``.json`` next to the weights; empty if it is missing.

    Overrides set values of a configuration; they cannot name code.

    Raises:
        UserError: the file exists and has other content.
    """
    path = weights.with_suffix(".json")
    if not path.is_file():
        return {}
    try:
        extra = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise _odd(path, str(error)) from None
    if not isinstance(extra, dict) or not set(extra) <= {"config", "overrides"}:
        raise _odd(path, "other keys, or no keys")
    overrides = extra.get("overrides", {})
    if not isinstance(overrides, dict):
        raise _odd(path, "overrides that are not an object")
    for key, value in overrides.items():
        if not _KEY.fullmatch(key) or not _plain(value):
            raise _odd(path, f"{key}: {value!r}")
    return extra


def _plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(v, int | float) for v in value)
    return isinstance(value, bool | int | float)


def _odd(path: Path, found: str) -> UserError:
    return WeightsBroken(
        f"cannot use {path.name}, the configuration next to the weights",
        expected='{"config": "configs/sam2.1/....yaml", "overrides": {"image_size": 128, ...}}',
        found=found, where=str(path), fix="correct the file, or remove it for public weights",
    )  # fmt: skip


def config_of(shapes: Mapping[str, tuple[int, ...]], weights: Path) -> str:
    """Return the published configuration of weights with these shapes.

    Args:
        shapes: shapes of all tensors, by name.
        weights: path of the weights, for the message.

    Raises:
        UserError: no published configuration has these shapes.
    """
    first = shapes.get("image_encoder.trunk.patch_embed.proj.weight", (0,))[0]
    blocks = {
        name.split(".")[3] for name in shapes if name.startswith("image_encoder.trunk.blocks.")
    }
    size = SIZES.get((first, len(blocks)))
    if size is None:
        raise WeightsBroken(
            f"no published SAM2 model has the shapes of {weights.name}",
            expected="a checkpoint of SAM2 or SAM2.1: tiny, small, base+ or large",
            found=f"first width {first}, {len(blocks)} blocks", where=str(weights),
            fix=f"set config, or put {weights.with_suffix('.json').name} next to it",
        )  # fmt: skip
    version = "2.1" if "no_obj_embed_spatial" in shapes else "2"
    return f"configs/sam{version}/sam{version}_hiera_{size}.yaml"


def _weights(path: Path) -> dict[str, Any]:
    """Return tensors by name; only tensors are read from the file."""
    import pickle
    import struct

    import torch

    unreadable = (
        RuntimeError, ValueError, EOFError, OSError, LookupError, AttributeError,
        pickle.UnpicklingError, struct.error,
    )  # fmt: skip
    if not path.is_file():
        raise WeightsMissing(
            f"no weights at {path.name}", expected="a SAM2 checkpoint (.pt)", where=str(path),
            fix="name the file that holds the model; surgqa downloads nothing by itself",
        )  # fmt: skip
    try:
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except unreadable as error:
        raise _not_sam2(path, f"{type(error).__name__}: {error}".splitlines()[0]) from None
    found = checkpoint.get("model") if isinstance(checkpoint, dict) else None
    if not isinstance(found, dict):
        raise _not_sam2(path, 'no "model" in it')
    return found


def _not_sam2(path: Path, found: str) -> UserError:
    return WeightsBroken(
        f"{path.name} is not a SAM2 checkpoint",
        expected='a .pt file with the tensors under "model"', found=found, where=str(path),
        fix="name a checkpoint of SAM2 or SAM2.1",
    )  # fmt: skip


def _built(config: str, overrides: Mapping[str, Any], device: str, weights: Path) -> Any:
    from sam2.build_sam import build_sam2_video_predictor

    side = overrides.get("image_size")
    if side is not None and (not isinstance(side, int) or side < STRIDE or side % STRIDE):
        raise ValueInvalid(
            "cannot scale images to this size for SAM2", expected=f"a multiple of {STRIDE}",
            found=str(side), where="image_size", fix="1024 is what public weights were trained at",
        )  # fmt: skip
    if not _CONFIG.fullmatch(config) or not _shipped(config):
        raise UnknownName(
            f"no SAM2 configuration {config!r}",
            expected="configs/sam2.1/sam2.1_hiera_X.yaml with X one of t, s, b+, l", found=config,
            where="config", fix="set config to auto",
        )  # fmt: skip
    extra = [f"++model.{key}={orjson.dumps(value).decode()}" for key, value in overrides.items()]
    try:
        model = build_sam2_video_predictor(
            config, device=device, hydra_overrides_extra=extra, apply_postprocessing=False
        )
    except Exception as error:  # noqa: BLE001  hydra wraps whatever a constructor raises
        raise _odd(weights.with_suffix(".json"), f"{config}: {error}") from None
    return model


def _shipped(config: str) -> bool:
    from importlib.resources import files

    return files(PACKAGE).joinpath(config).is_file()


def _fill(model: Any, weights: dict[str, Any], config: str, path: Path) -> None:
    """Load every tensor of the model from the file; a tensor too many or too few is an error."""
    try:
        model.load_state_dict(weights, strict=True)
    except RuntimeError as error:
        raise WeightsBroken(
            f"the weights {path.name} do not fit {config}",
            expected="weights of this configuration", found=str(error).splitlines()[1].strip(),
            where=str(path), fix="set config to auto, or to the right configuration",
        ) from None  # fmt: skip
