"""``docs/tasks.md``: the evidence, answer, score and an example of every task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import orjson

from surgqa.ontology.items import Item
from surgqa.ontology.times import print_seconds
from surgqa.pipeline.preview.known import SEED, first_asked, needed
from surgqa.transforms.language import Program, said
from surgqa.transforms.language.program import Stage
from surgqa.transforms.questions.example import ask_example

_HEAD = f"""\
# Tasks

*Made by `python -m surgqa.pipeline.docs` from `templates/`; do not edit.*

Each section describes one template of surgqa. The description is the content of the template,
printed as sentences; names such as `tool` are values that the template defines, and `now` is the
time of the question. Words such as *last* or *only* are operators, which [algebra.md](algebra.md)
explains; the formulas of the scores are in [scoring.md](scoring.md). Each example comes from the
first synthetic sample of a dataset about which the template asks a question, with seed {SEED}.
`surgqa preview TEMPLATE` prints more questions, and the reasons why others are not asked.
"""

NO_EXAMPLE = "No sample has what could be asked about."


def tasks_page(programs: Sequence[Program]) -> str:
    """Return the whole page as Markdown."""
    lines = ["| task | form | profiles | needs |", "| --- | --- | --- | --- |", *overview(programs)]
    return "\n".join([_HEAD, "\n".join(lines) + "\n", programs_part(programs)])


def overview(programs: Sequence[Program]) -> list[str]:
    """Return the rows of the table of tasks: task, form, profiles, needs."""
    rows = []
    for one in sorted(programs, key=lambda p: (p.benchmark, p.task, p.id)):
        link = f"[{one.task}](#{heading(one, programs).replace(' ', '-')})"
        forms = _forms(one)
        rows.append(f"| {link} | {forms} | {', '.join(one.profiles)} | {_needs(one)} |")
    return rows


def programs_part(programs: Sequence[Program]) -> str:
    """Return a section for every task of every program, by benchmark."""
    parts = []
    for benchmark in sorted({one.benchmark for one in programs}):
        parts.append(f"## {benchmark}\n")
        mine = [one for one in programs if one.benchmark == benchmark]
        parts += [_task(one, programs) for one in sorted(mine, key=lambda p: (p.task, p.id))]
    return "\n".join(parts)


def heading(program: Program, programs: Sequence[Program]) -> str:
    """Return a unique heading for every program: the name of its task, otherwise its id."""
    names = Counter(one.task.split("/")[-1] for one in programs)
    name = program.task.split("/")[-1]
    return name if names[name] == 1 else program.id.replace(".", " ")


def _task(program: Program, programs: Sequence[Program]) -> str:
    scorer = f"`{program.scorer}`" if program.scorer else f"that of its form, `{program.form}`"
    lines = [
        f"### {heading(program, programs)}",
        "",
        f"{program.title}. Template `{program.id}`, version {program.version}, unit "
        f"`{program.unit.kind}`, form {_forms(program)}, profiles "
        f"{' and '.join(program.profiles)}.",
        "",
        f"- **evidence**: {_needs(program)}",
        f"- **content**: {' '.join(said(program))}",
        *map(_answer, program.stages),
        f"- **score**: {scorer} ([scoring.md](scoring.md))",
        "",
    ]
    return "\n".join([*lines, *_example(program)]) + "\n"


def _answer(stage: Stage) -> str:
    fields = ", ".join(f"`{name}` ({node.type})" for name, node in stage.answer)
    return f"- **`answer_value`**{f' of `{stage.name}`' if stage.name else ''}: {fields}"


def _forms(program: Program) -> str:
    counts = Counter(stage.form for stage in program.stages)
    return ", ".join(f"`{form}`" if n == 1 else f"{n} x `{form}`" for form, n in counts.items())


def _needs(program: Program) -> str:
    return ", ".join(" or ".join(kinds) for kinds in needed(program)) or "nothing"


def _example(program: Program) -> Iterator[str]:
    """Yield an item or a chain of the first sample that has any, else of the template's example."""
    dataset, asked = first_asked(program)
    items, where = [item for _, item in asked.items], f"the sample of {dataset}"
    if not items and program.examples:
        items, where = ask_example(program, program.examples[0]).items, "the template's own example"
    if not items:
        yield NO_EXAMPLE
        return
    chain = items[0].chain_id
    shown = [one for one in items if chain and one.chain_id == chain] or items[:1]
    yield from (f"From {where}:", "", "```text")
    for item in shown:
        yield from _item(item)
    yield from ("```", "", "```json")
    for item in shown:
        yield orjson.dumps(item.answer_value, option=orjson.OPT_SORT_KEYS).decode()
    yield "```"


def _item(item: Item) -> Iterator[str]:
    yield f"Q  {item.question}"
    for option in item.options:
        yield f"   {'*' if option.is_answer else ' '} {option.key}) {option.text}"
    yield "A  " + item.answer.replace("\n", "\n   ")
    for one in item.extra.get("rounds") or ():
        yield f"   at {print_seconds(one['current_us'])} s: {one['expected_output']}"
