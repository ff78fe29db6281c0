"""A program: one template of ``question/v1``, parsed and typed; picklable, hashable plain data."""

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
"""What the evidence of an answer covers: the whole unit, or time before, at, or after ``now``."""


READINGS = ("worlds", "labels")
"""``worlds``: times may vary within the labels' bounds; ``labels``: the labels' times are exact."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one question of a template is about, and which time it may see.

    Attributes:
        kind: ``clip``, ``still``, ``recording``, ``now``, ``stream`` or ``chain``.
        now: for ``now`` and ``stream``: the query time; None: any time.
        see: for ``now``: length of the window before it in microseconds; None: from the start.
        shortest: for ``now``: least length of the window in microseconds; ignored for stills.
        every: at most one item in this many microseconds; None: no limit.
        per: a name of ``let``; at most one item for each of its values.
        chain: for ``chain``: the name whose value the questions are about.
        length: for ``stream``: shortest and longest window in microseconds.
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
    """Settings of how one filling (one assignment of values to names) is drawn from all suitable
    ones.

    Attributes:
        even: values that are balanced first; the ``Name`` ``answer`` stands for the answer.
        shares: for each name, (value, share) pairs.
        prefer: conditions. Fillings that meet an earlier condition are drawn first.
    """

    even: tuple[Node, ...] = ()
    shares: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    prefer: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Rounds:
    """Settings of the times at which a streaming question is asked again.

    Attributes:
        due: time at which the answer is due; None: never.
        before, after: number of rounds before ``due`` (fewest, most) and after it.
        otherwise: correct answer before ``due``.
        accept: further answers that are accepted before ``due``.
        within: no round lies within this many microseconds before ``due``.
        every: the question is asked again after this many microseconds.
        say: value that answers a question with ``every``.
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
    """The window of a stage: the shortest window that contains ``around``.

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
    """Criteria for judging an open answer, in addition to the names that it must contain."""

    grounds: Text
    cues: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Ranked options: how many are at the top, and which others are also correct."""

    top: int
    also: Node | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One question. A chain has several questions about the same event; any other program has one.

    Attributes:
        name: '' if there is only one question.
        answer: (field, value) pairs; the fields are named as in the file.
        form: one of :data:`FORMS`.
        wrong: pools of distractors, the fairest first.
        say: text of the answer; by default each field is printed by the filter of its type.
        see: name of the stage whose window this stage uses.
        knowledge: (key, values) pairs that look up a statement in the knowledge bank.
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
        """All texts of the stage except those for graders."""
        return (*self.ask, self.say, *self.reasoning, self.context, self.clue)


@dataclass(frozen=True, slots=True)
class Program:
    """One template.

    Attributes:
        let: steps in order; a name is used only after its step.
        kinds: kinds of facts that the program needs, sorted.
        mode: one of :data:`MODES`.
        by_filling: printed values that may depend on evidence after ``now``. Fillings in which one
            of them does are rejected.
        reading: one of :data:`READINGS`, which sets the bounds of the labels' times.
        scorer: name of the scorer; '' for the default of the form.
        scorer_at: (line, column) of the scorer's name in the file.
        cost: greatest number of fillings of one unit.
        digest: SHA-256 of the file's data without its examples.
        examples: hand-written facts with the expected questions and answers.
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
        """First part of the task; scores are averaged by it."""
        return self.task.split("/", 1)[0]

    def step(self, name: str) -> Step | None:
        """Return the step that declares a name; None if no step does."""
        return next((step for step in self.let if name in step.names), None)

    def meant(self, node: Node) -> Node:
        """Return the node that a name of ``let`` stands for; any other node unchanged."""
        while isinstance(node, Name) and (step := self.step(node.name)) is not None:
            node = step.node
        return node

    @property
    def drawn(self) -> tuple[str, ...]:
        """Names that enumerate fillings, in order."""
        return tuple(name for step in self.let if step.draws for name in step.names)
