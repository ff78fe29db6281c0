"""Convert an expression to a typed node: names, properties, quantities, sums and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from surgqa.ontology.kinds import terms_of
from surgqa.transforms.algebra.operators.values.signature import arithmetic_type
from surgqa.transforms.algebra.tree import Between, Call, Const, Name, Node, Place, Read
from surgqa.transforms.algebra.types import (
    BOX,
    DURATION,
    NONE,
    NUMBER,
    ORDERED,
    STRETCH,
    TRUTH,
    Type,
    element,
    readers_of,
)
from surgqa.transforms.language import syntax
from surgqa.transforms.language.context import (
    BROKEN,
    RESERVED,
    At,
    ParseContext,
    Scope,
    one_or_more,
)
from surgqa.transforms.language.vocab import known_word

UNSAID = "unanswerable"
SPECIAL = {"idle": ("verb", "null_verb")}
"""Word with a fixed meaning in the language -> (domain, concept)."""


def is_broken(node: Node) -> bool:
    """True if the node stands for an expression with a mistake, which was already reported."""
    return node.type.of == "?"


def value(c: ParseContext, data: Any, at: At, scope: Scope) -> Node:
    """Return the node of a value; a bare word must be a name or a word with a fixed meaning."""
    node = expression(c, data, at, scope)
    if isinstance(node, Const) and node.type == Type("label"):
        return named(c, str(node.value), at, scope, node.place)
    return node


WHOLE_PICTURE = (0.0, 0.0, 1.0, 1.0)
"""Value of ``picture``: the box of the whole image, in fractions of its width and height."""


def named(c: ParseContext, word: str, at: At, scope: Scope, place: Place) -> Node:
    """Return the node of a name and mark the name as used; T104 if it cannot be used here."""
    if word in scope.forbidden:
        why = scope.forbidden[word]
        return c.add("T104", at, f"{word!r} cannot be used here: {why}", place=place)
    if word == "picture":
        return Const(BOX, WHOLE_PICTURE, place)
    if word not in scope.names:
        known = [name for name in scope.names if name not in scope.forbidden]
        return c.unknown("T104", at, f"no name {word!r} here", word, known, "names", place=place)
    c.used.add(word)
    one = scope.names[word]
    return BROKEN if one.of == "?" else Name(one, word, place)


def expression(c: ParseContext, data: Any, at: At, scope: Scope) -> Node:
    """Return the node of a value from the YAML file: a text, a number or a stretch ``[a, b]``."""
    place = c.place(at)
    if isinstance(data, bool) or data is None:
        return c.add("T102", at, f"a value is expected, found {data!r}", "write a name or a number")
    if isinstance(data, int | float):
        return Const(NUMBER, data, place)
    if isinstance(data, list):
        return _stretch(c, data, at, scope)
    if isinstance(data, str):
        return text_expression(c, data, at, scope)
    from surgqa.transforms.language.steps import step  # a step can be used as a value

    return step(c, data, at, scope)


def fitting(
    c: ParseContext, data: Any, at: At, scope: Scope, wanted: Collection[str],
    read: Callable[[ParseContext, Any, At, Scope], Node] = expression,
) -> Node:  # fmt: skip
    """Return the node of a value; T117 unless its type is one of ``wanted`` (empty: any type)."""
    node = read(c, data, at, scope)
    if is_broken(node) or not wanted or node.type.name in wanted:
        return node
    return c.mismatch(at, wanted, node.type, scope, node.place)


def text_expression(c: ParseContext, text: str, at: At, scope: Scope) -> Node:
    """Return the node of an expression that is written as text."""
    try:
        tree = syntax.parse_expression(text)
    except syntax.SyntaxProblem as problem:
        return c.add("T102", at, f"cannot be read: {problem}", offset=problem.offset)
    return _resolved(c, tree, at, scope)


def _resolved(c: ParseContext, tree: syntax.Expression, at: At, scope: Scope) -> Node:
    match tree:
        case syntax.Quantity():
            return quantity(tree, c.place(at, tree.offset))
        case syntax.Path():
            return _path(c, tree, at, scope)
        case syntax.Sum():
            return _sum(c, tree, at, scope)
        case syntax.Chain():
            return _chain(c, tree, at, scope)


def quantity(one: syntax.Quantity, place: Place) -> Const:
    """Return a number or a length; a range becomes a (low, high) pair."""
    low, high = one.bounds
    kind = Type("duration", "frame") if one.unit == "frame" else DURATION
    if one.unit in ("", "%"):
        kind = NUMBER
        low, high = (int(value) if value == int(value) else value for value in (low, high))
    return Const(kind, low if low == high else (low, high), place)


def _path(c: ParseContext, path: syntax.Path, at: At, scope: Scope) -> Node:
    place = c.place(at, path.offset)
    bare = len(path.parts) == 1 and path.head not in RESERVED
    if bare and path.head not in scope.names and path.head not in scope.forbidden:
        return word(path.head, place)
    node = named(c, path.head, at, scope, place)
    return read_in_turn(c, node, path.parts[1:], path.text, at, scope)


def read_in_turn(
    c: ParseContext, node: Node, parts: Iterable[tuple[str, str]], shown: str, at: At, scope: Scope
) -> Node:
    """Return the property that a path of (reader, argument) pairs names, as in ``act.end.x``."""
    for reader, given in parts:
        if is_broken(node):
            break
        node = read_of(c, node, reader, given, shown, at, scope)
    return node


def word(text: str, place: Place) -> Const:
    """Return the node of a bare word: ``none``, or a concept that :func:`labelled` checks."""
    if text == "none":
        return Const(NONE, None, place)
    return Const(Type("absent" if text == "absent" else "label"), text, place)


def read_of(
    c: ParseContext, base: Node, reader: str, given: str, shown: str, at: At, scope: Scope
) -> Node:  # fmt: skip
    """Return the node of a property of a value, such as ``start`` in ``act.start``.

    Args:
        reader: name of the property.
        given: the name in the brackets after it; '' for none.
        shown: the whole expression, for messages.
    """
    known, place = readers_of(base.type), base.place
    if reader not in known:
        message = f"{shown!r}: {base.type} has no reader {reader!r}"
        return c.unknown("T104", at, message, reader, known, "readers", place=place)
    if reader == "centre" and base.type.name == "fact" and not given:
        return c.add("T104", at, f"{shown!r}: the centre of a fact needs an axis",
                     "write 'centre(axis)'", place=place)  # fmt: skip
    if not given:
        return Read(known[reader], base, reader, None, place)
    if reader != "centre":
        return c.add("T104", at, f"{shown!r}: {reader!r} takes no argument", place=place)
    axis = named(c, given, at, scope, place)
    return BROKEN if is_broken(axis) else Read(known[reader], base, reader, axis, place)


def _sum(c: ParseContext, tree: syntax.Sum, at: At, scope: Scope) -> Node:
    left, right = (_resolved(c, side, at, scope) for side in (tree.left, tree.right))
    place = c.place(at, tree.offset)
    if is_broken(left) or is_broken(right):
        return BROKEN
    gives = arithmetic_type(tree.sign, left.type, right.type)
    if gives is None:
        if left.type.name not in ORDERED:
            return c.mismatch(at, ORDERED, left.type, scope, left.place)
        fits = [one for one in ORDERED if arithmetic_type(tree.sign, left.type, Type(one))]
        return c.mismatch(at, fits, right.type, scope, right.place)
    return Call(gives, "arithmetic", (("sign", tree.sign), ("left", left), ("right", right)), place)


def _chain(c: ParseContext, tree: syntax.Chain, at: At, scope: Scope) -> Node:
    sides = [_resolved(c, side, at, scope) for side in tree.sides]
    parts = [
        compare(c, sign, left, right, at, scope)
        for sign, left, right in zip(tree.signs, sides[:-1], sides[1:], strict=True)
    ]
    return _all(tuple(parts), c.place(at, tree.offset))


def _all(parts: tuple[Node, ...], place: Place) -> Node:
    return parts[0] if len(parts) == 1 else Call(TRUTH, "all", (("of", parts),), place)


def compare(c: ParseContext, sign: str, left: Node, right: Node, at: At, scope: Scope) -> Node:
    """Return the comparison ``left sign right``; T117 if these types cannot be compared."""
    if is_broken(left) or is_broken(right):
        return BROKEN
    left, right = (
        _hinted(c, left, right, at, scope, sign), _hinted(c, right, left, at, scope, sign)
    )  # fmt: skip
    if is_broken(left) or is_broken(right):
        return BROKEN
    wanted = comparable(sign, left.type)
    if not wanted:
        return c.mismatch(at, ORDERED, left.type, scope, left.place)
    ranged = isinstance(right, Const) and isinstance(right.value, tuple)
    if sign == "in" and left.type.name == right.type.name and not ranged:
        return c.add("T117", at, f"expected a range of {left.type.name}, found one value",
                     "such as '2..8' or '20..60 s'", place=right.place)  # fmt: skip
    if not _agrees(sign, left, right, wanted):
        names = [str(left.type)] if right.type.name in wanted else wanted
        return c.mismatch(at, names, right.type, scope, right.place)
    if sign == "in" and isinstance(right, Const) and isinstance(right.value, tuple):
        low, high = (Const(right.type, value, right.place) for value in right.value)
        return _all((_compared(">=", left, low), _compared("<=", left, high)), left.place)
    return _compared(sign, left, right)


def _compared(sign: str, left: Node, right: Node) -> Call:
    args = (("sign", sign), ("left", left), ("right", right))
    return Call(TRUTH, "compare", args, left.place)


def comparable(sign: str, left: Type) -> tuple[str, ...]:
    """Return the names of the types that may stand to the right of a sign."""
    if sign in ("<", "<=", ">", ">="):
        return (left.name,) if left.name in ORDERED else ()
    if sign == "in":
        return (left.name,) if left.name in ORDERED else ("set", "sequence", "facts")
    return (left.name, "none")


def _agrees(sign: str, left: Node, right: Node, wanted: tuple[str, ...]) -> bool:
    if right.type.name not in wanted:
        return left.type == NONE and sign in ("=", "!=")
    if sign == "in":
        if left.type.name in ORDERED:
            return isinstance(right, Const) and isinstance(right.value, tuple)
        return element(right.type).fits(left.type)
    ranged = any(isinstance(s, Const) and isinstance(s.value, tuple) for s in (left, right))
    same = left.type.name == "duration" or left.type.fits(right.type)
    return not ranged and (right.type == NONE or same)


def _hinted(c: ParseContext, node: Node, other: Node, at: At, scope: Scope, sign: str) -> Node:
    """Return a bare word as a label of the domain that the other side of the comparison has."""
    if not isinstance(node, Const) or node.type.name != "label":
        return node
    inside = sign == "in" and other.type.name in ("set", "facts")
    one = element(other.type) if inside else other.type
    if one.name == "label":
        return labelled(c, node, one.of, at)
    if one.name in ("word", "text"):
        return Const(one, node.value, node.place)
    return named(c, str(node.value), at, scope, node.place)


def labelled(c: ParseContext, node: Node, domain: str, at: At) -> Node:
    """Return a bare word as a label of a domain ('' or ``any``: of any); T106 if it is unknown."""
    if not isinstance(node, Const) or node.type != Type("label"):
        return node
    text = str(node.value)
    if text in SPECIAL and domain in ("", SPECIAL[text][0]):
        return Const(Type("label", domain), SPECIAL[text][1], node.place)
    if text == UNSAID or known_word(text, domain):
        return Const(Type("label", domain), text, node.place)
    known = terms_of(domain) if domain else ()
    what = domain.replace("_", " ") if known else "name or concept"
    message = f"no {what} {text!r}"
    return c.unknown("T106", at, message, text, known, f"{what}s", place=node.place)


def _stretch(c: ParseContext, data: list[Any], at: At, scope: Scope) -> Node:
    if len(data) != 2:
        return c.add("T102", at, f"a stretch has a start and an end, found {len(data)} values",
                     "write [start, end]")  # fmt: skip
    ends = [expression(c, one, (*at, i), scope) for i, one in enumerate(data)]
    for i, one in enumerate(ends):
        if not is_broken(one) and one.type.name != "instant":
            return c.mismatch((*at, i), ("instant",), one.type, scope, one.place)
    if any(map(is_broken, ends)):
        return BROKEN
    return Between(STRETCH, ends[0], ends[1], c.place(at))


# -- conditions ---------------------------------------------------------------------------


def condition(c: ParseContext, data: Any, at: At, scope: Scope) -> Node:
    """Return the node of one condition; a list is true if all its members are."""
    if isinstance(data, list):
        if not data:
            return c.add("T102", at, "a list of conditions is empty", "write a condition")
        return _all(conditions(c, data, at, scope), c.place(at))
    node = value(c, data, at, scope)
    if isinstance(node, Call) and node.op == "only":  # true if exactly one such fact exists
        number = Call(NUMBER, "count", (("of", node.get("of")),), node.place)
        return _compared("=", number, Const(NUMBER, 1, node.place))
    if node.type != TRUTH and not is_broken(node):
        return c.mismatch(at, ("truth",), node.type, scope, node.place)
    return node


def conditions(c: ParseContext, data: Any, at: At, scope: Scope) -> tuple[Node, ...]:
    """Return the nodes of one condition or of a list of conditions."""
    return tuple(condition(c, one, here, scope) for one, here in one_or_more(data, at))
