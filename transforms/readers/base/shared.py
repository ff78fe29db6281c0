"""Cache for tables shared by all videos: read for each video, parsed once per process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from surgqa.ontology.records import Source

T = TypeVar("T")
_KEPT = 4
_parsed: OrderedDict[tuple[str, str, str], Any] = OrderedDict()


def parsed_once(data: bytes, source: Source, parse: Callable[[bytes, str], T]) -> T:
    """Return ``parse(data, name)``, cached in this process by path, file digest and ``parse``.

    Args:
        parse: a module-level function; its result is shared and must not be modified.
    """
    key = (source.sha256, source.path, f"{parse.__module__}.{parse.__qualname__}")
    if key not in _parsed:
        _parsed[key] = parse(data, source.path)
        while len(_parsed) > _KEPT:
            _parsed.popitem(last=False)
    _parsed.move_to_end(key)
    return _parsed[key]
