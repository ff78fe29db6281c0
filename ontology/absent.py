"""Hide an installed package from a process."""

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
        """Return None, so that other finders handle all other packages.

        Raises:
            ModuleNotFoundError: the hidden package is imported.
        """
        if name == self.name:
            raise ModuleNotFoundError(f"surgqa does not use {name} here", name=name)


def without_pandas() -> None:
    """Hide pandas from this process.

    If pandas is installed, pyarrow imports it for the first array that it makes from a list.  The
    import takes one second of CPU time, and no command needs pandas.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, Absent("pandas"))


def pyarrow_without_pandas() -> None:
    """Hide pandas from pyarrow only; this process can import it later."""
    import pyarrow as pa

    absent = Absent("pandas")
    sys.meta_path.insert(0, absent)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(absent)
