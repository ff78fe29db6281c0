"""Splits by surgery: the group alone decides, and the shares are kept."""

from collections import Counter

import pytest

from surgqa.ontology.keys import h64
from surgqa.ontology.splits import SPLITS, split_of

SHARES = {"train": 0.8, "val": 0.1, "test": 0.1}


def test_shares_are_kept_over_many_groups():
    counts = Counter(split_of(f"cholec/{n}", "42", SHARES) for n in range(10_000))
    assert set(counts) == set(SPLITS)
    for name, share in SHARES.items():
        assert abs(counts[name] / 10_000 - share) < 0.015, name


def test_a_larger_share_for_training_takes_groups_from_the_others_only():
    larger = {"train": 0.9, "val": 0.05, "test": 0.05}
    for n in range(500):
        before, after = (split_of(f"g{n}", "42", shares) for shares in (SHARES, larger))
        assert before != "train" or after == "train"
        assert after != "test" or before == "test"


def test_the_seed_matters():
    groups = [f"cholec/{n}" for n in range(200)]
    assert [split_of(g, "1", SHARES) for g in groups] != [split_of(g, "2", SHARES) for g in groups]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        pytest.param({"train": 1.0}, {"train"}, id="one-split"),
        pytest.param({"train": 0.0, "test": 1.0}, {"test"}, id="an-empty-share-gets-nothing"),
        pytest.param({"train": 1.0, "val": 0.0}, {"train"}, id="an-empty-last-share"),
    ],
)
def test_only_named_splits_with_a_share_get_groups(shares, expected):
    assert {split_of(f"g{n}", "42", shares) for n in range(300)} == expected


def test_the_place_of_a_group_is_its_digest():
    shares = {"low": 0.5, "high": 0.5}
    for n in range(100):
        low = h64("split", "42", f"g{n}") < 2**63
        assert split_of(f"g{n}", "42", shares) == ("low" if low else "high")


def test_the_largest_digest_has_a_split_too(monkeypatch):
    """As a float it is 1.0, which no sum of shares exceeds."""
    monkeypatch.setattr("surgqa.ontology.splits.h64", lambda *parts: 2**64 - 1)
    assert split_of("last", "42", SHARES) == "test"


@pytest.mark.parametrize(("place", "name"), [(2**63 - 2**12, "low"), (2**63, "high")])
def test_a_place_at_an_edge_is_of_the_next_split(place, name, monkeypatch):
    monkeypatch.setattr("surgqa.ontology.splits.h64", lambda *_: place)
    assert split_of("g", "42", {"low": 0.5, "high": 0.5}) == name
