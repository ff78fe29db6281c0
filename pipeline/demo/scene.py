"""One frame of the rendered scene at any time.

The image is drawn and looks drawn.  It is made to be checked by eye and to test the real code
with exact labels.  Do not use it to learn anything about surgery.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from surgqa.ontology.keys import h64
from surgqa.pipeline.demo.anatomy import (
    ARTERY_END,
    ARTERY_START,
    DUCT_END,
    FUNDUS,
    HEIGHT,
    NECK,
    POOL,
    POOL_AXES,
    WIDTH,
    Anatomy,
    Sprite,
    build_anatomy,
)
from surgqa.pipeline.demo.script import (
    Act,
    DemoScript,
    Role,
    acts_at,
    middle,
    place_at,
    pose_at,
    pull_on,
)
from surgqa.pipeline.demo.tools import GOLD, Pose, draw_instrument, outline

CLOCK_XY = (14, 466)
REACH = 1500.0
"""Pixels from any tip to a point outside the frame."""

CLIP_PLACES = (0.32, 0.58)
CUT_PLACE = 0.45
"""Positions of clips and cuts along duct and artery, starting at the neck."""


@dataclass(frozen=True, slots=True)
class PaintedScene:
    """A script with its painted tissue, which can be drawn at any time."""

    script: DemoScript
    anatomy: Anatomy


def prepare(script: DemoScript) -> PaintedScene:
    """Paint the tissue of one script."""
    return PaintedScene(script, build_anatomy(script.video_id, bag=script.bag))


def render(stage: PaintedScene, time_s: float) -> np.ndarray:
    """Return the image at a time.

    Returns:
        uint8 (HEIGHT, WIDTH, 3), RGB; it depends only on the script and the time.
    """
    image = stage.anatomy.still.copy()
    _draw_tissue(image, stage, time_s)
    poses = [(role, pose) for role in stage.script.roles if (pose := pose_at(role, time_s))]
    _draw_shadows(image, poses)
    for role, pose in poses:
        draw_instrument(image, role.instrument, pose, REACH)
    for role, pose in poses:
        for act in acts_at(role, time_s):
            _draw_effect(image, act, pose, time_s)
    image = cv2.multiply(image, stage.anatomy.light, scale=1 / 255)
    _draw_clock(image, time_s)
    return image


def _draw_tissue(image: np.ndarray, stage: PaintedScene, time_s: float) -> None:
    script = stage.script
    body, neck = (pull_on(script, t, time_s) for t in ("gallbladder", "cystic_pedicle"))
    shift = (body[0] + neck[0], body[1] + neck[1])
    _draw_pool(image, script, time_s)
    if script.attached:
        _draw_tube(image, script, "cystic_artery", shift, time_s)
        _draw_tube(image, script, "cystic_duct", shift, time_s)
    _paste(image, stage.anatomy.hilum, (0.0, 0.0))
    if not script.attached:
        shift = _carried(script, time_s)
    _paste(image, stage.anatomy.gallbladder, shift)
    if stage.anatomy.bag:
        _paste(image, stage.anatomy.bag, pull_on(script, "specimen_bag", time_s))


def _carried(script: DemoScript, time_s: float) -> tuple[float, float]:
    """Return the displacement of a freed gallbladder while an instrument packs it into the bag."""
    for role in script.roles:
        for act in role.acts:
            if act.verb == "pack":
                held = min(max(time_s, act.start_s), act.end_s)
                x, y = place_at(role, held) or FUNDUS
                bag = pull_on(script, "specimen_bag", time_s) if held == act.end_s else (0.0, 0.0)
                return x - FUNDUS[0] + bag[0], y - FUNDUS[1] + bag[1]
    return 0.0, 0.0


def _paste(image: np.ndarray, sprite: Sprite, shift: tuple[float, float]) -> None:
    h, w = sprite.picture.shape[:2]
    x, y = sprite.corner_xy[0] + round(shift[0]), sprite.corner_xy[1] + round(shift[1])
    x1, y1, x2, y2 = max(x, 0), max(y, 0), min(x + w, WIDTH), min(y + h, HEIGHT)
    if x1 >= x2 or y1 >= y2:
        return
    part = np.s_[y1 - y : y2 - y, x1 - x : x2 - x]
    behind = image[y1:y2, x1:x2]
    shown = cv2.multiply(behind, sprite.through[part], scale=1 / 255)
    image[y1:y2, x1:x2] = cv2.add(shown, sprite.picture[part])


_TUBES = {
    "cystic_duct": (NECK, DUCT_END, (10.0, 34.0), 8, (176, 162, 122)),
    "cystic_artery": (ARTERY_START, ARTERY_END, (34.0, -22.0), 5, (184, 62, 56)),
}
"""Vessel -> its start, end and bend in pixels, half its thickness, its colour."""


def _tube_points(name: str, shift, count: int = 25) -> np.ndarray:
    """Return (count, 2) pixels along a vessel whose start moves with the gallbladder."""
    (x0, y0), (x2, y2), (bx, by), _, _ = _TUBES[name]
    x0, y0 = x0 + shift[0], y0 + shift[1]
    x1, y1 = (x0 + x2) / 2 + bx, (y0 + y2) / 2 + by
    s = np.linspace(0, 1, count)[:, None]
    start, bend, end = np.array([[x0, y0]]), np.array([[x1, y1]]), np.array([[x2, y2]])
    return (1 - s) ** 2 * start + 2 * s * (1 - s) * bend + s**2 * end


def _draw_tube(image, script: DemoScript, name: str, shift, time_s: float) -> None:
    points = _tube_points(name, shift)
    half, rgb = _TUBES[name][3:]
    parts = [points]
    if _done(script, "cut", name, time_s):
        at = round(CUT_PLACE * (len(points) - 1))
        parts = [points[: at - 1], points[at + 2 :]]
    for part in parts:
        for width, tone, lift in ((2 * half + 4, 0.35, 0), (2 * half, 0.8, 0), (half, 1.15, 2)):
            colour = tuple(min(255, int(c * tone)) for c in rgb)
            line = ((part - (lift * 0.7, lift)) * 16).astype(np.int32)
            cv2.polylines(image, [line], False, colour, width, cv2.LINE_AA, 4)
    if _done(script, "clip", name, time_s):
        for place in CLIP_PLACES:
            _draw_clip(image, points, place, half)


def _draw_clip(image, points: np.ndarray, place: float, half: int) -> None:
    """Draw a metal clip across a vessel."""
    at = round(place * (len(points) - 1))
    along = points[at + 1] - points[at - 1]
    along = along / np.sqrt((along * along).sum())
    across = np.array([-along[1], along[0]]) * (half + 7)
    ends = np.array([points[at] - across, points[at] + across])
    for colour, width, lift in (((70, 52, 20), 8, 0), (GOLD, 6, 0), ((250, 226, 150), 2, 1)):
        cv2.polylines(
            image, [((ends - lift) * 16).astype(np.int32)], False, colour, width, cv2.LINE_AA, 4
        )


def _done(script: DemoScript, verb: str, target: str, time_s: float) -> bool:
    """Return whether the tissue has been clipped or cut by this time."""
    return any(
        act.verb == verb and act.target == target and time_s >= middle(act)
        for role in script.roles
        for act in role.acts
    )


def _draw_pool(image, script: DemoScript, time_s: float) -> None:
    """Draw fluid on the lower edge of the liver; suction removes it, irrigation adds it."""
    level = 0.0
    for role in script.roles:
        for act in role.acts:
            share = min(max((time_s - act.start_s) / (act.end_s - act.start_s), 0.0), 1.0)
            level += {"irrigate": 0.85, "aspirate": -0.85}.get(act.verb, 0.0) * share
    size = max(level, 0.0) ** 0.5
    centre = (int(POOL[0] * 16), int(POOL[1] * 16))
    for scale, rgb in ((1.0, (74, 18, 18)), (0.86, (112, 28, 26)), (0.5, (126, 36, 32))):
        axes = (int(POOL_AXES[0] * size * scale * 16), int(POOL_AXES[1] * size * scale * 16))
        if min(axes) > 16:
            cv2.ellipse(image, centre, axes, -6, 0, 360, rgb, -1, cv2.LINE_AA, 4)


def _draw_shadows(image: np.ndarray, poses: list[tuple[Role, Pose]]) -> None:
    """Draw soft shadows on the tissue, slightly below and next to the instruments."""
    if not poses:
        return
    quarter = np.full((HEIGHT // 4, WIDTH // 4), 255, np.uint8)
    for role, pose in poses:
        points = (outline(role.instrument, pose, REACH) + (14, 22)) // 4
        cv2.fillPoly(quarter, [points.astype(np.int32)], 140)
    soft = cv2.resize(cv2.blur(quarter, (7, 7)), (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR)
    image[:] = cv2.multiply(image, cv2.merge([soft, soft, soft]), scale=1 / 255)


def _draw_effect(image: np.ndarray, act: Act, pose: Pose, time_s: float) -> None:
    """Draw the visible effects of an action: glow and smoke, water, suction."""
    x, y = pose.tip_xy
    tick = int(time_s * 10)
    if act.verb == "coagulate":
        _glow(image, (x, y), 15 + 4 * (tick % 2), (255, 214, 150), 0.75)
        for puff in range(4):
            age = (time_s * 0.8 + puff / 4) % 1.0
            drift = h64("smoke", puff, act.start_s) % 31 - 15
            _glow(image, (x + drift * age, y - 12 - 95 * age), 10 + 24 * age, (198, 190, 190),
                  0.32 * (1 - age))  # fmt: skip
    if act.verb in ("irrigate", "aspirate"):
        inward = act.verb == "aspirate"
        for drop in range(9):
            age = (time_s * 1.6 + drop / 9) % 1.0
            away = 6 + 52 * ((1 - age) if inward else age)
            side = (h64("drop", drop) % 41 - 20) * away / 58
            ux, uy = pose.axis
            at = (x - ux * away - uy * side, y - uy * away + ux * side)
            rgb = (150, 50, 46) if inward else (196, 224, 240)
            cv2.circle(image, (int(at[0] * 16), int(at[1] * 16)), 48, rgb, -1, cv2.LINE_AA, 4)
    if act.verb == "dissect" and tick % 3 == 0:
        _glow(image, (x, y), 9, (255, 240, 210), 0.5)


def _glow(image, centre, radius: float, rgb, strength: float) -> None:
    """Blend a soft disc into the image."""
    r = int(radius * 1.6)
    x, y = int(centre[0]), int(centre[1])
    x1, y1, x2, y2 = max(x - r, 0), max(y - r, 0), min(x + r, WIDTH), min(y + r, HEIGHT)
    if x1 >= x2 or y1 >= y2:
        return
    dy, dx = np.mgrid[y1:y2, x1:x2].astype(np.float32)
    away = ((dx - centre[0]) ** 2 + (dy - centre[1]) ** 2) / (radius * radius)
    weight = (strength * np.clip(1 - away / 2.5, 0, 1) ** 2)[..., None]
    part = image[y1:y2, x1:x2]
    part[:] = (part * (1 - weight) + np.array(rgb, np.float32) * weight).astype(np.uint8)


def _draw_clock(image: np.ndarray, time_s: float) -> None:
    """Draw minutes, seconds and tenths in the lower left corner, outside the endoscope's image."""
    tenths = int(time_s * 10 + 0.5)
    text = f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"
    cv2.putText(
        image, text, CLOCK_XY, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (210, 214, 220), 1, cv2.LINE_AA
    )
