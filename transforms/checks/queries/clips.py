"""The action clips of a video again: those that people cut, else by its verbs and phases.

A frame is a second, and both ends of a clip belong to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transforms.checks.evidence import Event, Span, VideoView
from transforms.checks.queries.base import SECOND_US
from transforms.checks.rules.base import Undecided

KIND = "next_action"
IMPORTED, DERIVED = "imported", "derived"
ORDER = ("dissection", "vessel_clipping", "tissue_retraction", "coagulation", "aspiration")
"""The actions in the order of their letters."""
BY_PRIORITY = (
    ("vessel_clipping", ("clip",)),
    ("coagulation", ("coagulate",)),
    ("aspiration", ("aspirate", "irrigate")),
    ("dissection", ("dissect", "cut")),
    ("tissue_retraction", ("retract", "grasp")),
)
"""Action -> verbs that show it; where several are seen at once the first one counts."""
CONTEXT = ("calot_triangle_dissection", "clipping_and_cutting", "gallbladder_dissection")
MIDDLE = (0.2, 0.8)
"""From and to where the middle of a box is central, across and down, in parts of the frame."""


class Limits(NamedTuple):
    """How clips were derived, as the item says.

    Attributes:
        shortest: frames; shorter runs go to a neighbour.
        reach: frames; annotated frames further apart belong to different stretches.
        purity, centrality: least shares of a clip; 0 keeps all.
    """

    shortest: int
    reach: int
    purity: float
    centrality: float


class ActionClip(NamedTuple):
    """One action.

    Attributes:
        end_us: where its evidence ends.
        purity: share of its frames that show the action themselves, None where imported.
        centrality: of its frames with an acting instrument's box the share in which one is
            central, None where there is no such frame.
        phase: the phase of its last frame.
    """

    first: int
    last: int
    action: str
    end_us: int
    purity: float | None = None
    centrality: float | None = None
    phase: str | None = None


class Second(NamedTuple):
    """What is known of a second; ``central`` is None where no acting instrument has a box."""

    action: str | None
    phase: str | None
    central: bool | None


def source_of(video: VideoView) -> str:
    """Whether people cut the video's clips."""
    return IMPORTED if any(span.kind == KIND for span in video.spans) else DERIVED


