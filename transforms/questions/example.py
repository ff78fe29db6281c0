"""Run the examples in a template: a few written facts, and the question that must result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from surgqa.ontology.items import Item
from surgqa.ontology.kinds import kind
from surgqa.ontology.records import Window
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.columns.domains import FIELD_OF
from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.tree import Call, Name
from surgqa.transforms.algebra.types import INSTANT, TRUTH
from surgqa.transforms.language.examples import Example, Fact
from surgqa.transforms.language.findings import Finding
from surgqa.transforms.language.program import Program, Stage
from surgqa.transforms.questions.ask import Asked, Asker
from surgqa.transforms.questions.pools import exchanged
from surgqa.transforms.questions.row_fields import stage_numbered
from surgqa.transforms.questions.units import clips
from surgqa.transforms.questions.why import reason_of
from surgqa.transforms.timeline.relation import Recording, Relation
from surgqa.transforms.timeline.relation.draft import RelationDraft

SEED = "42"
CODED = ("label", "subject", "verb", "target", "rater")

Row = dict[str, Any]


def examples_come_out(program: Program) -> list[Finding]:
    """Return a finding (T116) for each example whose result differs from what the file expects."""
    out = []
    for i, example in enumerate(program.examples):
        for part, message in _wrong(program, example):
            line, column = example.places[part]
            where = f"{program.id} > examples[{i}] > expect > {part}"
            out.append(Finding(program.path, line, "T116", where, message,
                               "correct the example or the template", column=column))  # fmt: skip
    return out


def ask_example(program: Program, example: Example) -> Asked:
    """Return the items that the template gives for the facts of an example."""
    made = narrowed(program, example)
    window = Window("clip", "example", 0, example.duration_us)
    return Asker(example_relation(program, example), clips([(0, window)]), SEED).ask(made)


def narrowed(program: Program, example: Example) -> Program:
    """Return the template for the time of an example, with the example's conditions added.

    The example's conditions are tested before the template's own conditions.
    """
    where, unit = (*example.where, *program.where), program.unit
    if example.put is not None and unit.now is None:
        unit = replace(unit, now=example.put)
    elif example.put is not None:
        sides = (("left", Name(INSTANT, "now")), ("sign", "="), ("right", example.put))
        where = (Call(TRUTH, "compare", sides), *where)
    return replace(program, where=where, unit=unit, stages=tuple(map(_alone, program.stages)))


def _alone(stage: Stage) -> Stage:
    """Return the stage without options from other questions, because an example has none."""
    return replace(stage, wrong=tuple(one for one in stage.wrong if one is not exchanged(stage)))


def example_relation(program: Program, example: Example) -> Relation:
    """Return the facts of an example as one video; only the example's ``gaps`` are unannotated."""
    file, draft = example.file, RelationDraft()
    period = round((file.every or 1) * SECOND_US)
    still = program.unit.kind == "still"
    draft.recordings.append(Recording(
        "example", example.duration_us, period, Fraction(1), file.procedure, still=still,
    ))  # fmt: skip
    looked = np.array(list(_looked(example)), np.int64).reshape(-1, 2)
    if file.every is not None:
        grid = np.arange(0, example.duration_us, period, dtype=np.int64)
        draft.instants[0] = grid[[any(a <= t < b for a, b in looked.tolist()) for t in grid]]
    there = _there(example)
    for name in sorted({*program.kinds, *(fact.kind for fact in example.facts)}):
        mine = [fact for fact in example.facts if fact.kind == name]
        draft.add_rows(name, [_row(draft, fact, there) for fact in mine])
        if kind(name).labelled != "never" and not kind(name).union:
            draft.add_holes(name, looked)
    _sought(draft, file.labels)
    for fact in example.facts:
        _boxes(draft, fact)
    return draft.finish()


def _looked(example: Example) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in sorted(example.file.gaps):
        yield at, round(start * SECOND_US)
        at = round(end * SECOND_US)
    yield at, example.duration_us


def _track(fact: Fact) -> str:
    """Return the track of an example's fact: its class if the example does not name one."""
    own = fact.fields.get("track")
    return str(own or fact.fields.get("subject") or fact.fields.get("label") or "")


def _there(example: Example) -> Mapping[str, tuple[int, int]]:
    """Return, for each instance, when it is certainly present: (start, end)."""
    out: dict[str, tuple[int, int]] = {}
    for fact in example.facts:
        first, last = out.get(_track(fact), (fact.start[1], fact.end[0]))
        out[_track(fact)] = min(first, fact.start[1]), max(last, fact.end[0])
    return out


def _row(draft: RelationDraft, fact: Fact, there: Mapping[str, tuple[int, int]]) -> Row:
    code, known = draft.codes.code, kind(fact.kind).fields
    (s0, s1), (e0, e1) = fact.start, fact.end
    row: Row = {name: code(str(fact.fields[name])) for name in CODED if name in fact.fields}
    if fact.kind == "instrument":
        row["subject"] = row["label"]
    if "track" in known:
        row["track"] = code(_track(fact))
        row["t0"], row["t1"] = there[_track(fact)]
    value = fact.fields.get("value", np.nan)
    return row | {
        "s0": s0, "s": (s0 + s1) // 2, "s1": s1, "e0": e0, "e": (e0 + e1) // 2, "e1": e1,
        "value_lo": value, "value_hi": value,
    }  # fmt: skip


