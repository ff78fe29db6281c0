"""A made-up cholecystectomy of one minute, second by second, for samples.

Two half-minutes with one to three instruments that move smoothly (two graspers at
once, two instruments on one target, an approach and a retreat, idling, changing verbs,
seconds without any instrument), and after a gap a short stretch with the oddities that
real files have.  Invented from label names alone; it follows no real operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from surgqa.ontology.keys import h64
from surgqa.transforms.readers.base.triplets import INSTRUMENTS
from surgqa.transforms.samples.pictures import jpeg, picture, png

CLIP_SECONDS = 26
GAP_SECONDS = 6
GRASPER, HOOK, BIPOLAR = "grasper", "hook", "bipolar"
SCISSORS, CLIPPER, IRRIGATOR = "scissors", "clipper", "irrigator"
IDLE = ("null_verb", "null_target")
UNSAID = None
"""The instrument is seen, but nobody noted what it does."""

Action = tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class SceneInstrument:
    """One instrument at one second: its box (x, y, width, height) and its action.

    ``also`` is a second action of the same instance.
    """

    instrument: str
    action: Action
    box_xywh: tuple[float, float, float, float]
    also: Action = None


@dataclass(frozen=True, slots=True)
class SceneSecond:
    """One annotated second; ``phase`` is an index 0-6, None where none is given."""

    number: int
    phase: int | None
    seen: tuple[SceneInstrument, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch in which an instrument is in view: its centre over time, and its actions."""

    instrument: str
    size: tuple[float, float]
    path: tuple[tuple[int, float, float], ...]
    does: tuple[tuple[int, Action], ...]


_DISSECTION = (
    _Part(
        HOOK,
        (0.18, 0.16),
        ((4, 0.85, 0.25), (9, 0.60, 0.40), (14, 0.42, 0.42), (18, 0.60, 0.50), (22, 0.88, 0.30)),
        (
            (4, IDLE),
            (6, ("dissect", "gallbladder")),
            (14, ("dissect", "cystic_duct")),
            (18, ("coagulate", "liver")),
        ),
    ),
    _Part(
        GRASPER,
        (0.22, 0.20),
        ((2, 0.20, 0.72), (8, 0.30, 0.45), (16, 0.28, 0.48), (22, 0.20, 0.74)),
        ((2, ("retract", "gallbladder")), (13, IDLE), (19, ("grasp", "gallbladder"))),
    ),
    _Part(
        GRASPER,
        (0.20, 0.18),
        ((9, 0.80, 0.82), (14, 0.70, 0.76), (19, 0.80, 0.84)),
        ((9, ("retract", "liver")),),
    ),
)
_CLIPPING = (
    _Part(
        GRASPER,
        (0.22, 0.20),
        ((2, 0.25, 0.68), (9, 0.25, 0.40), (17, 0.42, 0.42), (23, 0.20, 0.62)),
        ((2, ("retract", "gallbladder")), (12, IDLE), (18, ("retract", "liver"))),
    ),
    _Part(
        BIPOLAR,
        (0.16, 0.14),
        ((3, 0.84, 0.62), (7, 0.60, 0.46), (11, 0.82, 0.36)),
        ((3, ("coagulate", "cystic_plate")), (8, ("coagulate", "liver"))),
    ),
    _Part(
        IRRIGATOR,
        (0.14, 0.20),
        ((5, 0.70, 0.86), (9, 0.50, 0.84)),
        ((5, ("aspirate", "fluid")),),
    ),
    _Part(
        CLIPPER,
        (0.20, 0.14),
        ((13, 0.86, 0.30), (16, 0.66, 0.44), (17, 0.70, 0.40)),
        ((13, ("clip", "cystic_duct")), (16, ("clip", "cystic_artery"))),
    ),
    _Part(
        SCISSORS,
        (0.16, 0.12),
        ((18, 0.80, 0.50), (22, 0.64, 0.30)),
        ((18, ("cut", "cystic_duct")), (21, ("cut", "cystic_artery"))),
    ),
)
# One box reaches beyond the picture, one action was not noted, one instance does two
# things, one second is empty.
_TAIL: tuple[tuple[SceneInstrument, ...], ...] = (
    (SceneInstrument(HOOK, ("dissect", "gallbladder"), (0.85, 0.40, 0.17, 0.15)),),
    (SceneInstrument(GRASPER, UNSAID, (0.30, 0.40, 0.20, 0.20)),),
    (
        SceneInstrument(HOOK, IDLE, (0.70, 0.30, 0.17, 0.15)),
        SceneInstrument(
            GRASPER,
            ("retract", "gallbladder"),
            (0.31, 0.41, 0.20, 0.20),
            also=("grasp", "gallbladder"),
        ),
    ),
    (SceneInstrument(IRRIGATOR, ("irrigate", "liver"), (0.55, 0.60, 0.12, 0.20)),),
    (),
    (SceneInstrument(IRRIGATOR, ("aspirate", "fluid"), (0.50, 0.62, 0.12, 0.20)),),
)
FULL_SECONDS = 2 * CLIP_SECONDS + len(_TAIL)


