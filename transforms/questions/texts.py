"""Filling texts: one string for each row, by joining pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ontology.alerts import ALERT
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.typed import typed
from transforms.algebra.tree import Call, Name, Node, Pattern, Print, Read, Text
from transforms.algebra.types import BOX, STATEMENT
from transforms.language.program import Program
from transforms.questions.printers import Sheet, printer

ANSWER = "answer"


@dataclass(frozen=True)
class Words:
    """The texts of some rows.

    Attributes:
        program: where the statements stand that an answer is one of.
        sheets: of each row: where its seconds begin and how its instances are told apart.
        said: stage -> the words of its answer, by row.
    """

    program: Program
    rows: Rows
    sheets: Sequence[Sheet]
    said: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def of(self, text: Text) -> list[str]:
        """The finished text of every row."""
        columns = [[""] * self.rows.n, *map(self._piece, text)]
        return ["".join(parts) for parts in zip(*columns, strict=True)]

    def with_values(self, text: Text, row: int, values: Mapping[Node, Any]) -> str:
        """A text of one row with other values in the place of some nodes."""
        return "".join(
            self._printed(piece, [values[piece.node]], [row])[0]
            if isinstance(piece, Print) and piece.node in values
            else self._piece(piece)[row]
            for piece in text
        )

    def _piece(self, piece: str | Print) -> Sequence[str]:
        if isinstance(piece, str):
            return [piece] * self.rows.n
        node = piece.node
        if isinstance(node, Read) and isinstance(node.base, Name) and node.base.name in self.said:
            return self.said[node.base.name]
        if piece.filter == "where" and node.type.name == "fact":
            node = Read(BOX, node, "box")
        return self._printed(piece, typed(node, self.rows), range(self.rows.n))

    def _printed(
        self, piece: Print, values: Sequence[Any], rows: Sequence[int]
    ) -> Sequence[str]:  # fmt: skip
        if piece.node.type == STATEMENT:
            texts = [self.of(text) for text, _ in statements_of(piece.node, self.program)]
            return [texts[value][row] for value, row in zip(values, rows, strict=True)]
        show, of = printer(piece.filter, piece.node.type.name), piece.node.type.of
        on = self._targets(piece)
        return [show(value, replace(self.sheets[row], kind=of, target=on[row]))
                if value is not None or piece.filter == "where" else "none"
                for value, row in zip(values, rows, strict=True)]  # fmt: skip

    def _targets(self, piece: Print) -> Sequence[str]:
        """Of each row on what the effect is that a piece prints; '' where it tells none."""
        node = target_of(piece.node, self.program) if piece.filter == "effect" else None
        values = typed(node, self.rows) if node is not None else [""] * self.rows.n
        return [value or "" for value in values]


def statements_of(node: Node, program: Program) -> Sequence[tuple[Text, Node]]:
    """(text, condition) of every statement that a value is one of; none for other values."""
    while isinstance(node, Name):
        step = program.step(node.name)
        if step is None:
            return ()
        node = step.node
    return node.get("of") if isinstance(node, Call) and node.op == "cases" else ()


def target_of(value: object, program: Program) -> Node | None:
    """The target that the facts have which a value is read off; None where they name none."""
    if isinstance(value, Pattern):
        tests = (one for one in value.tests if one.name == "target" and not one.negated)
        return next((one.values[0] for one in tests if len(one.values) == 1), None)
    within: Iterable[object] = ()
    if isinstance(value, Name):
        step = program.step(value.name)
        within = (step.node,) if step is not None else ()
    elif isinstance(value, Read):
        within = (value.base,)
    elif isinstance(value, Call):
        main = value.get("of")
        within = main if isinstance(main, tuple) else (main,)
    return next((one for part in within if (one := target_of(part, program)) is not None), None)


def capital(text: str) -> str:
    """The text with a capital at its beginning; an alert is said as its protocol has it, and so
    is a token such as ``no_alert``.
    """
    as_is = text.startswith(ALERT) or "_" in text.partition(" ")[0]
    return text if as_is else text[:1].upper() + text[1:]
