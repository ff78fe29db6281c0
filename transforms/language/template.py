"""A template, compiled: what the question engine works with.  Plain data, picklable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Form = str
FORMS = ("open", "choice", "yes_no", "number", "time", "interval", "box", "text")


@dataclass(frozen=True, slots=True)
class Ref:
    """``{{ slot.attribute | filter }}``: a path of names and the filters, in order."""

    path: tuple[str, ...]
    filters: tuple[str, ...]


Wording = tuple["str | Ref", ...]
"""A text cut once into literal pieces and references; filling it is joining."""


@dataclass(frozen=True, slots=True)
class Call:
    """An operator with its arguments (defaults filled in)."""

    op: str
    args: Mapping[str, object]

    def slots(self) -> tuple[str, ...]:
        """Text arguments; those that are slots are known to the operator's signature."""
        return tuple(v for v in self.args.values() if isinstance(v, str))


@dataclass(frozen=True, slots=True)
class Condition:
    """A node of ``where``: ``all``, ``any`` or ``not`` over children, or a leaf.

    ``path`` is where it stands, such as ``where > all[1]``: the name of the leaf that
    said no.
    """

    kind: str
    path: str
    children: tuple[Condition, ...] = ()
    leaf: Call | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One question: a template has one, a chain has several about the same event."""

    name: str | None
    ask: tuple[Wording, ...]
    answer: Call
    answer_text: Wording
    options: Call | None
    reasoning: tuple[Wording, ...]
    knowledge: Wording | None = None
    clue: Wording | None = None
    context: Wording | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """One question type.

    Attributes:
        needs: slots in the order they are declared (later ones may refer to earlier).
        first: slots drawn before the others, so that each of their values is equally
            likely however many fillings it has.
        prefer: conditions; fillings that meet an earlier one are taken first.
        digest: SHA-256 of the file's meaning (not of its comments, nor of its examples).
        path: file it came from, relative to the templates folder.
        variant: its name in a file with several; the last part of the id.
        unused_keys: keys of the variant that stand nowhere in the file.
        examples: checked, as they stand in the file; ``transforms.questions.example``
            runs them.
    """

    id: str
    version: int
    title: str
    benchmark: str
    task: str
    form: Form
    profiles: tuple[str, ...]
    unit: str
    needs: Mapping[str, Call]
    where: Condition | None
    first: tuple[str, ...]
    prefer: tuple[Condition, ...]
    stages: tuple[Stage, ...]
    status: str
    changes: Mapping[int, str]
    digest: str
    path: str
    variant: str | None = None
    unused_keys: tuple[str, ...] = ()
    examples: tuple[Mapping[str, Any], ...] = ()

    @property
    def file_id(self) -> str:
        """The id that the file gives: without the variant's name."""
        return self.id.removesuffix(f".{self.variant}") if self.variant else self.id

    @property
    def core_task(self) -> str:
        """First part of the task, by which scores are averaged."""
        return self.task.split("/", 1)[0]