def seconds_of(name: str, seconds: int = FULL_SECONDS) -> list[SceneSecond]:
    """Return the annotated seconds of a sample video.

    Args:
        name: the video's id. Its digest decides which half-minute comes first, whether the image is
            mirrored, when the annotation starts, and how far boxes are shifted.
        seconds: largest number of annotated seconds, 0 to :data:`FULL_SECONDS`.
    """
    halves = [_DISSECTION, _CLIPPING]
    if h64("sample", name, "order") % 2:
        halves.reverse()
    start = h64("sample", name, "start") % 10
    out = []
    for number in range(2 * CLIP_SECONDS):
        half, second = divmod(number, CLIP_SECONDS)
        parts = [_seen(part, second) for part in halves[half] if _present(part, second)]
        out.append(SceneSecond(start + number, _phase(number), tuple(parts)))
    for number, seen in enumerate(_TAIL):
        phase = 3 if seen else None
        out.append(SceneSecond(start + 2 * CLIP_SECONDS + GAP_SECONDS + number, phase, seen))
    return [_placed(second, name) for second in out[:seconds]]


def _phase(number: int) -> int:
    return sum(number >= change for change in (8, 30))


def _present(part: _Part, second: int) -> bool:
    return part.path[0][0] <= second <= part.path[-1][0]


def _seen(part: _Part, second: int) -> SceneInstrument:
    (t1, x1, y1), (t2, x2, y2) = next(
        (a, b) for a, b in pairwise(part.path) if a[0] <= second <= b[0]
    )
    share = (second - t1) / (t2 - t1)
    x, y = x1 + share * (x2 - x1), y1 + share * (y2 - y1)
    width, height = part.size
    action = [does for since, does in part.does if since <= second][-1]
    return SceneInstrument(part.instrument, action, (x - width / 2, y - height / 2, width, height))


def _placed(second: SceneSecond, name: str) -> SceneSecond:
    """Return boxes that are mirrored and shifted by the video's name, on a grid of 1/10,000."""
    mirrored = bool(h64("sample", name, "mirror") % 2)
    shift_x, shift_y = (h64("sample", name, axis) % 200 / 20_000 for axis in "xy")
    seen = []
    for part in second.seen:
        x, y, width, height = part.box_xywh
        if mirrored:
            x = 1 - x - width
        box = (round(x + shift_x, 4), round(y + shift_y, 4), width, height)
        seen.append(SceneInstrument(part.instrument, part.action, box, part.also))
    return SceneSecond(second.number, second.phase, tuple(seen))


def write_pictures(folder: Path, seconds: Sequence[SceneSecond], kind: str) -> None:
    """Write ``000007.png`` (or ``jpg``) for each second, with instruments and regions as
    rectangles.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for second in seconds:
        corners = [(x, y, x + w, y + h) for x, y, w, h in (s.box_xywh for s in second.seen)]
        colours = [INSTRUMENTS.index(seen.instrument) for seen in second.seen]
        image = picture(second.number, corners, colours)
        data = png(image) if kind == "png" else jpeg(image)
        (folder / f"{second.number:06d}.{kind}").write_bytes(data)
