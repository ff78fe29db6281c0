"""Six laparoscopic instruments as polygons, with exact positions of their tips.

The box of a tip is computed from the drawn points, with additions, multiplications and square
roots only, and rounded outwards to whole pixels.  The labels are therefore the same on every
machine, however its drawing library treats the edge of a pixel.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from surgqa.pipeline.demo.anatomy import HEIGHT, SCOPE_CENTRE, SCOPE_RADIUS

SHIFT = 4
"""Fractional bits of the polygon corners."""

EDGE_STEPS = 64

SILVER = (196, 200, 206)
STEEL = (150, 154, 160)
DARK = (70, 73, 80)
BLACK = (38, 40, 46)
IVORY = (222, 208, 178)
BLUE = (52, 96, 170)
GOLD = (214, 172, 66)
HOLE = (36, 30, 32)


@dataclass(frozen=True, slots=True)
class Pose:
    """Position of an instrument.

    Attributes:
        tip_xy: working point in pixels.
        axis: unit vector from the working point back along the shaft.
        opening: 0 for closed jaws, 1 for wide open.
        load: whether a clip lies between the jaws (clip applier only).
    """

    tip_xy: tuple[float, float]
    axis: tuple[float, float]
    opening: float = 0.0
    load: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """A filled outline in the instrument's own pixels: a along the shaft, b across."""

    points: tuple[tuple[float, float], ...]
    rgb: tuple[int, int, int]


def pose_towards(tip_xy, port_xy, opening: float = 0.0, load: bool = False) -> Pose:
    """Return the pose of an instrument that enters through a port, both in pixels."""
    dx, dy = port_xy[0] - tip_xy[0], port_xy[1] - tip_xy[1]
    length = float(np.sqrt(dx * dx + dy * dy))
    return Pose(tuple(tip_xy), (dx / length, dy / length), opening, load)


def placed(pose: Pose, points) -> np.ndarray:
    """Return points in pixels, float64 (N, 2), from distances along and across the shaft."""
    local = np.asarray(points, dtype=np.float64)
    (ux, uy), (x, y) = pose.axis, pose.tip_xy
    along, across = local[:, 0], local[:, 1]
    out = np.empty_like(local)
    out[:, 0] = x + along * ux - across * uy
    out[:, 1] = y + along * uy + across * ux
    return out


def tip_box(instrument: str, pose: Pose) -> tuple[int, int, int, int]:
    """Return pixels x1, y1, x2, y2 of the part of the tip inside the endoscope's round image.

    Rounded outwards to whole pixels and kept off the frame's last row and column; x2 and y2 are
    exclusive.  All zeros if no part of the tip is visible.
    """
    edges = np.concatenate(
        [_edge_points(placed(pose, s.points)) for s in tip_shapes(instrument, pose)]
    )
    away = edges - SCOPE_CENTRE
    seen = (away * away).sum(1) <= SCOPE_RADIUS * SCOPE_RADIUS
    seen &= (edges[:, 1] >= 0) & (edges[:, 1] < HEIGHT - 2)
    if not seen.any():
        return 0, 0, 0, 0
    low, high = np.floor(edges[seen].min(0)), np.ceil(edges[seen].max(0)) + 1
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _edge_points(corners: np.ndarray) -> np.ndarray:
    """Return points along an outline, less than two pixels apart for any tip."""
    share = np.arange(EDGE_STEPS)[:, None, None] / EDGE_STEPS
    follow = np.roll(corners, -1, axis=0)
    return (corners * (1 - share) + follow * share).reshape(-1, 2)


def draw_tip(image: np.ndarray, instrument: str, pose: Pose) -> None:
    """Draw only the tip onto an RGB uint8 (H, W, 3) image."""
    for shape in tip_shapes(instrument, pose):
        _fill(image, placed(pose, shape.points), shape.rgb)


def draw_instrument(image: np.ndarray, instrument: str, pose: Pose, reach: float) -> None:
    """Draw shaft and tip; ``reach`` is the distance in pixels from the tip to the outside."""
    start, rgb, thick = _SHAFTS[instrument]
    _cylinder(image, pose, (start, reach), (thick, thick * 1.75), rgb)
    draw_tip(image, instrument, pose)


