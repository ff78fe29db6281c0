"""Print an expression of a template in English, for example for ``surgqa preview``."""

from __future__ import annotations

from collections.abc import Mapping

from surgqa.transforms.algebra import tree
from surgqa.transforms.algebra.signature import signatures

_RELATIONS: Mapping[str, str] = {
    "at": "at {0}", "throughout": "all through {0}", "inside": "inside {0}",
    "overlaps": "during {0}", "starts_in": "that {1} in {0}", "ends_in": "that {1} in {0}",
    "before": "before {0}", "after": "after {0}", "meets": "next to {0}, within {2}",
}  # fmt: skip
_VERBS: Mapping[str, str] = {"starts_in": "begin", "ends_in": "end"}
_SIGNS: Mapping[str, str] = {
    "=": "is", "!=": "is not", "<": "is less than", "<=": "is at most", ">": "is more than",
    ">=": "is at least", "in": "is in",
}  # fmt: skip
_NAMES = {"video": "the recording", "window": "the window"}
_MANY = ("facts", "count", "set", "sequence", "peak")
"""Operators whose phrase uses the plural."""
_AFTER_COMMA = ("if", "but", "unless", "where", "each", "the first", "the last")
"""First words of texts about arguments that a comma separates from the operator's."""
_SUMS = {"+": "plus", "-": "minus", "/": "divided by"}
_READERS: Mapping[str, str] = {
    "start": "the start of {0}", "end": "the end of {0}", "length": "the length of {0}",
    "earliest": "the earliest {0}", "latest": "the latest {0}",
    "box": "the box of {0} at its start",
}  # fmt: skip


def phrase(node: object) -> str:
    """Return an expression in words: "the time with any instrument during the window"."""
    match node:
        case tree.Const():
            return _constant(node)
        case tree.Amount():
            return _amount(node)
        case tree.Name():
            return _NAMES.get(node.name, node.name)
        case tree.Read():
            made = _READERS.get(node.reader, f"the {node.reader.replace('_', ' ')} of {{0}}")
            return made.format(phrase(node.base))
        case tree.Between():
            return f"the time from {phrase(node.start)} to {phrase(node.end)}"
        case tree.Pattern():
            return _pattern(node)
        case tree.Call():
            return _call(node)
        case tree.Print():
            return phrase(node.node)
        case tuple():
            return _listed([phrase(one) for one in node])
    return str(node)


def _constant(node: tree.Const) -> str:
    if node.value is None:
        return "none"
    if node.type.name == "box":
        return "the whole picture"
    if node.type.name == "duration":
        low, high = node.value if isinstance(node.value, tuple) else (node.value, node.value)
        if node.type.of == "frame":
            return f"{low:g} frame" if low == 1 else f"{low:g} frames"
        return _amount(tree.Amount("us", low, high))
    if isinstance(node.value, tuple):
        return f"{node.value[0]:g} to {node.value[1]:g}"
    return str(node.value).replace("_", " ")


def _amount(one: tree.Amount) -> str:
    if one.unit == "us":
        return (
            seconds(one.low)
            if one.low == one.high
            else f"{seconds(one.low)} to {seconds(one.high)}"
        )
    if one.unit == "share":
        return f"{100 * one.low:g} %"
    return f"{one.low:g}" if one.low == one.high else f"{one.low:g} to {one.high:g}"


def seconds(us: float) -> str:
    return f"{us / 1_000_000:g} s"


def _pattern(node: tree.Pattern, many: bool = False) -> str:
    several = many or bool(node.field)
    kinds = _listed([_noun(name, several) for name in node.kinds], "or")
    head = kinds or phrase(node.source)
    if node.field:
        head = f"{_noun(node.field, many)} of {head}"
    if node.alias != "it":
        head += f" ({node.alias})"
    parts = [head]
    if node.reference is not None:
        verb = _VERBS.get(node.relation, "") + ("" if several else "s")
        parts.append(_RELATIONS[node.relation].format(phrase(node.reference), verb,
                                                      seconds(node.within)))  # fmt: skip
    if node.tests:
        parts.append(" and ".join(map(_test, node.tests)))
    if node.merge:
        near = f"at most {seconds(node.gap)} apart" if node.gap else "that touch"
        parts.append(f"(those of one {_listed(list(node.merge))} {near} are one)")
    if node.cut is not None:
        parts.append(f"within {phrase(node.cut)}")
    for length, word in ((node.at_least, "at least"), (node.at_most, "at most")):
        if length:
            parts.append(f"of {word} {seconds(length)}")
    if node.where is not None:
        parts.append(f"where {phrase(node.where)}")
    return " ".join(parts) + (", or none" if node.or_none else "")


