"""A table of values for the names of a template; each row is one possible question (filling)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from surgqa.transforms.algebra.columns.values import Range, Stretch, Value, gathered
from surgqa.transforms.algebra.tree import Call, Node, Pattern
from surgqa.transforms.algebra.walk import every, names_in
from surgqa.transforms.timeline.relation import SHIFT

if TYPE_CHECKING:
    from surgqa.transforms.timeline.relation import Relation

Maker = Callable[[Value, "Rows"], np.ndarray]


class Rows:
    """n rows, each with one value for every name of the template, over the facts of some videos.

    The condition in a pattern, such as ``where: it.start > act.end``, is evaluated once for each
    fact. :meth:`inside` makes inner rows for this, one for each fact. A name that the inner rows do
    not have is looked up in these outer rows.

    Args:
        video: int64 (n,), index of each row's video.
        names: for each name, its value in the n rows.
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
        self.shares = False
        """True if inner rows take the values of expressions without inner names from these rows."""
        self._seen: dict[str, Value] = {}
        self._memo: dict[Node, Value] = {}
        self._lists: dict[Node, list[Any]] = {}
        self._made: dict[tuple[str, Maker], tuple[Value, np.ndarray]] = {}
        self._places: dict[int, np.ndarray] = {}
        self._more: tuple[Rows, np.ndarray] | None = None

    def name(self, name: str) -> Value:
        """Return the value of a name.

        Raises:
            KeyError: there is no such name; the parser rejects such a template.
        """
        if name in self.names:
            return self.names[name]
        if name not in self._seen:
            self._seen[name] = gathered(*self.origin(name))
        return self._seen[name]

    def origin(self, name: str) -> tuple[Value, np.ndarray]:
        """Return a name's stored value, without a copy, and the index in it of each row.

        The value may be stored in outer rows. For example, a thousand query times share the facts
        of their video.

        Raises:
            KeyError: there is no such name.
        """
        holder, index = self.around(name)
        return holder.names[name], index

    def around(self, name: str) -> tuple[Rows, np.ndarray]:
        """Return the rows (these or outer ones) that hold a name, and each row's index there."""
        holder = self._holder(name)
        return holder, self.index_in(holder)

    def _holder(self, name: str) -> Rows:
        """Return the rows that a name was computed for: these rows or outer rows."""
        at: Rows | None = self
        while at is not None and name not in at.names:
            at = at._outer
        if at is None:
            raise KeyError(name)
        return at

    def index_in(self, outer: Rows) -> np.ndarray:
        """Return int64 (n,), the index of each row in the outer rows ``outer``."""
        found = self._places.get(id(outer))
        if found is None:
            at, found = self._outer, self._index
            if outer is self:
                found = np.arange(self.n)
            while outer is not self and at is not outer:
                assert at is not None and at._index is not None
                found, at = at._index[found], at._outer
            assert found is not None
            self._places[id(outer)] = found
        return found

    def of_name(self, name: str, make: Maker) -> np.ndarray:
        """Return (n, …), ``make(value, rows)`` of a name, called once for the rows that hold it.

        Raises:
            KeyError: there is no such name.
        """
        holder = self._holder(name)
        value = holder.names[name]
        made = holder._made.get((name, make))
        if made is None or made[0] is not value:
            made = holder._made[name, make] = value, make(value, holder)
        return made[1] if holder is self else made[1][self.index_in(holder)]

    def listed(self, node: Node, make: Callable[[Node, Rows], list[Any]]) -> list[Any]:
        """Return one object for each row, made by ``make``; reuse the outer rows' if possible."""
        found = self._lists.get(node)
        if found is None:
            at: Rows = self
            while found is None and at._outer is not None and rests_on(node).isdisjoint(at.names):
                at = at._outer
                if at.shares or node in at._lists:
                    values = at.listed(node, make)
                    found = [values[i] for i in self.index_in(at).tolist()]
            found = self._lists[node] = make(node, self) if found is None else found
        return found

    def time(self, name: str) -> Range:
        """Return the times or numbers that are the value of a name."""
        value = self.name(name)
        assert isinstance(value, Range)
        return value

    def stretch(self, name: str) -> Stretch:
        """Return the stretches that are the value of a name."""
        value = self.name(name)
        assert isinstance(value, Stretch)
        return value

    @property
    def base(self) -> np.ndarray:
        """int64 (n,), start of each row's video on the time axis of all videos (us)."""
        return self.video.astype(np.int64) << SHIFT

    def inside(self, index: np.ndarray, **bound: Value) -> Rows:
        """Return inner rows, one for each element of a collection.

        Args:
            index: int64 (m,), the row of each element.
            bound: names that only the inner rows have, with m values.
        """
        return Rows(self.relation, self.video[index], dict(bound), self, index)

    def take(self, index: np.ndarray) -> Rows:
        """Return some of these rows, with the values computed so far."""
        names = {name: gathered(value, index) for name, value in self.names.items()}
        around = self._index[index] if self._index is not None else None
        out = Rows(self.relation, self.video[index], names, self._outer, around)
        out._more = self, index
        return out

    def once(self, node: Node, make: Callable[[Node, Rows], Value]) -> Value:
        """Return an expression's value, computed by ``make`` when it is first needed."""
        known = self._had(node)
        if known is None:
            known = self._around(node, make)
            known = self._memo[node] = make(node, self) if known is None else known
        return known

    def _had(self, node: Node) -> Value | None:
        """Return a value if these rows, or the rows that they were taken from, have computed it."""
        found = self._memo.get(node)
        if found is None and self._more is not None:
            more, index = self._more
            if (before := more._had(node)) is not None:
                found = self._memo[node] = gathered(before, index)
        return found

    def _around(self, node: Node, make: Callable[[Node, Rows], Value]) -> Value | None:
        """Return the value from the outer rows; None if the expression uses names of these rows."""
        found = self._from_around(node, make)
        return None if found is None else gathered(*found)

    def _from_around(
        self, node: Node, make: Callable[[Node, Rows], Value]
    ) -> tuple[Value, np.ndarray] | None:
        """Return the outer rows' value, uncopied, and the index of each row in the outer rows."""
        if self._outer is None or self._index is None:
            return None
        if not rests_on(node).isdisjoint(self.names):
            return None
        around = self._outer._had(node)
        if around is None and self._outer.shares:
            around = self._outer.once(node, make)
        if around is not None:
            return around, self._index
        further = self._outer._from_around(node, make)
        return None if further is None else (further[0], further[1][self._index])

    def has(self, name: str) -> bool:
        """Return whether these rows or the outer rows have the name."""
        return name in self.names or (self._outer is not None and self._outer.has(name))


@cache
def rests_on(node: Node) -> frozenset[str]:
    """Return all names that an expression uses; a pattern without a reference uses ``window``."""
    inside = [*every(node)]
    looks = any((isinstance(one, Pattern) and one.reference is None)
                or (isinstance(one, Call) and one.op == "each") for one in inside)  # fmt: skip
    return names_in(node) | ({"window"} if looks else frozenset())
