"""Print an expression of a template as one line of formal text, for messages and debugging."""

from __future__ import annotations

from surgqa.transforms.algebra.tree import Between, Call, Const, Name, Node, Pattern, Read

SECOND_US = 1_000_000


def said(node: Node) -> str:
    """Return a short text for an expression; different expressions have different texts."""
    match node:
        case Const():
            return _constant(node)
        case Name():
            return node.name
        case Read():
            return f"{_operand(node.base)}.{node.reader}"
        case Between():
            return f"[{said(node.start)}, {said(node.end)}]"
        case Pattern():
            return _pattern(node)
        case Call() if node.get("sign") is not None:
            return f"{_operand(node.get('left'))} {node.get('sign')} {_operand(node.get('right'))}"
        case Call():
            args = ", ".join(f"{key}: {_argument(value)}" for key, value in node.args)
            return f"{node.op}({args})"
    raise TypeError(f"not an expression of a template: {node!r}")


def _operand(node: Node) -> str:
    """Return one operand as text, in parentheses if it is itself an arithmetic expression."""
    return f"({said(node)})" if isinstance(node, Call) and node.get("sign") else said(node)


def _constant(node: Const) -> str:
    if node.type.name != "duration":
        return str(node.value)
    if isinstance(node.value, tuple):
        return "..".join(f"{us / SECOND_US:g}" for us in node.value) + " s"
    return f"{node.value / SECOND_US:g} s"  # type: ignore[operator]


def _argument(value: object) -> str:
    if isinstance(value, Node):
        return said(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_argument, value)) + ")"
    return str(value)


def _pattern(node: Pattern) -> str:
    parts = ["|".join(node.kinds) or said(node.source) if node.source else "|".join(node.kinds)]
    if node.field:
        parts[0] += f".{node.field}"
    for test in node.tests:
        parts.append(f"{test.name} {'not ' if test.negated else ''}{_argument(test.values)}")
    parts.append(f"{node.relation} {said(node.reference) if node.reference else 'window'}")
    for name in ("within", "merge", "gap", "at_least", "at_most", "or_none"):
        if getattr(node, name):
            parts.append(f"{name} {getattr(node, name)}")
    for name in ("cut", "where"):
        if getattr(node, name) is not None:
            parts.append(f"{name} {said(getattr(node, name))}")
    return "{" + ", ".join(parts) + "}"
