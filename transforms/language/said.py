"""Describe a parsed template in English sentences, for ``surgqa preview``."""

from __future__ import annotations

from surgqa.transforms.algebra.phrases import inner, phrase, seconds
from surgqa.transforms.algebra.tree import Step
from surgqa.transforms.language.program import Program, Stage, Unit


def said(program: Program) -> list[str]:
    """Return sentences about a template: unit, steps, conditions, answer, wrong options."""
    out = [_unit(program.unit)]
    out += [_step(step) for step in program.let]
    if program.where:
        out.append(f"Only if {' and '.join(map(inner, program.where))}.")
    for stage in program.stages:
        out += _stage(stage)
    return out


def _unit(unit: Unit) -> str:
    every = f", one at most in {seconds(unit.every)}" if unit.every else ""
    per = f", one for each {unit.per}" if unit.per else ""
    now = phrase(unit.now) if unit.now is not None else "any time"
    match unit.kind:
        case "now":
            seen = "all before it" if unit.see is None else f"the {seconds(unit.see)} before it"
            least = f", {seconds(unit.shortest)} at least" if unit.shortest else ""
            return f"A question is put at {now} and sees {seen}{least}{every}{per}."
        case "stream":
            low, high = map(seconds, unit.length)
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
