"""What a step keeps is a fair sample in the order of ids, and in that of every other step."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from surgqa.ontology.keys import digest
from surgqa.transforms.exports.rows import pairs_of
from surgqa.transforms.steps import balance, blind, mix, thin
from tests.each import cases

Answers = Mapping[str, bool]
"""Item id -> whether its answer is the frequent one."""

EVERY = {digest(k): k % 5 > 0 for k in range(2000)}
SIDED = [thin.Sided(key, yes, "", f"wording {int(key, 16) % 3}") for key, yes in EVERY.items()]
BLOCKS = {key: digest("block", key) for key in EVERY}


def unpaired() -> set[str]:
    rows = [{"item_id": key, "stage": None, "template_id": "t", "question": "Is it?",
             "options": [], "answer": str(yes)} for key, yes in EVERY.items()]  # fmt: skip
    return EVERY.keys() - pairs_of(rows).keys()


def known_blind() -> set[str]:
    marks = {key: ("rule",) for key, yes in EVERY.items() if yes}
    return {item for item, _ in blind.left_out(["rule"], marks, len(EVERY), 0.5)}


STEPS: dict[str, Callable[[], set[str]]] = {
    "shares": lambda: set(thin.left_out(SIDED, thin.HALF)),
    "shares of blocks": lambda: set(thin.blocks_left_out(SIDED, BLOCKS, thin.HALF)),
    "cap": lambda: set(balance.over_cap({key: str(yes) for key, yes in EVERY.items()}, 0.5)),
    "pairs": unpaired,
    "blind": known_blind,
}


@cases("step", STEPS)
def test_the_first_of_what_is_kept_have_the_answers_of_all_that_is_kept(step: str):
    kept = EVERY.keys() - STEPS[step]()
    assert 700 < len(kept) < 1700
    whole = sum(map(EVERY.__getitem__, kept)) / len(kept)
    for ordered in (sorted(kept), *(one.ORDER.ordered(kept) for one in (thin, balance, mix, blind)
                                    if one is not OWN.get(step))):  # fmt: skip
        first = ordered[:200]
        assert abs(sum(map(EVERY.__getitem__, first)) / len(first) - whole) < 0.12, ordered[:3]


OWN = {"shares": thin, "shares of blocks": thin, "cap": balance, "blind": blind}
"""The step's own order, in which the frequent answers come first, as they must."""
