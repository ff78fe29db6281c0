"""Protocols: the attributes of a parsed template that this package reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from surgqa.transforms.algebra.tree import Node, Step


class SqlUnit(Protocol):
    """What one question is about, such as a clip, or an event with several questions (a chain)."""

    @property
    def kind(self) -> str: ...
    @property
    def chain(self) -> str: ...


class SqlStage(Protocol):
    """One question of a template, with its answer and its wrong options."""

    @property
    def name(self) -> str: ...
    @property
    def answer(self) -> Sequence[tuple[str, Node]]: ...
    @property
    def wrong(self) -> Sequence[Node]: ...
    @property
    def where(self) -> Sequence[Node]: ...


class SqlRounds(Protocol):
    """The times at which a streaming question is asked again."""

    @property
    def due(self) -> Node | None: ...
    @property
    def say(self) -> Node | None: ...


class SqlProgram(Protocol):
    """One parsed template."""

    @property
    def unit(self) -> SqlUnit: ...
    @property
    def let(self) -> Sequence[Step]: ...
    @property
    def where(self) -> Sequence[Node]: ...
    @property
    def stages(self) -> Sequence[SqlStage]: ...
    @property
    def rounds(self) -> SqlRounds | None: ...
