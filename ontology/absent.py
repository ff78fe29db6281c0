"""Let a process ignore an installed package."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType


class Absent:
    """An entry of ``sys.meta_path`` that hides a package."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> None:
        """Find nothing, so that other finders handle other packages.

        Raises:
            ModuleNotFoundError: for the hidden package.
        """
        if name == self.name:
            raise ModuleNotFoundError(f"surgqa does without {name} here", name=name)


def without_pandas() -> None:
    """Hide pandas from this process.

    If pandas is installed, pyarrow imports it for the first array that it makes from a list.  This
    takes a second of CPU time and no command needs it.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, Absent("pandas"))


def pyarrow_without_pandas() -> None:
    """Hide pandas from pyarrow only; packages that this process imports later can use it."""
    import pyarrow as pa

    absent = Absent("pandas")
    sys.meta_path.insert(0, absent)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(absent)
