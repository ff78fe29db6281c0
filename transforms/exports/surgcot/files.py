"""Files that are written piece by piece, with their number of objects and digest."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import orjson


class Lines:
    """A file with one JSON object a line.

    Attributes:
        count: number of objects written.
    """

    before, between, after = b"", b"\n", b"\n"

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self._file: BinaryIO = stack.enter_context(path.open("wb"))
        self._sha256 = hashlib.sha256()
        self.count = 0
        self._put(self.before)

    def add(self, value: Any) -> None:
        """Write one more object."""
        self._put((self.between if self.count else b"") + orjson.dumps(value))
        self.count += 1

    def close(self) -> dict[str, Any]:
        """Write the end; the number of objects, and the digest."""
        self._put(self.after if self.count else self.nothing)
        return {"items": self.count, "sha256": self._sha256.hexdigest()}

    nothing = b""
    """The end of a file without objects."""

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._sha256.update(data)


class Array(Lines):
    """A file with one array of JSON objects, each in its own line; ``[]`` if there are none."""

    before, between, after = b"[", b",\n", b"]\n"
    nothing = b"]\n"
