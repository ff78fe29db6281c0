"""Blocks: different answers, each once; the largest first; who asks alike first."""

from __future__ import annotations

import random
from collections import Counter

from surgqa.transforms.algebra.operators.pools.blocks import ExchangeEntry, dealt, partner


def entries(answers: str, alike: str = "") -> list[ExchangeEntry]:
    """One entry for each letter."""
    rng = random.Random(answers)
    return [
        ExchangeEntry(rng.getrandbits(64), one, alike[k : k + 1]) for k, one in enumerate(answers)
    ]


def blocks(answers: str, alike: str = "") -> list[str]:
    """The answers of each block."""
    return ["".join(sorted(answers[i] for i in block))
            for block in dealt(entries(answers, alike), lambda a, b: True)]  # fmt: skip


def test_the_answers_of_a_block_are_different():
    rng = random.Random(0)
    for _ in range(200):
        answers = "".join(rng.choices("abcdefg", [9, 5, 3, 1, 1, 1, 1], k=rng.randint(0, 40)))
        found = dealt(entries(answers), lambda a, b: True)
        inside = [i for block in found for i in block]
        assert len(set(inside)) == len(inside)
        assert all(2 <= len(block) <= 4 for block in found)
        assert all(len({answers[i] for i in block}) == len(block) for block in found)
        left = Counter(one for i, one in enumerate(answers) if i not in inside)
        assert len(left) <= 1, "two that are left could be a block"


def test_blocks_are_as_large_as_they_can_be():
    assert blocks("abcd") == ["abcd"]
    assert sorted(blocks("aabbccdd")) == ["abcd", "abcd"]
    assert sorted(blocks("aaaabbcd")) == ["ab", "abcd"]
    assert blocks("aaaa") == []


def test_who_asks_alike_comes_first():
    assert sorted(blocks("abcdab", "xxyyzz")) == ["ab", "ab", "cd"]
    assert sorted(blocks("aaab", "xxyz")) == ["ab"]


def test_no_block_has_two_that_do_not_fit():
    known = entries("abcd")
    found = dealt(known, lambda a, b: {known[a].answer, known[b].answer} != {"a", "b"})
    assert sorted("".join(sorted(known[i].answer for i in one)) for one in found) in (
        [["acd"]], [["bcd"]], ["acd"], ["bcd"])  # fmt: skip


def test_an_entry_that_finds_no_partner_does_not_stop_the_others():
    known = entries("aaabc")
    first = min((one.order, i) for i, one in enumerate(known) if one.answer == "a")[1]
    found = dealt(known, lambda a, b: first not in (a, b))
    assert sorted(len(one) for one in found) == [3]


def test_the_order_in_which_entries_are_given_changes_nothing():
    known = entries("aabbbccdefg")
    found = {frozenset(known[i].order for i in one) for one in dealt(known, lambda a, b: True)}
    back = known[::-1]
    again = {frozenset(back[i].order for i in one) for one in dealt(back, lambda a, b: True)}
    assert found == again


def test_each_is_the_partner_of_one():
    for size in (2, 3, 4):
        partners = [partner(k, size) for k in range(size)]
        assert sorted(partners) == list(range(size))
        assert all(k != other for k, other in enumerate(partners))
