"""A program as sentences, from the operators' own phrases."""

from __future__ import annotations

from collections.abc import Mapping

from transforms.algebra.signature import signatures
from transforms.algebra.tree import (
    Amount,
    Between,
    Call,
    Const,
    FieldTest,
    Name,
    Pattern,
    Print,
    Read,
    Step,
)
from transforms.language.program import Program, Stage, Unit

_RELATIONS: Mapping[str, str] = {
    "at": "at {0}", "throughout": "all through {0}", "inside": "inside {0}",
    "overlaps": "during {0}", "starts_in": "that begins in {0}", "ends_in": "that ends in {0}",
    "before": "before {0}", "after": "after {0}", "meets": "next to {0}, within {1}",
}  # fmt: skip
_SIGNS: Mapping[str, str] = {
    "=": "is", "!=": "is not", "<": "is less than", "<=": "is at most", ">": "is more than",
    ">=": "is at least", "in": "is in",
}  # fmt: skip
_NAMES = {"video": "the recording", "window": "the window"}
_MANY = ("facts", "count", "set", "sequence", "peak")
"""Operators that speak of several facts."""
_SUMS = {"+": "plus", "-": "minus", "/": "divided by"}
_READERS: Mapping[str, str] = {
    "start": "the start of {0}", "end": "the end of {0}", "length": "the length of {0}",
    "earliest": "the earliest {0}", "latest": "the latest {0}",
}  # fmt: skip


def said(program: Program) -> list[str]:
    """The program in sentences: unit, steps, conditions, answer, wrong options."""
    out = [_unit(program.unit)]
    out += [_step(step) for step in program.let]
    if program.where:
        out.append(f"Only if {' and '.join(map(_inner, program.where))}.")
    for stage in program.stages:
        out += _stage(stage)
    return out


def _unit(unit: Unit) -> str:
    every = f", one at most in {_time(unit.every)}" if unit.every else ""
    per = f", one for each {unit.per}" if unit.per else ""
    now = phrase(unit.now) if unit.now is not None else "any time"
    match unit.kind:
        case "now":
            seen = "all before it" if unit.see is None else f"the {_time(unit.see)} before it"
            least = f", {_time(unit.shortest)} at least" if unit.shortest else ""
            return f"A question is put at {now} and sees {seen}{least}{every}{per}."
        case "stream":
            low, high = map(_time, unit.length)
            return f"A stream begins at {now} and lasts {low} to {high}{every}."
        case "chain":
            return f"A chain of questions is about each {unit.chain}{every}."
        case "recording":
            return "A question is about the whole recording."
    return f"A question is about one {'picture' if unit.kind == 'still' else unit.kind}."


def _step(step: Step) -> str:
    names = " and ".join(step.names)
    if step.draws:
        drawn = phrase(step.node).removeprefix("each ").replace("all labels of", "label of", 1)
        return f"{names}: each {'pair of ' if len(step.names) > 1 else ''}{drawn}."
    whether = "whether " if step.node.type.name == "truth" else ""
    return f"{names}: {whether}{phrase(step.node)}."


def _stage(stage: Stage) -> list[str]:
    head = f"{stage.name}: the" if stage.name else "The"
    fields = ", ".join(phrase(node) for _, node in stage.answer)
    out = [f"{head} answer is {fields}."]
    if stage.wrong:
        pools = "; then ".join(phrase(pool) for pool in stage.wrong)
        out.append(f"{head} wrong options are {pools}.")
    return out


def phrase(node: object) -> str:
    """One node in words."""
    match node:
        case Const():
            return _constant(node)
        case Amount():
            return _amount(node)
        case Name():
            return _NAMES.get(node.name, node.name)
        case Read():
            made = _READERS.get(node.reader, f"the {node.reader.replace('_', ' ')} of {{0}}")
            return made.format(phrase(node.base))
        case Between():
            return f"the time from {phrase(node.start)} to {phrase(node.end)}"
        case Pattern():
            return _pattern(node)
        case Call():
            return _call(node)
        case Print():
            return phrase(node.node)
        case tuple():
            return _listed([phrase(one) for one in node])
    return str(node)


def _constant(node: Const) -> str:
    if node.value is None:
        return "none"
    if node.type.name == "duration":
        low, high = node.value if isinstance(node.value, tuple) else (node.value, node.value)
        if node.type.of == "frame":
            return f"{low:g} frame" if low == 1 else f"{low:g} frames"
        return _time(low) if low == high else f"{_time(low)} to {_time(high)}"
    if isinstance(node.value, tuple):
        return f"{node.value[0]:g} to {node.value[1]:g}"
    return str(node.value).replace("_", " ")


