"""Every operator, shipped or installed, keeps the contract: form, example, worlds."""

from __future__ import annotations

from surgqa.pipeline.preview.contract import broken_promises
from surgqa.transforms.algebra.signature import signatures
from tests.each import cases


@cases("name", signatures())
def test_an_operator_keeps_the_contract(name):
    assert broken_promises(name) == []
