"""What happens in a video, as chains of questions need it: deeds, cues, states, anomalies.

A *deed* is an instrument that does something to something for a while.  It comes from a moment
of kind ``action``, or from a run of one triplet over annotated instants: that begins at the
first instant, lasts one label period beyond the last, and is known to one period.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ontology.concepts import load_data
from ontology.moments import Moment
from ontology.records import Pointer, Video, VideoEvidence
from ontology.times import SECOND_US
from transforms.timeline.channels import fact_book
from transforms.timeline.facts import Fact, Stretch, merged
from transforms.timeline.ids import moment_ids, segment_ids
from transforms.timeline.timeline import Timeline

Box = tuple[float, float, float, float]
NO_TARGET = "null_target"
NEAR_US = 120 * SECOND_US


@dataclass(frozen=True, slots=True)
class Deed:
    """An action of one instrument.

    Attributes:
        start_us, end_us: half open; the start is its first visible cue.
        box: place at its start, None where not known.
        event: row of evidence that begins it.
        origin: where it is from: ``instants``, or the moment's origin.
    """

    tool: str
    verb: str
    target: str
    start_us: int
    end_us: int
    resolution_us: int
    box: Box | None
    event: str
    pointers: tuple[Pointer, ...]
    origin: str

    @property
    def act(self) -> tuple[str, str]:
        """(verb, target)."""
        return self.verb, self.target

    @property
    def stretch(self) -> Stretch:
        """(start, end)."""
        return self.start_us, self.end_us


@dataclass(frozen=True, slots=True)
class Noted:
    """A moment and the row of evidence that holds it."""

    moment: Moment
    name: str

    @property
    def pointer(self) -> Pointer:
        """The row."""
        return Pointer("moments", self.name, self.moment.start_us, self.moment.end_us)


@dataclass(frozen=True)
class Story:
    """All of it, each in order of time.

    Attributes:
        deeds: by (start, end, tool, verb, target).
        noted: kind -> moments of that kind.
        phases: facts of phases, or of steps where there are none.
        anomalies: moments of that kind, and labelled intervals with such a label, each with
            its row.
    """

    video: Video
    deeds: tuple[Deed, ...]
    noted: Mapping[str, tuple[Noted, ...]]
    phases: tuple[Fact, ...]
    anomalies: tuple[tuple[Moment, Pointer], ...] = ()

    def of(self, kind: str) -> tuple[Noted, ...]:
        """Moments of one kind."""
        return self.noted.get(kind, ())

    def deeds_in(self, first_us: int, last_us: int) -> list[Deed]:
        """Deeds that share a moment with [first, last), in order."""
        low = bisect_left(self._starts, first_us - self._longest)
        high = bisect_left(self._starts, last_us)
        return [deed for deed in self.deeds[low:high] if deed.end_us > first_us]

    def deeds_beside(self, stretch: Stretch, *but: Deed) -> list[Deed]:
        """Deeds near a stretch, others than some: near is further than any window reaches."""
        around = self.deeds_in(stretch[0] - NEAR_US, stretch[1] + NEAR_US)
        return [deed for deed in around if not any(deed is one for one in but)]

    @cached_property
    def _starts(self) -> list[int]:
        return [deed.start_us for deed in self.deeds]

    @cached_property
    def _longest(self) -> int:
        return max((deed.end_us - deed.start_us for deed in self.deeds), default=0)

    @cached_property
    def watched(self) -> Mapping[str, tuple[Stretch, ...]]:
        """Channel -> stretches in which it was looked at all the way."""
        found: dict[str, list[Stretch]] = {}
        for one in self.of("watched"):
            found.setdefault(one.moment.label, []).append((one.moment.start_us, one.moment.end_us))
        return {channel: merged(parts) for channel, parts in found.items()}

    def is_watched(self, channel: str, first_us: int, last_us: int) -> bool:
        """Whether a channel was looked at from first to last."""
        return any(a <= first_us and last_us <= b for a, b in self.watched.get(channel, ()))

    def phase_at(self, first_us: int, last_us: int) -> Fact | None:
        """The one phase that holds all the way."""
        found = [f for f in self.phases if f.start_us <= first_us and last_us <= f.last_us]
        return found[0] if len(found) == 1 else None


def story_of(evidence: VideoEvidence, timeline: Timeline | None) -> Story:
    """The story of one video."""
    noted: dict[str, list[Noted]] = {}
    for one, name in zip(evidence.moments, moment_ids(evidence.moments), strict=True):
        noted.setdefault(one.kind, []).append(Noted(one, name))
    channels = fact_book(evidence, timeline).channels
    phases = channels.get("phase") or channels.get("step")
    deeds = [_deed(one) for one in noted.get("action", ())]
    if timeline is not None and "triplet" in channels:
        boxes = _boxes(timeline)
        deeds += [_run(fact, evidence.video, boxes) for fact in channels["triplet"].facts]
    deeds.sort(key=lambda d: (d.start_us, d.end_us, d.tool, d.verb, d.target, d.event))
    return Story(
        evidence.video,
        tuple(deeds),
        {kind: tuple(found) for kind, found in noted.items()},
        phases.facts if phases else (),
        tuple(_anomalies(evidence, noted.get("anomaly", ()))),
    )


def anomaly_labels() -> tuple[str, ...]:
    """Ids of all anomalies of the vocabulary, in its order."""
    return tuple(load_data("vocab", "events/anomalies"))


def _anomalies(evidence: VideoEvidence, noted: Iterable[Noted]) -> Iterator[tuple[Moment, Pointer]]:
    yield from ((one.moment, one.pointer) for one in noted)
    for span, name in zip(evidence.spans, segment_ids(evidence.spans), strict=True):
        if span.kind == "event" and span.label in anomaly_labels():
            moment = Moment("anomaly", span.label, span.start_us, span.end_us,
                            evidence.video.period_us, span.source, span.pointer)  # fmt: skip
            yield moment, Pointer("segments", name, span.start_us, span.end_us)


def _deed(noted: Noted) -> Deed:
    one = noted.moment
    return Deed(
        one.tool, one.verb or one.label, one.target, one.start_us, one.end_us,
        one.resolution_us, one.box_xyxy, noted.name, (noted.pointer,), one.origin,
    )  # fmt: skip


def _run(fact: Fact, video: Video, boxes: Mapping[str, Box]) -> Deed:
    tool, verb, target = fact.label.split(",")
    end = min(fact.last_us + video.period_us, video.duration_us)
    first = fact.marks[0][1]
    return Deed(
        tool, verb, "" if target == NO_TARGET else target, fact.start_us, end, video.period_us,
        boxes.get(first), first, fact.pointers(fact.last_us), "instants",
    )  # fmt: skip


def _boxes(timeline: Timeline) -> dict[str, Box]:
    """Row id -> its box, of the rows that have one."""
    table = timeline.table
    return {
        name: tuple(box)
        for name, box, has in zip(timeline.event_ids, table.box_xyxy.tolist(),
                                  timeline.boxed.tolist(), strict=True)
        if has
    }  # fmt: skip
