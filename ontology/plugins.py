"""Find readers, operators and formats that other packages add; require optional packages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import metadata
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from surgqa.ontology.errors import PackageMissing, PluginBroken

DATASETS, OPERATORS = "surgqa.datasets", "surgqa.operators"
SCORERS, EXPORTS = "surgqa.scorers", "surgqa.exports"
EXTRACTORS, ENGINES = "surgqa.extractors", "surgqa.engines"
"""Groups of entry points; each group is named after what it contains."""


def offered(group: str, shipped: Collection[str] = ()) -> list[EntryPoint]:
    """Return the entry points of installed packages in a group, sorted by name.

    Args:
        shipped: names that are already used by surgqa itself.

    Raises:
        UserError: two entry points have the same name, or one has a ``shipped`` name.
    """
    found = sorted(entry_points(group=group), key=lambda one: one.name)
    taken = set(shipped)
    for point in found:
        if point.name in taken:
            raise PluginBroken(
                f"two {group.rpartition('.')[2]} have the same name", found=point.value,
                where=point.name, fix="rename the entry point",
            )  # fmt: skip
        taken.add(point.name)
    return found


def loaded(point: EntryPoint) -> Any:
    """Return the object that an entry point refers to.

    Raises:
        UserError: the package cannot be imported, or does not contain the object.
    """
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise PluginBroken(
            f"the entry point {point.name!r} of another package cannot be loaded",
            expected=f"{point.value} ({point.group})", found=str(error), where=point.name,
            fix="install that package again, or remove it",
        ) from None  # fmt: skip


def release(package: str) -> str | None:
    """Return the installed version of a package, without importing it; None if it is missing."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@contextmanager
def needed(what: str, package: str, extra: str) -> Iterator[None]:
    """Context manager for imports of an optional package.

    Args:
        what: what needs the package, for the message.
        extra: the extra of surgqa that installs the package, such as ``onnx``.

    Raises:
        UserError: a package is not installed; the message names the extra.
    """
    try:
        yield
    except ImportError as error:  # includes PackageNotFoundError
        raise PackageMissing(
            f"{what} needs a package that is not installed", expected=package,
            found=f"no package {error.name or error}", fix=f"pip install 'surgqa[{extra}]'",
        ) from None  # fmt: skip
