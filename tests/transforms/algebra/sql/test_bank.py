"""What the bank says nothing about."""

from __future__ import annotations

import pytest

from surgqa.transforms.algebra.sql import bank

WHOLE = [("follows", None), ("needs", None), ("closes", None)]


@pytest.mark.parametrize(
    ("orders", "wanted"),
    [
        ([], WHOLE),
        ([({}, set())], WHOLE),
        ([({}, set()), ({"a": {}}, {"a"})], [("follows", "a")]),
    ],
)
def test_nothing_is_known_only_where_no_order_has_a_label(orders, wanted, monkeypatch):
    monkeypatch.setattr(bank, "orders", lambda procedure: orders)
    assert list(bank.unknown("laparoscopic cholecystectomy")) == wanted
