"""Codes of features: close numbers by a table, others by sorting, the same either way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.blind.context import _named
from surgqa.transforms.blind.features import densely
from surgqa.transforms.blind.items import items_of
from surgqa.transforms.blind.words import FUNCTION, read
from tests.each import cases
from tests.transforms.blind.worlds import PLAIN, world


@given(st.lists(st.integers(-5, 60) | st.integers(-(1 << 62), 1 << 62), max_size=40))
def test_dense_codes_are_those_of_sorting(values: list[int]):
    codes = np.array(values, dtype=np.int64)
    wanted, inverse = np.unique(codes, return_inverse=True)
    dense, size = densely(codes)
    assert size == len(wanted) and dense.dtype == np.int64
    assert dense.tolist() == inverse.tolist()


@pytest.mark.parametrize("codes", [[0.5, 0.25, 0.5], [True, False, True]])
def test_codes_that_are_no_whole_numbers(codes: list):
    dense, size = densely(np.array(codes))
    assert (dense.tolist(), size) == ([1, 0, 1], 2)


TEXTS = ("The hook at 3.00 s", "Two graspers from 3 s to 5.5 s", "A hook", "the", "3", "")


def named_by(text: str) -> frozenset[str]:
    """The words and numbers of a text, but for words that name nothing."""
    found = read(text)
    return (frozenset(found.words) - FUNCTION) | {f"{one:g}" for one in found.numbers}


@cases("maker", PLAIN[:3], ids=lambda maker: maker.__name__)
def test_shares_of_an_options_words_that_a_text_names(maker):
    items = items_of(world(maker))
    texts = [TEXTS[k % len(TEXTS)] + items.texts[k % len(items.texts)]
             for k in range(len(items.asks))]  # fmt: skip
    held, options = ([named_by(one) for one in some] for some in (texts, items.texts))
    plain = [frozenset(read(one).words) for one in texts]
    wanted = [
        len((held if read(items.texts[t]).numbers else plain)[i] & options[t])
        / (len(options[t]) or 1)
        for i, t in zip(items.item, items.text, strict=True)
    ]
    assert _named(items, texts).tolist() == wanted
