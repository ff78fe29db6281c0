"""One test of many small cases: thousands of tests of their own cost more than what they check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any

Test = Callable[..., None]


def cases(
    names: str | Sequence[str], values: Iterable[Any], ids: object = None
) -> Callable[[Test], Test]:
    """All cases in one test, written as with ``pytest.mark.parametrize``; ids are not needed.

    What the test takes besides, such as a fixture, is the same for all cases.
    """
    known = [one.strip() for one in names.split(",")] if isinstance(names, str) else names
    every = [tuple(value) if len(known) > 1 else (value,) for value in values]

    def decorated(test: Test) -> Test:
        told = signature(test)

        @wraps(test)
        def whole(**others: Any) -> None:
            each(every, lambda *case: test(**dict(zip(known, case, strict=True)), **others))

        rest = [one for name, one in told.parameters.items() if name not in known]
        whole.__signature__ = told.replace(parameters=rest)  # type: ignore[attr-defined]
        return whole

    return decorated


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
