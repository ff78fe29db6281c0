"""Balancing the most frequent answer: just enough is dropped, by ids alone."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.keys import digest
from surgqa.transforms.steps.balance import ORDER, modal_key, over_cap

caps = st.sampled_from([0.3, 0.34, 0.4, 0.5, 0.6, 0.75, 1.0])
sizes = st.lists(st.integers(1, 9), min_size=1, max_size=4)


def items(sizes: list[int]) -> dict[str, str]:
    """Ids, in no order of their answers, with as many of each answer as asked."""
    return {digest(a, n): f"answer {a}" for a, size in enumerate(sizes) for n in range(size)}


def within(sizes: tuple[int, ...], cap: float) -> bool:
    """Every answer is under the cap, or all are as frequent (a lower cap cannot be met)."""
    return all(size <= cap * sum(sizes) or size * len(sizes) <= sum(sizes) for size in sizes)


def fewest(sizes: list[int], cap: float) -> int:
    """Fewest items whose loss brings every answer under the cap, by trying all."""
    kept = (left for left in product(*(range(n + 1) for n in sizes)) if within(left, cap))
    return sum(sizes) - max(sum(left) for left in kept)


@given(sizes=sizes, cap=caps)
def test_no_answer_is_above_the_cap_unless_it_is_the_only_one(sizes, cap):
    answers = items(sizes)
    dropped = over_cap(answers, cap)
    left = Counter(answer for item, answer in answers.items() if item not in dropped)
    if len(sizes) > 1:
        assert within(tuple(left.values()), cap)
    else:
        assert dropped == []


@given(sizes=st.lists(st.integers(1, 7), min_size=2, max_size=4), cap=caps)
def test_no_more_is_dropped_than_must_be(sizes, cap):
    assert len(over_cap(items(sizes), cap)) == fewest(sizes, cap)


@given(sizes=sizes, cap=caps)
def test_of_each_answer_the_last_in_the_order_go(sizes, cap):
    answers = items(sizes)
    dropped = over_cap(answers, cap)
    for answer in set(answers.values()):
        mine = ORDER.ordered(item for item in answers if answers[item] == answer)
        gone = [item for item in dropped if answers[item] == answer]
        assert gone == mine[::-1][: len(gone)]
    assert len(set(dropped)) == len(dropped)


@given(sizes=sizes, cap=caps, shuffler=st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(sizes, cap, shuffler):
    answers = items(sizes)
    shuffled = list(answers.items())
    shuffler.shuffle(shuffled)
    assert over_cap(dict(shuffled), cap) == over_cap(answers, cap)


@pytest.mark.parametrize(
    ("sizes", "cap", "dropped"),
    [
        pytest.param([91, 9], 0.5, 82, id="down-to-half"),
        pytest.param([50, 50], 0.5, 0, id="exactly-at-the-cap"),
        pytest.param([51, 50], 0.5, 1, id="just-above"),
        pytest.param([100], 0.5, 0, id="a-single-answer-stays"),
        pytest.param([5, 3, 2], 0.5, 0, id="three-answers"),
        pytest.param([6, 3, 2], 0.5, 1, id="three-answers-above"),
        pytest.param([9, 1], 1.0, 0, id="no-cap"),
        pytest.param([], 0.5, 0, id="nothing"),
        pytest.param([1, 1], 0.3, 0, id="a-cap-that-cannot-be-met"),
        pytest.param([9, 2, 2], 0.1, 7, id="as-even-as-can-be"),
    ],
)
def test_how_many_are_dropped(sizes, cap, dropped):
    assert len(over_cap(items(sizes), cap)) == dropped


HOOK = {"label": "hook", "subject": "hook", "track": "hook-3"}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param({"there": ("truth", True)}, '{"there":true}', id="yes-no"),
        pytest.param({"n": ("number", 3)}, '{"n":3}', id="number"),
        pytest.param({"seen": ("set", ["a", "b"])}, '{"seen":["a","b"]}', id="labels"),
        pytest.param({"one": ("track", HOOK)}, '{"one":"hook"}', id="an-instrument-by-its-class"),
        pytest.param(
            {"pace": ("word", "slow"), "mean": ("number", 0.031)}, '{"pace":"slow"}', id="word"
        ),
        pytest.param({"at": ("instant", 5)}, None, id="a-time-has-no-frequent-value"),
        pytest.param({"rest": ("duration", 5), "share": ("number", 0.5)}, None, id="lengths"),
    ],
)
def test_which_part_of_an_answer_is_counted(parts, expected):
    types = {name: {"type": kind, "of": ""} for name, (kind, _) in parts.items()}
    assert modal_key({name: value for name, (_, value) in parts.items()}, types) == expected