def _amount(one: Amount) -> str:
    if one.unit == "us":
        return _time(one.low) if one.low == one.high else f"{_time(one.low)} to {_time(one.high)}"
    if one.unit == "share":
        return f"{100 * one.low:g} %"
    return f"{one.low:g}" if one.low == one.high else f"{one.low:g} to {one.high:g}"


def _time(us: float) -> str:
    return f"{us / 1_000_000:g} s"


def _pattern(node: Pattern, many: bool = False) -> str:
    kinds = _listed([_noun(name, many or bool(node.field)) for name in node.kinds], "or")
    head = kinds or phrase(node.source)
    if node.field:
        head = f"{_noun(node.field, many)} of {head}"
    if node.alias != "it":
        head += f" ({node.alias})"
    parts = [head]
    if node.reference is not None:
        parts.append(_RELATIONS[node.relation].format(phrase(node.reference), _time(node.within)))
    if node.tests:
        parts.append(" and ".join(map(_test, node.tests)))
    if node.merge:
        parts.append(f"(those of one {_listed(list(node.merge))} that touch are one)")
    if node.cut is not None:
        parts.append(f"within {phrase(node.cut)}")
    for length, word in ((node.at_least, "at least"), (node.at_most, "at most")):
        if length:
            parts.append(f"of {word} {_time(length)}")
    if node.where is not None:
        parts.append(f"where {phrase(node.where)}")
    return " ".join(parts) + (", or none" if node.or_none else "")


_KNOWLEDGE: Mapping[str, str] = {
    "follows": "known order", "needs": "known need", "closes": "known closure",
    "effect_of": "known effect", "admissible": "known use", "rule": "rule of order",
    "reason": "reason of an order", "false_reason": "false reason of an order",
}  # fmt: skip
"""Kinds of general knowledge, as a noun."""


def _noun(name: str, many: bool) -> str:
    text = _KNOWLEDGE.get(name, name.replace("_", " "))
    if many and text.startswith("rule"):
        return text.replace("rule", "rules")
    if not many or text.endswith("s"):
        return text
    return f"{text.removesuffix('y')}ies" if text.endswith("y") else f"{text}s"


def _test(test: FieldTest) -> str:
    values = _listed([phrase(value) for value in test.values], "or")
    if test.name == "track" and test.negated:
        return f"of another track than {values.removeprefix('the track of ')}"
    return f"whose {test.name} is {'not ' if test.negated else ''}{values}"


def _call(node: Call) -> str:
    args = dict(node.args)
    if node.op in ("compare", "arithmetic"):
        signs = _SIGNS if node.op == "compare" else _SUMS
        return f"{phrase(args['left'])} {signs[str(args['sign'])]} {phrase(args['right'])}"
    signature = signatures()[node.op]
    text = signature.phrase.format(main=_main(node))
    least = args.get("at_least")
    if isinstance(least, int):
        text += f" of at least {_time(least)}"
    for key, param in signature.params.items():
        key = {"fields": "fields", "values": "seen"}.get(param.written, key) if key == "of" else key
        if key in args and param.phrase:
            value = phrase(args[key]).removeprefix(
                "the " if param.phrase.startswith("with the") else ""
            )
            comma = ", " if param.phrase.startswith(("if", "but", "unless", "where")) else " "
            text += comma + param.phrase.format(value=value)
    return text


def _main(node: Call) -> str:
    main = node.get("of")
    if node.op == "cases" and isinstance(main, tuple):
        return _listed([f"{_text(text)} (if {phrase(one)})" for text, one in main], "or")
    if node.op in ("all", "any") and isinstance(main, tuple):
        between = _between(main) if node.op == "all" else ""
        return between or (" and " if node.op == "all" else " or ").join(map(_inner, main))
    if node.op in _MANY and isinstance(main, Pattern):
        return _pattern(main, many=True)
    if node.op == "coalesce" and isinstance(main, tuple):
        return ", else ".join(map(phrase, main))
    return phrase(main)


def _inner(node: object) -> str:
    nested = isinstance(node, Call) and node.op in ("all", "any")
    text = phrase(node)
    return f"({text})" if nested and (" or " in text or " and " in text) else text


def _between(parts: tuple[object, ...]) -> str:
    """'is from 2 s to 8 s' for a range, '' for other conditions."""
    if len(parts) != 2 or not all(isinstance(p, Call) and p.op == "compare" for p in parts):
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
