"""Describe a parsed template in English sentences, for ``surgqa preview`` and ``docs/tasks.md``.

Names of the template are printed between backticks, so that they differ from words.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any

from surgqa.transforms.algebra.phrases import inner, phrase, seconds
from surgqa.transforms.algebra.tree import (
    Between,
    Call,
    FieldTest,
    Name,
    Pattern,
    Print,
    Read,
    Step,
)
from surgqa.transforms.language.program import Program, Stage, Unit

_WORDS = ("video", "window")
"""Names that :func:`phrase` prints as words."""
_PLURAL = ("facts", "set", "sequence", "stretches")
"""Types of values that are several things."""
_PLAINER = (
    (r"\(those of one ([^()]+) (that touch|at most \S+ s apart) are one\)",
     r"(those with the same \1 \2 count as one)"),
    (r"^the (`\w+`) with the (greatest|least)", r"the one of \1 with the \2"),
    (r"\b(first|last|only|any) (`\w+`)", r"\1 of \2"),
    (r"\bnot \((`\w+`)\)", r"\1 is false"),
    (r" of (at least|at most) ([\d.]+ s)\b", r", with a length of \1 \2"),
    (r"(, with a length of \S+ \S+ [\d.]+ s) with", r"\1, with"),
    (r"^the the different", "the one of the different"),
    (r"\btime with\b", "total time with any"),
    (r"`answer` of other", "the answers to other"),
    (r"^right and wrong parts of", "combinations of right and wrong answers to"),
    (r"(near `answer`) ([\d.]+ s apart)", r"\1, \2"),
    (r" at most (\d+)$", r", at most \1 of them"),
)  # fmt: skip
"""Parts of phrases -> plainer words. (:func:`phrase` itself also prints reasons of rejections.)"""


def said(program: Program) -> list[str]:
    """Return sentences about a template: unit, steps, conditions, answer, wrong options."""
    out = [_unit(program.unit)]
    out += [_step(step) for step in program.let]
    if program.where:
        conditions = " and ".join(_plainer(inner(_quoted(one))) for one in program.where)
        out.append(f"The question is asked only if {conditions}.")
    for stage in program.stages:
        out += _stage(stage)
    return out


def _quoted(node: Any) -> Any:
    """Return an expression with its names between backticks."""
    match node:
        case Name():
            return node if node.name in _WORDS else replace(node, name=f"`{node.name}`")
        case Pattern() if node.alias != "it" and not node.alias.startswith("`"):
            return _quoted(replace(node, alias=f"`{node.alias}`"))
        case tuple():
            return tuple(map(_quoted, node))
        case Read() | Between() | Pattern() | Call() | FieldTest() | Print():
            changed = {one.name: _quoted(getattr(node, one.name)) for one in fields(node)}
            return replace(node, **changed)
    return node


def _phrase(node: object) -> str:
    return _plainer(phrase(_quoted(node)))


def _plainer(text: str) -> str:
    for found, plain in _PLAINER:
        text = re.sub(found, plain, text)
    return text


def _unit(unit: Unit) -> str:
    every = f" At most one is asked in {seconds(unit.every)}." if unit.every else ""
    per = f" At most one is asked for each `{unit.per}`." if unit.per else ""
    now = _phrase(unit.now) if unit.now is not None else "any time"
    match unit.kind:
        case "now":
            seen = f"the {seconds(unit.see)} before it" if unit.see else "one frame"
            seen = "everything before it" if unit.see is None else seen
            least = f" (at least {seconds(unit.shortest)})" if unit.shortest else ""
            return f"A question is asked at {now} and shows {seen}{least}.{every}{per}"
        case "stream":
            low, high = map(seconds, unit.length)
            return f"A stream begins at {now} and lasts {low} to {high}.{every}"
        case "chain":
            return f"A chain of questions is about each `{unit.chain}`.{every}"
        case "recording":
            return "A question is about the whole recording."
    return f"A question is about one {'still image' if unit.kind == 'still' else unit.kind}."


def _step(step: Step) -> str:
    names = " and ".join(f"`{name}`" for name in step.names)
    text = _phrase(step.node)
    if step.draws:
        drawn = text.removeprefix("each ").replace("all labels of", "label of", 1)
        if len(step.names) > 1:
            return f"{names} are, in turn, each pair of {drawn.replace('label of', 'labels of')}."
        return f"{names} is, in turn, each {drawn}."
    kind = step.node.type.name
    if kind == "truth":
        return f"{names} is true if {text}."
    return f"{names} {'are' if kind in _PLURAL else 'is'} {text}."


def _stage(stage: Stage) -> list[str]:
    head = f"Stage `{stage.name}`: the" if stage.name else "The"
    parts = " and ".join(_phrase(node) for _, node in stage.answer)
    out = [f"{head} answer is {parts}."]
    if stage.wrong:
        pools = "; then ".join(_phrase(pool) for pool in stage.wrong)
        out.append(f"{head} wrong options are {pools}.")
    return out
