"""Cohen's kappa against figures worked out by hand, and against its own definition."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.review.agreement import (
    accuracies,
    agreement,
    agreements,
    icc_2_1,
    joint_kappa,
    kinds_of,
    squared,
)
from surgqa.transforms.review.votes import Vote
from tests.each import cases


def table(counts: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    return [pair for pair, n in counts.items() for _ in range(n)]


def test_two_by_two_by_hand() -> None:
    # Both yes 20, both no 15, first yes 5, second yes 10: p_o = 35/50; the first says yes 25
    # times, the second 30 times: p_e = (25*30 + 25*20) / 2500 = 1/2.
    found = agreement(table({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}))
    assert (found.n, found.observed, found.expected) == (50, Fraction(7, 10), Fraction(1, 2))
    assert found.kappa == Fraction(2, 5)


def test_three_letters_by_hand() -> None:
    # Rows 4 3 3, columns 4 3 3: p_e = (16 + 9 + 9) / 100; on the diagonal 3 + 2 + 2.
    found = agreement(table({
        ("A", "A"): 3, ("A", "B"): 1, ("B", "B"): 2, ("B", "C"): 1, ("C", "C"): 2, ("C", "A"): 1,
    }))  # fmt: skip
    assert (found.observed, found.expected) == (Fraction(7, 10), Fraction(17, 50))
    assert found.kappa == Fraction(6, 11)


@cases(
    ("pairs", "kappa"),
    [
        ([("A", "A"), ("B", "B")], 1),
        ([("A", "B"), ("B", "A")], -1),
        ([("A", "A"), ("A", "B"), ("B", "A"), ("B", "B")], 0),
        ([("A", "A"), ("A", "A"), ("A", "B")], 0),
        ([("A", "B"), ("A", "B")], 0),
        ([("A", "A"), ("A", "A")], None),
        ([("A", "A")], None),
        ([], None),
    ],
)
def test_edges(pairs, kappa) -> None:
    assert agreement(pairs).kappa == kappa


@given(st.lists(st.tuples(st.sampled_from("ABCD"), st.sampled_from("ABCD")), max_size=40))
def test_the_definition_without_counting(pairs) -> None:
    found = agreement(pairs)
    if not pairs:
        assert found.kappa is None
        return
    n = len(pairs)
    by_chance = [a[0] == b[1] for a, b in product(pairs, repeat=2)]
    p_o, p_e = Fraction(sum(a == b for a, b in pairs), n), Fraction(sum(by_chance), n * n)
    assert (found.observed, found.expected) == (p_o, p_e)
    assert found.kappa == (None if p_e == 1 else (p_o - p_e) / (1 - p_e))
    assert found.kappa is None or -1 <= found.kappa <= 1
    assert agreement([(b, a) for a, b in pairs]).kappa == found.kappa


FLEISS = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip
"""The worked example of ten subjects, fourteen raters and five categories: kappa is 0.210."""


def test_fleiss_kappa_of_the_worked_example() -> None:
    said = [[word for word, n in enumerate(one) for _ in range(n)] for one in FLEISS]
    assert float(joint_kappa(said)) == pytest.approx(0.210, abs=5e-4)


@cases(("said", "kappa"), [
    ([], None), ([["A", "A"], ["A", "B"]], None), ([["A", "A", "A"]], None),
    ([["A", "A", "A"], ["B", "B", "B"]], 1), ([["A", "A", "B"], ["B", "B", "A"]], Fraction(-1, 3)),
])  # fmt: skip
def test_fleiss_kappa_at_its_edges(said, kappa) -> None:
    assert joint_kappa(said) == kappa


@given(st.lists(st.lists(st.sampled_from("ABC"), min_size=4, max_size=4), min_size=1, max_size=20))
def test_fleiss_kappa_does_not_depend_on_who_said_what(said) -> None:
    found = joint_kappa(said)
    assert found == joint_kappa([sorted(one) for one in reversed(said)])
    assert found is None or -1 <= found <= 1


def ballots(**said: str) -> dict[str, dict[str, Vote]]:
    return {
        name: {f"i{k}": Vote(name, letter, True, (), "") for k, letter in enumerate(letters)}
        for name, letters in said.items()
    }


def test_every_pair_and_their_mean() -> None:
    votes = ballots(a="AABB", b="AABB", c="AAAA")
    found = agreements(votes, ["i0", "i1", "i2", "i3"], "answer")
    assert [one["raters"] for one in found["pairs"]] == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert [one["kappa"] for one in found["pairs"]] == [1.0, 0.0, 0.0]
    assert (found["n"], found["defined"], found["mean"]) == (4, 3, pytest.approx(1 / 3))
    # Two questions have all pairs agreeing, two a third of them; A was said 8 times of 12:
    # p_o = 2/3, p_e = (64 + 16) / 144.
    assert found["fleiss"] == pytest.approx((2 / 3 - 5 / 9) / (4 / 9))


def test_a_mean_leaves_undefined_pairs_out_and_says_how_many_there_were() -> None:
    votes = ballots(a="AAAA", b="AAAA", c="AAAB")
    found = agreements(votes, ["i0", "i1", "i2", "i3"], "answer")
    assert [one["kappa"] for one in found["pairs"]] == [None, 0.0, 0.0]
    assert (found["defined"], found["mean"]) == (2, 0.0)
    alone = agreements(votes, ["i0", "i1", "i2", "i3"], "valid")
    assert (alone["defined"], alone["mean"]) == (0, None)


def test_kinds_are_tasks_and_stages() -> None:
    rows = {
        "x": {"task": "am/q1", "stage": 1},
        "y": {"task": "mtl/q1", "stage": 1},
        "z": {"task": "counting", "stage": None},
    }
    assert kinds_of(rows) == {
        "all": ["x", "y", "z"], "am/q1": ["x"], "counting": ["z"], "mtl/q1": ["y"],
        "stage 1": ["x", "y"],
    }  # fmt: skip


def test_accuracy_is_against_the_reference() -> None:
    votes = ballots(a="AB", b="AA")
    found = accuracies(votes, ["i0", "i1"], {"i0": "A", "i1": "B"})
    assert found["reviewers"] == {
        "a": {"right": 2, "share": 1.0}, "b": {"right": 1, "share": 0.5}
    }  # fmt: skip
    assert accuracies(votes, [], {})["reviewers"]["a"]["share"] is None


SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
SCORES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=30)


def test_icc_of_shrout_and_fleiss():
    assert round(float(icc_2_1(SHROUT_FLEISS)), 2) == 0.29


def test_icc_is_one_where_all_agree_and_none_without_variance():
    assert icc_2_1([[1, 1], [3, 3], [5, 5]]) == 1
    assert icc_2_1([[3, 3], [3, 3]]) is None
    assert icc_2_1([[3, 4]]) is None
    assert icc_2_1([]) is None


@given(SCORES)
def test_weighted_kappa_is_what_the_matrix_of_weights_gives(pairs):
    seen = np.zeros((5, 5))
    for a, b in pairs:
        seen[a - 1, b - 1] += 1
    weights = np.subtract.outer(np.arange(5), np.arange(5)) ** 2
    chance = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / len(pairs)
    found = agreement(pairs, squared).kappa
    if (weights * chance).sum() == 0:
        assert found is None
    else:
        expected = 1 - (weights * seen).sum() / (weights * chance).sum()
        assert float(found) == pytest.approx(expected, abs=1e-12)


def test_weighted_kappa_at_its_ends():
    assert agreement([(1, 1), (3, 3), (5, 5)], squared).kappa == 1
    assert agreement([(1, 5), (5, 1)], squared).kappa == -1
    assert agreement([(2, 2), (2, 2)], squared).kappa is None
