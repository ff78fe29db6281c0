"""Checks margins (distances of options from the answer), levels of difficulty and pairs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.ontology.levels import BOUNDS, LEVELS
from surgqa.transforms.checks.proof.numbers import amount, when
from surgqa.transforms.checks.proof.options import canonical
from surgqa.transforms.checks.proof.rows import Problem, ProofRow
from surgqa.transforms.checks.proof.typed import has_shape

CLOSE = 1e-5
"""Tolerance when margins are compared, because they are stored with six decimals."""


def margin_problems(asked: ProofRow) -> Iterator[Problem]:
    """Yield (code, detail) if the options' margins or the item's level are wrong."""
    row, found = asked.row, []
    kinds = [node.type for _, node in asked.stage.answer]
    of = kinds[0].name if len(kinds) == 1 else ""
    for option, value in zip(row["options"] or (), asked.offered, strict=True):
        if of and not has_shape(value, kinds[0]):
            return  # reported by the check of options
        far = distance(of, asked.answer, value)
        said = option.get("margin")
        if (far is None) != (said is None) or (far is not None and abs(far - said) > CLOSE):
            yield "margin_differs", f"{option['key']}) {option['text']}: {said}, expected {far}"
        if far is not None and not option["is_answer"]:
            found.append(far)
    level = level_of(of, found)
    if row["level"] != level:
        yield "margin_differs", f"level {row['level']}, expected {level}"


def level_of(of: str, margins: Sequence[float]) -> int | None:
    """Return the level of difficulty for the distractors' margins; None without margins."""
    if not margins or (of == "number" and any(far != int(far) for far in margins)):
        return None
    bounds = BOUNDS[of]
    return LEVELS[sum(round(min(margins), 6) < bound for bound in bounds)]


def distance(of: str, a: Any, b: Any) -> float | None:
    """Return how far two values are apart; None if their type has no distance.

    The unit is seconds for times, the frame's side for places, and members for sets and sequences.
    """
    if a is None or b is None or of not in BOUNDS:
        return None
    if of == "instant":
        return abs(when(a) - when(b)) / 1e6
    if of == "stretch":
        return max(abs(when(a["start"]) - when(b["start"])), abs(when(a["end"]) - when(b["end"]))
                   ) / 1e6  # fmt: skip
    if of in ("number", "duration"):
        return abs(amount(a) - amount(b)) / (1e6 if of == "duration" else 1)
    if of in ("box", "point"):
        moved = [(a[k] + a[k - 2] - b[k] - b[k - 2]) / 2 for k in (0, 1)]
        return sqrt(moved[0] ** 2 + moved[1] ** 2)
    mine, right = ([canonical(one) for one in many] for many in (b, a))
    if of == "set":
        counted = Counter(set(mine)) + Counter(set(right))
        return float(sum(number == 1 for number in counted.values()))
    same = sum(x == y for x, y in zip(mine, right, strict=False))
    return float(max(len(mine), len(right)) - same)


def pair_problems(
    asked: Sequence[ProofRow], complete: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Yield (item id, code, detail) for invalid pairs of items.

    Args:
        asked: rows of one template, ordered by video.
        complete: True if no item was dropped, so that no partner may be missing.
    """
    pairs: dict[str, list[ProofRow]] = defaultdict(list)
    for one in asked:
        if one.row["pair"] is not None:
            pairs[one.row["pair"]].append(one)
    alone: dict[tuple[str, ...], list[ProofRow]] = defaultdict(list)
    for name, some in pairs.items():
        ids = sorted(one.id for one in some)
        if len(some) == 1:
            alone[_same(some[0])].append(some[0])
            continue
        first, *rest = some
        fine = (
            len(rest) == 1 and _same(first) == _same(rest[0]) and _right(first) != _right(rest[0])
        )
        if not fine or name != digest("pair", first.program.id, *ids):
            yield first.id, "pair_differs", f"pair {name}: {', '.join(ids)}"
    for some in alone.values():
        yield from _without_partner(some, complete)


def _without_partner(some: Sequence[ProofRow], complete: bool) -> Iterator[tuple[str, str, str]]:
    """Yield errors for items without a partner; ``some`` have the same :func:`_same`."""
    if complete:
        for one in some:
            yield one.id, "pair_differs", f"pair {one.row['pair']}: no other item has it"
        return
    for a, b in combinations(some, 2):
        name = digest("pair", a.program.id, *sorted((a.id, b.id)))
        for one, other in ((a, b), (b, a)):
            if one.row["pair"] == name:
                detail = f"pair {other.row['pair']}: expected {name}, that of {one.id}"
                yield other.id, "pair_differs", detail


def _same(one: ProofRow) -> tuple[str, ...]:
    """Return what the items of a pair have in common: video, and question without its numbers."""
    return one.row["dataset"], one.row["video_id"], _masked(one)


def _masked(one: ProofRow) -> str:
    return re.sub(r"[0-9]+(\.[0-9]+)?", "#", str(one.row["question"]).casefold())


def _right(one: ProofRow) -> str:
    text = str(one.row["answer"])
    if one.row["answer_key"] is not None:
        text = text.removeprefix(f"{one.row['answer_key']}) ")
    return text.casefold()
