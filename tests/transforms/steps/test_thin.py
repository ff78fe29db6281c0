"""Thinning out: the share is met, nothing more goes than must, and order does not matter."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.keys import digest
from surgqa.transforms.steps.thin import (
    HALF,
    LEAST,
    NEAR,
    NEAR_BLOCKS,
    ORDER,
    Sided,
    blocks_left_out,
    kept_of,
    left_out,
)
from tests.each import cases

SHARES = st.sampled_from([HALF, Fraction(3, 4), Fraction(1, 4), Fraction(7, 10)])
MANY = st.integers(50, 4000)
ITEMS = st.lists(
    st.tuples(st.booleans(), st.sampled_from("abc"), st.sampled_from(["Is it?", "Can it?"])),
    max_size=60,
)


def items(drawn: list[tuple[bool, str, str]]) -> list[Sided]:
    return [Sided(digest(k, *one), *one) for k, one in enumerate(drawn)]


@given(MANY, MANY, SHARES)
def test_the_share_is_met_of_many(yes, no, wanted):
    a, b = kept_of(yes, no, wanted)
    assert 0 < a <= yes and 0 < b <= no
    assert abs(Fraction(a, a + b) - wanted) <= NEAR


@given(MANY, MANY, SHARES)
def test_no_more_goes_than_must(yes, no, wanted):
    a, b = kept_of(yes, no, wanted)
    assert a >= 0.9 * yes - 1 or b >= 0.9 * no - 1
    if abs(Fraction(yes, yes + no) - wanted) <= NEAR:
        assert (a, b) == (yes, no)


@cases(("there", "wanted", "kept"), [
    ((3, 5), HALF, (3, 3)), ((1, 30), HALF, (1, 1)), ((40, 12), Fraction(3, 4), (38, 12)),
    ((1, 40), Fraction(3, 4), (1, 1)), ((0, 9), HALF, (0, 0)), ((9, 0), Fraction(3, 4), (0, 0)),
    ((4, 9), Fraction(1), (4, 0)), ((4, 9), Fraction(0), (0, 9)), ((0, 0), HALF, (0, 0)),
])  # fmt: skip
def test_by_hand(there, wanted, kept):
    assert kept_of(*there, wanted) == kept


@given(ITEMS)
def test_every_class_has_halves_and_the_rest_has_them_together(drawn):
    some = items(drawn)
    gone = set(left_out(some, HALF))
    assert len(gone) == len(left_out(some, HALF)) <= len(some)
    both = {of for of in "abc" if {one.yes for one in some if one.of == of} == {True, False}}
    groups = [[one for one in some if one.of == of] for of in sorted(both)]
    for group in (*groups, [one for one in some if one.of not in both]):
        sides = Counter(one.yes for one in group)
        left = Counter(one.yes for one in group if one.key not in gone)
        assert left[True] == left[False] == min(sides[True], sides[False])


def test_a_wording_with_more_than_its_share_loses_first():
    drawn = [(True, "a", "Is it?")] * 9 + [(False, "a", "Is it?")] * 3
    drawn += [(True, "a", "Can it?")] * 4 + [(False, "a", "Can it?")] * 4
    gone = set(left_out(items(drawn), HALF))
    wordings = Counter(one.wording for one in items(drawn) if one.key in gone)
    assert wordings == {"Is it?": 6}


def test_the_last_in_the_order_go():
    some = items([(True, "a", "Is it?")] * 6 + [(False, "a", "Is it?")] * 2)
    yes = ORDER.ordered(one.key for one in some if one.yes)
    assert left_out(some, HALF) == sorted(yes[2:])


@given(ITEMS, SHARES, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(drawn, wanted, random):
    some = items(drawn)
    turned = random.sample(some, len(some))
    assert left_out(turned, wanted) == left_out(some, wanted)


BLOCKS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)).filter(any), max_size=40)


def blocked(sizes: list[tuple[int, int]]) -> tuple[list[Sided], dict[str, str]]:
    """Blocks of so many items of yes and no."""
    some, block_of = [], {}
    for k, (yes, no) in enumerate(sizes):
        for n in range(yes + no):
            one = Sided(digest(k, n), n < yes, "", "Is it?")
            some.append(one)
            block_of[one.key] = str(k)
    return some, block_of


def left_of(sizes: list[tuple[int, int]], wanted: Fraction) -> Counter[bool]:
    some, block_of = blocked(sizes)
    gone = set(blocks_left_out(some, block_of, wanted))
    assert {block_of[key] for key in gone}.isdisjoint(
        block_of[one.key] for one in some if one.key not in gone
    )
    return Counter(one.yes for one in some if one.key not in gone)


@given(BLOCKS, SHARES)
def test_blocks_go_as_a_whole_and_the_share_comes_nearer(sizes, wanted):
    yes, no = (sum(column) for column in zip(*sizes, strict=True)) if sizes else (0, 0)
    left = left_of(sizes, wanted)
    assert left.total() >= LEAST * sum(kept_of(yes, no, wanted))
    if yes + no:
        before, after = Fraction(yes, yes + no), Fraction(left[True], left.total())
        assert abs(after - wanted) <= abs(before - wanted)
        assert after == before or before < after <= wanted + NEAR_BLOCKS or before > after


@cases(("sizes", "wanted", "kept"), [
    # Of a block of two each side has half, so no share but this can be had, and all stay.
    ([(1, 1)] * 40, Fraction(7, 10), (40, 40)),
    # Blocks of one side alone go first.
    ([(3, 1)] * 20 + [(2, 0)] * 10 + [(1, 1)] * 10, Fraction(7, 10), (78, 30)),
    ([(3, 1)] * 20 + [(1, 1)] * 12, Fraction(7, 10), (72, 32)),
    ([(0, 1)] * 30 + [(1, 0)] * 10, HALF, (10, 11)),
])  # fmt: skip
def test_blocks_by_hand(sizes, wanted, kept):
    left = left_of(sizes, wanted)
    assert (left[True], left[False]) == kept
