"""Read two sections of a template: ``draw`` (random choice) and ``rounds`` (repetition)."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.algebra.signature import Param
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.language.arguments import known_keys, record
from surgqa.transforms.language.context import At, ParseContext, Scope
from surgqa.transforms.language.program import Draw, Rounds
from surgqa.transforms.language.resolve import conditions, is_broken, named, value

DRAW_KEYS = ("even", "shares", "prefer")
AGAIN = {
    "every": Param("period", "Time between two rounds.", required=True),
    "say": Param("named", "The answer at each round."),
}  # fmt: skip
ONCE = {
    "due": Param("named", "When the answer is due.", ("instant",), required=True),
    "before": Param("wholes", "How many rounds come before `due`.", required=True),
    "after": Param("whole", "How many rounds come after `due`.", required=True),
    "else": Param("word", "The correct output before the answer is due.", required=True),
    "accept": Param("words", "Other outputs accepted before the answer is due."),
    "within": Param("duration", "No round is within this time before the answer.", required=True),
}  # fmt: skip
ROUND_KEYS = {**ONCE, **AGAIN}
SUCH = "write '{yes: 0.75, no: 0.25}'"


def draw_of(c: ParseContext, data: Any, scope: Scope, answer: Type | None) -> Draw:
    """Read ``draw``, which states how one of the possible questions about a clip is chosen.

    Args:
        answer: the type of an answer with one field; None for other answers.
    """
    at: At = ("draw",)
    if not isinstance(data, dict):
        c.unknown("T102", at, "'draw' is a mapping of fields", "", DRAW_KEYS, "fields")
        return Draw()
    known_keys(c, data, at, DRAW_KEYS)
    with_answer = scope.adding({"answer": answer}) if answer is not None else scope
    listed = data.get("even", [])
    if not isinstance(listed, list):
        c.add("T102", (*at, "even"), "a list of names is expected", "write '[name]'")
        listed = []
    even = tuple(value(c, one, (*at, "even", i), with_answer) for i, one in enumerate(listed))
    prefer = conditions(c, data["prefer"], (*at, "prefer"), scope) if "prefer" in data else ()
    return Draw(even, _shares(c, data.get("shares", {}), (*at, "shares"), scope), prefer)


def _shares(
    c: ParseContext, data: Any, at: At, scope: Scope
) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    out = []
    for name, weights in (data if isinstance(data, dict) else {}).items():
        here = (*at, name)
        if not isinstance(weights, dict) or not all(map(_is_share, weights.values())):
            c.add("T102", here, "a share for each value is expected", SUCH)
            continue
        if is_broken(named(c, str(name), here, scope, c.place(here, key=True))):
            continue
        if scope.names[name].name == "truth" and set(weights) - {"yes", "no"}:
            c.add("T102", here, "a truth has the values yes and no", SUCH)
        if abs(sum(weights.values()) - 1) > 1e-9:
            c.add("T102", here, f"the shares add up to {sum(weights.values()):g}, expected 1")
        out.append((name, tuple((str(value), float(w)) for value, w in weights.items())))
    return tuple(out)


def _is_share(data: Any) -> bool:
    return isinstance(data, int | float) and not isinstance(data, bool)


def rounds_of(c: ParseContext, data: Any, scope: Scope) -> Rounds | None:
    """Read ``rounds``, which states when a streaming question is asked again."""
    at: At = ("rounds",)
    if "round" not in scope.names:
        c.add("T102", at, "only a stream has rounds", "write 'unit: {stream: …}'", key=True)
        return None
    if not isinstance(data, dict) or ("due" in data) == ("every" in data):
        c.unknown("T102", at, "rounds have either 'due' or 'every'", "", ROUND_KEYS, "fields")
        return None
    if "due" in data and "round" in c.used:
        c.add("T104", at, "'round' cannot be used with 'due', as the answer is due only once",
              "use 'now' or 'window', or write 'rounds: {every: …}'", key=True)  # fmt: skip
        return None
    if "every" in data and "round" not in c.used:
        c.add("T104", (*at, "every"), "the answer is the same in every round: nothing uses 'round'",
              "use 'round', the time of the round, such as in 'at: round'", key=True)  # fmt: skip
        return None
    made = record(c, data, at, scope, ONCE if "due" in data else AGAIN)
    if made is None:
        return None
    return Rounds(**{"otherwise" if key == "else" else key: one for key, one in made.items()})
