"""The word of a scale for a value."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scales import ACROSS, DOWN, Steps, rated, steps_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import BOX, LABEL, SqlValue, text
from surgqa.transforms.algebra.tree import Amount, Call, Node


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The word is known if the whole range is in one step, ``clear`` away from the step's
    borders.
    """
    value, scale, clear = scope.value(call.get("of")), call.get("scale"), call.get("clear")
    if value.shape == BOX:
        return _ninth(value, clear, scope)
    if isinstance(scale, Node):
        return _rated(value, scope.value(scale), scope)
    steps = steps_of(scale)
    fits = f"v.ok and {step(steps, 'v.lo')} = {step(steps, 'v.hi')}"
    if clear is not None:
        fits += "".join(f" and {one}" for one in _clear_of(steps, clear))
    columns = f"{word(steps, 'v.lo')} as value, coalesce({fits}, false) as ok, v.none as none"
    return scope.row(LABEL, columns, v=value)


def step(steps: Steps, number: str) -> str:
    """Return the index of the step that contains a number; numbers below the first step get 0."""
    when = " ".join(
        f"when {number} >= {low!r} then {k}" for k, (_, low) in reversed(list(enumerate(steps)))
    )
    return f"case {when} else 0 end"


def word(steps: Steps, number: str) -> str:
    """Return the word of the step that contains a number."""
    return f"[{', '.join(text(word) for word, _ in steps)}][{step(steps, number)} + 1]"


def _clear_of(steps: Steps, clear: Amount) -> list[str]:
    """Return SQL conditions that the printed value is far enough from every border."""
    return [
        f"abs(v.at - {low!r}) >= {clear.low * (abs(low) if clear.unit == 'share' else 1)!r}"
        for _, low in steps[1:]
    ]


def _rated(value: SqlValue, label: SqlValue, scope: SqlScope) -> SqlValue:
    """Return the word for a rating on its own scale."""
    words, ok = [], []
    for concept, steps in rated().items():
        mine = f"when {text(concept)} then"
        words.append(f"{mine} {word(steps, 'v.lo')}")
        ok.append(f"{mine} {step(steps, 'v.lo')} = {step(steps, 'v.hi')}")
    columns = (
        f"case w.value {' '.join(words)} end as value, coalesce(v.ok and w.ok and not w.none and "
        f"case w.value {' '.join(ok)} end, false) as ok, v.none or w.none as none"
    )
    return scope.row(LABEL, columns, v=value, w=label)


def _ninth(box: SqlValue, clear: Amount | None, scope: SqlScope) -> SqlValue:
    """Return the ninth of the frame that contains a box's centre.

    The centre is at least ``clear`` away from the borders of the ninth.
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
