"""``docs/algebra.md``: every operator of the language, with an executed example."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from surgqa.ontology.errors import FieldInvalid, UserError
from surgqa.ontology.items import Item
from surgqa.pipeline.preview.contract import example_of
from surgqa.transforms.algebra.operators import form, packages
from surgqa.transforms.algebra.signature import POOL_PARAMS, Param, Signature, signatures
from surgqa.transforms.language import Program, parse_text
from surgqa.transforms.language.steps import UNWRITTEN
from surgqa.transforms.questions.example import ask_example, bare, reasons_of
from surgqa.transforms.questions.row_fields import stage_numbered

_HEAD = """\
# Operators of question/v1

*Made by `python -m surgqa.pipeline.docs` from `transforms/algebra/operators`; do not edit.*

A template computes its answer in steps, under `let`. A step is `{operator: main, argument: value}`.
This page lists all operators; [language.md](language.md) describes the rest of the language.

Label times are known only within bounds, so the value of a step may depend on the exact times. A
question is asked only about values that are the same for all of them. *Certain* says when this is
so. Each operator is implemented three times: for exactly known times, for bounds with arrays, and
in SQL. A test compares the three. Every example is a complete template; `surgqa lint` and the tests
run it.
"""

WRITTEN: dict[str, str] = {
    "value": "an expression", "values": "an expression or a list", "pattern": "kinds of facts",
    "collection": "kinds of facts, a name or a list", "condition": "a condition",
    "conditions": "conditions", "cases": "text: condition", "fields": "readers",
    "scale": "a scale", "choice": "a word", "choices": "words", "whole": "a whole number",
    "length": "`2 s`, `10 %`, `0.05`, `20..60 s`", "lengths": "a list of lengths",
    "labels": "a kind, a domain or a scale",
    "pools": "stages, values, pools", "draws": "what is enumerated",
    "border": "`it.start` or `it.end`",
}  # fmt: skip
"""Kind of an argument -> its notation."""


def algebra_page() -> str:
    """Return the whole page as Markdown.

    Raises:
        UserError: an operator has no example, or its example has findings.
    """
    shipped = [
        one
        for name, one in signatures().items()
        if packages()[name].startswith("surgqa.transforms.")
    ]
    links = ", ".join(f"[`{one.name}`](#{one.name})" for one in shipped)
    return "\n".join([_HEAD, links + "\n", *map(_operator, shipped)])


def _operator(one: Signature) -> str:
    lines = [f"## `{one.name}`", "", one.summary + _certain(one.name), ""]
    if one.name in UNWRITTEN:
        lines += [_UNWRITTEN[one.name], ""]
    else:
        lines += ["| argument | written as | meaning |", "| --- | --- | --- |"]
        lines += [_row(f"`{one.name}`", one.main)]
        lines += [_row(f"`{key}`", param) for key, param in one.params.items()
                  if key not in POOL_PARAMS or not one.pool]  # fmt: skip
        lines += ["", *_more(one)]
    text, program = _example(one.name)
    lines += ["```yaml", text.rstrip(), "```", "", *_outcomes(program)]
    return "\n".join(lines) + "\n"


_UNWRITTEN = {
    "all": "A list of conditions, as in `where`, holds if all of them do.",
    "arithmetic": "Written as `a + b`, `a - b` or `a / b`; one sign in an expression.",
    "compare": "Written as `a = b`, with `= != < <= > >= in`.",
}


def _certain(name: str) -> str:
    """Return when the value of an operator is certain, from the docstring of its column form."""
    try:
        docstring = inspect.getdoc(form(name, "columns"))
    except UserError:
        return ""
    first = (docstring or "").split("\n\n")[0].replace("\n", " ")
    return f" *Certain:* {first[:1].lower()}{first[1:]}" if first else ""


def _row(name: str, param: Param) -> str:
    how = ", ".join(f"`{one}`" for one in param.choices) or WRITTEN[param.written]
    if param.types:
        how += f" ({', '.join(param.types)})"
    must = "" if param.required or not name else " *(may be left out)*"
    return f"| {name} | {how} | {param.doc}{must} |"


def _more(one: Signature) -> Iterator[str]:
    if one.selects:
        yield "The operator takes the [arguments of a pattern](language.md#patterns) as well."
        yield ""
    if one.pool:
        yield (
            "The operator can be used under `wrong`, with the "
            "[arguments of a pool](language.md#wrong-options)."
        )
        yield ""


def _example(name: str) -> tuple[str, Program]:
    text = example_of(name)
    programs, findings = parse_text(text or "", f"{name}.yaml")
    if not programs or findings:
        raise FieldInvalid("an operator has no valid example", where=name,
                           found="; ".join(map(str, findings)) or "nothing",
                           fix=f"write {name}.yaml in the operator's folder")  # fmt: skip
    return text or "", programs[0]


def _outcomes(program: Program) -> Iterator[str]:
    """Yield the question and answer of each example, or why nothing is asked."""
    for example in program.examples:
        asked = ask_example(program, example)
        about = (example.file.about or "").rstrip(".")
        if asked.items:
            yield f"- {about}: {'; '.join(_said(program, item) for item in asked.items)}"
        else:
            names = " and ".join(f"`{name}`" for name in reasons_of(program, example, asked))
            yield f"- {about}: not asked, because {names} is not certain."


def _said(program: Program, item: Item) -> str:
    stage = stage_numbered(program, item.stage) if item.chain_id else ""
    return (f"{stage}: " if stage else "") + f"**{bare(item.answer)}**"
