"""The parts of a program that the compiler needs; the language's own classes have more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from surgqa.transforms.algebra.tree import Node, Step


class SqlUnit(Protocol):
    """What one question is about, such as a clip or a chain."""

    @property
    def kind(self) -> str: ...
    @property
    def chain(self) -> str: ...


class SqlStage(Protocol):
    """One question."""

    @property
    def name(self) -> str: ...
    @property
    def answer(self) -> Sequence[tuple[str, Node]]: ...
    @property
    def wrong(self) -> Sequence[Node]: ...
    @property
    def where(self) -> Sequence[Node]: ...


class SqlRounds(Protocol):
    """Times at which a question is asked again."""

    @property
    def due(self) -> Node | None: ...
    @property
    def say(self) -> Node | None: ...


class SqlProgram(Protocol):
    """One template."""

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
