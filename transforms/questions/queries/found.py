"""What a finder gives: one question that can be put, with its truth and its proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ontology.concepts import Term, vocabulary
from ontology.keys import Key
from ontology.records import Check, Clock, Code, MediaKind, Pointer, Video, Window
from ontology.times import SECOND_US, print_number
from transforms.language.queries.query import Query
from transforms.timeline.facts import Channel, Fact, FactBook
from transforms.windows.queries import SHORTEST_US, query_window

UNANSWERABLE = "unanswerable"
NO_ALERT = "no_alert"


@dataclass(frozen=True, slots=True)
class Named:
    """A concept and the kind it belongs to."""

    kind: str
    label: str

    @property
    def term(self) -> Term:
        """Its term."""
        return vocabulary(f"{self.kind}s")[self.label]

    @property
    def spellings(self) -> tuple[str, ...]:
        """Display name and synonyms: what an open answer may call it."""
        return tuple(dict.fromkeys((self.term.display, *self.term.synonyms)))


@dataclass(frozen=True, slots=True)
class Choice:
    """An option before it has a letter; ``why`` says why it is a fair wrong one."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Round:
    """One step of a stream."""

    time_us: int
    expected: str
    accepted: tuple[str, ...]
    answerable: bool


@dataclass(frozen=True, slots=True)
class Found:
    """One question that can be put.

    Attributes:
        query_us: when it is put.
        fields: what the wordings may use.
        slots: what the question names, as plain data.
        value: the typed answer.
        note: where the labels say so, for graders.
        names: what an open answer must name, each with its spellings.
        right: the right option's text, None for open questions that state a sentence.
        wrong: wrong options, the fairest first.
        fixed: all options in an order that is always the same, instead of wrong ones.
        gold: the answer as a whole where the template's wording does not give it.
        rounds: times and whether the event is there; outputs are filled in later.
    """

    window: Window
    query_us: int
    fields: Mapping[str, Any]
    slots: Mapping[str, Any]
    value: Mapping[str, Any]
    pointers: tuple[Pointer, ...]
    note: str
    names: tuple[tuple[str, ...], ...] = ()
    right: str | None = None
    wrong: tuple[Choice, ...] = ()
    gold: str | None = None
    rounds: tuple[tuple[int, bool], ...] = ()
    checks: tuple[Check, ...] = ()
    fixed: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Missed:
    """A stretch of the recording without a question, and why."""

    code: Code
    reason: str


@dataclass(frozen=True)
class Search:
    """One query template looking through one video.

    Attributes:
        key: of all draws; extended by what they are about.
    """

    book: FactBook
    query: Query
    key: Key
    memo: dict[Any, Any] = field(default_factory=dict)

    @property
    def video(self) -> Video:
        """The video."""
        return self.book.video

    @property
    def kind(self) -> str:
        """The kind of label that the template asks about."""
        return str(self.query.args.get("of", ""))

    @property
    def channel(self) -> Channel | None:
        """The channel of that kind."""
        return self.book.channels.get(self.kind)

    @property
    def end_us(self) -> int:
        """End of the recording; 0 for a still."""
        return 0 if self.is_still else self.video.duration_us

    @property
    def is_still(self) -> bool:
        """Whether the video is one picture."""
        return self.video.media.kind == MediaKind.IMAGE or (
            self.video.clock == Clock.WHOLE and self.channel is not None
            and self.channel.instants_us == (0,)
        )  # fmt: skip

    def window(self, query_us: int) -> Window | None:
        """The window of a question, None where it is too short for two pictures."""
        window = query_window(self.video, query_us, self.query.look_back_us)
        short = window.duration_us < SHORTEST_US and not self.is_still
        return None if short else window

    def stretches(self) -> range:
        """Numbers of the stretches of the recording, each of which gives one item at most."""
        return range(max(1, -(-self.end_us // self.query.every_us)))

    def stretch_of(self, time_us: int) -> int:
        """Number of the stretch that a time ends or lies in."""
        return max(0, time_us - 1) // self.query.every_us

    def yes_wanted(self, time_us: int) -> bool:
        """Which side a yes/no question of a stretch is on, drawn before looking.

        Drawn for each time, the side that is easier to find would prevail.
        """
        return self.below("yes", 0.5, self.stretch_of(time_us))

    def draw(self, what: str, choices: Sequence[Any], *names: object) -> Any:
        """One of several, by digest; ``names`` say what the draw is about."""
        key = self.key
        for name in (what, *names):
            key = key.extended(name)
        return choices[key.choose([str(choice) for choice in choices])]

    def below(self, what: str, share: float, *names: object) -> bool:
        """Whether a draw falls into a share of all draws."""
        key = self.key
        for name in names:
            key = key.extended(name)
        return key.h64(what) < share * 2**64


def holding(channel: Channel, time_us: int) -> tuple[list[Fact], list[Fact]]:
    """Facts that hold at a time, and those that touch the second before it otherwise.

    A span must have begun a second before, so that the label can be seen and does not
    just change; a run of instants must have an instant there.
    """
    if channel.instants_us is not None:
        return list(channel.meeting(time_us, time_us)), []
    near = channel.meeting(time_us - SECOND_US + 1, time_us)
    holds = [f for f in near if f.start_us <= time_us - SECOND_US and f.last_us >= time_us]
    return holds, [f for f in near if f not in holds]


def seconds(time_us: int) -> str:
    """A time in a note: at most three decimals."""
    return print_number(time_us / SECOND_US, 3).rstrip("0").rstrip(".")


def subject_of(fact: Fact) -> Named | None:
    """Who does it: an instrument, or a hand."""
    for kind in ("instrument", "structure"):
        if fact.subject in vocabulary(f"{kind}s"):
            return Named(kind, fact.subject)
    return None


def note_of(kind: str, name: str, fact: Fact) -> str:
    """What a fact says, of whom, and where, for graders."""
    subject = subject_of(fact)
    whose = f" of {subject.term.phrase}" if subject else ""
    when = (
        f"at {seconds(fact.start_us)} s"
        if fact.start_us == fact.last_us
        else f"from {seconds(fact.start_us)} s to {seconds(fact.last_us)} s"
    )
    return f"The {kind} {name!r}{whose} is noted {when} ({fact.place})."


def pointers_of(facts: Sequence[Fact], until_us: int) -> tuple[Pointer, ...]:
    """Evidence of several facts up to a time, each row once, in an order of its own.

    That of the facts tells which of two that begin together ends first.
    """
    rows = {p for fact in facts for p in fact.pointers(until_us)}
    return tuple(sorted(rows, key=lambda p: (p.start_us, p.kind, p.id)))


Results = Iterator[Found | Missed]
