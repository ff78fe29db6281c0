"""The parts of a program that the compiler needs; the language's own classes have more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from surgqa.transforms.algebra.tree import Node, Step


class Unit(Protocol):
    """What one question is about, such as a clip or a chain."""

    @property
    def kind(self) -> str: ...
    @property
    def chain(self) -> str: ...


class Stage(Protocol):
    """One question."""

    @property
    def name(self) -> str: ...
    @property
    def answer(self) -> Sequence[tuple[str, Node]]: ...
    @property
    def wrong(self) -> Sequence[Node]: ...
    @property
    def where(self) -> Sequence[Node]: ...


class Rounds(Protocol):
    """Times at which a question is asked again."""

    @property
    def due(self) -> Node | None: ...
    @property
    def say(self) -> Node | None: ...


class Program(Protocol):
    """One template."""

    @property
    def unit(self) -> Unit: ...
    @property
    def let(self) -> Sequence[Step]: ...
    @property
    def where(self) -> Sequence[Node]: ...
    @property
    def stages(self) -> Sequence[Stage]: ...
    @property
    def rounds(self) -> Rounds | None: ...
