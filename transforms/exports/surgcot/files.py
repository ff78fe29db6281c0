"""Files of JSON objects that are written one object at a time."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson


class Lines:
    """A file with one JSON object a line.

    Attributes:
        count: number of objects written.
    """

    before, between, after, nothing = b"", b"\n", b"\n", b""

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self._file = stack.enter_context(path.open("wb"))
        self.count = 0
        self._file.write(self.before)
        stack.callback(self._end)

    def add(self, value: Any) -> None:
        """Write one more object."""
        self._file.write((self.between if self.count else b"") + orjson.dumps(value))
        self.count += 1

    def _end(self) -> None:
        self._file.write(self.after if self.count else self.nothing)


class Array(Lines):
    """A file with one array of JSON objects, each in its own line; ``[]`` if there are none."""

    before, between, after, nothing = b"[", b",\n", b"]\n", b"]\n"
