"""Find one record of a report of scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def first(records: Iterable[Any], **wanted: object) -> Any:
    """The first record with these values of its attributes; KeyError without one."""
    for one in records:
        if all(getattr(one, name) == value for name, value in wanted.items()):
            return one
    raise KeyError(wanted)
