"""The form of an answer (choice, number, time, …), which follows from the type of its fields."""

from __future__ import annotations

from surgqa.transforms.algebra.tree import Node, Print, Text
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.language.filters import takes

BY_TYPE = {
    "truth": "yes_no", "number": "number", "instant": "time", "duration": "duration",
    "stretch": "interval", "box": "box", "point": "box", "set": "set", "sequence": "sequence",
    "statement": "choice",
}  # fmt: skip
_PLACED = {"box", "instant", "track", "label"}
_MEASURED = {"number", "duration", "word"}
_TIMED = {"instant", "duration"}


def form_of(answer: tuple[tuple[str, Node], ...], wrong: bool, rubric: bool, ahead: bool) -> str:
    """Return the form of an answer, such as ``choice``, ``number`` or ``interval``.

    Args:
        answer: (name, expression) of each field.
        wrong: True if the question has wrong options.
        rubric: True if the answer is rated with a rubric.
        ahead: True if stretches of time in the answer lie after the query time.
    """
    if rubric:
        return "open"
    if wrong:
        return "choice"
    types = [node.type.name for _, node in answer]
    if not types:
        return "text"
    if len(types) == 1:
        if types == ["stretch"] and ahead:
            return "continuation"
        record = answer[0][1].type.of == "record" and types == ["set"]
        return "interval" if record else BY_TYPE.get(types[0], "text")
    return _several(types)


def _several(types: list[str]) -> str:
    if "box" in types and set(types) <= _PLACED:
        return "box"
    if types.count("instant") > 1 and set(types) <= _TIMED:
        return "interval"
    return "number" if set(types) <= _MEASURED and types[0] != "word" else "text"


ITSELF = {
    "truth": "yes", "instant": "clock", "duration": "clock", "stretch": "span", "box": "box",
    "point": "point", "set": "list", "sequence": "then", "statement": "text", "word": "text",
    "label": "name", "track": "name", "act": "act", "fact": "noun",
}  # fmt: skip
"""Type -> the default filter that prints a value of it."""


def printed_by(one: Type) -> str:
    """Return the filter that prints a type by default; '' if the template must state a filter."""
    name = "lines" if one.of == "record" else ITSELF.get(one.name, "")
    return name if name and takes(name, one) else ""


def itself(answer: tuple[tuple[str, Node], ...]) -> Text:
    """Return the text of an answer without ``say``: each field, printed with its default filter."""
    out: list[str | Print] = []
    for _, node in answer:
        out += ["; "] * bool(out) + [Print(node, printed_by(node.type))]
    return tuple(out)
