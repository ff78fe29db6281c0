"""Question-answer datasets from surgical videos, by rule.

>>> import surgqa
>>> data = surgqa.build("cholect50", "/data/cholect50", "out")  # doctest: +SKIP

In a checkout this folder holds links to the four folders beside it.
"""

from typing import Any

_FUNCTIONS = ("build", "read", "Dataset")


def __getattr__(name: str) -> Any:
    """A function of :mod:`surgqa.pipeline.notebook`, which is imported when one is used."""
    if name not in _FUNCTIONS:
        raise AttributeError(f"module 'surgqa' has no attribute {name!r}")
    from surgqa.pipeline import notebook

    return getattr(notebook, name)
