"""Parse the text of expressions such as ``past.end + 1..10 s`` and ``n in 2..8``."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNITS = {
    "us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000,
}  # fmt: skip
"""Unit of length -> microseconds; the other units are ``%`` and ``frame``."""

SIGNS = ("=", "!=", "<", "<=", ">", ">=", "in")

_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)|(?P<range>\.\.)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><=|>=|!=|[=<>+\-/.()%])|(?P<odd>\S)"
)


class SyntaxProblem(Exception):
    """Error for text that cannot be parsed; ``offset`` counts characters from its start."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity: ``12 s``, ``10 %``, ``3``, ``1..10 s``; the unit of a plain number is ''."""

    low: float
    high: float
    unit: str
    offset: int

    @property
    def bounds(self) -> tuple[float, float]:
        """(low, high) in microseconds or, for %, as fractions; in other units as written."""
        if self.unit in UNITS:
            return round(self.low * UNITS[self.unit]), round(self.high * UNITS[self.unit])
        return (self.low / 100, self.high / 100) if self.unit == "%" else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Path:
    """``name.reader.reader``: a name and properties, each perhaps with a name in brackets."""

    parts: tuple[tuple[str, str], ...]
    offset: int

    @property
    def head(self) -> str:
        """The name at the start of the path."""
        return self.parts[0][0]

    @property
    def text(self) -> str:
        """The path as it is written in the file."""
        return ".".join(f"{name}({given})" if given else name for name, given in self.parts)


@dataclass(frozen=True, slots=True)
class Sum:
    """Two terms joined by ``+``, ``-`` or ``/``."""

    sign: str
    left: Term
    right: Term
    offset: int


@dataclass(frozen=True, slots=True)
class Chain:
    """``a < b <= c``: expressions joined by comparison signs."""

    sides: tuple[Term | Sum, ...]
    signs: tuple[str, ...]
    offset: int


Term = Quantity | Path
Expression = Term | Sum | Chain

Token = tuple[str, str, int]


def parse_expression(text: str) -> Expression:
    """Parse one expression or comparison.

    Raises:
        SyntaxProblem: the text is neither.
    """
    return _Reader(_tokens(text), len(text)).whole()


def _tokens(text: str) -> list[Token]:
    out: list[Token] = []
    for found in _TOKEN.finditer(text):
        kind, written, offset = str(found.lastgroup), found.group(), found.start()
        if kind == "odd":
            known = "names, numbers, '+', '-', '/' and signs of comparison"
            raise SyntaxProblem(f"{written!r} is not understood, only {known} are", offset)
        out.append((kind, written, offset))
    if not out:
        raise SyntaxProblem("the expression is empty", 0)
    return out


class _Reader:
    def __init__(self, tokens: list[Token], end: int) -> None:
        self.tokens = tokens
        self.at = 0
        self.end = end

    def peek(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", self.end)

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def whole(self) -> Expression:
        sides: list[Term | Sum] = [self.sum()]
        signs: list[str] = []
        while self.peek()[1] in SIGNS:
            signs.append(self.take()[1])
            sides.append(self.sum())
        kind, text, offset = self.peek()
        if kind != "end":
            more = " (one '+', '-' or '/' at most)" if text in ("+", "-", "/") else ""
            raise SyntaxProblem(f"{text!r} is not expected here{more}", offset)
        return Chain(tuple(sides), tuple(signs), sides[0].offset) if signs else sides[0]

    def sum(self) -> Term | Sum:
        left = self.term()
        if self.peek()[1] in ("+", "-", "/"):
            sign = self.take()[1]
            return Sum(sign, left, self.term(), left.offset)
        return left

    def term(self) -> Term:
        kind, text, offset = self.take()
        if kind == "number":
            return self.quantity(float(text), offset)
        if kind == "sign" and text == "-" and self.peek()[0] == "number":
            return self.quantity(-float(self.take()[1]), offset)
        if kind == "name" and text != "in":
            return self.path(text, offset)
        shown = repr(text) if text else "the end"
        raise SyntaxProblem(f"a name or a number is expected, found {shown}", offset)

    def quantity(self, low: float, offset: int) -> Quantity:
        high = low
        if self.peek()[0] == "range":
            self.take()
            kind, text, place = self.take()
            if kind != "number":
                raise SyntaxProblem("a range must end with a number", place)
            high = float(text)
            if high < low:
                raise SyntaxProblem("a range goes from the lower to the higher number", offset)
        kind, text, place = self.peek()
        unit = ""
        if kind == "name" and text not in SIGNS:
            unit = text.removesuffix("s") if text == "frames" else text
            if unit not in UNITS and unit != "frame":
                known = ", ".join((*UNITS, "%", "frame"))
                raise SyntaxProblem(f"no unit {text!r} (units: {known})", place)
            self.take()
        elif text == "%":
            unit = self.take()[1]
        return Quantity(low, high, unit, offset)

    def path(self, head: str, offset: int) -> Path:
        parts = [(head, "")]
        while self.peek()[1] == ".":
            self.take()
            kind, text, place = self.take()
            if kind != "name":
                raise SyntaxProblem("the name of a property is expected after '.'", place)
            parts.append((text, self.given()))
        return Path(tuple(parts), offset)

    def given(self) -> str:
        if self.peek()[1] != "(":
            return ""
        self.take()
        kind, text, place = self.take()
        if kind != "name" or self.take()[1] != ")":
            raise SyntaxProblem("one name is expected in the brackets", place)
        return text
