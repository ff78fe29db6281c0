"""One instrument for two actions: what a stated change of action says of who acts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transforms.timeline.relation.draft import roots, union
from transforms.timeline.relation.table import NONE, Codes

DIRECTLY_US = 1_000_000
"""The old action is over at most so long before the new one begins."""

Row = dict[str, Any]


def name_hands(changes: Sequence[Row], actions: Sequence[Row], codes: Codes) -> None:
    """Give the actions that a change joins, and chains of them, a track of their own.

    A change says that the instrument which did one thing does another from then on; where more
    than one action could be meant it says nothing.

    Args:
        changes: of kind ``transition``, with ``verb,target>verb,target`` as their label.
        actions: of kind ``interaction``; their ``track`` is set.
    """
    parent = [*range(len(actions))]
    for change in changes:
        old, _, new = codes.name(change["label"]).partition(">")
        ends = change["s0"] - DIRECTLY_US, change["s1"]
        starts = change["s0"], change["s1"]
        before = _done(actions, change, old, codes, ("e0", "e1"), ends)
        after = _done(actions, change, new, codes, ("s0", "s1"), starts)
        if len(before) == len(after) == 1:
            union(parent, before[0], after[0])
    first = roots(parent).tolist()
    for k, one in enumerate(actions):
        if one["track"] == NONE and first.count(first[k]) > 1:
            head = actions[first[k]]
            one["track"] = codes.code(f"{codes.name(head['subject'])} from {head['s']} us on")


def _done(
    actions: Sequence[Row], change: Row, act: str, codes: Codes, border: tuple[str, str],
    when: tuple[int, int],
) -> list[int]:  # fmt: skip
    """The actions that are what one side of a change names, with a border at that time."""
    verb, _, target = act.partition(",")
    wanted = (change["subject"], codes.code(verb), codes.code(target))
    return [
        k for k, one in enumerate(actions)
        if (one["subject"], one["verb"], one["target"]) == wanted
        and one[border[0]] <= when[1] and when[0] <= one[border[1]]
    ]  # fmt: skip
