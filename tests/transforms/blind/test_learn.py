"""Folds, weights and intervals, on numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from surgqa.transforms.blind.features import feature, ranks
from surgqa.transforms.blind.guess import trials_of
from surgqa.transforms.blind.items import items_of
from surgqa.transforms.blind.learn import BELIEF, SCALE, FeatureWeights, in_cells, log_odds, picked
from surgqa.transforms.blind.shares import lower_bound, share_interval
from surgqa.transforms.blind.words import read
from tests.each import cases
from tests.transforms.blind.worlds import labels, second_smallest, world


@cases(("surgeries", "folds", "cells"), [(2, 2, 4), (3, 3, 3), (5, 5, 5), (40, 5, 5)])
def test_a_surgery_is_in_one_fold(surgeries, folds, cells):
    asks, found = in_cells(world(labels, surgeries=surgeries))
    assert (found.folds, len(found.fold)) == (folds, cells)
    ends = zip(found.start, found.start[1:], strict=False)
    where = [{one.group for one in asks[a:b]} for a, b in ends]
    for a in range(cells):
        for b in range(cells):
            if found.fold[a] != found.fold[b]:
                assert not where[a] & where[b]
    assert sorted(one.item_id for one in asks) == [f"{k:032x}" for k in range(400)]


def test_nothing_is_learned_from_the_surgery_that_is_guessed():
    """Answers of one fold turned about change no guess in that fold."""
    asks, cells = in_cells(world(second_smallest))
    last = slice(cells.start[-2], cells.start[-1])
    changed = list(asks)
    for k in range(last.start, last.stop):
        right = (asks[k].right + 1) % 4
        changed[k] = replace(asks[k], right=right, answer=asks[k].options[right])
    before, after = (trials_of(items_of(some), cells) for some in (asks, changed))
    assert len(before) == len(after) > 10
    for a, b in zip(before, after, strict=True):
        assert a.name == b.name
        assert np.array_equal(a.picked.pick[last], b.picked.pick[last]), a.name
        assert a.inner[-1] == b.inner[-1], a.name


def test_weights_are_log_odds_with_pseudo_counts():
    found = log_odds(np.array([10.0, 0.0]), np.array([20.0, 20.0]), np.array([5.0, 5.0]))
    up = np.log((10 + BELIEF / 4) / (5 + BELIEF / 4))
    down = np.log((10 + BELIEF * 0.75) / (15 + BELIEF * 0.75))
    assert found[0] == round(SCALE * (up - down))
    assert found[1] < 0
    assert log_odds(np.zeros(1), np.zeros(1), np.zeros(1))[0] == 0


def test_votes_count_what_was_learned():
    asks, cells = in_cells(world(second_smallest))
    items = items_of(asks)
    values = np.array([float(items.texts[k]) for k in items.text])
    weights = FeatureWeights(feature("rank", True, ranks(items, values)), items, cells)
    votes = weights.votes(np.array([1, 2, 3, 4]), 0, often=False).reshape(-1, 4)
    numbers = values[: votes.size].reshape(-1, 4)
    assert np.array_equal(votes.argmax(axis=1), numbers.argsort(axis=1)[:, 1])
    often = weights.votes(np.array([1, 2, 3, 4]), 0, often=True)
    assert set(often) == {0.0, 320.0}


def test_ties_share_what_is_right():
    found = picked(np.array([2, 3]), np.array([0.0, 1, 0, 0, 1]), np.array([5, 5, 1, 7, 2]))
    assert found.credit.tolist() == [0.5, 0.0]
    assert found.sure.tolist() == [False, False]
    assert found.pick.tolist() == [0, 1]


def test_items_with_different_numbers_of_options_have_ranks_of_their_own():
    asks = world(second_smallest, items=4)
    items = items_of(asks)
    codes = ranks(items, np.array([float(items.texts[k]) for k in items.text]))
    assert sorted(set(codes.tolist())) == [0, 1, 2, 3]
    assert (ranks(items, np.where(items.item == 1, np.nan, 1.0)) == -1).sum() == 4


def test_an_interval_of_independent_items_is_wilsons():
    """A cluster for each item: only t with 199 degrees of freedom is a little wider."""
    credit = np.r_[np.ones(60), np.zeros(140)]
    low, high = share_interval(credit, np.arange(200))
    exact = binomtest(60, 200).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((exact.low, exact.high), abs=1e-3)


def test_items_that_go_together_count_as_one():
    credit = np.repeat([1.0, 0.0, 0.0, 1.0, 0.0], 40)
    low, high = share_interval(credit, np.repeat(np.arange(5), 40))
    # Five clusters, two of them right: no narrower than what five items give.
    exact = binomtest(2, 5).proportion_ci(method="wilson")
    assert low < exact.low and high > exact.high
    assert share_interval(credit, np.zeros(200, dtype=np.int64)) is None


def test_a_bound_that_holds_for_many_is_lower():
    excess = np.tile([0.5, -0.1, 0.3], 20)
    group = np.repeat(np.arange(10), 6)
    group[::7] = 3
    assert lower_bound(excess, group, 20) < lower_bound(excess, group) < excess.mean()
    assert lower_bound(excess, np.zeros(60, dtype=np.int64)) is None


@cases(("text", "words", "numbers", "intervals"), [
    ("From 3.00 s to 5.50 s", ("from", "s", "to", "s"), (3.0, 5.5), ((3.0, 5.5),)),
    ("Twice", ("twice",), (2,), ()),
    ("Grasper, bipolar forceps", ("grasper", "bipolar", "forceps"), (), ()),
    ("[10, 20, 300, 400]", (), (10.0, 20.0, 300.0, 400.0), ()),
    ("between 1 and 2", ("between", "and"), (1.0, 2.0), ((1.0, 2.0),)),
])  # fmt: skip
def test_texts_are_read(text, words, numbers, intervals):
    found = read(text)
    assert (found.words, found.numbers, found.intervals) == (words, numbers, intervals)


def test_answers_of_a_recording_count_alike_and_blocks_as_they_are():
    asks = world(labels, items=12, surgeries=2)
    said = ["hook"] * 4 + ["bag"] * 2
    some = [replace(one, answer=said[k // 2], options=(), block="b" if k >= 10 else "")
            for k, one in enumerate(asks)]  # fmt: skip
    found = items_of(some)
    for video in ("s0", "s1"):
        mine = [(one.answer, one.block, w) for one, w in zip(some, found.weight, strict=True)
                if one.video == video]  # fmt: skip
        assert [w for _, block, w in mine if block] == [1.0]
        sums = {a: sum(w for one, block, w in mine if one == a and not block) for a in said}
        assert sums["hook"] == pytest.approx(sums["bag"]) == 2.5
    assert np.ptp(items_of([replace(one, block="b") for one in asks]).weight) == 0


def test_weighted_items_have_the_interval_of_as_many_as_they_count():
    credit, group = np.r_[np.ones(60), np.zeros(140)], np.arange(200)
    assert share_interval(credit, group, np.full(200, 3.0)) == share_interval(credit, group)
    heavy = share_interval(credit, group, np.r_[np.full(20, 5.0), np.ones(180)])
    assert heavy[1] - heavy[0] > np.diff(share_interval(credit, group))[0]
    assert lower_bound(credit, group, 1, np.full(200, 2.0)) == lower_bound(credit, group)
