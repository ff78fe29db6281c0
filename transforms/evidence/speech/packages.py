"""The packages of the extra that hears, and what is said where they are not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata

from ontology.errors import EXIT_MISSING, UserError

LIBRARIES = ("ctranslate2", "faster-whisper", "numpy", "onnxruntime")
"""Those whose arithmetic shows in the words."""


@contextmanager
def needed() -> Iterator[None]:
    """Around imports of the packages.

    Raises:
        UserError: one is not installed; names the extra.
    """
    try:
        yield
    except ImportError as error:  # metadata's PackageNotFoundError is one
        raise UserError(
            "listening to speech needs a package that is not installed",
            expected="faster-whisper",
            found=f"no package {error.name or error}",
            where="speech",
            fix="pip install 'surgqa[asr]'",
            exit_code=EXIT_MISSING,
        ) from None


def versions() -> dict[str, str]:
    """Version of each of LIBRARIES.

    Raises:
        UserError: one is not installed.
    """
    with needed():
        return {name: metadata.version(name) for name in LIBRARIES}
