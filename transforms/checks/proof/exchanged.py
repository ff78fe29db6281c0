"""Checks blocks: items that offer each other's correct answers as options (``docs/blind.md``).

The queries prove that each of these options is wrong in all other items of the block.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.checks.proof.head import digest
from surgqa.transforms.checks.proof.options import canonical
from surgqa.transforms.checks.proof.rows import ProofRow

Found = tuple[str, str, str]
"""(item id, code, detail)"""

KIND = "exchange"
UNORDERED = ("label", "act", "word")
"""Types of answers whose items may be without a block if no other item fits."""


def exchange_problems(asked: Sequence[ProofRow], whole: bool = True) -> Iterator[Found]:
    """Yield errors in the blocks of the items of one stage of a template.

    Args:
        asked: all rows of the videos.
        whole: True if all rows of the output were read, so that no block may be incomplete.
    """
    stage = asked[0].stage
    exchanges = any(isinstance(pool, Call) and pool.op == KIND for pool in stage.wrong)
    blocks: dict[tuple[str, str, str], list[ProofRow]] = defaultdict(list)
    for one in asked:
        block = one.row["block"]
        if block is not None:
            blocks[one.row["dataset"], one.row["video_id"], block].append(one)
        if block is not None and not exchanges:
            yield one.id, "block_differs", "has a block, but the template has no pool 'exchange'"
        elif block is None and exchanges and _kinds(one) == {KIND}:
            kind = stage.answer[0][1].type.name
            if kind not in UNORDERED:
                yield one.id, "block_differs", f"no block, but a {kind} can be guessed by position"
    for (_, _, block), items in blocks.items():
        for detail in _differing(block, items, whole):
            yield from ((one.id, "block_differs", detail) for one in items)


def _kinds(one: ProofRow) -> set[str]:
    return {option["kind"] for option in one.row["options"] or () if not option["is_answer"]}


def _differing(block: str, items: Sequence[ProofRow], whole: bool) -> Iterator[str]:
    """Yield errors in a block: its items have different answers, and each offers all of them."""
    if any(_kinds(one) != {KIND} for one in items):
        yield f"block {block}: has options of other pools"
    answers = [canonical(one.answer) for one in items]
    if len(set(answers)) < len(answers):
        yield f"block {block}: {len(items)} items, {len(set(answers))} answers"
    offered = {frozenset(map(canonical, one.offered)) for one in items}
    if len(offered) > 1:
        yield f"block {block}: {len(offered)} lists of options"
    if whole and any(set(answers) != one for one in offered):
        yield f"block {block}: has options that are the answer of none of its items"
    if whole and block != digest("block", *sorted(one.id for one in items)):
        yield f"block {block} is not the digest of its items"
