"""Nodes: equal ones are one key, in this process and after a journey to another."""

from __future__ import annotations

import pickle

from surgqa.transforms.algebra.tree import Between, Call, Const, Name, Pattern, Read
from surgqa.transforms.algebra.types import INSTANT, NUMBER, STRETCH, TRUTH
from tests.each import cases


def nodes(at: tuple[int, int]) -> list:
    """One of each kind, all at a place of the file."""
    now, one = Name(INSTANT, "now", at), Const(NUMBER, 1, at)
    window = Between(STRETCH, now, Name(INSTANT, "later", at), at)
    start = Read(INSTANT, window, "start", place=at)
    return [now, one, window, start, Pattern(TRUTH, ("phase",), reference=start, place=at),
            Call(TRUTH, "compare", (("left", one), ("right", start)), at)]  # fmt: skip


@cases("k", range(6))
def test_equal_nodes_are_one_key_wherever_they_stand(k: int):
    here, there = nodes((1, 2))[k], nodes((8, 4))[k]
    assert here == there and hash(here) == hash(there) == hash(here)
    assert {here: "found"}[there] == "found"


def test_other_nodes_are_other_keys():
    assert len(dict.fromkeys(nodes((1, 1)))) == 6
    assert Name(INSTANT, "now") != Name(INSTANT, "later")


@cases("k", range(6))
def test_a_hash_does_not_travel(k: int):
    """Hashes of text differ from process to process."""
    node = nodes((1, 2))[k]
    hash(node)
    again = pickle.loads(pickle.dumps(node))
    assert not hasattr(again, "_hash") and again == node and hash(again) == hash(node)
