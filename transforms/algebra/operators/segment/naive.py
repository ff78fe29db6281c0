"""What a segment has to hold: the stretch, or the opening of a long one.

Which segment is chosen goes by what is printed; it is right if it holds this in every world.
"""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call
from transforms.algebra.worlds.naive import Env, Span, Undefined, span_of


def naive(call: Call, env: Env) -> Any:
    """Return the value in one world; raise Undefined where there is none."""
    value = env.ev(call.get("of"))
    if value is None:
        raise Undefined
    span, most = span_of(value), call.get("most")
    if most is not None and span.b - span.a > most.low:
        return Span(span.a, span.a + int(call.get("opening").low))
    return span