def outline(instrument: str, pose: Pose, reach: float) -> np.ndarray:
    """Return int32 (N, 2) pixels of the whole silhouette, which casts the shadow."""
    _, _, thick = _SHAFTS[instrument]
    points = [(4, -4), (60, -thick), (reach, -1.75 * thick), (reach, 1.75 * thick)]
    return placed(pose, [*points, (60, thick), (4, 4)]).astype(np.int32)


_SHAFTS = {
    "grasper": (92.0, DARK, 13.0),
    "bipolar": (88.0, (44, 62, 104), 12.0),
    "hook": (92.0, BLACK, 12.0),
    "scissors": (92.0, (84, 70, 62), 12.0),
    "clipper": (104.0, (168, 172, 178), 17.0),
    "irrigator": (96.0, (158, 164, 172), 12.0),
}
"""Distance of the shaft behind the working point, its colour and half its thickness."""


def tip_shapes(instrument: str, pose: Pose) -> list[Outline]:
    """Return the tip's outlines, drawn in this order."""
    return _TIPS[instrument](pose)


def _bar(a0, a1, b, half, rgb, taper: float = 1.0) -> list[Outline]:
    """Return a rounded rod along the shaft from a0 (front) to a1, lit from above."""
    t = half * taper
    light = tuple(min(255, int(c * 1.22)) for c in rgb)
    dark = tuple(int(c * 0.55) for c in rgb)
    nose = ((a0, b - 0.6 * t), (a0 + 3, b - t), (a1, b - half))
    body = (*nose, (a1, b + half), (a0 + 3, b + t), (a0, b + 0.6 * t))
    lit = _strip((a0 + 1, a1), (b - 0.6 * t, b - 0.72 * half), (b + 0.4 * t, b + 0.5 * half))
    gleam = _strip((a0 + 3, a1), (b - 0.5 * t, b - 0.5 * half), (b - 0.1 * t, b - 0.1 * half))
    return [Outline(body, dark), Outline(lit, rgb), Outline(gleam, light)]


def _strip(along, upper, lower):
    """Return the corners of a stripe from ``along[0]`` to ``along[1]`` of the shaft."""
    return ((along[0], upper[0]), (along[1], upper[1]), (along[1], lower[1]), (along[0], lower[0]))


def _jaw(pivot, side, opening, length, half, rgb) -> list[Outline]:
    """Return one jaw from the pivot to the front; ``side`` is -1 or 1, the upper edge is lit."""
    spread = side * (half + opening * 20)
    root = side * half
    a = pivot - length
    inner, outer = spread - side * half * 0.8, spread + side * half * 0.8
    dark = tuple(int(c * 0.5) for c in rgb)
    light = tuple(min(255, int(c * 1.18)) for c in rgb)
    belly, knee = (root + spread) / 2, pivot - 0.4 * length
    step = side * half
    back = (
        (pivot, 0),
        (a + 2, inner),
        (a, spread),
        (a + 5, outer),
        (knee, belly + step * 1.1),
        (pivot, root * 1.9),
    )
    face = (
        (pivot, root * 0.4),
        (a + 4, spread - step * 0.4),
        (a + 6, spread + step * 0.4),
        (knee, belly + step * 0.7),
        (pivot, root * 1.5),
    )
    gleam = ((pivot - 4, root * 0.9), (a + 9, spread), (a + 10, spread + step * 0.3))
    return [
        Outline(back, dark),
        Outline(face, rgb),
        Outline((*gleam, (pivot - 4, root * 1.2)), light),
    ]


def _slot(pivot, side, opening, length, half) -> Outline:
    """Return the window in a fenestrated jaw."""
    spread = side * (half + opening * 20)
    f0, f1 = 0.25, 0.82
    near = side * half + (spread - side * half) * f0
    far = side * half + (spread - side * half) * f1
    a0, a1 = pivot - f0 * length, pivot - f1 * length
    return Outline(((a0, near - 2), (a1, far - 2), (a1, far + 2), (a0, near + 2)), HOLE)


