"""Insert the values of each row into the texts of a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surgqa.ontology.alerts import ALERT
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import typed
from surgqa.transforms.algebra.tree import Call, Name, Node, Print, Read, Text
from surgqa.transforms.algebra.types import BOX, STATEMENT
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.printers import PrintContext, printer

ANSWER = "answer"


@dataclass(frozen=True)
class TextFiller:
    """Inserts the values of some rows into texts.

    Attributes:
        program: the parsed template, which holds the statements of an answer.
        sheets: for each row, what printing needs, such as the time from which seconds count.
        said: for each earlier stage, the printed answer of each row.
    """

    program: Program
    rows: Rows
    sheets: Sequence[PrintContext]
    said: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _made: dict[Print, Sequence[str]] = field(default_factory=dict)
    _about: dict[str, list[PrintContext]] = field(default_factory=dict)

    def of(self, text: Text) -> list[str]:
        """Return the finished text, with values inserted, for every row."""
        columns = [[""] * self.rows.n, *map(self._piece, text)]
        return ["".join(parts) for parts in zip(*columns, strict=True)]

    def one_of(self, texts: Sequence[Text], which: Sequence[int]) -> list[str]:
        """Return the finished text of ``texts[which[i]]`` for every row i."""
        columns = {k: [self._piece(piece) for piece in texts[k]] for k in set(which)}
        return ["".join([column[i] for column in columns[k]]) for i, k in enumerate(which)]

    def with_values(self, text: Text, row: int, values: Mapping[Node, Any]) -> str:
        """Return a text of one row, with other values for some expressions."""
        return "".join(
            self._printed(piece, [values[piece.node]], [row])[0]
            if isinstance(piece, Print) and piece.node in values
            else self._piece(piece)[row]
            for piece in text
        )

    def _piece(self, piece: str | Print) -> Sequence[str]:
        if isinstance(piece, str):
            return [piece] * self.rows.n
        if piece not in self._made:
            self._made[piece] = self._column(piece)
        return self._made[piece]

    def _column(self, piece: Print) -> Sequence[str]:
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
        if of not in self._about:
            self._about[of] = [sheet.about(of) for sheet in self.sheets]
        about = self._about[of]
        return [show(value, about[row])
                if value is not None or piece.filter == "where" else "none"
                for value, row in zip(values, rows, strict=True)]  # fmt: skip


def statements_of(node: Node, program: Program) -> Sequence[tuple[Text, Node]]:
    """Return (text, condition) of each statement that the operator ``cases`` chooses a value from.

    The result is empty for a value that is not a statement.
    """
    node = program.meant(node)
    return node.get("of") if isinstance(node, Call) and node.op == "cases" else ()


def capital(text: str) -> str:
    """Return the text with a capital first letter.

    Alerts, which have a prescribed form, and tokens such as ``no_alert`` stay unchanged.
    """
    as_is = text.startswith(ALERT) or "_" in text.partition(" ")[0]
    return text if as_is else text[:1].upper() + text[1:]
