"""A chain template, compiled: plain data, picklable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transforms.language.chains.finders import FINDERS, Finder
from transforms.language.template import Wording

UNIT = "chain"
STAGES = ("main", "q1", "q2", "q3")
"""The main question and the three that lead to it; a stage's number is its place here."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The words of one question of a chain.

    Attributes:
        ask: wordings of the question, at least three.
        context: what is known from the stage before; None for the main question and Q1.
        clue: the evidence of this video; None for the main question.
    """

    ask: tuple[Wording, ...]
    context: Wording | None
    clue: Wording | None


@dataclass(frozen=True, slots=True)
class Chain:
    """One kind of chain: a main question and three stages about one event (SurgCoT 3.1).

    Attributes:
        finder: name of the operator that finds events and truths.
        args: its arguments.
        every_us: one chain at most for each such stretch of the recording.
        stages: :data:`STAGES` -> its words.
        digest: SHA-256 of the file's meaning, not of its comments.
    """

    id: str
    version: int
    title: str
    benchmark: str
    task: str
    profiles: tuple[str, ...]
    finder: str
    args: Mapping[str, object]
    every_us: int
    stages: Mapping[str, Stage]
    status: str
    changes: Mapping[int, str]
    digest: str
    path: str
    variant: str | None = None
    unused_keys: tuple[str, ...] = ()

    unit = UNIT
    form = "choice"

    @property
    def file_id(self) -> str:
        """The id that the file gives: without the variant's name."""
        return self.id.removesuffix(f".{self.variant}") if self.variant else self.id

    @property
    def core_task(self) -> str:
        """The task by which scores are averaged; all stages of a chain share it."""
        return self.task

    @property
    def found_by(self) -> Finder:
        """The finder's description."""
        return FINDERS[self.finder]
