"""Sums, differences and quotients of times, durations and numbers."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import RANGE, SqlValue
from surgqa.transforms.algebra.tree import Call, Const

SECOND_US = 1_000_000

ONE = "coalesce(a.mark = b.mark, false)"
BOTH = "a.ok and b.ok as ok, a.none or b.none as none"


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The result is computed from the bounds of both values; an instant minus itself is
    exactly 0.
    """
    a, right = scope.value(call.get("left")), call.get("right")
    drawn = isinstance(right, Const) and isinstance(right.value, tuple)
    b = _drawn(right.value, a, scope) if drawn else scope.value(right)
    match call.get("sign"):
        case "+":
            mark = "case when b.lo = 0 and b.hi = 0 then a.mark end as mark"
            columns = f"a.lo + b.lo as lo, a.at + b.at as at, a.hi + b.hi as hi, {mark}, {BOTH}"
        case "-":
            low, at, high = (
                f"case when {ONE} then 0 else a.{x} - b.{y} end as {name}"
                for x, y, name in (("lo", "hi", "lo"), ("at", "at", "at"), ("hi", "lo", "hi"))
            )
            columns = f"{low}, {at}, {high}, null::bigint as mark, {BOTH}"
        case _:
            columns = _SHARE
    return scope.row(RANGE, columns, a=a, b=b)


_SHARE = (
    "a.lo / b.hi::double as lo, a.at / b.at::double as at, a.hi / b.lo::double as hi, "
    "null::bigint as mark, coalesce(a.ok and b.ok and b.lo > 0, false) as ok, "
    "a.none or b.none as none"
)
"""The quotient of non-negative values; undefined where the divisor may be 0."""

WORD = "18446744073709551616::uhugeint"
STIRRED = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
"""(bits to shift, factor) of each step of the hash finaliser that mixes the keys."""


def _drawn(bounds: tuple[int, int], a: SqlValue, scope: SqlScope) -> SqlValue:
    """A length in whole seconds between two bounds, drawn by a hash of the video and the time."""
    low, high = (us // SECOND_US for us in bounds)
    key = (f"('0x' || sha256(concat_ws(chr(31), c.video, '{bounds[0]}', '{bounds[1]}'))[:16])"
           "::ubigint")  # fmt: skip
    mixed = scope.add(
        f"select c.q, (xor(a.at::ubigint, {key})::uhugeint + 11400714819323198485) % {WORD} as z "
        f"from {scope.rows} c join {a.cte} a on a.q = c.q", "mix"
    )  # fmt: skip
    for bits, factor in STIRRED:
        mixed = scope.add(
            f"select q, (xor(z, z >> {bits}) * {factor}::uhugeint) % {WORD} as z from {mixed}",
            "mix",
        )
    us = f"(({low} + z % {high - low + 1}) * {SECOND_US})::bigint"
    return SqlValue(RANGE, scope.add(
        f"select q, {us} as lo, {us} as at, {us} as hi, null::bigint as mark, true as ok, "
        f"false as none from {mixed}", "drawn"
    ))  # fmt: skip
