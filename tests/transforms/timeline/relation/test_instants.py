"""Labels of single instants as runs: where they may begin and end, and what nobody looked at."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.timeline.relation.instants import KindInstants, holes_between, runs_of
from surgqa.transforms.timeline.relation.table import FAR

S = 1_000_000


def grid(*seconds: int) -> KindInstants:
    """Instants at whole seconds, labelled once a second."""
    return KindInstants(np.array(seconds, np.int64) * S, S)


def run(instants: KindInstants, *places: int):
    """The only run of one key that holds at some of the instants."""
    found = runs_of(instants, np.zeros(len(places), np.int64), np.array(places, np.int64))
    assert len(found.key) == 1
    return {name: getattr(found, name).item() for name in found.__slots__}


def test_a_border_lies_between_two_labels_and_is_printed_halfway():
    found = run(grid(0, 1, 2, 3, 4), 2, 3)
    assert (found["s0"], found["s"], found["s1"]) == (S + 1, 3 * S // 2, 2 * S)
    assert (found["e0"], found["e"], found["e1"]) == (3 * S + 1, 7 * S // 2, 4 * S)


def test_a_hole_moves_a_border_to_its_other_side_and_prints_the_label():
    found = run(grid(0, 1, 5, 6, 9), 2, 3)
    assert (found["s0"], found["s"], found["s1"]) == (S + 1, 5 * S, 5 * S)
    assert (found["e0"], found["e"], found["e1"]) == (6 * S + 1, 6 * S + 1, 9 * S)


def test_before_the_first_and_after_the_last_label_anything_may_be():
    found = run(grid(3, 4), 0, 1)
    assert (found["s0"], found["s1"], found["e0"], found["e1"]) == (-FAR, 3 * S, 4 * S + 1, FAR)


def test_a_hole_or_another_label_ends_a_run():
    at = np.array([0, 1, 2, 3, 5], np.int64)
    found = runs_of(grid(0, 1, 5, 6, 7, 8), np.zeros(5, np.int64), at)
    assert list(zip(found.first.tolist(), found.last.tolist(), strict=True)) == [
        (0, 1), (2, 3), (5, 5),
    ]  # fmt: skip


def test_repeated_labels_count_once():
    found = runs_of(grid(0, 1), np.zeros(3, np.int64), np.array([0, 0, 1], np.int64))
    assert (found.first.tolist(), found.last.tolist()) == ([0], [1])


def test_looked_ends_one_microsecond_after_the_last_label():
    looked = grid(0, 1, 5, 6).looked()
    assert looked.tolist() == [[0, S + 1], [5 * S, 6 * S + 1]]
    assert holes_between(looked).tolist() == [[-FAR, 0], [S + 1, 5 * S], [6 * S + 1, FAR]]


def test_holes_are_the_complement_of_stretches_in_any_order():
    looked = np.array([(5, 9), (0, 6)], np.int64)
    assert holes_between(looked).tolist() == [[-FAR, 0], [9, FAR]]
    assert holes_between(np.zeros((0, 2), np.int64)).tolist() == [[-FAR, FAR]]
    assert holes_between(np.array([(-FAR, FAR)], np.int64)).tolist() == []


def test_nothing_seen_is_no_run():
    none = np.zeros(0, np.int64)
    assert len(runs_of(grid(0, 1), none, none).key) == 0
    assert len(grid().looked()) == 0
