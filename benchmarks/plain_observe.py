"""Observe a video as a competent user would program it: one file, one process.

    python -m benchmarks.plain_observe FILM OUT --detect tools.onnx [--speech FOLDER]

It decodes with PyAV, detects boxes five times a second with ONNX Runtime, transcribes with
faster-whisper, and writes boxes and sentences.  It does not measure frames, link boxes, handle
damage, mask names, resume, report what was left out, or write the same bytes on every machine.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import av
import cv2
import numpy as np
import onnxruntime
import pyarrow as pa
import pyarrow.parquet as pq

RATE = 5
LEAST_SCORE, SAME = 0.1, 0.7
GREY = 114


def pictures(film: Path) -> Iterator[tuple[float, np.ndarray]]:
    """Yield time in seconds and frame (RGB), five a second."""
    with av.open(str(film)) as box:
        due = 0.0
        for frame in box.decode(video=0):
            if frame.time >= due:
                yield frame.time, frame.to_ndarray(format="rgb24")
                due += 1 / RATE


class Detector:
    """A YOLO model exported by ultralytics."""

    def __init__(self, weights: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(weights), options)
        self.input = self.session.get_inputs()[0]
        self.names = ast.literal_eval(self.session.get_modelmeta().custom_metadata_map["names"])

    def boxes(self, picture: np.ndarray) -> list[dict]:
        """Return the boxes of one frame, in pixels."""
        height, width = self.input.shape[2:]
        h, w = picture.shape[:2]
        scale = min(height / h, width / w)
        size = round(w * scale), round(h * scale)
        left, top = (width - size[0]) // 2, (height - size[1]) // 2
        padded = np.full((height, width, 3), GREY, np.uint8)
        padded[top : top + size[1], left : left + size[0]] = cv2.resize(picture, size)
        given = np.ascontiguousarray(padded.transpose(2, 0, 1)[None], np.float32) / 255
        found = self.session.run(None, {self.input.name: given})[0][0].T
        scores, classes = found[:, 4:].max(1), found[:, 4:].argmax(1)
        rows = []
        keep = scores >= LEAST_SCORE
        found, scores, classes = found[keep], scores[keep], classes[keep]
        corners = np.concatenate([found[:, :2] - found[:, 2:4] / 2, found[:, 2:4]], 1)
        for label in np.unique(classes):
            mine = np.flatnonzero(classes == label)
            for n in cv2.dnn.NMSBoxes(corners[mine], scores[mine], LEAST_SCORE, SAME):
                x, y, bw, bh = corners[mine[n]]
                x, y = (x - left) / scale, (y - top) / scale
                rows.append({
                    "label": self.names[int(label)], "score": float(scores[mine[n]]),
                    "x1": x, "y1": y, "x2": x + bw / scale, "y2": y + bh / scale,
                })  # fmt: skip
        return rows


def hear(film: Path, model: Path) -> list[dict]:
    """Return sentences with the times of their words."""
    from faster_whisper import WhisperModel

    whisper = WhisperModel(str(model), device="cpu", compute_type="int8", cpu_threads=1)
    segments, _ = whisper.transcribe(
        str(film), language="en", beam_size=5, temperature=0.0, vad_filter=True,
        word_timestamps=True, condition_on_previous_text=False,
    )  # fmt: skip
    return [
        {"start": s.start, "end": s.end, "text": s.text,
         "words": [[w.start, w.end, w.word, w.probability] for w in s.words]}
        for s in segments
    ]  # fmt: skip


def main() -> None:
    """Detect, transcribe and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("film", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--detect", type=Path, required=True)
    parser.add_argument("--speech", type=Path)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    asked.out.mkdir(parents=True, exist_ok=True)
    detector = Detector(asked.detect)
    rows = [{"time": time, **row} for time, p in pictures(asked.film) for row in detector.boxes(p)]
    pq.write_table(pa.Table.from_pylist(rows), asked.out / "boxes.parquet")
    if asked.speech:
        said = hear(asked.film, asked.speech)
        (asked.out / "speech.json").write_text(json.dumps(said), encoding="utf-8")


if __name__ == "__main__":
    main()
