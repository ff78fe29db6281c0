"""The actions of the instruments in a rendered scene, from which images and labels are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

from surgqa.ontology.yaml import read_yaml
from surgqa.pipeline.demo.anatomy import HEIGHT, SCOPE_CENTRE, SCOPE_RADIUS, WIDTH
from surgqa.pipeline.demo.tools import Pose, pose_towards

IDLE = ("null_verb", "null_target")
INSET = 30.0
"""A tip is visible if its working point is at least this many pixels inside the rim."""

STROKES = {"dissect": (5.0, 0.8), "cut": (2.0, 1.0), "coagulate": (1.5, 1.0), "pack": (3.0, 2.0)}
"""Small oscillation of a working tip: pixels, and seconds per stroke."""

OPENING = {"grasp": 0.12, "retract": 0.06, "pack": 0.15, "coagulate": 0.12, "clip": 0.35}


@dataclass(frozen=True, slots=True)
class Act:
    """One action of an instrument, in seconds; the end is exclusive."""

    start_s: float
    end_s: float
    verb: str
    target: str


@dataclass(frozen=True, slots=True)
class Role:
    """The movement of one instrument.

    Attributes:
        port_xy: pixels outside the frame where the shaft enters.
        path: (second, x, y) of the working point in pixels, connected by straight lines.
    """

    instrument: str
    port_xy: tuple[float, float]
    path: tuple[tuple[float, float, float], ...]
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class DemoScript:
    """One video: its length in whole seconds, phases by first second, instruments.

    ``attached`` means that the gallbladder is attached to the liver.  ``unannotated`` seconds are
    in the video but have no labels.
    """

    video_id: str
    title: str
    seconds: int
    attached: bool
    bag: bool
    phases: tuple[tuple[int, str], ...]
    unannotated: tuple[int, ...]
    roles: tuple[Role, ...]


@cache
def scripts() -> tuple[DemoScript, ...]:
    """Return the demonstration's videos in the order of their names."""
    text = (resources.files("surgqa.pipeline.demo") / "scenes.yaml").read_text(encoding="utf-8")
    data = read_yaml(text, "pipeline/demo/scenes.yaml").data
    return tuple(_script(name, data[name]) for name in sorted(data))


def _script(name: str, raw) -> DemoScript:
    return DemoScript(
        video_id=name,
        title=raw["title"],
        seconds=raw["seconds"],
        attached=raw["attached"],
        bag=raw["bag"],
        phases=tuple((start, phase) for start, phase in raw["phases"]),
        unannotated=tuple(raw["unannotated"]),
        roles=tuple(_role(role) for role in raw["instruments"]),
    )


def _role(raw) -> Role:
    return Role(
        instrument=raw["instrument"],
        port_xy=(raw["port"][0] * WIDTH, raw["port"][1] * HEIGHT),
        path=tuple((float(t), x * WIDTH, y * HEIGHT) for t, x, y in raw["path"]),
        acts=tuple(Act(*act) for act in raw["acts"]),
    )


def acts_at(role: Role, time_s: float) -> list[Act]:
    """Return the actions of an instrument at this time; empty while it is idle."""
    return [act for act in role.acts if act.start_s <= time_s < act.end_s]


def place_at(role: Role, time_s: float) -> tuple[float, float] | None:
    """Return the working point of an instrument in pixels; None before and after its movement."""
    first, last = role.path[0][0], role.path[-1][0]
    if not first <= time_s <= last:
        return None
    for (t0, x0, y0), (t1, x1, y1) in zip(role.path, role.path[1:], strict=False):
        if t0 <= time_s <= t1:
            share = (time_s - t0) / (t1 - t0)
            return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
    return role.path[-1][1:]


def pose_at(role: Role, time_s: float) -> Pose | None:
    """Return the pose of an instrument, with working strokes; None while it is away."""
    place = place_at(role, time_s)
    if place is None:
        return None
    acts = acts_at(role, time_s)
    verb = acts[0].verb if acts else IDLE[0]
    reach, seconds = STROKES.get(verb, (0.0, 1.0))
    # A triangle wave needs only exact arithmetic, so labels do not depend on the bits of a sine.
    phase = time_s / seconds - time_s // seconds
    swing = reach * (4 * abs(phase - 0.5) - 1)
    opening = OPENING.get(verb, 0.55)
    if verb == "cut":
        opening = 0.15 + 0.75 * abs(2 * phase - 1)
    loaded = role.instrument == "clipper" and not any(time_s >= middle(act) for act in acts)
    return pose_towards((place[0] + swing, place[1] + 0.6 * swing), role.port_xy, opening, loaded)


def middle(act: Act) -> float:
    """Return the second at which a clip closes or scissors cut the tissue."""
    return (act.start_s + act.end_s) / 2


def visible(pose: Pose | None) -> bool:
    """Return whether the tip is in the endoscope's round image."""
    if pose is None:
        return False
    dx, dy = pose.tip_xy[0] - SCOPE_CENTRE[0], pose.tip_xy[1] - SCOPE_CENTRE[1]
    inside = 0 <= pose.tip_xy[0] < WIDTH and INSET <= pose.tip_xy[1] < HEIGHT - INSET
    return inside and dx * dx + dy * dy <= (SCOPE_RADIUS - INSET) ** 2


def phase_at(script: DemoScript, second: int) -> str:
    """Return the phase of a second, spelt as in CholecT50."""
    return [phase for start, phase in script.phases if start <= second][-1]


def pull_on(script: DemoScript, target: str, time_s: float) -> tuple[float, float]:
    """Return how far an organ is pulled, in pixels; once released, it returns in a second."""
    x = y = 0.0
    for role in script.roles:
        for start, end in _holds(role, target):
            anchor = place_at(role, start)
            here = place_at(role, min(time_s, end))
            if time_s < start or anchor is None or here is None:
                continue
            rest = max(0.0, 1.0 - max(0.0, time_s - end))
            x += (here[0] - anchor[0]) * rest
            y += (here[1] - anchor[1]) * rest
    return x, y


def _holds(role: Role, target: str) -> list[tuple[float, float]]:
    """Return the intervals in which the jaws hold a target, in seconds; adjacent ones merged."""
    holds: list[tuple[float, float]] = []
    for act in role.acts:
        if act.target != target or act.verb not in ("grasp", "retract"):
            continue
        if holds and holds[-1][1] == act.start_s:
            holds[-1] = (holds[-1][0], act.end_s)
        else:
            holds.append((act.start_s, act.end_s))
    return holds
