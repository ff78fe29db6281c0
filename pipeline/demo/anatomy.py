"""The tissue of the rendered scene: liver, gallbladder, duct, artery, fat, bowel, wall.

Everything is drawn with noise that is keyed by the scene's name, so a scene looks the same in
every process.  This module knows nothing about instruments, time or labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import cv2
import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import mix64

WIDTH, HEIGHT = 854, 480
SCOPE_CENTRE = (427.0, 240.0)
SCOPE_RADIUS = 372.0
"""The round image of the endoscope inside the frame, in pixels."""

SPRITE_MARGIN = 12

_OUTLINES = {
    "wall": [(-40, -40), (330, -40), (300, 60), (190, 190), (90, 330), (-40, 420)],
    "liver": [
        (150, 560), (130, 330), (180, 190), (300, 105), (440, 92), (600, 70), (760, 40), (900, 30),
        (900, 250), (780, 262), (690, 300), (600, 318), (540, 360), (470, 470), (430, 560),
    ],
    "bowel": [(560, 500), (590, 405), (680, 372), (780, 380), (900, 340), (900, 520), (700, 520)],
    "fat": [
        (60, 520), (90, 420), (180, 360), (270, 372), (330, 405), (420, 400), (500, 425),
        (560, 520),
    ],
    "plate": [(360, 150), (430, 140), (500, 190), (540, 270), (530, 335), (470, 320), (390, 250)],
    "gallbladder": [
        (352, 140), (402, 126), (452, 152), (492, 212), (512, 272), (520, 322), (500, 342),
        (470, 330), (426, 296), (372, 246), (336, 190),
    ],
    "hilum": [
        (628, 352), (680, 322), (748, 326), (800, 372), (770, 430), (690, 452), (616, 440),
        (604, 398),
    ],
    "bag": [
        (430, 220), (560, 214), (590, 262), (574, 352), (520, 402), (458, 392), (412, 340),
        (404, 262),
    ],
}  # fmt: skip

_ROUNDNESS = {"hilum": 24.0, "gallbladder": 38.0, "bag": 20.0}

FUNDUS = (412.0, 166.0)
NECK = (508.0, 330.0)
DUCT_END = (640.0, 420.0)
ARTERY_START = (506.0, 292.0)
ARTERY_END = (688.0, 356.0)
POOL = (395.0, 392.0)
POOL_AXES = (74.0, 26.0)


@dataclass(frozen=True, slots=True)
class Sprite:
    """A piece of tissue that can move: premultiplied RGB, and how much background is visible.

    Attributes:
        picture: uint8 (h, w, 3), black outside the piece.
        through: uint8 (h, w, 3), 255 outside the piece, 0 where the piece is opaque.
        corner_xy: pixels of its top left corner at rest.
    """

    picture: np.ndarray
    through: np.ndarray
    corner_xy: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Tissue of one scene: the still part, the moving parts, and the endoscope's light."""

    still: np.ndarray
    hilum: Sprite
    gallbladder: Sprite
    bag: Sprite | None
    light: np.ndarray


def build_anatomy(name: str, *, bag: bool) -> Anatomy:
    """Paint one scene.

    Args:
        name: key of all noise in the scene.
        bag: a specimen bag is open in front of the liver.

    Returns:
        ``still`` and ``light`` are uint8 (HEIGHT, WIDTH, 3), RGB.
    """
    still = _cavity(name)
    for organ, rgb, bulge, gloss in (
        ("wall", (186, 112, 104), 16.0, 0.10),
        ("liver", (116, 46, 38), 34.0, 0.42),
        ("bowel", (206, 138, 124), 30.0, 0.38),
        ("fat", (206, 158, 82), 26.0, 0.40),
        ("plate", (172, 96, 78), 10.0, 0.25),
    ):
        shape = _shape(name, organ)
        still = _over(still, _tissue(name, organ, shape, rgb, bulge, gloss), shape)
    pieces = {}
    for organ, wanted, rgb in (
        ("hilum", True, (198, 148, 84)),
        ("gallbladder", True, (160, 170, 142)),
        ("bag", bag, (150, 176, 196)),
    ):
        pieces[organ] = _sprite(name, organ, rgb) if wanted else None
    return Anatomy(still=_bytes(still), light=_light(), **pieces)


def noise(key: str, cell: float) -> np.ndarray:
    """Return smooth noise of one scale: float32 (HEIGHT, WIDTH), about -1 to 1."""
    rows, cols = ceil(HEIGHT / cell) + 4, ceil(WIDTH / cell) + 4
    codes = mix64(np.arange(rows * cols, dtype=np.uint64) + np.uint64(h64("noise", key, cell) >> 8))
    lattice = (codes >> np.uint64(40)).astype(np.float32) / np.float32(2**23) - 1
    size = (int(cols * cell), int(rows * cell))
    full = cv2.resize(lattice.reshape(rows, cols), size, interpolation=cv2.INTER_CUBIC)
    offset = int(cell)
    return full[offset : offset + HEIGHT, offset : offset + WIDTH]


def layered_noise(key: str, cells: tuple[float, ...], fade: float = 0.55) -> np.ndarray:
    """Return the sum of noise of several scales, each ``fade`` times as strong as the last."""
    total = np.zeros((HEIGHT, WIDTH), np.float32)
    for octave, cell in enumerate(cells):
        total += np.float32(fade**octave) * noise(f"{key}/{octave}", cell)
    return total


