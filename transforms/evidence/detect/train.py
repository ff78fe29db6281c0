"""Train a detector on images with known boxes.

Data sets are folders in the YOLO layout: ``data.yaml`` with ``names`` (a list, or numbers to
names), ``images/train`` and ``labels/train``.  A label file is named after its image, with the
suffix ``.txt``.  Each of its lines is a box: ``class x y width height``, centre and size in [0, 1].
An image with no label file, or an empty one, contains no objects.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.errors import (
    FieldInvalid,
    FileMissing,
    MediaMissing,
    RowInvalid,
    ValueInvalid,
)
from surgqa.ontology.files import listed
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.evidence.detect.publish import publish
from surgqa.transforms.evidence.detect.settings import TrainSettings
from surgqa.transforms.evidence.detect.torch_model import existing, quiet, ultralytics

WEIGHT_DECAY = 5e-4
"""The value with which YOLO models are trained."""

CHECKPOINT_EPOCHS = 10
"""Epochs from one checkpoint to the next.  A checkpoint is read only after the last epoch and if
the loss is no longer a number.  Writing one copies each tensor from the GPU by itself; with few
images, that takes longer than training an epoch."""

PICTURES = (".jpg", ".jpeg", ".png", ".bmp")


@dataclass(frozen=True, slots=True)
class TrainRecord:
    """The result of a training and how it was made.

    Attributes:
        weights: the ``.pt`` file; it contains no paths, dates or arguments of the training.
        digest: SHA-256 of names, shapes and values of all weights.  It is the same for equal
            trainings, while the digest of the file differs from run to run.
        names: class names, by number.
        pictures, boxes: number of training images and boxes.
        epochs, steps: number of epochs and steps done.
        settings: plain JSON, without paths.
    """

    weights: Path
    digest: str
    names: tuple[str, ...]
    pictures: int
    boxes: int
    epochs: int
    steps: int
    settings: dict[str, Any]


Report = Callable[[int, int], None]
"""Called after each epoch with the number of finished epochs and of all epochs."""


def train(
    data: Path, out: Path, settings: TrainSettings, report: Report | None = None
) -> TrainRecord:
    """Train a detector on ``data/images/train`` and write it to a ``.pt`` file.

    The same data, settings, library versions and processor give the same weights, unless
    ``settings.minutes`` is set.  Nothing is written into ``data``.

    Args:
        data: a folder in the YOLO layout, see above.
        out: the file to write.
        report: called after each epoch.

    Raises:
        SourceMissing: ``data.yaml``, the images or the weights to start from do not exist.
        UserError: ultralytics is not installed, or a label is invalid.
    """
    if not str(settings.start).endswith(".yaml"):
        existing(Path(settings.start))
    names, pairs = read_data(data, "train")
    boxes = sum(len(label_rows(label, len(names))) for _, label in pairs)
    package = ultralytics()
    with tempfile.TemporaryDirectory(prefix="surgqa-train-") as scratch:
        yaml = _mirror(Path(scratch), names, pairs)
        last, epochs = _run(package, yaml, Path(scratch), settings, report)
        digest = publish(last, out)
    steps = epochs * -(-len(pairs) // settings.batch)
    options = {f: getattr(settings, f) for f in TrainSettings.__slots__}
    options["start"] = Path(settings.start).name
    return TrainRecord(out, digest, names, len(pairs), boxes, epochs, steps, options)


def read_data(data: Path, part: str) -> tuple[tuple[str, ...], list[tuple[Path, Path]]]:
    """Class names, and the images of one part (train or val) with their label files, by name.

    Raises:
        SourceMissing: ``data.yaml`` does not exist, or ``images/<part>`` has no image.
    """
    yaml, pictures = data / "data.yaml", data / "images" / part
    for path, wanted in ((yaml, "data.yaml"), (pictures, f"images/{part}")):
        if not path.exists():
            raise FileMissing(
                f"{wanted} is missing", expected="a folder in the YOLO layout", where=str(data)
            )
    raw = read_yaml(yaml.read_text(encoding="utf-8"), "data.yaml").data.get("names")
    names = tuple(raw[n] for n in sorted(raw)) if isinstance(raw, dict) else tuple(raw or ())
    if not names:
        raise FieldInvalid("data.yaml has no names of classes", expected="names: [hook, grasper]",
                           where=str(yaml))  # fmt: skip
    found = [p for p in listed(pictures) if p.suffix.lower() in PICTURES]
    if not found:
        raise MediaMissing("the folder has no images", expected=", ".join(sorted(PICTURES)),
                           where=str(pictures))  # fmt: skip
    return names, [(p, data / "labels" / part / f"{p.stem}.txt") for p in found]


def label_rows(label: Path, classes: int) -> np.ndarray:
    """Return the rows of a label file, (N, 5): class, and centre x, y, width, height in [0, 1].

    Raises:
        UserError: a line does not have the required form.
    """
    text = label.read_text(encoding="utf-8") if label.is_file() else ""
    rows = [_row(line, label, number) for number, line in enumerate(text.splitlines(), 1) if line]
    table = np.array(rows, np.float64).reshape(-1, 5)
    numbers = table[:, 0]
    if not ((numbers >= 0) & (numbers < classes)).all():
        raise RowInvalid(
            "a label has a class number that data.yaml does not define",
            expected=f"0 to {classes - 1}", where=label.name,
            found=", ".join(f"{n:g}" for n in np.unique(numbers)),
        )  # fmt: skip
    return table


def _row(line: str, label: Path, number: int) -> list[float]:
    try:
        values = [float(part) for part in line.split()]
    except ValueError:
        values = []
    if len(values) != 5 or not all(0 <= v <= 1 for v in values[1:]):
        raise RowInvalid(
            "a line of a label file is not a box", expected="class x y width height, in [0, 1]",
            found=line[:80], where=f"{label.name}, line {number}",
        )  # fmt: skip
    return values


def _mirror(scratch: Path, names: tuple[str, ...], pairs: list[tuple[Path, Path]]) -> Path:
    """Make a copy of the data set for the library: links to the images, copies of the labels.

    The library writes a cache next to the labels and reads paths from ``data.yaml``.
    """
    for folder in ("images", "labels"):
        (scratch / folder / "train").mkdir(parents=True)
        (scratch / folder / "val").mkdir()
    for picture, label in pairs:
        (scratch / "images" / "train" / picture.name).symlink_to(picture.resolve())
        if label.is_file():
            shutil.copyfile(label, scratch / "labels" / "train" / label.name)
    # The library always validates after the last epoch; one image keeps that short.
    first = pairs[0][0]
    (scratch / "images" / "val" / first.name).symlink_to(first.resolve())
    lines = [f"path: {scratch.as_posix()}", "train: images/train", "val: images/val", "names:"]
    quoted = ("'" + str(name).replace("'", "''") + "'" for name in names)
    lines += [f"  {number}: {name}" for number, name in enumerate(quoted)]
    yaml = scratch / "data.yaml"
    yaml.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return yaml


def _run(
    package: Any, yaml: Path, scratch: Path, settings: TrainSettings, report: Report | None
) -> tuple[Path, int]:
    """Train; return the path of the last checkpoint, and the number of epochs done."""
    _lay_out_font()
    afresh = str(settings.start).endswith(".yaml")
    model = package.YOLO(str(settings.start))
    if report is not None:
        tell = report
        model.add_callback("on_train_epoch_end", lambda t: tell(t.epoch + 1, t.epochs))
    if settings.minutes is None:
        model.add_callback("on_train_epoch_start", _save_seldom)
    try:
        with quiet():
            model.train(**_arguments(yaml, scratch, settings), pretrained=not afresh)
    except (RuntimeError, ValueError) as error:
        raise ValueInvalid(
            "ultralytics cannot train with these data and settings",
            found=str(error).split("\n")[0][:200],
            where=str(yaml),
        ) from error
    return scratch / "runs" / "run" / "weights" / "last.pt", model.trainer.epoch + 1


def _save_seldom(trainer: Any) -> None:
    """Have a checkpoint written every few epochs; the library always writes one after the last."""
    trainer.args.save = trainer.epoch % CHECKPOINT_EPOCHS == 0


def _arguments(yaml: Path, scratch: Path, settings: TrainSettings) -> dict[str, Any]:
    """Return arguments for the library; everything else keeps its default."""
    return {
        "data": str(yaml), "project": str(scratch / "runs"), "name": "run", "exist_ok": True,
        "imgsz": settings.image_size, "epochs": settings.epochs,
        "time": settings.minutes and settings.minutes / 60, "seed": settings.seed,
        "device": None if settings.device == "auto" else settings.device,
        # By default gradients are summed over 64 images, so a short run would have too few steps.
        "batch": settings.batch, "nbs": settings.batch,
        "optimizer": "AdamW", "lr0": settings.learning_rate, "cos_lr": True,
        "warmup_epochs": 1, "weight_decay": WEIGHT_DECAY, "deterministic": True, "amp": False,
        "workers": 0, "cache": "ram", "plots": False, "val": False, "verbose": False,
        "rect": settings.whole_pictures, "flipud": settings.flip_vertical,
    }  # fmt: skip


def _lay_out_font() -> None:
    """Create an empty file where the library expects a font, so that it does not download one.

    Nothing is drawn, so the font is never read.
    """
    from ultralytics.utils import USER_CONFIG_DIR

    (Path(USER_CONFIG_DIR) / "Arial.ttf").touch()
