"""The order of calls if some depend on others."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable
from typing import Generic, Protocol, TypeVar


class Waits(Protocol):
    """A call that can be sent only when the calls that it depends on are answered."""

    @property
    def id(self) -> str:
        """Id of its response."""

    @property
    def after(self) -> tuple[str, ...]:
        """Ids of the calls that must be answered first."""


One = TypeVar("One", bound=Waits)


class Queue(Generic[One]):
    """Gives out calls in their order, each when the responses that it needs exist.

    A ready call is never delayed by calls that still wait.

    Args:
        calls: each call follows those that it depends on.
        replies: ids that are answered; add an id here before calling ``settled``.
    """

    def __init__(self, calls: Iterable[One], replies: Container[str]) -> None:
        self._calls, self._replies = iter(calls), replies
        self._ready: deque[One] = deque()
        self._waiting: dict[str, list[One]] = {}
        self._lost: set[str] = set()

    def next(self) -> One | None:
        """The next ready call; None if there is none, or none until a response arrives."""
        while True:
            call = self._ready.popleft() if self._ready else next(self._calls, None)
            if call is None:
                return None
            missing = [name for name in call.after if name not in self._replies]
            if not missing:
                return call
            if self._lost.isdisjoint(missing):
                self._waiting.setdefault(missing[0], []).append(call)
            else:
                self._lose(call.id)

    def settled(self, name: str) -> None:
        """Must be called for every call given out, when it has a response or has failed."""
        if name in self._replies:
            self._ready.extend(self._waiting.pop(name, ()))
        else:
            self._lose(name)

    def _lose(self, name: str) -> None:
        """Drop the calls that depend on a failed call, directly or indirectly."""
        names = [name]
        while names:
            gone = names.pop()
            self._lost.add(gone)
            names += [call.id for call in self._waiting.pop(gone, ())]