def _bytes(picture: np.ndarray) -> np.ndarray:
    return np.clip(picture, 0, 255).astype(np.uint8)


def _over(below: np.ndarray, above: np.ndarray, cover: np.ndarray) -> np.ndarray:
    edge = cover[..., None]
    # Contact shadow: the surroundings of an organ get less light.
    shade = cv2.GaussianBlur(cover, (0, 0), 14)[..., None]
    return below * (1 - 0.55 * shade) * (1 - edge) + above * edge


def _cavity(name: str) -> np.ndarray:
    depth = layered_noise(f"{name}/cavity", (160, 60, 24))
    tone = 1 + 0.18 * depth
    return np.array([96, 44, 42], np.float32) * tone[..., None]


def _shape(name: str, organ: str) -> np.ndarray:
    """Return a soft mask of an organ in [0, 1]; its outline is rounded and slightly irregular."""
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.fillPoly(mask, [np.array(_OUTLINES[organ], np.int32)], 255)
    soft = cv2.GaussianBlur(mask.astype(np.float32) / 255, (0, 0), 13)
    soft += 0.10 * layered_noise(f"{name}/{organ}/edge", (48, 20))
    return np.clip((soft - 0.5) * 14 + 0.5, 0, 1)


def _tissue(name, organ, shape, rgb, bulge, gloss) -> np.ndarray:
    """Return a lit surface: rounded towards its edge, bumpy, with vessels, wet."""
    key = f"{name}/{organ}"
    inside = cv2.distanceTransform((shape > 0.5).astype(np.uint8), cv2.DIST_L2, 5)
    reach = np.clip(inside / (2.2 * bulge), 0, 1)
    height = bulge * np.sqrt(1 - (1 - reach) ** 2)
    height = height + 5.0 * layered_noise(f"{key}/bump", (90, 40, 18), 0.5)
    fine = layered_noise(f"{key}/fine", (9, 4))
    diffuse, shine = _lit(cv2.GaussianBlur(height, (0, 0), 1.5) + 0.45 * fine)
    mottle = layered_noise(f"{key}/mottle", (70, 26, 10))
    tone = (0.42 + 0.62 * diffuse) * (1 + 0.09 * mottle + 0.025 * fine)
    picture = np.array(rgb, np.float32) * tone[..., None]
    picture = _veins(picture, key, 0.75 if organ in ("wall", "bowel", "gallbladder") else 0.25)
    return picture + (255 * gloss * shine)[..., None]


def _lit(height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return diffuse and specular light of a lamp next to the camera, each (H, W) in [0, 1]."""
    dx = cv2.Sobel(height, cv2.CV_32F, 1, 0, ksize=3) / 8
    dy = cv2.Sobel(height, cv2.CV_32F, 0, 1, ksize=3) / 8
    length = np.sqrt(dx * dx + dy * dy + 1)
    facing = (0.28 * dx + 0.42 * dy + 0.86) / length
    half = (0.15 * dx + 0.23 * dy + 0.96) / length
    sparkle = np.clip((half - 0.955) / 0.045, 0, 1)
    return np.clip(facing, 0, 1), sparkle**12


def _veins(picture: np.ndarray, key: str, strength: float) -> np.ndarray:
    """Draw thin dark red lines at the zero crossings of a noise field."""
    field = np.abs(layered_noise(f"{key}/vein", (90, 36, 16), 0.45))
    line = np.clip(1 - field / 0.035, 0, 1) * np.clip(noise(f"{key}/where", 110) + 0.4, 0, 1)
    red = np.array([0.72, 0.34, 0.34], np.float32)
    weight = (strength * line)[..., None]
    return picture * (1 - weight * (1 - red))


def _sprite(name: str, organ: str, rgb) -> Sprite:
    shape = _shape(name, organ)
    picture = _tissue(name, organ, shape, rgb, _ROUNDNESS[organ], 0.5)
    if organ == "bag":
        folds = np.abs(noise(f"{name}/folds", 26))
        picture = picture * (0.78 + 0.3 * np.clip(folds, 0, 1))[..., None]
        shape = shape * 0.86
    xs, ys = np.flatnonzero(shape.any(0)), np.flatnonzero(shape.any(1))
    x1, x2 = max(xs[0] - SPRITE_MARGIN, 0), min(xs[-1] + SPRITE_MARGIN, WIDTH)
    y1, y2 = max(ys[0] - SPRITE_MARGIN, 0), min(ys[-1] + SPRITE_MARGIN, HEIGHT)
    cut = shape[y1:y2, x1:x2, None]
    through = np.repeat(_bytes(255 * (1 - cut)), 3, axis=2)
    return Sprite(_bytes(picture[y1:y2, x1:x2] * cut), through, (int(x1), int(y1)))


def _light() -> np.ndarray:
    """Return the lamp's falloff and the endoscope's black rim, as a factor in 255ths."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    away = np.sqrt((x - SCOPE_CENTRE[0]) ** 2 + (y - SCOPE_CENTRE[1]) ** 2)
    fall = 1.0 - 0.52 * (away / SCOPE_RADIUS) ** 2.4
    rim = np.clip((SCOPE_RADIUS - away) / 3.0 + 0.5, 0, 1)
    return np.repeat(_bytes(255 * fall * rim)[..., None], 3, axis=2)
