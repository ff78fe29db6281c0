"""What is known of one kind of label up to a time, and nothing of what comes after.

Every function takes ``until_us`` and looks at no row beyond it: a span that goes on is cut
there and stays open.  Answers to questions about the past and the present are computed with
the query time as that limit, and those of a stream's rounds with the round's time; so what is
computed cannot have been seen in what comes later.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from transforms.checks.evidence import Box, Span, VideoView

EXCLUSIVE = ("phase", "step", "gesture")
"""Kinds of which at most one label holds at a time."""

GAP_PERIODS = 1.5
"""Instants further apart than so many label periods leave time between them unknown."""


class Held(NamedTuple):
    """A label and how long it is known to hold.

    Attributes:
        last_us: its last known time; a span's end, or the last instant of a run.
        open: it holds at the limit, or nothing beyond the limit says that it ended.
        whose: instrument or hand it belongs to, ``""`` for the scene.
    """

    label: str
    start_us: int
    last_us: int
    open: bool
    whose: str = ""
    value: float | None = None
    rater: str = ""


class Sight(NamedTuple):
    """A label at one instant, with its box where it has one."""

    label: str
    box: Box | None


@dataclass(slots=True)
class OfSpans:
    """A kind that is labelled by spans.

    Attributes:
        spans: those of the kind.
        around: spans that say where the kind was looked at.
    """

    spans: list[Span]
    around: list[Span]

    def held(self, until_us: int) -> list[Held]:
        """All labels that begin by a time, cut at it."""
        return [
            Held(s.label, s.start_us, min(s.end_us, until_us), s.end_us >= until_us, s.subject,
                 s.value, s.rater)
            for s in self.spans
            if s.start_us <= until_us
        ]  # fmt: skip

    def between(self, first_us: int, last_us: int) -> list[Held]:
        """Labels that hold at some time from first to last, seen up to the last."""
        return [one for one in self.held(last_us) if one.last_us >= first_us]

    def is_known(self, first_us: int, last_us: int) -> bool:
        """The kind was looked at all the way."""
        at = first_us
        for span in sorted(self.around, key=lambda one: one.start_us):
            if span.start_us <= at:
                at = max(at, span.end_us)
        return at >= last_us and any(s.start_us <= first_us <= s.end_us for s in self.around)


@dataclass(slots=True)
class OfInstants:
    """A kind that is labelled at instants.

    Attributes:
        times: instants at which the kind was looked at, ascending.
        at: instant -> what is there.
        looked_for: labels whose absence is known, None where the tables do not tell.
    """

    times: list[int]
    at: dict[int, list[Sight]]
    looked_for: frozenset[str] | None
    period_us: int
    memory: dict[str, list[Held]] = field(default_factory=dict)

    def held(self, until_us: int) -> list[Held]:
        """Runs of each label over neighbouring instants up to a time, in order of start."""
        if not self.times or self.times[0] > until_us:
            return []
        latest = self.times[bisect_right(self.times, until_us) - 1]
        return [
            run._replace(last_us=min(run.last_us, latest), open=run.last_us >= latest)
            for run in self._runs()
            if run.start_us <= latest
        ]

    def between(self, first_us: int, last_us: int) -> list[Held]:
        """Runs with an instant from first to last, seen up to the last."""
        return [one for one in self.held(last_us) if one.last_us >= first_us]

    def is_known(self, first_us: int, last_us: int) -> bool:
        """No gap of more than a period and a half lies between first and last."""
        low, high = (bisect_right(self.times, time) - 1 for time in (first_us, last_us))
        if low < 0:
            return False
        inside = [*self.times[low : high + 1], last_us]
        return all(self.near(a, b) for a, b in zip(inside, inside[1:], strict=False))

    def near(self, earlier_us: int, later_us: int) -> bool:
        """Two instants are neighbours in time."""
        return later_us - earlier_us <= GAP_PERIODS * self.period_us

    def _runs(self) -> list[Held]:
        if "runs" not in self.memory:
            self.memory["runs"] = sorted(self._cut_runs(), key=lambda run: run[1:3])
        return self.memory["runs"]

    def _cut_runs(self) -> list[Held]:
        done: list[Held] = []
        going: dict[str, Held] = {}
        before = None
        for time in self.times:
            here = {sight.label for sight in self.at[time]}
            goes_on = before is not None and self.near(before, time)
            for label in sorted(set(going) - here if goes_on else going):
                done.append(going.pop(label))
            for label in sorted(here):
                first = going[label].start_us if label in going else time
                going[label] = Held(label, first, time, False)
            before = time
        return [*done, *going.values()]


Known = OfSpans | OfInstants


def known_of(video: VideoView, kind: str, placed: bool = False) -> Known | None:
    """What is known of a kind of label in a video, None where nothing is; made once.

    Args:
        placed: of a kind that is labelled both by spans and by regions, the regions.
    """
    name = f"known {kind} {placed}"
    if name not in video.memory:
        video.memory[name] = _known(video, kind, placed)
    return video.memory[name]


def _known(video: VideoView, kind: str, placed: bool) -> Known | None:
    if kind in ("instrument", "triplet", "target"):
        return _of_events(video, kind)
    spans = [span for span in video.spans if span.kind == kind]
    regions = _of_regions(video, kind)
    if spans and not (placed and regions):
        return OfSpans(spans, spans if kind in EXCLUSIVE else video.spans)
    return regions


def _of_events(video: VideoView, kind: str) -> OfInstants | None:
    at: dict[int, list[Sight]] = {time: [] for time in video.instants}
    for event in video.events:
        if kind == "instrument":
            at[event.time_us].append(Sight(event.label, event.box))
        elif event.pairs is None:
            at.pop(event.time_us, None)
        elif event.time_us in at:
            at[event.time_us] += [
                Sight(label, event.box)
                for verb, target in event.pairs
                for label in _acts(kind, event.label, verb, target)
            ]
    looked_for = video.vocabulary if kind == "instrument" else None
    return OfInstants(sorted(at), at, looked_for, video.period_us) if at else None


def _acts(kind: str, tool: str, verb: str, target: str) -> list[str]:
    if verb == "null_verb" or (kind == "target" and target == "null_target"):
        return []
    return [target if kind == "target" else f"{tool},{verb},{target}"]


def _of_regions(video: VideoView, kind: str) -> OfInstants | None:
    at: dict[int, list[Sight]] = {}
    for region in video.regions:
        if region.kind == kind:
            here = at.setdefault(region.time_us, [])
            if region.label is not None:
                here.append(Sight(region.label, region.box))
    return OfInstants(sorted(at), at, None, video.period_us) if at else None
