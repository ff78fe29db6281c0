"""Fillings: what every name of a template stands for, in columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from transforms.algebra.columns.values import Range, Stretch, Value, gathered
from transforms.timeline.relation import SHIFT

if TYPE_CHECKING:
    from transforms.algebra.tree import Node
    from transforms.timeline.relation import Relation


class Rows:
    """n fillings over one relation.

    A nested pattern looks at each of its facts with the names around it in sight: it evaluates
    its condition over rows of its own, one for each fact (:meth:`inside`), which look up what
    they do not bind themselves in the rows around them.

    Args:
        video: int64 (n,), index of each filling's recording.
        names: name -> value with n rows.
    """

    def __init__(
        self, relation: Relation, video: np.ndarray, names: dict[str, Value],
        outer: Rows | None = None, index: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self.relation = relation
        self.video = video
        self.n = len(video)
        self.names = names
        self._outer = outer
        self._index = index
        self._seen: dict[str, Value] = {}
        self._memo: dict[Node, Value] = {}

    def name(self, name: str) -> Value:
        """What a name stands for.

        Raises:
            KeyError: nothing has this name; the parser lets no such template through.
        """
        if name in self.names:
            return self.names[name]
        if name not in self._seen:
            if self._outer is None or self._index is None:
                raise KeyError(name)
            self._seen[name] = gathered(self._outer.name(name), self._index)
        return self._seen[name]

    def origin(self, name: str) -> tuple[Value, np.ndarray]:
        """What a name stands for in the rows that it was given in, and which of those each is.

        Facts of a whole recording, say, which its thousand times need not have a copy of each.

        Raises:
            KeyError: nothing has this name.
        """
        if name in self.names:
            return self.names[name], np.arange(self.n)
        if self._outer is None or self._index is None:
            raise KeyError(name)
        value, index = self._outer.origin(name)
        return value, index[self._index]

    def time(self, name: str) -> Range:
        """The times or numbers that a name stands for."""
        value = self.name(name)
        assert isinstance(value, Range)
        return value

    def stretch(self, name: str) -> Stretch:
        """The stretches that a name stands for."""
        value = self.name(name)
        assert isinstance(value, Stretch)
        return value

    @property
    def base(self) -> np.ndarray:
        """int64 (n,): where the recordings begin on the axis of all videos."""
        return self.video.astype(np.int64) << SHIFT

    def inside(self, index: np.ndarray, **bound: Value) -> Rows:
        """Rows of their own for elements of these.

        Args:
            index: int64 (m,), the filling that each element belongs to.
            bound: names that only they know, with m rows.
        """
        return Rows(self.relation, self.video[index], dict(bound), self, index)

    def once(self, node: Node, make: Callable[[], Value]) -> Value:
        """A node's value, computed when it is first asked for, here or in the rows around."""
        if node not in self._memo:
            known = self._known(node)
            self._memo[node] = make() if known is None else known
        return self._memo[node]

    def _known(self, node: Node) -> Value | None:
        """What was computed in the rows around: it holds here if no name of theirs is covered."""
        if self._outer is None or self._index is None or any(map(self._outer.has, self.names)):
            return None
        around = self._outer._memo.get(node)
        around = self._outer._known(node) if around is None else around
        return None if around is None else gathered(around, self._index)

    def has(self, name: str) -> bool:
        """Whether something has this name."""
        return name in self.names or (self._outer is not None and self._outer.has(name))
