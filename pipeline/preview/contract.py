"""Check an operator: it has all implementations and an example, and its certain values are true.

They must be true in worlds: exact timelines, drawn at random, that fit the labels of a sample.
"""

from __future__ import annotations

import random  # noqa: TID251  (worlds are drawn in tests; no output depends on them)
import string
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from importlib import resources
from itertools import islice
from typing import Any

from surgqa.ontology.errors import PluginBroken
from surgqa.pipeline.preview.known import PreviewFacts, needed, public_samples
from surgqa.transforms.algebra.operators import form, packages
from surgqa.transforms.algebra.signature import ARGUMENT_KINDS, POOL_PARAMS, signatures
from surgqa.transforms.algebra.tree import Call, Name, Node
from surgqa.transforms.algebra.types import TYPE_NAMES
from surgqa.transforms.algebra.walk import every, names_in
from surgqa.transforms.algebra.worlds.force import hold
from surgqa.transforms.language import Program, parse_text
from surgqa.transforms.questions.example import examples_come_out

FORMS = ("naive", "columns", "sql")
WITHOUT_VALUE = (".operators.each", ".operators.pools")
"""Ends of names of packages whose operators have no value: they enumerate rows or make options."""

FREE = {"now", "window", "video"}
"""Names that a value may use when it is tested alone: they stand for one filling."""

TIMES, WORLDS, SAMPLES = 6, 20, 2


def broken_promises(name: str, seed: int = 0) -> list[str]:
    """List what an operator violates, as sentences; empty if it keeps the contract.

    The operator's example must have no findings and give the expected value. Values that the column
    implementation calls certain must hold in worlds drawn from the samples of readers.

    Raises:
        KeyError: there is no such operator.
    """
    missing = [*_forms(name)]
    out = [*_signature(name), *missing]
    text = example_of(name)
    if text is None:
        return [*out, f"it has no {name}.yaml"]
    programs, findings = parse_text(text, f"{name}.yaml")
    out += [str(finding) for finding in findings]
    for program in programs:
        out += [str(finding) for finding in examples_come_out(program)]
        if not program.examples:
            out.append("its example has no 'examples'")
        if not any(node.op == name for node in calls(program)):
            out.append(f"its example does not use {name!r}")
        if not missing:
            out += _against_worlds(name, program, random.Random(seed))
    return out


def example_of(name: str) -> str | None:
    """Return the text of an operator's example, ``<operator>.yaml``."""
    file = resources.files(packages()[name]) / f"{name}.yaml"
    return file.read_text(encoding="utf-8") if file.is_file() else None


def calls(program: Program) -> Iterator[Call]:
    """Yield every call of an operator in a program."""
    parts: list[object] = [step.node for step in program.let]
    parts += [*program.where, *program.draw.even]
    for stage in program.stages:
        parts += [*(node for _, node in stage.answer), *stage.wrong, *stage.where]
    yield from (node for one in parts for node in every(one) if isinstance(node, Call))


def _signature(name: str) -> Iterator[str]:
    one = signatures()[name]
    if one.name != name:
        yield f"its signature is of {one.name!r}"
    if not one.summary.endswith("."):
        yield "its summary is not a sentence"
    if "main" not in {field for _, field, _, _ in string.Formatter().parse(one.phrase)}:
        yield "its phrase does not have '{main}'"
    for key, param in {name: one.main, **one.params}.items():
        if param.written not in ARGUMENT_KINDS or not set(param.types) <= set(TYPE_NAMES):
            yield f"its argument {key!r} is of no kind that can be written"
        if not param.doc.endswith("."):
            yield f"its argument {key!r} is not described by a sentence"
        if key != name and param.phrase and "{value}" not in param.phrase:
            yield f"the phrase of its argument {key!r} does not have '{{value}}'"
    if one.pool != (set(POOL_PARAMS) <= set(one.params)):
        yield "a pool has the arguments of pools"


def _forms(name: str) -> Iterator[str]:
    """Yield the functions that an operator of another package lacks.

    Shipped operators that only enumerate or make options need fewer functions.
    """
    if not packages()[name].startswith("surgqa.transforms."):
        for kind in FORMS:
            try:
                form(name, kind)
            except PluginBroken as error:
                yield f"{error.expected} is missing"


def _against_worlds(name: str, program: Program, rng: random.Random) -> Iterator[str]:
    """Yield a sentence for each world of a sample that contradicts a value called certain."""
    known = {one: step.node for step in program.let if not step.draws for one in step.names}
    nodes = [closed(node, known) for node in calls(program) if node.op == name]
    nodes = [node for node in nodes if names_in(node) <= FREE | {"it"}]
    if not nodes or packages()[name].endswith(WITHOUT_VALUE):
        return
    for one in islice(_with_kinds(program), SAMPLES):
        _, bad = hold(rng, one.relation, nodes, TIMES, WORLDS)
        for _, _, now, said, found, _ in bad[:1]:
            yield f"at {now} us of {one.key} it says {said}, and a world has {found}"


def _with_kinds(program: Program) -> Iterator[PreviewFacts]:
    for _, sample in public_samples():
        for one in sample[:1]:
            if all(any(map(one.has, kinds)) for kinds in needed(program)):
                yield one


def closed(node: Node, steps: Mapping[str, Node]) -> Node:
    """Return the expression, with the steps of ``let`` inserted for their names."""
    if isinstance(node, Name):
        return closed(steps[node.name], steps) if node.name in steps else node
    return _rebuilt(node, steps)


def _rebuilt(thing: Any, steps: Mapping[str, Node]) -> Any:
    if isinstance(thing, Name):
        return closed(thing, steps)
    if isinstance(thing, tuple):
        return tuple(_rebuilt(one, steps) for one in thing)
    if not is_dataclass(thing) or isinstance(thing, type):
        return thing
    changed = {field.name: _rebuilt(getattr(thing, field.name), steps)
               for field in fields(thing) if field.name not in ("type", "place")}  # fmt: skip
    return replace(thing, **changed)
