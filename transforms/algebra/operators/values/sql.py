"""``arithmetic``, ``coalesce``, ``parts``, ``segment``, ``word`` in SQL, as in ``columns.py``."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.references import reference
from surgqa.transforms.algebra.sql.scales import ACROSS, DOWN, Steps, rated, steps_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import (
    BOX,
    COLUMNS,
    LABEL,
    RANGE,
    SPANS,
    STRETCH,
    SqlValue,
    text,
)
from surgqa.transforms.algebra.tree import Amount, Call, Const, Node

SECOND_US = 1_000_000


ONE = "coalesce(a.mark = b.mark, false)"


BOTH = "a.ok and b.ok as ok, a.none or b.none as none"


def arithmetic(call: Call, scope: SqlScope) -> SqlValue:
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


"""The quotient of two values that are not negative; undefined if the divisor may be 0."""


WORD = "18446744073709551616::uhugeint"


STIRRED = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


"""(bits to shift, factor) of each step that mixes the bits of a hash."""


def _drawn(bounds: tuple[int, int], a: SqlValue, scope: SqlScope) -> SqlValue:
    """Return a length in whole seconds between two bounds, drawn by a hash of video and time."""
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


def coalesce(call: Call, scope: SqlScope) -> SqlValue:
    values = [scope.value(node) for node in call.get("of")]
    out = values[0]
    for other in values[1:]:
        columns = ", ".join(
            f"case when a.none then b.{name} else a.{name} end as {name}"
            for name in COLUMNS[out.shape]
        )
        out = scope.row(out.shape, columns, a=out, b=other)
    return out


def parts(call: Call, scope: SqlScope) -> SqlValue:
    whole, n = reference(call.get("of"), scope), int(call.get("n"))
    start, end = (
        ", ".join(
            f"v.{low} + (v.{high} - v.{low}) * (k.place + {more}) // {n} as {name}"
            for low, high, name in zip(("a0", "a", "a1"), ("b0", "b", "b1"), names, strict=True)
        )
        for more, names in ((0, ("a0", "a", "a1")), (1, ("b0", "b", "b1")))
    )
    rows = scope.add(
        f"""select *, coalesce(a_ok and b_ok and a1 < b0, false) as ok from (select v.q, k.place,
          {start}, null::bigint as a_mark, v.ok as a_ok, {end}, null::bigint as b_mark,
          v.ok as b_ok from {whole.cte} v, (select unnest(range({n})) as place) k)""", "parts"
    )  # fmt: skip
    return SqlValue(SPANS, scope.add(f"select q, ok from {whole.cte}", SPANS), rows, of=STRETCH)


def segment(call: Call, scope: SqlScope) -> SqlValue:
    held = _held(reference(call.get("of"), scope), call.get("most"), call.get("opening"), scope)
    least, tries = call.get("iou"), []
    for grid in call.get("grid"):
        us = int(grid.low)
        first, last = f"floor(v.a0 / {us})::bigint * {us}", f"ceil(v.b1 / {us})::bigint * {us}"
        fits = f"v.ok and {us} >= greatest(v.a1 - v.a0, v.b1 - v.b0)"
        if isinstance(least, Amount):
            fits += f" and v.b - v.a > {least.low!r} * ({last} - {first})"
        tries.append(f"when {fits} then {{'a': {first}, 'b': {last}}}")
    found = scope.add(f"select v.q, case {' '.join(tries)} end as one from {held} v", "grid")
    columns = ", ".join(
        f"v.one.{side} as {side}0, v.one.{side} as {side}, v.one.{side} as {side}1, null::bigint "
        f"as {side}_mark, v.one is not null as {side}_ok"
        for side in "ab"
    )
    return scope.row(
        STRETCH, f"{columns}, coalesce(v.one.a < v.one.b, false) as ok", v=SqlValue(STRETCH, found)
    )


def _held(whole: SqlValue, most: object, opening: object, scope: SqlScope) -> str:
    """Return the stretch that the segment must contain, with ok; a long stretch is cut."""
    if not isinstance(most, Amount) or not isinstance(opening, Amount):
        return whole.cte
    long = f"b0 - a1 > {int(most.low)}"
    moved = ", ".join(
        f"case when {long} then {start} + {int(opening.low)} else {end} end as {end}"
        for start, end in (("a0", "b0"), ("a", "b"), ("a1", "b1"))
    )
    settled = f"coalesce(ok and ({long} or b1 - a0 <= {int(most.low)}), false) as ok"
    return scope.add(f"select * replace ({moved}, {settled}) from {whole.cte}", "held")


def word(call: Call, scope: SqlScope) -> SqlValue:
    value, scale, clear = scope.value(call.get("of")), call.get("scale"), call.get("clear")
    if value.shape == BOX:
        return _ninth(value, clear, scope)
    if isinstance(scale, Node):
        return _rated(value, scope.value(scale), scope)
    steps = steps_of(scale)
    fits = f"v.ok and {_step_of(steps, 'v.lo')} = {_step_of(steps, 'v.hi')}"
    if clear is not None:
        fits += "".join(f" and {one}" for one in _clear_of(steps, clear))
    columns = f"{_word_of(steps, 'v.lo')} as value, coalesce({fits}, false) as ok, v.none as none"
    return scope.row(LABEL, columns, v=value)


def _step_of(steps: Steps, number: str) -> str:
    """Return the index of the word whose range contains a number; 0 below the first range."""
    when = " ".join(
        f"when {number} >= {low!r} then {k}" for k, (_, low) in reversed(list(enumerate(steps)))
    )
    return f"case {when} else 0 end"


def _word_of(steps: Steps, number: str) -> str:
    """Return the word whose range contains a number."""
    return f"[{', '.join(text(word) for word, _ in steps)}][{_step_of(steps, number)} + 1]"


def _clear_of(steps: Steps, clear: Amount) -> list[str]:
    """Return SQL conditions: the printed value is far enough from where the next word begins."""
    return [
        f"abs(v.at - {low!r}) >= {clear.low * (abs(low) if clear.unit == 'share' else 1)!r}"
        for _, low in steps[1:]
    ]


def _rated(value: SqlValue, label: SqlValue, scope: SqlScope) -> SqlValue:
    """Return the word for a rating, on the scale that belongs to the rating."""
    words, ok = [], []
    for concept, steps in rated().items():
        mine = f"when {text(concept)} then"
        words.append(f"{mine} {_word_of(steps, 'v.lo')}")
        ok.append(f"{mine} {_step_of(steps, 'v.lo')} = {_step_of(steps, 'v.hi')}")
    columns = (
        f"case w.value {' '.join(words)} end as value, coalesce(v.ok and w.ok and not w.none and "
        f"case w.value {' '.join(ok)} end, false) as ok, v.none or w.none as none"
    )
    return scope.row(LABEL, columns, v=value, w=label)


def _ninth(box: SqlValue, clear: Amount | None, scope: SqlScope) -> SqlValue:
    """Return which ninth of the frame ("upper left") contains the centre of a box.

    It is unknown if the centre is less than ``clear`` away from a border of the ninth.
    """
    x, y = "((v.x1 + v.x2) / 2)", "((v.y1 + v.y2) / 2)"

    def third(number: str, names: tuple[str, ...]) -> str:
        place = f"least(greatest(trunc({number} * 3)::int, 0), 2) + 1"
        return f"[{', '.join(map(text, names))}][{place}]"

    ok = "v.ok"
    if clear is not None:
        ok += "".join(f" and abs({number} - {k}::double / 3) >= {clear.low!r}"
                      for number in (x, y) for k in (1, 2))  # fmt: skip
    name = f"{third(y, DOWN)} || ' ' || {third(x, ACROSS)}"
    columns = f"{name} as value, coalesce({ok}, false) as ok, v.none as none"
    return scope.row(LABEL, columns, v=box)
