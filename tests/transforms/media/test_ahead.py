"""Items made by a thread: the same ones, errors in their place, nothing left running."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from surgqa.transforms.media.ahead import ahead


def counted(upto: int, made: list[int]) -> Iterator[int]:
    for number in range(upto):
        made.append(number)
        yield number


def test_all_items_come_in_order_and_none_is_made_too_early() -> None:
    made: list[int] = []
    for number in ahead(counted(20, made)):
        assert made[-1] <= number + 3
    assert made == list(range(20)) and list(ahead(iter([]))) == []


def test_items_are_made_while_one_is_used() -> None:
    at_once = threading.Event()

    def items() -> Iterator[int]:
        yield 0
        at_once.set()
        yield 1

    for number in ahead(items()):
        if number == 0:
            assert at_once.wait(10)


def test_an_error_comes_where_its_item_would() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken at the second")

    got = []
    with pytest.raises(ValueError, match="broken at the second"):
        for number in ahead(items()):
            got.append(number)
    assert got == [1]


def test_no_thread_is_left_when_nobody_wants_the_rest() -> None:
    before = threading.active_count()
    source = ahead(counted(1000, []))
    assert next(source) == 0
    source.close()  # type: ignore[attr-defined]
    time.sleep(0.01)
    assert threading.active_count() == before
