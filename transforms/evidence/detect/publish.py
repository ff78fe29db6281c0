"""Publish a trained detector: weights without paths and dates, and their export.

A checkpoint as written by the library contains paths of the data and of the results.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.plugins import needed
from surgqa.transforms.evidence.detect.torch_model import existing, quiet, ultralytics

LICENCE = "AGPL-3.0 (made with ultralytics)"
_EXPORTED = ("names", "imgsz", "task", "stride", "batch", "end2end", "channels", "version")
"""Metadata of an exported file that describe the model; dates and paths do not."""


def publish(checkpoint: Path, out: Path) -> str:
    """Write a training checkpoint as weights that contain only the model.

    Returns:
        Digest of the state: SHA-256 over name, type, shape and values of every tensor.
    """
    package = ultralytics()
    import torch

    whole = torch.load(checkpoint, map_location="cpu", weights_only=False)
    model = (whole.get("ema") or whole["model"]).half()
    model.args, model.criterion = {}, None
    model.yaml["yaml_file"] = Path(str(model.yaml.get("yaml_file", ""))).name
    for attribute in ("pt_path", "save_dir"):
        model.__dict__.pop(attribute, None)
    out.parent.mkdir(parents=True, exist_ok=True)
    kept = {"model": model, "train_args": {}, "version": package.__version__, "license": LICENCE}
    torch.save(kept, out)
    return state_digest(model)


def state_digest(model: Any) -> str:
    """SHA-256 over name, type, shape and values of all tensors of a model, sorted by name."""
    whole = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        values: np.ndarray = tensor.detach().cpu().numpy()
        whole.update(f"{name} {values.dtype} {values.shape}\n".encode())
        whole.update(np.ascontiguousarray(values).tobytes())
    return whole.hexdigest()


def export_onnx(weights: Path, out: Path, input_hw: tuple[int, int], *, nms: bool = True) -> Path:
    """Export ``.pt`` weights to a file that runs without PyTorch, on one image at a time.

    Args:
        weights: a ``.pt`` file.
        out: the ``.onnx`` file to write; it contains class names and input size, but no paths.
        input_hw: height and width of the input in pixels, multiples of 32. Images are scaled to
            fit into it; the less border is left, the less time is wasted.
        nms: as in ``DetectSettings``; the file itself does not remove overlapping boxes.

    Raises:
        SourceMissing: the weights do not exist.
        UserError: ultralytics or onnx is not installed.
    """
    package = ultralytics()
    with needed("exporting a detector", "onnx", "detect"):
        import onnx
    with tempfile.TemporaryDirectory(prefix="surgqa-export-") as scratch, quiet():
        copy = Path(scratch) / "weights.pt"
        shutil.copyfile(existing(weights), copy)
        made = package.YOLO(str(copy)).export(
            format="onnx", imgsz=list(input_hw), nms=None if nms else False, simplify=False,
            dynamic=False, device="cpu", verbose=False,
        )  # fmt: skip
        model = onnx.load(made)
    kept = {p.key: p.value for p in model.metadata_props if p.key in _EXPORTED}
    del model.metadata_props[:]
    onnx.helper.set_model_props(model, {**kept, "license": LICENCE})
    for node in (*model.graph.node, *model.graph.value_info):
        node.doc_string = ""
        if hasattr(node, "metadata_props"):
            del node.metadata_props[:]
    out.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, out)
    return out
