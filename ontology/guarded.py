"""JSON from outside, held to bounds and to a shape before anything works with it.

A file that a person or another program may have changed can nest values so deeply that a
walk over them fails, hold numbers that no column can hold, or hold a list where a name is
expected.  :func:`parsed` refuses the first two, :func:`read_as` all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from ontology.errors import SourceBroken, UserError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
DEEPEST = 100
"""Lists and objects inside one another; real files have less than ten."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What is said of a value that will not do.

    Attributes:
        summary: what it is not: ``not a job``.
        error: the class to raise.
    """

    summary: str
    expected: str
    fix: str
    error: type[UserError] = SourceBroken

    def wrong(self, found: str, where: str) -> UserError:
        """The error to raise."""
        return self.error(
            self.summary, expected=self.expected, found=found, where=where, fix=self.fix
        )


def parsed(data: bytes | str, where: str, telling: Telling) -> Any:
    """A JSON value within bounds.

    Whole numbers beyond 64 bits come as floats; infinite numbers are refused.

    Args:
        where: file, and line of it, for messages.

    Raises:
        UserError: no JSON, or nested more than 100 deep.
    """
    try:
        value = orjson.loads(data)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as problem:
        raise telling.wrong(str(problem), where) from None
    if is_deep(data):
        raise telling.wrong(f"values nested more than {DEEPEST} deep", where)
    return value


def as_id(value: Any) -> int | float | str | None:
    """A value that may name something: a number or a text; None for everything else.

    Lists and objects cannot be looked up, so an id is asked for here before it is.
    """
    return value if isinstance(value, (int, float, str)) else None


def is_deep(data: bytes | str) -> bool:
    """Whether JSON text nests lists and objects more than 100 deep."""
    text = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return False  # as good as always: nothing is walked through
    depth = 0
    inside = False
    characters = iter(text)
    for sign in characters:
        if inside and sign == 0x5C:  # a backslash hides the next character
            next(characters, None)
        elif sign == 0x22:
            inside = not inside
        elif not inside and sign in b"[{":
            depth += 1
            if depth > DEEPEST:
                return True
        elif not inside and sign in b"]}":
            depth -= 1
    return False


def read_as(kind: type[T], data: bytes | str, where: str, telling: Telling) -> T:
    """A JSON value of a shape: a dataclass or a TypedDict, no type taken for another.

    Raises:
        UserError: see :func:`parsed`; or fields are missing or of another type.
    """
    from pydantic import ValidationError

    value = parsed(data, where, telling)
    try:
        adapter = _adapter(kind)  # type: ignore[arg-type]
        found: T = adapter.validate_json(orjson.dumps(value), strict=True)
        return found
    except ValidationError as problem:
        wrong = problem.errors(include_url=False, include_input=False)
    lacking = [_name(one["loc"]) for one in wrong if one["type"] == "missing"]
    odd = [f"{_name(one['loc'])}: {one['msg']}" for one in wrong if one["type"] != "missing"]
    first = [f"no {', '.join(lacking)}"] if lacking else []
    raise telling.wrong("; ".join([*first, *odd[:5]]), where)


def _name(path: tuple[int | str, ...]) -> str:
    return ".".join(map(str, path)) or "the value"


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
