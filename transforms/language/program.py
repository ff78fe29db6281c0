"""A parsed template: its classes hold plain data with types, picklable and hashable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from surgqa.transforms.algebra.tree import NOWHERE, Name, Node, Place, Step, Text

if TYPE_CHECKING:
    from surgqa.transforms.language.examples import Example

FORMS = (
    "open", "choice", "yes_no", "number", "time", "duration", "interval", "box", "set", "sequence",
    "text", "continuation",
)  # fmt: skip

MODES = ("clip", "past", "present", "future")
"""Which time an answer depends on: the whole unit, or the time before, at, or after ``now``."""


READINGS = ("worlds", "labels")
"""``worlds``: label times are known only within bounds; ``labels``: label times are exact."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one question of a template is about, and which time the question may use.

    Attributes:
        kind: ``clip``, ``still``, ``recording``, ``now``, ``stream`` or ``chain``.
        now: the query time of a ``now`` or ``stream``; None if any time will do.
        see: length in microseconds of the window before ``now``; None: from the video's start.
        shortest: least length in microseconds of the window before ``now``; ignored for stills.
        every: at most one item is made in this many microseconds; None: no limit.
        per: a name of ``let``; at most one item is made for each of its values.
        chain: the name whose value the questions of a ``chain`` are about.
        length: shortest and longest window of a ``stream`` in microseconds.
    """

    kind: str
    now: Node | None = None
    see: int | None = 0
    shortest: int = 0
    every: int | None = None
    per: str = ""
    chain: str = ""
    length: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Draw:
    """How one of the possible questions (fillings) about a clip or other unit is chosen.

    Attributes:
        even: values that are balanced first; the ``Name`` ``answer`` stands for the answer.
        shares: for each name, (value, share) pairs.
        prefer: conditions. Fillings that meet an earlier condition are chosen first.
    """

    even: tuple[Node, ...] = ()
    shares: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    prefer: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Rounds:
    """When a streaming question is asked again, and the right outputs.

    Attributes:
        due: time at which the answer is due; None: never.
        before, after: number of rounds before ``due`` (fewest, most) and after it.
        otherwise: right output before ``due``.
        accept: other outputs that are accepted before ``due``.
        within: no round lies within this many microseconds before ``due``.
        every: the question is asked again after this many microseconds.
        say: the value that is the right output of a question with ``every``.
    """

    due: Node | None = None
    before: tuple[int, int] = (0, 0)
    after: int = 0
    otherwise: str = ""
    accept: tuple[str, ...] = ()
    within: int = 0
    every: int = 0
    say: Node | None = None


@dataclass(frozen=True, slots=True)
class StageWindow:
    """The part of the video that a stage may use: the shortest window that contains ``around``.

    Attributes:
        around: a stretch or fact; None: the options of the stage itself.
        at_least: least length in microseconds.
        wanted: preferred length in microseconds, if there is room.
        room: margin in microseconds around the contents of the window.
        inside: name of the stage whose window contains this one.
        looked: kind of facts that should be annotated throughout the window, if that is
            possible; '' for none.
        lasting: microseconds; gaps shorter than this in the annotation are ignored.
    """

    around: Node | None
    at_least: int
    wanted: int
    room: int = 0
    inside: str = ""
    looked: str = ""
    lasting: int = 0


@dataclass(frozen=True, slots=True)
class Rubric:
    """How an open answer is rated, besides the names that it must contain.

    Attributes:
        grounds: what a right answer must be based on.
        cues: groups of words; the answer must contain a word of each group.
    """

    grounds: Text
    cues: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """How a ranking of the options is scored.

    Attributes:
        top: how many of the first places count.
        also: another answer that is accepted.
    """

    top: int
    also: Node | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One question. A chain has several questions about one event; any other template has one.

    Attributes:
        name: '' if there is only one question.
        answer: (field, value) pairs; the fields are named as in the file.
        form: one of :data:`FORMS`.
        wrong: pools (sources of wrong options), the fairest first.
        say: text of the answer; by default each field is printed by the filter of its type.
        see: name of the stage whose window this stage uses.
        knowledge: (key, values) pairs that select a statement of the knowledge bank.
    """

    name: str
    ask: tuple[Text, ...]
    answer: tuple[tuple[str, Node], ...]
    form: str
    say: Text = ()
    wrong: tuple[Node, ...] = ()
    ranked: Ranked | None = None
    rubric: Rubric | None = None
    reasoning: tuple[Text, ...] = ()
    see: str = ""
    window: StageWindow | None = None
    where: tuple[Node, ...] = ()
    context: Text = ()
    knowledge: tuple[tuple[str, tuple[Node, ...]], ...] = ()
    clue: Text = ()

    @property
    def texts(self) -> tuple[Text, ...]:
        """All texts of the question except those for raters of answers."""
        return (*self.ask, self.say, *self.reasoning, self.context, self.clue)


@dataclass(frozen=True, slots=True)
class Program:
    """One parsed template.

    Attributes:
        let: steps in order; a name is used only after its step.
        kinds: kinds of facts that the template needs, sorted.
        mode: one of :data:`MODES`.
        by_filling: printed values that may depend on evidence after ``now``. A filling (possible
            question) in which one of them does is rejected.
        reading: one of :data:`READINGS`: whether label times are exact.
        scorer: name of the scorer; '' for the default of the form.
        scorer_at: (line, column) of the scorer's name in the file.
        cost: estimated greatest number of fillings of one unit.
        digest: SHA-256 of the file's data without its examples.
        examples: written facts with the expected questions and answers.
    """

    id: str
    version: int
    title: str
    benchmark: str
    task: str
    profiles: tuple[str, ...]
    status: str
    unit: Unit
    let: tuple[Step, ...]
    where: tuple[Node, ...]
    draw: Draw
    stages: tuple[Stage, ...]
    show: Node | None
    rounds: Rounds | None
    kinds: tuple[str, ...]
    mode: str
    by_filling: tuple[Node, ...]
    reading: str
    scorer: str
    cost: int
    path: str
    digest: str
    variant: str | None = None
    unused_keys: tuple[str, ...] = ()
    scorer_at: Place = field(default=NOWHERE, compare=False)
    changes: Mapping[int, str] = field(default_factory=dict, compare=False)
    examples: tuple[Example, ...] = field(default=(), compare=False)

    @property
    def form(self) -> str:
        """Form of the answer; for a chain, that of its first question."""
        return self.stages[0].form

    @property
    def file_id(self) -> str:
        """The id in the file, which does not include the variant's name."""
        return self.id.removesuffix(f".{self.variant}") if self.variant else self.id

    @property
    def core_task(self) -> str:
        """First part of the task's name; scores are averaged over each core task."""
        return self.task.split("/", 1)[0]

    def step(self, name: str) -> Step | None:
        """Return the step of ``let`` that defines a name; None if there is none."""
        return next((step for step in self.let if name in step.names), None)

    def meant(self, node: Node) -> Node:
        """Return the expression that a name of ``let`` stands for; any other node unchanged."""
        while isinstance(node, Name) and (step := self.step(node.name)) is not None:
            node = step.node
        return node

    @property
    def drawn(self) -> tuple[str, ...]:
        """Names whose values are drawn with ``each``, in order."""
        return tuple(name for step in self.let if step.draws for name in step.names)
