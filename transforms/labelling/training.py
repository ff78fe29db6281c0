"""Train a detector on all reviewed frames, and measure it before and after."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import StepOrder, Unsupported
from surgqa.transforms.evidence.base import FrameExtractor, file_digest
from surgqa.transforms.evidence.detect import (
    ClassMeaning,
    DetectSettings,
    Dropped,
    Extractor,
    TrainSettings,
)
from surgqa.transforms.evidence.detect.extractor import Classes
from surgqa.transforms.labelling.export import yolo
from surgqa.transforms.labelling.measuring import HeldOutFrame, about_truth, known_frames, measured
from surgqa.transforms.labelling.pictures import Cleaner, write_pictures
from surgqa.transforms.labelling.rounds import TRAINING, Project
from surgqa.transforms.labelling.sheet import SheetFrame, file_name
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.places import below


@dataclass(frozen=True, slots=True)
class Taught:
    """A trained detector.

    Attributes:
        weights: file of the new weights.
        digest: digest of the weights' values, which does not depend on the file format.
        others: further files made from the weights, by kind (``onnx``).
        settings: plain JSON, without paths.
    """

    weights: Path
    digest: str
    others: dict[str, Path]
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trained:
    """The record of a training, with measurements before and after.

    Attributes:
        step: the entry in the round's record.
        held_out: the measured frames, with ``before`` and ``after``; both None if no frame of the
            held-out part was reviewed.
    """

    round: int
    taught: Taught
    step: dict[str, Any]
    held_out: dict[str, Any]


def train_round(
    project: Project, view: StoreView, teacher: Teacher, start: Path, out: Path, clean: Cleaner,
    blurred: bool,
) -> Trained:  # fmt: skip
    """Train on all reviewed frames outside the held-out part, and record it.

    The training belongs to the latest round with an import.

    Args:
        start: weights to start from, or the description of a new model.
        out: file of the new weights.

    Raises:
        UserError: no frames have been reviewed for training.
    """
    frames = known_frames(project, view, TRAINING)
    rounds = [one for one in project.rounds() if one.part == TRAINING and one.done("import")]
    if not frames or not rounds:
        raise StepOrder(
            "there are no frames to train on",
            expected="reviewed frames of the part for training", found="none",
            fix="surgqa label choose, correct, and surgqa label import",
        )  # fmt: skip
    truth = known_frames(project, view)
    classes = teacher.classes(start)
    before = None
    if classes and any(one.boxes for one in truth):
        before = measured(view, truth, teacher.detector(start))
    with tempfile.TemporaryDirectory(prefix="surgqa-label-") as scratch:
        names = lay_out(view, frames, classes, Path(scratch), clean)
        taught = teacher.train(Path(scratch), out, start)
    after = None
    if any(one.boxes for one in truth):
        after = measured(view, truth, teacher.detector(taught.weights))
    held_out = {**about_truth(project, truth), "before": before, "after": after}
    step = {
        **_step(start, taught, frames),
        "classes": names,
        "blurred": blurred,
        "held_out": held_out,
    }
    project.add(rounds[-1].number, step)
    return Trained(rounds[-1].number, taught, step, held_out)


def _step(start: Path, taught: Taught, frames: Sequence[HeldOutFrame]) -> dict[str, Any]:
    """Return the inputs and the result of a training, by digest and without paths."""
    boxes = Counter(row["label"] for one in frames for row in one.boxes)
    return {
        "step": "train",
        "start": {"name": start.name, "sha256": file_digest(start) if start.is_file() else None},
        "weights": {
            "name": taught.weights.name,
            "sha256": file_digest(taught.weights),
            "values": taught.digest,
        },
        "others": {
            what: {"name": path.name, "sha256": file_digest(path)}
            for what, path in sorted(taught.others.items())
        },
        "frames": len(frames),
        "empty_frames": sum(not one.boxes for one in frames),
        "boxes": dict(sorted(boxes.items())),
        "settings": taught.settings,
    }


def lay_out(
    view: StoreView, frames: Sequence[HeldOutFrame], classes: Classes, folder: Path,
    clean: Cleaner,
) -> list[str]:  # fmt: skip
    """Write the reviewed frames as a folder in YOLO's layout.

    Returns:
        Class names by number: first those of the weights, in their order, so that what they have
        learned about a class stays with it; then new ones.
    """
    known = list(classes)
    labels = folder / yolo.LABELS
    labels.mkdir(parents=True)
    shown = []
    for one in frames:
        rows = [(_number(known, row), (row["x1"], row["y1"], row["x2"], row["y2"]))
                for row in one.boxes]  # fmt: skip
        name = file_name(one.frame, view.dataset, one.video_id)
        frame = SheetFrame(name, one.video_id, one.time_us, one.frame, 0, 0, (), medium="")
        below(labels, yolo.label_file(frame)).write_text(yolo.lines(rows), encoding="utf-8")
        shown.append(frame)
    write_pictures(view, shown, folder / yolo.PICTURES, clean)
    names = [name for name, _ in known]
    yolo.write_yaml(names, folder)
    return names


def _number(known: list[tuple[str, ClassMeaning | Dropped]], row: dict[str, Any]) -> int:
    """Return the number of the class of a box, or of its state; a new class is appended."""
    mine = [(n, one.state) for n, (_, one) in enumerate(known) if isinstance(one, ClassMeaning)
            and (one.kind, one.concept) == (row["kind"], row["label"])]  # fmt: skip
    if not mine:
        known.append((row["label"], ClassMeaning(row["kind"], row["label"])))
        return len(known) - 1
    return next((n for n, state in mine if state == row["state"]), mine[0][0])


FRESH = ".yaml"
"""Extension of a file that describes a new model; all other files are weights."""


class Teacher:
    """Trains and runs the detectors of ``transforms.evidence.detect``.

    Args:
        training: how to train; ``start`` is set for each training run.
        detecting: how to detect; ``weights`` is set for each detector.
        onnx_hw: height and width of an ``.onnx`` file to write next to the weights, pixels,
            multiples of 32; None writes none.
    """

    def __init__(
        self, training: TrainSettings, detecting: DetectSettings,
        onnx_hw: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        self._training, self._detecting, self._onnx_hw = training, detecting, onnx_hw

    def classes(self, start: Path) -> Classes:
        """Return classes of the weights, each with its meaning in the class map or the ontology.

        Raises:
            UserError: the weights cannot be trained, or a class has no known meaning.
            SourceMissing: the weights do not exist.
        """
        if start.suffix == FRESH:
            return []
        if start.suffix != ".pt":
            raise Unsupported(
                f"{start.name} cannot be trained", expected="a .pt file, or a description such as "
                "yolov10n.yaml", found=start.name, where="--weights",
            )  # fmt: skip
        return Extractor(replace(self._detecting, weights=start)).classes()

    def train(self, data: Path, out: Path, start: Path) -> Taught:
        """Train; with ``onnx_hw``, also write an ONNX file for machines without PyTorch."""
        from surgqa.transforms.evidence.detect import export_onnx, train

        begin = start.name if start.suffix == FRESH and not start.is_file() else start
        record = train(data, out, replace(self._training, start=begin))
        others = {}
        if self._onnx_hw is not None:
            path = out.with_suffix(".onnx")
            others["onnx"] = export_onnx(out, path, self._onnx_hw, nms=self._detecting.nms)
        settings = {**record.settings, "epochs_done": record.epochs, "steps_done": record.steps}
        return Taught(record.weights, record.digest, others, settings)

    def detector(self, weights: Path) -> FrameExtractor:
        """Return the detector with these weights, ``.pt`` or ``.onnx``."""
        return Extractor(replace(self._detecting, weights=weights))
