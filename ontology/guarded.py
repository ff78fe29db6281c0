"""Parse JSON that other people or programs wrote, with limits and type checks.

Such a file can nest values too deeply, contain numbers that no column can store, or contain a list
where a name is expected.  :func:`parsed` rejects the first two, :func:`read_as` all three.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from surgqa.ontology.errors import UserError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
DEEPEST = 100
"""Maximum nesting of lists and objects; real files have fewer than ten levels."""


@dataclass(frozen=True, slots=True)
class ErrorOf:
    """How an invalid value is reported.

    Attributes:
        summary: first line of the message, such as ``not a job``.
        error: the class to raise.
    """

    summary: str
    expected: str
    fix: str
    error: type[UserError]

    def wrong(self, found: str, where: str) -> UserError:
        """Return the error to raise."""
        return self.error(
            self.summary, expected=self.expected, found=found, where=where, fix=self.fix
        )


def parsed(data: bytes | str, where: str, telling: ErrorOf) -> Any:
    """Return the value of a JSON text, within the limits.

    Integers beyond 64 bits are returned as floats; infinite numbers are rejected.

    Args:
        where: file and line, for messages.

    Raises:
        UserError: the text is not JSON, or it nests more than 100 levels deep.
    """
    try:
        value = orjson.loads(data)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as problem:
        raise telling.wrong(str(problem), where) from None
    if is_deep(data):
        raise telling.wrong(f"values nested more than {DEEPEST} deep", where)
    return value


def as_id(value: Any) -> int | float | str | None:
    """Return the value if it can be a dictionary key (a number or a text), otherwise None.

    Ids from a file are checked with this first, because lists and objects cannot be keys.
    """
    return value if isinstance(value, (int, float, str)) else None


def is_deep(data: bytes | str) -> bool:
    """Return whether JSON text nests lists and objects more than 100 deep."""
    text = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return False  # few brackets, as in nearly all files: the text need not be scanned
    depth = 0
    inside = False
    characters = iter(text)
    for sign in characters:
        if inside and sign == 0x5C:  # skip the character after a backslash
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


def read_as(kind: type[T], data: bytes | str, where: str, telling: ErrorOf) -> T:
    """Return a JSON value of a given type, a dataclass or a TypedDict, without type conversion.

    Raises:
        UserError: see :func:`parsed`; also if fields are missing or have another type.
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
