"""One test of many small cases: thousands of tests of their own cost more than what they check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def each(cases: Iterable[Any], check: Callable[..., None]) -> None:
    """Check every case and tell all that failed.

    Args:
        cases: what to check; a tuple is given as several arguments.

    Raises:
        ExceptionGroup: of what failed, each with its case.
        AssertionError: there are no cases.
    """
    every = [case if isinstance(case, tuple) else (case,) for case in cases]
    assert every, "no cases"
    failed = [error for case in every if (error := _tried(check, case)) is not None]
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {len(every)} cases", failed)


def _tried(check: Callable[..., None], case: tuple[Any, ...]) -> Exception | None:
    try:
        check(*case)
    except Exception as error:  # noqa: BLE001 - whatever it is fails the test, with its case
        error.add_note(f"case: {case!r}")
        return error
    return None
