"""One item as a picture: its frames with boxes, the question, the options, the evidence.

Boxes of the question are blue, boxes of the answer green.  The same row and frames
give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ontology.errors import SourceMissing
from ontology.times import print_seconds
from pipeline.demo.describe import evidence_line, window_line
from pipeline.demo.film import png
from pipeline.demo.marks import ANSWER, Mark, marks_of, shown_times
from transforms.media.frames import frame_at

BLUE, GREEN = (40, 110, 235), (20, 150, 70)
ON_PICTURE = {"question": (88, 166, 255), "answer": (72, 222, 118)}
INK, GREY, PAPER, LINE = (28, 32, 40), (108, 116, 128), (255, 255, 255), (222, 226, 232)

MARGIN, GAP = 28, 14
SINGLE_WIDTH, TRIPLE_WIDTH = 854, 480
BLANK_ASPECT = 9 / 16


def write_item(path: Path, row: Mapping[str, Any], root: Path | None, events=()) -> None:
    """:func:`draw_item` as a PNG file without times in it."""
    path.write_bytes(png(draw_item(row, root, events)))


def draw_item(
    row: Mapping[str, Any], root: Path | None, events: Sequence[Mapping[str, Any]] = ()
) -> np.ndarray:
    """The item as one picture.

    Args:
        row: one row of ``data/``.
        root: the dataset's folder; without it, and where a frame is missing, the boxes
            are drawn on an empty field that says so.
        events: rows of ``evidence/events`` of the video, to mark named instruments.

    Returns:
        uint8 (H, W, 3), RGB; one frame wide, or three side by side.
    """
    times = shown_times(row)
    width = SINGLE_WIDTH if len(times) == 1 else TRIPLE_WIDTH
    marks = marks_of(row, events)
    panels = [_panel(row, root, time_us, marks, width) for time_us in times]
    height = max(p.shape[0] for p in panels)
    total = len(panels) * width + (len(panels) - 1) * GAP
    lines = _text_lines(row, max(total, SINGLE_WIDTH))
    text_height = sum(line.height for line in lines)
    canvas_width = max(total, SINGLE_WIDTH) + 2 * MARGIN
    canvas = np.full((height + text_height + 2 * MARGIN + GAP, canvas_width, 3), PAPER, np.uint8)
    x = MARGIN
    for panel in panels:
        canvas[MARGIN : MARGIN + panel.shape[0], x : x + width] = panel
        x += width + GAP
    _write(canvas, lines, MARGIN + height + GAP)
    return canvas


def _panel(row, root, time_us: int, marks: list[Mark], width: int) -> np.ndarray:
    """One frame with its boxes and, beneath it, when it is."""
    picture, note = _frame(row, root, time_us)
    h, w = picture.shape[:2]
    scaled = cv2.resize(picture, (width, round(h * width / w)), interpolation=cv2.INTER_AREA)
    if note:
        _put(scaled, note, (14, 28), GREY, 13)
    half = max((row.get("resolution_us") or 1) // 2, 1)
    now = [m for m in marks if abs(m.time_us - time_us) < half]
    for mark in sorted(now, key=lambda m: m.part == ANSWER):
        _draw_mark(scaled, mark)
    caption = np.full((30, width, 3), PAPER, np.uint8)
    in_clip = print_seconds(time_us - row["start_us"])
    _put(
        caption,
        f"{in_clip} s of the clip  ({print_seconds(time_us)} s of the video)",
        (0, 21),
        GREY,
        13,
    )
    return np.concatenate([scaled, caption])


def _frame(row, root, time_us: int) -> tuple[np.ndarray, str]:
    """The frame, or an empty field and why."""
    media = row.get("media") or {"kind": "absent", "path": None}
    note = "no dataset folder given"
    if root is not None:
        try:
            return frame_at(root, media, time_us), ""
        except SourceMissing as error:
            note = error.summary
    width, height = media.get("width") or 16, media.get("height") or 9
    size = (round(SINGLE_WIDTH * height / width), SINGLE_WIDTH, 3)
    return np.full(size, (236, 239, 243), np.uint8), note


def _draw_mark(picture: np.ndarray, mark: Mark) -> None:
    h, w = picture.shape[:2]
    x1, y1, x2, y2 = (round(v * s) for v, s in zip(mark.box_xyxy, (w, h, w, h), strict=True))
    colour = ON_PICTURE[mark.part]
    if (x1, y1) == (x2, y2):
        for rgb, thick in (((20, 24, 30), 5), (colour, 2)):
            cv2.drawMarker(picture, (x1, y1), rgb, cv2.MARKER_CROSS, 26, thick, cv2.LINE_AA)
        return
    cv2.rectangle(picture, (x1, y1), (x2, y2), (16, 20, 26), 4, cv2.LINE_AA)
    cv2.rectangle(picture, (x1, y1), (x2, y2), colour, 2, cv2.LINE_AA)
    if mark.label:
        _tag(picture, mark.label, (x1, y1, y2), colour)


def _tag(picture: np.ndarray, text: str, place, colour) -> None:
    """A small label above the box, or below it where there is no room above."""
    x1, y1, y2 = place
    wide = _measure(text, 12, 600) + 10
    top = y1 - 20 if y1 >= 22 else min(y2 + 2, picture.shape[0] - 20)
    left = max(0, min(x1 - 1, picture.shape[1] - wide))
    picture[top : top + 18, left : left + wide] = colour
    _put(picture, text, (left + 5, top + 13), (12, 18, 26), 12, 600)


class _Line:
    """A line of text: what, how, and how much room it takes."""

    def __init__(self, text: str, rgb, size: int, weight: int = 400, indent: int = 0, before=0):
        self.text, self.rgb, self.size, self.weight = text, rgb, size, weight
        self.indent, self.before = indent, before

    @property
    def height(self) -> int:
        return self.before + round(self.size * 1.55)


def _text_lines(row, width: int) -> list[_Line]:
    lines = [_Line(window_line(row), GREY, 13)]
    lines += _wrapped(row["question"], width, INK, 19, 600, before=10)
    options = row.get("options") or ()
    for option in options:
        right = option["is_answer"]
        text = f"{option['key']})  {option['text']}" + ("   \u2713" if right else "")
        lines += _wrapped(text, width, GREEN if right else INK, 17, 700 if right else 400, 14, 4)
    if not options:
        for number, part in enumerate(row["answer"].split("\n")):
            lines += _wrapped(part, width, GREEN, 17, 600, 14, 4 if number else 8)
    return lines + _wrapped(f"Evidence: {evidence_line(row)}", width, GREY, 13, before=12)


def _wrapped(text, width, rgb, size, weight=400, indent=0, before=0) -> list[_Line]:
    """Break at spaces so that every line fits; the first one keeps its distance."""
    lines, current = [], ""
    for word in text.split():
        longer = f"{current} {word}".strip()
        if current and _measure(longer, size, weight) > width - indent:
            lines.append(current)
            longer = word
        current = longer
    lines.append(current)
    return [
        _Line(line, rgb, size, weight, indent, 0 if number else before)
        for number, line in enumerate(lines)
    ]


def _write(canvas: np.ndarray, lines: list[_Line], top: int) -> None:
    for line in lines:
        top += line.before
        baseline = top + round(line.size * 1.15)
        _put(canvas, line.text, (MARGIN + line.indent, baseline), line.rgb, line.size, line.weight)
        top += line.height - line.before


@cache
def _font() -> cv2.FontFace:
    """OpenCV's own outline font: the same glyphs on every machine."""
    return cv2.FontFace("sans")


def _measure(text: str, size: int, weight: int) -> int:
    x, _, wide, _ = cv2.getTextSize((10_000, 100), text, (0, 0), _font(), size, weight)
    return x + wide


def _put(picture: np.ndarray, text: str, at, rgb, size: int, weight: int = 400) -> None:
    cv2.putText(picture, text, at, rgb, _font(), size, weight)
