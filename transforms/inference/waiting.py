"""The order of calls where some wait for others."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable
from typing import Generic, Protocol, TypeVar


class Waits(Protocol):
    """Something to be asked, once what it waits for is answered."""

    @property
    def id(self) -> str:
        """Under which its reply is kept."""

    @property
    def after(self) -> tuple[str, ...]:
        """Ids of what must be answered before."""


One = TypeVar("One", bound=Waits)


class Queue(Generic[One]):
    """Gives out calls in their order, each once the replies that it waits for are there.

    Those whose replies are there already are never held up by others that wait; of calls
    under way, so many are looked at beyond as wait for them.

    Args:
        calls: each stands behind those that it waits for.
        replies: ids that are answered; whoever settles a call adds it there before.
    """

    def __init__(self, calls: Iterable[One], replies: Container[str]) -> None:
        self._calls, self._replies = iter(calls), replies
        self._ready: deque[One] = deque()
        self._waiting: dict[str, list[One]] = {}
        self._lost: set[str] = set()

    def next(self) -> One | None:
        """A call that can be made now; None where there is none, or not before a reply."""
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
        """Told of every call that was given out, when it has its reply or gets none."""
        if name in self._replies:
            self._ready.extend(self._waiting.pop(name, ()))
        else:
            self._lose(name)

    def _lose(self, name: str) -> None:
        """What waits for a call without a reply is not made, nor what waits for that."""
        names = [name]
        while names:
            gone = names.pop()
            self._lost.add(gone)
            names += [call.id for call in self._waiting.pop(gone, ())]
