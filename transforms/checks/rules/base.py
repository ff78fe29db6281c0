"""What a rule is given: the item's slots, its clip, and a place to note what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from transforms.checks.evidence import Box, Clip, Event, Pairs
from transforms.checks.instances import coexist, named, number_of

EPSILON = 1e-9
"""Slack of every limit, so that the order of a sum never decides."""

MARGIN = 0.10
"""Share of the winner by which the runner-up must stay behind."""

LONG_ENOUGH_US = 2_000_000


class BadSlot(Exception):
    """A slot is missing or of the wrong shape."""


class Undecided(Exception):
    """The evidence does not decide the question; says what is missing."""


class Ask:
    """One item as a rule sees it.

    ``problems`` collects (code, detail) of everything that is wrong beside the answer.
    """

    __slots__ = ("clip", "problems", "slots")

    def __init__(self, slots: Mapping[str, Any], clip: Clip) -> None:
        self.slots = slots
        self.clip = clip
        self.problems: list[tuple[str, str]] = []

    # slots

    def slot(self, name: str, part: str | None = None) -> Any:
        """A slot's value, or one part of it."""
        try:
            return self.slots[name] if part is None else self.slots[name][part]
        except (KeyError, TypeError):
            raise BadSlot(f"slot {name!r} has no value{f' {part!r}' if part else ''}") from None

    def whole(self, name: str, part: str) -> int:
        """A slot's whole microseconds."""
        value = self.slot(name, part)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadSlot(f"slot {name!r} {part!r} is {value!r}, not whole microseconds")
        return value

    def number(self, name: str, part: str) -> float:
        """A slot's number."""
        value = self.slot(name, part)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise BadSlot(f"slot {name!r} {part!r} is {value!r}, not a number")
        return value

    def label(self, name: str, part: str = "label") -> str:
        """A slot's label or id."""
        value = self.slot(name, part)
        if not isinstance(value, str):
            raise BadSlot(f"slot {name!r} {part!r} is {value!r}, not a text")
        return value

    def time(self, name: str, part: str) -> int:
        """A slot's instant, which must be an annotated one of the clip."""
        time_us = self.whole(name, part)
        if time_us not in self.clip.at:
            raise Undecided(f"{name} {part} {time_us} is not an annotated instant of the clip")
        return time_us

    def moment(self) -> int:
        """The slot ``moment``."""
        return self.time("moment", "time_us")

    def span(self) -> tuple[int, int]:
        """The slot ``span``: first and last instant, both inclusive."""
        first, last = self.time("span", "start_us"), self.time("span", "end_us")
        if last <= first:
            raise BadSlot(f"slot 'span' ends at {last}, not after its start {first}")
        self.gate("length of the span", last - first >= LONG_ENOUGH_US, f"{last - first} us")
        self.known_time(first, last)
        return first, last

    def asked(self) -> tuple[int, int]:
        """First and last instant of the window asked about, both inclusive."""
        if "span" in self.slots:
            return self.whole("span", "start_us"), self.whole("span", "end_us")
        if "moment" in self.slots:
            return self.whole("moment", "time_us"), self.whole("moment", "time_us")
        return self.clip.start_us, self.clip.end_us - 1

    def kind(self) -> str:
        """The class in slot ``kind``, which must be one the annotators looked for."""
        label = self.label("kind")
        if label not in self.clip.vocabulary:
            self.problems.append(("outside_vocabulary", f"{label!r} is never annotated here"))
        return label

    def track(self, name: str = "tool", alone: tuple[int, int] | None = None) -> str:
        """Track id of an instrument slot, after its class and number were checked.

        Args:
            name: the slot.
            alone: first and last instant in which the class without a number must mean
                one track; by default the window asked about.
        """
        track_id, label = self.label(name, "track_id"), self.label(name)
        samples = self.clip.samples.get(track_id)
        if not samples:
            raise Undecided(f"slot {name!r}: track {track_id!r} has no sample in the clip")
        expected = number_of(self.clip, samples[0].label, track_id, *self.asked())
        found = self.slot(name, "instance")
        if label != samples[0].label or found != expected or isinstance(found, bool):
            self.problems.append(
                (
                    "instance_differs",
                    f"slot {name!r}: expected {samples[0].label} instance {expected}, "
                    f"found {label} instance {found}",
                )
            )
        if expected is None:
            self.only_track(name, track_id, *(alone or self.asked()))
        return track_id

    # notes

    def gate(self, name: str, kept: bool, found: object) -> None:
        """Note a limit the item breaks."""
        if not kept:
            self.problems.append(("gate_failed", f"{name}: {found}"))

    def unique(self, kept: bool, detail: str) -> None:
        """Note a second answer that fits."""
        if not kept:
            self.problems.append(("not_unique", detail))

    def only_track(self, name: str, track_id: str, first: int, last: int) -> None:
        """Without a number in the text, the class must mean one track from first to last."""
        label = self.clip.samples[track_id][0].label
        others = sorted(
            {
                e.track_id
                for time in self.clip.between(first, last)
                for e in self.clip.at[time]
                if e.label == label and e.track_id != track_id
            }
        )
        self.unique(not others, f"{name}: {label} without a number, but also track {others[:3]}")

    def known_time(self, first: int, last: int) -> None:
        """A window may not jump over time that nobody annotated."""
        limit = max(700_000, 1.5 * self.clip.period_us)
        instants = self.clip.between(first, last)
        for before, after in zip(instants, instants[1:], strict=False):
            if after - before > limit:
                raise Undecided(f"nothing is annotated between {before} and {after}")

    def whole_clip(self) -> None:
        """The answer is about the whole clip: it must be annotated without holes."""
        self.known_time(self.clip.start_us, self.clip.end_us - 1)

    # samples

    def named(self, event: Event) -> dict[str, Any]:
        """How an answer names an instrument."""
        return named(self.clip, event, *self.asked())

    def box_at(self, track_id: str, time_us: int) -> Box:
        """The track's box at an instant."""
        return self.boxed(self.sample_at(track_id, time_us))

    def boxed(self, sample: Event) -> Box:
        """A sample's box, which must be there."""
        if sample.box is None:
            raise Undecided(f"track {sample.track_id} has no box at {sample.time_us}")
        return sample.box

    def sample_at(self, track_id: str, time_us: int) -> Event:
        """The track's only sample at an instant."""
        found = self.clip.of_track(track_id, time_us, time_us)
        if len(found) != 1:
            raise Undecided(f"track {track_id} has {len(found)} samples at {time_us}, not 1")
        return found[0]

    def pairs(self, sample: Event) -> Pairs:
        """What a sample does, which must be annotated."""
        if sample.pairs is None:
            raise Undecided(f"{sample.label} at {sample.time_us}: interaction is not annotated")
        return sample.pairs

    def known_samples(self, track_id: str) -> list[Event]:
        """The track's samples in the clip, each with known pairs."""
        samples = self.clip.samples[track_id]
        for sample in samples:
            self.pairs(sample)
        return samples

    def in_span(self, track_id: str) -> list[Event]:
        """The track's samples in the span; it must be there at every annotated instant."""
        first, last = self.span()
        instants = self.clip.between(first, last)
        samples = self.clip.of_track(track_id, first, last)
        self.gate(
            "presence in the whole span",
            [sample.time_us for sample in samples] == instants,
            f"{len(samples)} samples of track {track_id} at {len(instants)} instants",
        )
        if len(samples) < 2:
            raise Undecided(f"track {track_id} has {len(samples)} samples in the span")
        return samples


Rule = Callable[[Ask], dict[str, Any]]
RULES: dict[tuple[str, str], Rule] = {}


def rule(benchmark: str, name: str) -> Callable[[Rule], Rule]:
    """Mark a function as the rule of a task; two rules of one task are a mistake."""

    def mark(function: Rule) -> Rule:
        if (benchmark, name) in RULES:
            raise ValueError(f"two rules for {benchmark}/{name}")
        RULES[benchmark, name] = function
        return function

    return mark


__all__ = ["EPSILON", "MARGIN", "RULES", "Ask", "BadSlot", "Rule", "Undecided", "coexist", "rule"]
