"""Tables that all videos of a dataset share: read for each, parsed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from ontology.records import Source

T = TypeVar("T")
_KEPT = 4
_parsed: OrderedDict[tuple[str, str, str], Any] = OrderedDict()


def parsed_once(data: bytes, source: Source, parse: Callable[[bytes, str], T]) -> T:
    """``parse(data, name)``, kept for the next video of this process by the file's digest.

    Args:
        parse: a plain function of a module; what it returns must not be changed.
    """
    key = (source.sha256, source.path, f"{parse.__module__}.{parse.__qualname__}")
    if key not in _parsed:
        _parsed[key] = parse(data, source.path)
        while len(_parsed) > _KEPT:
            _parsed.popitem(last=False)
    _parsed.move_to_end(key)
    return _parsed[key]