_KNOWLEDGE: Mapping[str, str] = {
    "follows": "known order", "needs": "known need", "closes": "known closure",
    "effect_of": "known effect", "admissible": "known use", "rule": "rule of order",
    "reason": "reason of an order",
}  # fmt: skip
"""Kinds of facts that are general knowledge, each as a noun."""


def _noun(name: str, many: bool) -> str:
    text = _KNOWLEDGE.get(name, name.replace("_", " "))
    if many and text.startswith("rule"):
        return text.replace("rule", "rules")
    if not many or text.endswith("s"):
        return text
    return f"{text.removesuffix('y')}ies" if text.endswith("y") else f"{text}s"


def _test(test: tree.FieldTest) -> str:
    values = _listed([phrase(value) for value in test.values], "or")
    if test.name == "track" and test.negated:
        return f"of another track than {values.removeprefix('the track of ')}"
    return f"whose {test.name} is {'not ' if test.negated else ''}{values}"


def _call(node: tree.Call) -> str:
    args = dict(node.args)
    if node.op in ("compare", "arithmetic"):
        signs = _SIGNS if node.op == "compare" else _SUMS
        return f"{phrase(args['left'])} {signs[str(args['sign'])]} {phrase(args['right'])}"
    signature = signatures()[node.op]
    text = signature.phrase.format(main=_main(node))
    least = args.get("at_least")
    if isinstance(least, int):
        text += f" of at least {seconds(least)}"
    for key, param in signature.params.items():
        key = {"fields": "fields", "values": "seen"}.get(param.written, key) if key == "of" else key
        if key in args and param.phrase:
            value, form = phrase(args[key]), param.phrase
            if form.startswith("with the"):
                value = value.removeprefix("the ")
            if param.written == "whole" and value.startswith("-"):
                value, form = value[1:], form.replace("first", "last")
            text += (", " if form.startswith(_AFTER_COMMA) else " ") + form.format(value=value)
    return text


def _main(node: tree.Call) -> str:
    main = node.get("of")
    if node.op == "cases" and isinstance(main, tuple):
        return _listed([f"{_text(text)} (if {phrase(one)})" for text, one in main], "or")
    if node.op in ("all", "any") and isinstance(main, tuple):
        between = _between(main) if node.op == "all" else ""
        return between or (" and " if node.op == "all" else " or ").join(map(inner, main))
    if node.op in _MANY and isinstance(main, tree.Pattern):
        return _pattern(main, many=True)
    if node.op == "coalesce" and isinstance(main, tuple):
        return ", else ".join(map(phrase, main))
    return phrase(main)


def inner(node: object) -> str:
    nested = isinstance(node, tree.Call) and node.op in ("all", "any")
    text = phrase(node)
    return f"({text})" if nested and (" or " in text or " and " in text) else text


def _between(parts: tuple[object, ...]) -> str:
    """Return 'is from 2 s to 8 s' if the parts are two limits of one value; '' otherwise."""
    if len(parts) != 2 or not all(isinstance(p, tree.Call) and p.op == "compare" for p in parts):
        return ""
    low, high = (dict(part.args) for part in parts)  # type: ignore[attr-defined]
    if (low["sign"], high["sign"]) != (">=", "<=") or low["left"] != high["left"]:
        return ""
    return f"{phrase(low['left'])} is from {phrase(low['right'])} to {phrase(high['right'])}"


def _text(text: object) -> str:
    pieces = text if isinstance(text, tuple) else ()
    return repr("".join(one if isinstance(one, str) else phrase(one) for one in pieces))


def _listed(words: list[str], last: str = "and") -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
