"""The child that gives up its rights starts clean."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

from tests.rights import as_nobody


class OfOneProcess:
    """What may only be cleared away where it was made, as a database with threads."""

    def __init__(self) -> None:
        self.made_in = os.getpid()
        self.itself = self

    def __del__(self) -> None:
        if os.getpid() != self.made_in:
            os._exit(3)


def test_a_child_leaves_its_parents_rubbish_alone():
    def work() -> Iterator[int]:
        yield gc.collect()

    gc.disable()
    OfOneProcess()
    assert len(as_nobody(work)) == 1
    assert gc.isenabled()
