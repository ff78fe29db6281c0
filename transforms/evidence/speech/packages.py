"""The packages of the extra for speech, and the error if they are not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata

from surgqa.ontology.errors import PackageMissing

LIBRARIES = ("ctranslate2", "faster-whisper", "numpy", "onnxruntime")
"""Packages whose arithmetic affects the words."""


@contextmanager
def needed() -> Iterator[None]:
    """Context manager for imports of the packages.

    Raises:
        UserError: a package is not installed; the message names the extra.
    """
    try:
        yield
    except ImportError as error:  # includes metadata's PackageNotFoundError
        raise PackageMissing(
            "speech recognition needs a package that is not installed",
            expected="faster-whisper",
            found=f"no package {error.name or error}",
            where="speech",
            fix="pip install 'surgqa[asr]'",
        ) from None


def versions() -> dict[str, str]:
    """Return the version of each of LIBRARIES.

    Raises:
        UserError: a package is not installed.
    """
    with needed():
        return {name: metadata.version(name) for name in LIBRARIES}
