"""The structure of ``manifest.json``, to detect a broken manifest when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

COUNTS = {str: int}

MANIFEST: dict[str, Any] = {
    "row_schema": str,
    "digest": str,
    "digests": {str: str},
    "settings": {str: object},
    "settings_digest": str,
    "packages": {str: str},
    "readers": COUNTS,
    "masking": int,
    "templates": {str: {"version": int, "digest": str}},
    "items": {str: {"total": int, "by_template": COUNTS, "by_split": COUNTS}},
    "ledger": {str: {"units": int, "asked": int, "declined": COUNTS}},
    "books": [{"stage": str, "unit": str, "read": int, "kept": int, "rejected": int,
               "failed": int}],
    "rejected": COUNTS,
    "dropped": COUNTS,
    "review": {str: object},
    "shares": [{"template": str, "dataset": str, "kept": [int], "made": [int]}],
    "excluded": [{"key": str, "reason": str}],
    "failed": [{"key": str, "error": [str]}],
    "inputs": [{"dataset": str, "video_id": str, "rows": int,
                "sources": [{"path": str, "sha256": str}]}],
    "files": {str: str},
    "documents": {str: str},
}  # fmt: skip
"""Entry -> its type; ``[of]`` is a list, ``{str: of}`` an object with any keys, any other object
has at least these keys.  An entry may be missing, as in folders of other programs.
"""


def misfits(manifest: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the entries with a wrong type (where, expected, found)."""
    if not isinstance(manifest, Mapping):
        yield "the file", "an object", type(manifest).__name__
        return
    for name, of in MANIFEST.items():
        if name in manifest:
            yield from _misfits(manifest[name], of, name)


def _misfits(value: Any, of: Any, at: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(of, list):
        yield from _kind(value, list, at)
        for k, one in enumerate(value if isinstance(value, list) else ()):
            yield from _misfits(one, of[0], f"{at}[{k}]")
    elif isinstance(of, dict):
        yield from _kind(value, dict, at)
        if not isinstance(value, dict):
            return
        for name in value if str in of else of:
            if name in value:
                yield from _misfits(value[name], of.get(str, of.get(name)), f"{at}.{name}")
            else:
                yield f"{at}.{name}", "a value", "nothing"
    else:
        yield from _kind(value, of, at)


def _kind(value: Any, kind: type, at: str) -> Iterator[tuple[str, str, str]]:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        yield at, NAMES.get(kind, kind.__name__), f"{value!r:.60}"


NAMES = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
