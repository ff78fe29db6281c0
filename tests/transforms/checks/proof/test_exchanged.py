"""Blocks of a finished dataset: every way in which one can be wrong is noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surgqa.transforms.checks.proof.head import digest
from surgqa.transforms.checks.proof.shares import exchange_problems
from tests.each import cases
from tests.transforms.checks.proof.made import (
    CHAIN,
    CLIP,
    NOW,
    S,
    asked,
    chain_rows,
    now_row,
    option,
    row,
    text_of,
)

Row = dict[str, Any]
SETS = (["clipper"], ["hook"], ["grasper", "hook"])


def block() -> list[Row]:
    """Three items that offer one another's answers."""
    rows = []
    for k, seen in enumerate(SETS):
        options = [option("ABC"[j], f"set {j}", "answer" if j == k else "exchange", one)
                   for j, one in enumerate(SETS)]  # fmt: skip
        rows.append(row(
            CLIP, None, 10 * S, 30 * S, window_id=f"clip-{k}", options=options,
            slots={"moment": 12 * S, "tool": None, "seen": seen}, answer_value={"seen": seen},
        ))  # fmt: skip
    return sealed(rows)


def sealed(rows: list[Row]) -> list[Row]:
    """The rows with the block's id as it follows from theirs."""
    name = digest("block", *sorted(one["item_id"] for one in rows))
    return [{**one, "block": name} for one in rows]


def found(rows: list[Row], whole: bool = True) -> set[str]:
    """Details of what is found, without names."""
    out = [*exchange_problems([asked(CLIP, one) for one in rows], whole)]
    assert {code for _, code, _ in out} <= {"block_differs"}
    return {" ".join(word for word in detail.split() if len(word) < 32) for _, _, detail in out}


def with_option(rows: list[Row], k: int, place: int, **fields: Any) -> list[Row]:
    options = [dict(one) for one in rows[k]["options"]]
    options[place].update(fields)
    return [{**one, "options": options} if j == k else one for j, one in enumerate(rows)]


def test_a_block_that_is_whole_is_right():
    assert found(block()) == set()
    assert found(block()[::-1]) == set()


FORGED: list[tuple[Callable[[list[Row]], list[Row]], str]] = [
    (lambda rows: rows[:2], "block has options that are the answer of none of its items"),
    (lambda rows: rows[:2], "block is not the digest of its items"),
    (lambda rows: [{**one, "block": "b" * 32} for one in rows],
     "block is not the digest of its items"),
    (lambda rows: sealed([*rows, {**rows[0], "item_id": "f" * 32}]), "block 4 items, 3 answers"),
    (lambda rows: with_option(rows, 0, 1, value=text_of(["scissors"])), "block 2 lists of options"),
    (lambda rows: with_option(rows, 0, 1, kind="labels"), "block has options of other pools"),
    (lambda rows: [{**one, "block": None} for one in rows],
     "no block, but a set can be guessed by position"),
]  # fmt: skip


@cases(("change", "said"), FORGED)
def test_a_block_that_was_changed_is_noticed(change: Callable, said: str):
    assert said in found(change(block()))


def test_of_some_rows_alone_nothing_lacks():
    assert found(block()[:2], whole=False) == set()


def test_another_template_has_no_block():
    for of, data in ((NOW, now_row()), (CHAIN, chain_rows()[0])):
        one = asked(of, {**data, "block": "b" * 32})
        told = [detail for _, _, detail in exchange_problems([one], whole=False)]
        assert "has a block, but the template has no pool 'exchange'" in told
    assert not list(exchange_problems([asked(NOW, now_row())]))