def _grasper(pose: Pose) -> list[Outline]:
    jaws = []
    for side in (1, -1):
        jaws += _jaw(66, side, pose.opening, 66, 7.0, SILVER)
        jaws.append(_slot(66, side, pose.opening, 66, 7.0))
    return [*_bar(60, 96, 0, 11, STEEL), *jaws, *_bar(58, 68, 0, 4, DARK)]


def _bipolar(pose: Pose) -> list[Outline]:
    jaws = []
    for side in (1, -1):
        jaws += _jaw(62, side, pose.opening * 0.8, 62, 4.0, BLUE)
        spread = side * (4 + pose.opening * 16)
        jaws += _bar(1, 24, spread * 0.86, 3.6, SILVER)
    return [*_bar(56, 92, 0, 10, BLUE), *jaws]


def _hook(pose: Pose) -> list[Outline]:
    return [
        *_bar(58, 96, 0, 9, IVORY),
        *_bar(2, 60, 0, 3.6, SILVER),
        Outline(((2, -3.6), (9, -3.6), (9, 21), (7, 24), (3, 24), (1, 20)), (118, 120, 126)),
        Outline(((3, -2), (6, -2), (6, 21), (4, 22)), (228, 230, 234)),
    ]


def _scissors(pose: Pose) -> list[Outline]:
    blades = []
    for side in (1, -1):
        s = side * (2 + 20 * pose.opening)
        dark = (
            (58, -side * 5),
            (64, side * 5),
            (34, side * 6 + s * 0.5),
            (0, s),
            (26, s * 0.45 - side * 2),
        )
        light = ((58, -side * 2), (60, side * 3), (34, side * 4 + s * 0.48), (4, s), (28, s * 0.5))
        blades += [Outline(dark, (112, 116, 122)), Outline(light, (214, 218, 224))]
    return [*_bar(60, 96, 0, 10, STEEL), *blades, *_bar(54, 64, 0, 3.5, DARK)]  # fmt: skip


def _clipper(pose: Pose) -> list[Outline]:
    half = 5.5
    gap = 6 + 9 * pose.opening
    jaws = []
    for side in (-1, 1):
        jaws += _bar(0, 66, side * gap, half, STEEL, 0.8)
        jaws += _bar(0, 14, side * (gap - 1.5), half * 0.8, (122, 126, 132))
    clip = []
    if pose.load:
        g = gap - 3
        clip = [
            Outline(((2, -g), (26, -g), (32, 0), (26, g), (2, g), (2, g - 4), (22, g - 4), (26, 0),
                   (22, 4 - g), (2, 4 - g)), GOLD)
        ]  # fmt: skip
    return [*_bar(60, 108, 0, 17, SILVER), *jaws, *clip]


def _irrigator(pose: Pose) -> list[Outline]:
    holes = [
        Outline(((a, b - 2.5), (a + 7, b - 2.5), (a + 7, b + 2.5), (a, b + 2.5)), HOLE)
        for a, b in ((12, -4), (12, 5), (30, 0), (48, -4), (48, 5))
    ]
    return [*_bar(0, 100, 0, 11, SILVER, 0.85), *holes]


_TIPS = {
    "grasper": _grasper,
    "bipolar": _bipolar,
    "hook": _hook,
    "scissors": _scissors,
    "clipper": _clipper,
    "irrigator": _irrigator,
}


def _cylinder(image, pose: Pose, ends, halves, rgb) -> None:
    """Draw a shaded tube: strips of changing brightness, each drawn over a part of the last."""
    (a0, a1), (h0, h1) = ends, halves
    steps = 9
    for step in range(steps):
        b = -1 + 2 * step / steps
        middle = b + 1 / steps
        glow = 1 - (middle + 0.3) ** 2
        tone = 0.30 + 0.75 * max(glow, 0.0)
        shine = 70 * max(0.0, 1 - abs(middle + 0.35) / 0.22)
        colour = tuple(min(255, int(c * tone + shine)) for c in rgb)
        _fill(image, placed(pose, [(a0, b * h0), (a1, b * h1), (a1, h1), (a0, h0)]), colour)


def _fill(image: np.ndarray, points: np.ndarray, rgb) -> None:
    corners = np.round(points * (1 << SHIFT)).astype(np.int32)
    cv2.fillPoly(image, [corners], rgb, cv2.LINE_AA, SHIFT)
