"""Reads the values that a row's texts print from the row's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from surgqa.transforms.algebra.tree import Call, Name, Node, Read, Text
from surgqa.transforms.checks.proof.numbers import when
from surgqa.transforms.language.program import Program, Stage

SAME = ("label", "subject", "verb", "target", "rater", "text")
"""Readers (as in ``fact.label``) that return a field of a fact."""


class Unread(Exception):
    """No column of the row contains the value of an expression; only the evidence can give it."""


@dataclass(slots=True)  # not frozen, because one is made for every option and freezing takes time
class RowValues:
    """The values of one row that its texts are printed from.

    Attributes:
        values: values of the template's names, and of ``window``, ``now`` and ``video``.
        said: for each stage of a chain, the text of its answer.
        given: values of further expressions: the fields of the answer (or of an option, if its text
            is printed), and values that the evidence gives.
    """

    program: Program
    values: Mapping[str, Any]
    said: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[Node, Any] = field(default_factory=dict)

    def with_answer(self, stage: Stage, value: Any) -> RowValues:
        """Return a copy with another answer: one value, or a list with one value for each field."""
        nodes = [node for _, node in stage.answer]
        values = [value] if len(nodes) == 1 else list(value)
        given = dict(zip(nodes, values, strict=True))
        return RowValues(self.program, {**self.values, "answer": value}, self.said,
                     {**self.given, **given})  # fmt: skip


def value_of(node: Node, known: RowValues) -> Any:
    """Return the value of an expression that a text prints.

    Raises:
        Unread: neither the row nor :attr:`RowValues.given` contains the value.
    """
    if node in known.given:
        return known.given[node]
    if isinstance(node, Name) and node.name in known.values:
        return known.values[node.name]
    if isinstance(node, Read):
        if node.base.type.name == "stage" and isinstance(node.base, Name):
            if node.base.name not in known.said:
                raise Unread(node.base.name)
            return known.said[node.base.name]
        return read(value_of(node.base, known), node.base.type.name, node.reader)
    raise Unread(str(getattr(node, "name", node.type)))


def read(value: Any, of: str, reader: str) -> Any:
    """Return what a reader such as ``start`` gives for a value; None for None.

    Args:
        of: name of the value's type.

    Raises:
        Unread: a value of this type has no such reader, or the value does not state it.
    """
    if value is None:
        return None
    found = _READERS.get(of, {}).get(reader)
    if found is not None:
        try:
            return found(value)
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise Unread(f"{of}.{reader}") from error
    if of == "fact" and reader in SAME:
        return value.get(reader)
    if of in ("motion", "record", "act") and reader in value:
        return value[reader]
    raise Unread(f"{of}.{reader}")


def _act(value: Mapping[str, Any]) -> dict[str, Any]:
    return {"verb": value.get("verb"), "target": value.get("target")}


def _middle(start: Any, end: Any) -> int:
    return (when(start) + when(end)) // 2


_READERS: Mapping[str, Mapping[str, Any]] = {
    "fact": {
        "start": lambda v: v["start_us"], "end": lambda v: v["end_us"],
        "length": lambda v: v["end_us"] - v["start_us"], "act": _act, "track": lambda v: v,
        "middle": lambda v: _middle(v["start_us"], v["end_us"]),
    },
    "track": {"label": lambda v: v.get("label") or v.get("subject")},
    "act": {"verb": lambda v: v["verb"], "target": lambda v: v.get("target")},
    "instant": {
        "earliest": lambda v: v["earliest_us"] if isinstance(v, Mapping) else v,
        "latest": lambda v: v["latest_us"] if isinstance(v, Mapping) else v,
    },
    "stretch": {
        "start": lambda v: v["start"], "end": lambda v: v["end"],
        "length": lambda v: when(v["end"]) - when(v["start"]),
        "middle": lambda v: _middle(v["start"], v["end"]),
    },
    "video": {
        "start": lambda v: v["start"], "end": lambda v: v["end"],
        "length": lambda v: v["end"] - v["start"], "procedure": lambda v: v["procedure"],
    },
    "set": {"size": len}, "facts": {"size": len},
    "sequence": {"size": len, "first": lambda v: v[0], "last": lambda v: v[-1]},
}  # fmt: skip


def cases_of(node: Node, program: Program) -> tuple[tuple[Text, Node], ...]:
    """Return (text, condition) of each sentence that an expression may give; () for others."""
    while isinstance(node, Name):
        step = program.step(node.name)
        if step is None:
            return ()
        node = step.node
    return tuple(node.get("of")) if isinstance(node, Call) and node.op == "cases" else ()
