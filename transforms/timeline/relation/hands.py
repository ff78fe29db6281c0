"""Find two actions of one instrument, where the annotations state that it changes its action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgqa.transforms.timeline.relation.draft import roots, union
from surgqa.transforms.timeline.relation.table import NONE, Codes

DIRECTLY_US = 1_000_000
"""Greatest time from the end of the old action to the start of the new one, microseconds."""

Row = dict[str, Any]


def name_hands(changes: Sequence[Row], actions: Sequence[Row], codes: Codes) -> None:
    """Give the same track to actions of one instrument, which an annotated change connects.

    A change states that an instrument has stopped one action and begun another. If more than one
    action of the video could be meant, nothing is concluded.

    Args:
        changes: facts of kind ``transition``, with ``verb,target>verb,target`` as their label.
        actions: facts of kind ``interaction``, whose ``track`` is set here.
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
    """Return the actions ``act`` of the change's instrument that begin or end within ``when``."""
    verb, _, target = act.partition(",")
    wanted = (change["subject"], codes.code(verb), codes.code(target))
    return [
        k for k, one in enumerate(actions)
        if (one["subject"], one["verb"], one["target"]) == wanted
        and one[border[0]] <= when[1] and when[0] <= one[border[1]]
    ]  # fmt: skip
