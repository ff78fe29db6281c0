"""What texts show must rest at or before ``now``; what answers rest on gives the mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from transforms.algebra.tree import Node, Print, Step
from transforms.language.context import Context
from transforms.language.program import Stage, Unit
from transforms.language.resolve import is_broken
from transforms.language.sight import PRESENT_US, Sight, hull
from transforms.language.walk import every


def mode_and_checks(
    c: Context, unit: Unit, let: Sequence[Step], stages: Sequence[Stage], show: Node | None
) -> tuple[str, tuple[Node, ...]]:
    """The mode of the question, and what an engine must check of each filling.

    T118: a text prints what certainly rests on later evidence.
    """
    if unit.kind not in ("now", "stream"):
        return {"recording": "past", "still": "present"}.get(unit.kind, "clip"), ()
    broken = any(is_broken(node) for step in let for node in every(step.node))
    if broken:
        return "present", ()
    sight = Sight(unit, let)
    checks: dict[Node, None] = {}
    for node, place, what in _printed(stages, show):
        reach = sight.of(node).itself
        if reach.low > 0:
            c.add("T118", (), f"{what} shows what is known only after the time of the question",
                  "print what rests before 'now'", place=place)  # fmt: skip
        elif reach.high > 0:
            checks[node] = None
    return _mode(unit, sight, stages), tuple(checks)


def _mode(unit: Unit, sight: Sight, stages: Sequence[Stage]) -> str:
    reach = hull(sight.of(node).itself for stage in stages for _, node in stage.answer)
    if unit.kind == "stream" or reach.high > 0:
        return "future"
    return "present" if reach.start >= -PRESENT_US else "past"


def _printed(stages: Sequence[Stage], show: Node | None) -> Iterator[tuple[Node, tuple, str]]:
    for stage in stages:
        for text, what in (
            (stage.ask, "'ask'"),
            (stage.context, "'context'"),
            (stage.clue, "'clue'"),
        ):
            for piece in _flat(text):
                if not is_broken(piece.node):
                    yield piece.node, piece.place, what
    if show is not None and not is_broken(show):
        yield show, show.place, "'show'"


def _flat(text: object) -> Iterator[Print]:
    if isinstance(text, Print):
        yield text
    elif isinstance(text, tuple):
        for part in text:
            yield from _flat(part)