def _sought(draft: RelationDraft, labels: Mapping[str, Sequence[str]]) -> None:
    """Record which labels could have been annotated; instruments are subjects of actions, too."""

    def add(name: str, field: str, ids: Sequence[str]) -> None:
        draft.looked_for.setdefault((0, name), {})[field] = frozenset(ids)

    for name, ids in labels.items():
        add(*FIELD_OF.get(name, (name, "label")), ids)
        if name == "instrument":
            add(name, "subject", ids)
            for other in ("interaction", "idle"):
                add(other, "subject", ids)


def _boxes(draft: RelationDraft, fact: Fact) -> None:
    """Add a box of the fact at every annotated instant, on a straight way along its ``path``."""
    if not fact.path:
        return
    grid = draft.instants.get(0, np.zeros(0, np.int64))
    at = grid[(grid >= fact.start[1]) & (grid < fact.end[0])]
    share = (at - fact.start[0]) / (fact.end[1] - fact.start[0])
    knots = np.linspace(0, 1, max(len(fact.path), 2))
    path = np.array(fact.path if len(fact.path) > 1 else fact.path * 2)
    boxes = np.stack([np.interp(share, knots, column) for column in path.T], axis=1)
    track = np.full(len(at), draft.codes.code(_track(fact)), np.int64)
    draft.samples.append((track, at, boxes))


# -- comparison with the expected result ----------------------------------------------------------


def _wrong(program: Program, example: Example) -> Iterator[tuple[str, str]]:
    """Yield (part of ``expect``, what is different) for each part that the result contradicts."""
    expect, asked = example.file.expect, ask_example(program, example)
    why = reasons_of(program, example, asked)
    if expect.not_asked is not None:
        if asked.items:
            item = asked.items[0]
            yield "not_asked", f"a question is asked: {item.question} {item.answer}"
        elif expect.not_asked not in why:
            yield "not_asked", f"not certain: {', '.join(why) or 'nothing'}"
        return
    if not asked.items:
        first = next(part for part in ("answer", "question", "rounds") if part in example.places)
        yield first, f"nothing is asked: {', '.join(why) or 'no unit'}"
        return
    yield from _texts(program, example, asked.items)
    yield from _rounds(expect.rounds or {}, asked.items[0])


def reasons_of(program: Program, example: Example, asked: Asked) -> list[str]:
    """Return the names whose values are uncertain; ``where`` if the example's conditions fail."""
    made = narrowed(program, example)
    own = {said(node) for node in made.where[: len(made.where) - len(program.where)]}
    return list(dict.fromkeys(
        "where" if one.where in own else reason_of(program, one).name for one in asked.declined
    ))  # fmt: skip


def _texts(program: Program, example: Example, items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    expect = example.file.expect
    stages = [stage.name for stage in program.stages]
    by_stage = {stage_numbered(program, item.stage): item for item in items}
    for stage, wanted in _by_stage(expect.answer, stages):
        answer = bare(by_stage[stage].answer) if stage in by_stage else None
        if answer != wanted:
            yield "answer", f"the answer is {answer!r}, not {wanted!r}"
    for stage, wanted in _by_stage(expect.question, stages):
        found = [item.question for item in _of_every_wording(program, example, stage)]
        if wanted not in found:
            yield "question", f"the question is {' or '.join(map(repr, found))}"


def _by_stage(
    wanted: str | Mapping[str, str] | None, stages: Sequence[str]
) -> list[tuple[str, str]]:
    if wanted is None:
        return []
    return [(stages[0], wanted)] if isinstance(wanted, str) else list(wanted.items())


def bare(answer: str) -> str:
    """Return the answer without the letter of its option, such as "B. "."""
    return answer.split(") ", 1)[1] if answer[1:3] == ") " else answer


def _of_every_wording(program: Program, example: Example, stage: str) -> Iterator[Item]:
    """Yield the item of a stage several times, once with each wording."""
    for wording in next(one.ask for one in program.stages if one.name == stage):
        stages = tuple(replace(one, ask=(wording,)) if one.name == stage else one
                       for one in program.stages)  # fmt: skip
        items = ask_example(replace(program, stages=stages), example).items
        yield from (item for item in items if stage_numbered(program, item.stage) == stage)


def _rounds(wanted: Mapping[int, str], item: Item) -> Iterator[tuple[str, str]]:
    found = {one["current_us"] // SECOND_US: one["expected_output"]
             for one in item.extra.get("rounds", ())}  # fmt: skip
    for second, output in wanted.items():
        if found.get(second) != output:
            shown = ", ".join(f"{time} s: {text}" for time, text in found.items()) or "none"
            yield "rounds", f"{output!r} is not expected at {second} s; the rounds are {shown}"
