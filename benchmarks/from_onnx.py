"""Load the weights of an exported detector back into its original PyTorch model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surgqa.ontology.errors import UserError


def torch_weights(onnx_file: Path, target: Path) -> None:
    """Write the PyTorch model that an ONNX file was exported from, with the file's weights."""
    import onnx
    import torch
    from onnx import numpy_helper

    from surgqa.transforms.evidence.detect.torch_model import quiet, ultralytics

    ultralytics()
    told = onnx.load(str(onnx_file))
    values = {v.name: numpy_helper.to_array(v) for v in told.graph.initializer}
    names = eval_names(told)
    with quiet():
        from ultralytics.nn.tasks import DetectionModel

        model = DetectionModel("yolov10n.yaml", nc=len(names), verbose=False)
        model.model[-1].end2end = False
        model = model.eval().fuse(verbose=False)
    state = model.state_dict()
    given = {name: torch.from_numpy(values[name].copy()) for name in state if name in values}
    missing = [n for n in state if n not in given and "one2one" not in n and ".dfl." not in n]
    if missing:
        raise UserError("the ONNX file lacks weights of YOLOv10n", found=", ".join(missing[:3]))
    model.load_state_dict({**state, **given})
    model.names, model.args, model.task = dict(enumerate(names)), {}, "detect"
    torch.save({"model": model, "train_args": {}}, target)


def eval_names(told: Any) -> list[str]:
    """Return the class names in the metadata of an exported file."""
    import ast

    kept = {entry.key: entry.value for entry in told.metadata_props}
    return [name for _, name in sorted(ast.literal_eval(kept["names"]).items())]