def imported_clips(video: VideoView) -> list[ActionClip]:
    """Clips that stand in the evidence, in order; none may overlap another."""
    phases = [span for span in video.spans if span.kind == "phase"]
    out = []
    for span in video.spans:
        if span.kind == KIND:
            first = span.start_us // SECOND_US
            last = max(first, span.end_us // SECOND_US - 1)
            ends = [phase_at(phases, frame * SECOND_US) for frame in (first, last)]
            phase = None if None in ends else ends[1]
            out.append(ActionClip(first, last, span.label, span.end_us, phase=phase))
    out.sort(key=lambda clip: clip[:2])
    for before, after in zip(out, out[1:], strict=False):
        if after.first <= before.last:
            raise Undecided(f"clips overlap: {before[:3]} and {after[:3]}")
    return out


def derived_clips(video: VideoView, limits: Limits) -> list[ActionClip]:
    """Clips that verbs and phases give, without those below a least share; made once."""
    name = f"action clips {limits}"
    if name not in video.memory:
        found = _derived(video, limits)
        video.memory[name] = [clip for clip in found if fair(clip, limits)]
    return video.memory[name]


def fair(clip: ActionClip, limits: Limits) -> bool:
    """The clip's shares are high enough; an unknown one is."""
    central = clip.centrality is None or clip.centrality >= limits.centrality
    return central and (clip.purity or 0.0) >= limits.purity


def _derived(video: VideoView, limits: Limits) -> list[ActionClip]:
    if video.clock != "time":
        raise Undecided("nothing tells when the pictures were taken")
    out = []
    for first, seconds in stretches(looked_at(video), limits.reach):
        at = 0
        for action, length in smoothed(inherited([one.action for one in seconds]), limits.shortest):
            out.append(_clip(seconds[at : at + length], first + at, action))
            at += length
    return out


def _clip(seconds: Sequence[Second], first: int, action: str) -> ActionClip:
    pure = boxed = central = 0
    for one in seconds:
        pure += one.action == action
        boxed += one.central is not None
        central += one.central is True
    share, last = (central / boxed if boxed else None), first + len(seconds) - 1
    return ActionClip(first, last, action, (last + 1) * SECOND_US, pure / len(seconds), share,
                      seconds[-1].phase)  # fmt: skip


def looked_at(video: VideoView) -> dict[int, Second]:
    """Of each second its first instant at which every instrument's verb is known."""
    here: dict[int, list[Event]] = {time: [] for time in video.instants}
    for event in video.events:
        here[event.time_us].append(event)
    phases = [span for span in video.spans if span.kind == "phase"]
    out: dict[int, Second] = {}
    for time in video.instants:
        known = all(event.pairs is not None for event in here[time])
        if known and time // SECOND_US not in out:
            acting = [event for event in here[time] if verbs_of(event)]
            out[time // SECOND_US] = Second(
                action_of(acting), phase_at(phases, time), central_of(acting)
            )
    return out


def verbs_of(event: Event) -> list[str]:
    """What an instrument does; nothing where it idles."""
    return [verb for verb, _ in event.pairs or () if verb != "null_verb"]


def action_of(acting: Sequence[Event]) -> str | None:
    """The action that instruments show together."""
    verbs = [verb for event in acting for verb in verbs_of(event)]
    for action, shown_by in BY_PRIORITY:
        if any(verb in shown_by for verb in verbs):
            return action
    return None


def phase_at(phases: Sequence[Span], time_us: int) -> str | None:
    """The phase that holds at a time; of several the one that began last."""
    latest = None
    for span in phases:
        if span.start_us <= time_us < span.end_us:
            this = (span.start_us, span.end_us, span.label)
            latest = this if latest is None else max(latest, this)
    return None if latest is None else latest[2]


def central_of(acting: Sequence[Event]) -> bool | None:
    """Whether the middle of some box is central."""
    low, high = MIDDLE
    found = None
    for event in acting:
        if event.box is not None:
            x1, y1, x2, y2 = event.box
            inside = low <= (x1 + x2) / 2 <= high and low <= (y1 + y2) / 2 <= high
            found = found or inside
    return found


def stretches(seconds: dict[int, Second], reach: int) -> Iterator[tuple[int, list[Second]]]:
    """First frame and all frames of each stretch of the context that shows some action.

    A frame that was not looked at shows nothing, in the phase of the frame before.
    """
    going: list[Second] = []
    first = latest = 0
    for frame in sorted(seconds):
        inside = seconds[frame].phase in CONTEXT
        if going and (not inside or frame - latest > reach):
            yield from _showing(first, going)
            going = []
        if inside:
            first = first if going else frame
            while going and first + len(going) < frame:
                going.append(Second(None, going[-1].phase, None))
            going.append(seconds[frame])
        latest = frame
    yield from _showing(first, going)


def _showing(first: int, stretch: list[Second]) -> Iterator[tuple[int, list[Second]]]:
    if any(one.action for one in stretch):
        yield first, stretch


def inherited(own: Sequence[str | None]) -> list[str]:
    """Each frame's action, of one without that of the frame before, at first the first."""
    now = next(action for action in own if action)
    out = []
    for action in own:
        now = action or now
        out.append(now)
    return out


def smoothed(actions: Sequence[str], shortest: int) -> list[tuple[str, int]]:
    """Runs of one action, each with its length, after short ones went to a neighbour."""
    runs: list[tuple[str, int]] = []
    for action in actions:
        runs.append((action, 1))
        _join(runs, len(runs) - 1)
    while len(runs) > 1:
        place = 0
        for k in range(1, len(runs)):
            if runs[k][1] < runs[place][1]:
                place = k
        if runs[place][1] >= shortest:
            break
        _give(runs, place)
    return runs


def _give(runs: list[tuple[str, int]], place: int) -> None:
    """Give a run to the longer neighbour, of two equal ones to the earlier."""
    before = runs[place - 1][1] if place > 0 else 0
    after = runs[place + 1][1] if place + 1 < len(runs) else 0
    taker = place - 1 if before >= after else place + 1
    runs[place] = (runs[taker][0], runs[place][1])
    _join(runs, place + 1)
    _join(runs, place)


def _join(runs: list[tuple[str, int]], place: int) -> None:
    """Make a run and the one before it one where they show the same."""
    if 0 < place < len(runs) and runs[place - 1][0] == runs[place][0]:
        runs[place - 1 : place + 1] = [(runs[place][0], runs[place - 1][1] + runs[place][1])]
