"""A program: one template of ``question/v1``, typed.  Plain data, picklable and hashable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from transforms.algebra.tree import NOWHERE, Name, Node, Place, Step, Text

if TYPE_CHECKING:
    from transforms.language.examples import Example

FORMS = (
    "open", "choice", "yes_no", "number", "time", "duration", "interval", "box", "set", "sequence",
    "text", "continuation",
)  # fmt: skip

MODES = ("clip", "past", "present", "future")
"""What an answer rests on: the unit as a whole, or time before, at, or after ``now``."""


READINGS = ("worlds", "labels")
"""``worlds``: times have the bounds that the labels allow; ``labels``: they are exact."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one question is about and what it may see.

    Attributes:
        kind: ``clip``, ``still``, ``recording``, ``now``, ``stream`` or ``chain``.
        now: of ``now`` and ``stream``: the time it is put at; None: any.
        see: of ``now``: microseconds that the window reaches back; None: to the start.
        shortest: of ``now``: microseconds that the window has at least, but of a picture.
        every: one item at most for so many microseconds; None: no such limit.
        per: a name of ``let``: one item for each value of it.
        chain: of ``chain``: the name whose value the questions are about.
        length: of ``stream``: shortest and longest window in microseconds.
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
    """How one filling is drawn from all that qualify.

    Attributes:
        even: values that are drawn evenly first; ``Name`` ``answer`` is the answer.
        shares: name -> (value, share) pairs.
        prefer: conditions; fillings that meet an earlier one are taken first.
    """

    even: tuple[Node, ...] = ()
    shares: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    prefer: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Rounds:
    """Times at which a streaming question is asked again.

    Attributes:
        due: when the answer is due; it may be none.
        before, after: how many rounds before (fewest, most) and after it.
        otherwise: what is right before the answer is due; ``accept``: what is right as well.
        within: microseconds before ``due`` that no round lies in.
        every, say: ask again every so many microseconds, and say this value.
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
    """The window of a stage: the shortest that holds ``around``.

    Attributes:
        around: a stretch or fact; None: the stage's own options.
        at_least: microseconds; ``wanted``: how long it is where there is room for that.
        room: microseconds around what it holds.
        inside: the stage in whose window it lies.
        looked: the kind of facts that are looked for all the way in it, where that can be;
            '' for none.
        lasting: microseconds; where it was not looked for a shorter time makes no difference.
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
    """What an open answer is judged by, beside the names that it must give."""

    grounds: Text
    cues: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The options are ranked: how many count, and what else is right."""

    top: int
    also: Node | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One question: a program has one, a chain has several about the same event.

    Attributes:
        name: '' where there is only one.
        answer: (field, value) pairs; the fields are as written.
        form: of :data:`FORMS`.
        wrong: pools of wrong options, the fairest first.
        say: the answer's words; empty where its type prints itself.
        see: the stage whose window this one has.
        knowledge: (key, values) pairs by which a statement is looked up.
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
        """All that it says but to graders."""
        return (*self.ask, self.say, *self.reasoning, self.context, self.clue)


@dataclass(frozen=True, slots=True)
class Program:
    """One template.

    Attributes:
        let: steps in order; names are used after they are declared.
        kinds: kinds of facts that it asks for, sorted.
        mode: of :data:`MODES`.
        by_filling: printed values that may rest on what comes after ``now``: an engine rejects
            a filling where one does.
        reading: of :data:`READINGS`: what the bounds of the labels' times are.
        scorer: name of the scorer; '' for that of the form.
        scorer_at: where it is named.
        cost: number of fillings for a unit, at most.
        digest: SHA-256 of the file's meaning, without its examples.
        examples: facts made by hand, and what is asked of them.
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
        """Form of the answer; of a chain that of its first question."""
        return self.stages[0].form

    @property
    def file_id(self) -> str:
        """The id that the file gives: without the variant's name."""
        return self.id.removesuffix(f".{self.variant}") if self.variant else self.id

    @property
    def core_task(self) -> str:
        """First part of the task, by which scores are averaged."""
        return self.task.split("/", 1)[0]

    def step(self, name: str) -> Step | None:
        """The step that declares a name."""
        return next((step for step in self.let if name in step.names), None)

    def meant(self, node: Node) -> Node:
        """What a name stands for; the node itself where it is none of ``let``."""
        while isinstance(node, Name) and (step := self.step(node.name)) is not None:
            node = step.node
        return node

    @property
    def drawn(self) -> tuple[str, ...]:
        """Names that enumerate fillings, in order."""
        return tuple(name for step in self.let if step.draws for name in step.names)
