"""Packages that a process does without, though they are installed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType


class Absent:
    """An entry of ``sys.meta_path`` for which a package is not installed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> None:
        """Nothing of other packages.

        Raises:
            ModuleNotFoundError: for the one that is to be absent.
        """
        if name == self.name:
            raise ModuleNotFoundError(f"surgqa does without {name} here", name=name)


def without_pandas() -> None:
    """Have this process do without pandas.

    Where it is installed, pyarrow imports it for the first array that it makes of a list: a
    second of the processor's time, for what no command uses.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, Absent("pandas"))


def pyarrow_without_pandas() -> None:
    """Have pyarrow do so; packages that this process imports later may use it."""
    import pyarrow as pa

    absent = Absent("pandas")
    sys.meta_path.insert(0, absent)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(absent)
