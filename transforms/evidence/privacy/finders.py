"""Find text and faces in one image."""

from __future__ import annotations

import threading

import cv2
import numpy as np

from surgqa.transforms.evidence.privacy.settings import FindSettings
from surgqa.transforms.evidence.privacy.weights import FACES, TEXT, network

STRIDE = 32
FACE_STEP = 4
MEAN_RGB = (0.485, 0.456, 0.406)
SPREAD_RGB = (0.229, 0.224, 0.225)
WHITE = 255.0
# A network keeps its input between two calls, so only one thread may use it at a time.
_busy = threading.Lock()


def overlays(picture: np.ndarray, settings: FindSettings | None = None) -> np.ndarray:
    """Lines of text in an image: overlaid, or written on an object that it shows.

    Args:
        picture: uint8 (H, W, 3), RGB.

    Returns:
        int64 (N, 4), corners x1, y1, x2, y2 in pixels, from the top left.
    """
    settings = settings or FindSettings()
    resized = _resized(picture, settings.text_side)
    scaled = (resized.astype(np.float32) / np.float32(WHITE) - np.float32(MEAN_RGB)) / np.float32(
        SPREAD_RGB
    )
    # The network takes BGR; each channel was normalised with its own mean before the reversal.
    (ink,) = _forward(TEXT, scaled[..., ::-1], None)
    return _lines(ink[0, 0], picture.shape, settings)


def faces(picture: np.ndarray, settings: FindSettings | None = None) -> np.ndarray:
    """Boxes of faces, grown to include hair and chin; arguments and result as :func:`overlays`."""
    settings = settings or FindSettings()
    resized = _resized(picture, settings.face_side)
    names = ["537", "538", "539", "540"]
    heat, sizes, shifts, _ = _forward(FACES, resized.astype(np.float32), names)
    boxes, scores = _decoded(heat[0, 0], sizes[0], shifts[0], settings)
    kept = _distinct(boxes, scores, settings.face_overlap)
    height, width = picture.shape[:2]
    scale = np.array([width / resized.shape[1], height / resized.shape[0]] * 2)
    return _grown(kept * scale, settings.face_grow, settings.face_grow, picture.shape)


def _resized(picture: np.ndarray, side: int) -> np.ndarray:
    height, width = picture.shape[:2]
    scale = side / max(height, width)
    size = [max(STRIDE, round(length * scale / STRIDE) * STRIDE) for length in (width, height)]
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return cv2.resize(picture, size, interpolation=how)


def _forward(weights, values: np.ndarray, outputs: list[str] | None) -> list[np.ndarray]:
    blob = np.ascontiguousarray(values.transpose(2, 0, 1)[None])
    cv2.setNumThreads(1)
    with _busy:
        net = network(weights)
        net.setInput(blob)
        got = net.forward(outputs) if outputs else [net.forward()]
        return [np.array(one) for one in got]


def _lines(ink: np.ndarray, shape: tuple[int, ...], settings: FindSettings) -> np.ndarray:
    marked = (ink > settings.text_ink).astype(np.uint8)
    count, labels, places, _ = cv2.connectedComponentsWithStats(marked, connectivity=8)
    corners = [np.zeros((0, 4))]
    for index in range(1, count):
        x, y, width, height = (int(v) for v in places[index][:4])
        inside = labels[y : y + height, x : x + width] == index
        score = float(ink[y : y + height, x : x + width][inside].mean())
        rows, columns = np.nonzero(inside)
        line = np.stack([columns + x, rows + y], axis=1)
        short, long = _sides(line)
        like_a_line = short <= settings.text_tallest * min(ink.shape) and (
            long >= settings.text_longer * short
        )
        if score >= settings.text_score and like_a_line:
            corners.append(_pieces(line, short, settings))
    scale = np.array([shape[1] / ink.shape[1], shape[0] / ink.shape[0]] * 2)
    return _grown(np.concatenate(corners) * scale, 0.0, 0.0, shape)


def _sides(line: np.ndarray) -> tuple[float, float]:
    """Thickness and length in pixels of a line at any slant, given its pixels (N, 2)."""
    (_, (one, other), _) = cv2.minAreaRect(line.astype(np.float32))
    return min(one, other) + 1.0, max(one, other) + 1.0


def _pieces(line: np.ndarray, thick: float, settings: FindSettings) -> np.ndarray:
    """Boxes that cover a line: one if it is level or upright, several along a slanted line.

    The core that the detector marks is thinner than the line by a fixed share, whatever its length,
    so each side grows by a share of the thickness.
    """
    low, high = line.min(axis=0), line.max(axis=0) + 1
    by = thick * settings.text_grow + 1
    along = int(np.argmax(high - low))
    step = high[along] - low[along]
    if min(high - low) > settings.text_slant * thick:
        step = max(1, round(thick))
    out = []
    for first in range(int(low[along]), int(high[along]), int(step)):
        part = line[(line[:, along] >= first) & (line[:, along] < first + step)]
        if len(part):
            out.append([*(part.min(axis=0) - by), *(part.max(axis=0) + 1 + by)])
    return np.array(out, dtype=np.float64).reshape(-1, 4)


def _decoded(
    heat: np.ndarray, sizes: np.ndarray, shifts: np.ndarray, settings: FindSettings
) -> tuple[np.ndarray, np.ndarray]:
    """Convert the face detector's output maps to boxes (N, 4) in pixels and scores, best first."""
    rows, columns = np.nonzero(heat > settings.face_score)
    scores = heat[rows, columns].astype(np.float64)
    place = np.stack([columns, rows], axis=1).astype(np.float64)
    shift = shifts[::-1, rows, columns].T.astype(np.float64)
    size = np.exp(sizes[::-1, rows, columns].T.astype(np.float64)) * FACE_STEP
    centre = (place + shift + 0.5) * FACE_STEP
    boxes = np.concatenate([centre - size / 2, centre + size / 2], axis=1)
    order = np.lexsort((columns, rows, -scores))
    return boxes[order], scores[order]


def _distinct(boxes: np.ndarray, scores: np.ndarray, overlap: float) -> np.ndarray:
    kept: list[np.ndarray] = []
    for box in boxes:
        if all(_iou(box, other) <= overlap for other in kept):
            kept.append(box)
    return np.array(kept).reshape(-1, 4)


def _iou(a: np.ndarray, b: np.ndarray) -> float:
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    both = float(np.prod(np.maximum(sides, 0.0)))
    return both / (float(np.prod(a[2:] - a[:2])) + float(np.prod(b[2:] - b[:2])) - both)


def _grown(boxes: np.ndarray, across: float, down: float, shape: tuple[int, ...]) -> np.ndarray:
    """Boxes grown by shares of width and height, rounded out, clipped; ordered from the top."""
    height, width = shape[:2]
    more = np.stack([(boxes[:, 2] - boxes[:, 0]) * across, (boxes[:, 3] - boxes[:, 1]) * down], 1)
    low = np.floor(boxes[:, :2] - more)
    high = np.ceil(boxes[:, 2:] + more)
    whole = np.concatenate([low, high], axis=1)
    whole = np.clip(whole, 0, [width, height, width, height]).astype(np.int64)
    whole = whole[(whole[:, 2] > whole[:, 0]) & (whole[:, 3] > whole[:, 1])]
    return whole[np.lexsort((whole[:, 3], whole[:, 2], whole[:, 0], whole[:, 1]))]
