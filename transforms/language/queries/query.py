"""A query template, compiled: plain data, picklable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transforms.language.queries.finders import FINDERS, Finder
from transforms.language.template import Wording

UNIT = "query"


@dataclass(frozen=True, slots=True)
class Rubric:
    """How an open answer is judged, beyond the names that it must give.

    Attributes:
        grounds: what in the picture the answer should rest on.
        cues: words of which each shows that it does, with their other forms.
    """

    grounds: Wording
    cues: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Query:
    """One question type that is put at a time.

    Attributes:
        finder: name of the operator that finds times and truths.
        args: its arguments.
        look_back_us: longest window before the time of the question.
        every_us: one item at most for each such stretch of the recording.
        options: whether the finder's wrong options are shown.
        digest: SHA-256 of the file's meaning, not of its comments.
    """

    id: str
    version: int
    title: str
    benchmark: str
    task: str
    form: str
    profiles: tuple[str, ...]
    finder: str
    args: Mapping[str, object]
    look_back_us: int
    every_us: int
    ask: tuple[Wording, ...]
    answer: Wording
    rubric: Rubric | None
    status: str
    changes: Mapping[int, str]
    digest: str
    path: str
    variant: str | None = None
    unused_keys: tuple[str, ...] = ()

    unit = UNIT

    @property
    def file_id(self) -> str:
        """The id that the file gives: without the variant's name."""
        return self.id.removesuffix(f".{self.variant}") if self.variant else self.id

    @property
    def core_task(self) -> str:
        """First part of the task, by which scores are averaged: the temporal mode."""
        return self.task.split("/", 1)[0]

    @property
    def found_by(self) -> Finder:
        """The finder's description."""
        return FINDERS[self.finder]
