"""``docs/tasks.md``: every task with what it needs, what it asks and how it is scored."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

from ontology.records import Item
from pipeline.docs import chains as of_chains
from pipeline.docs import programs as of_programs
from pipeline.docs.needs import needs
from pipeline.docs.operators import leaves
from pipeline.docs.queries import overview, queries_part
from pipeline.docs.tables import described, metric
from transforms.language import Chain, Program, Query, Template
from transforms.language.operators import BOUNDS, operators
from transforms.language.template import Condition
from transforms.questions import ask
from transforms.registry import load_reader, load_sample
from transforms.timeline import build_timeline
from transforms.windows import View, cut_clips, view_windows

SAMPLE = "cholect50"
SEED = "42"

_HEAD = f"""\
# Tasks

*Made by `python -m pipeline.docs` from `templates/`, [answers.md](answers.md) and
[scoring.md](scoring.md); do not edit.*

Words such as *sample*, *block* or *idle* are defined in [answers.md](answers.md), formulas
in [scoring.md](scoring.md). Examples come from the made-up sample of {SAMPLE} with seed
{SEED}, those of questions that are put at a time and of chains from the first sample that has one;
`surgqa preview TEMPLATE` shows more, and why other moments were not asked about.
"""


def tasks_page(
    templates: Sequence[Template], queries: Sequence[Query], chains: Sequence[Chain],
    programs: Sequence[Program], folder: Path,
) -> str:  # fmt: skip
    """The whole page as Markdown.

    Args:
        folder: where ``answers.md`` and ``scoring.md`` lie.

    Raises:
        UserError: a task is described in neither page.
    """
    examples = _examples(templates)
    parts = [_HEAD, _overview(templates, queries, chains, programs)]
    for benchmark in sorted({t.benchmark for t in templates}):
        mine = [t for t in templates if t.benchmark == benchmark]
        for core in sorted({t.core_task for t in mine}):
            parts.append(f"## {benchmark}: {core}\n")
            parts += [_task(t, examples.get(t.id), folder) for t in mine if t.core_task == core]
    small = (queries_part(queries, folder), of_chains.chains_part(chains, folder))
    return "\n".join([*parts, *small, of_programs.programs_part(programs)])


def _overview(
    templates: Sequence[Template], queries: Sequence[Query], chains: Sequence[Chain],
    programs: Sequence[Program],
) -> str:  # fmt: skip
    lines = ["| task | form | profiles | needs |", "| --- | --- | --- | --- |"]
    for template in sorted(templates, key=lambda t: (t.benchmark, t.task)):
        link = f"[{template.task}](#{template.task.split('/')[1]})"
        needed = ", ".join(need.split(" (")[0] for need in needs(template)[1:]) or "instruments"
        lines.append(f"| {link} | {template.form} | {', '.join(template.profiles)} | {needed} |")
    small = [*overview(queries), *of_chains.overview(chains), *of_programs.overview(programs)]
    return "\n".join([*lines, *small]) + "\n"


def _task(template: Template, example: Item | None, folder: Path) -> str:
    name = template.task.split("/")[1]
    row = described(template.benchmark, name, folder)
    lines = [
        f"### {name}",
        "",
        f"{template.title}. Template `{template.id}`, version {template.version}, "
        f"form `{template.form}`, profiles {' and '.join(template.profiles)}.",
        "",
        f"- **needs**: {'; '.join(needs(template))}",
        f"- **asked when**: {'; '.join(_gates(template)) or 'the slots can be filled'}",
        f"- **`answer_value`**: {row.value}",
        f"- **true when**: {row.truth}",
        f"- **score**: {metric(name, folder)}",
        "",
    ]
    return "\n".join([*lines, *_example(example)]) + "\n"


def _gates(template: Template) -> Iterator[str]:
    if template.where is None:
        return
    if all(node.leaf for node in _top(template.where)):
        yield from (_gate(node) for node in leaves(template.where))
        return
    yield "a combination of " + ", ".join(_gate(node) for node in leaves(template.where))


def _top(where: Condition) -> tuple[Condition, ...]:
    return where.children if where.kind == "all" else (where,)


def _gate(node: Condition) -> str:
    call = node.leaf
    assert call is not None
    signs = {"at_least": "≥", "at_most": "≤", "above": ">", "below": "<"}
    limits = [f"{signs[b]} {call.args[b]}" for b in BOUNDS if call.args.get(b) is not None]
    doc = operators("condition")[call.op].doc.rstrip(".")
    shown = f"`{call.op}` {' and '.join(limits)}" if limits else f"`{call.op}`"
    return f"{shown}, {doc[0].lower()}{doc[1:]}"


def _example(item: Item | None) -> list[str]:
    if item is None:
        return [f"The sample of {SAMPLE} shows nothing that could be asked."]
    lines = ["```text", f"Q  {item.question}"]
    for option in item.options:
        lines.append(f"   {'*' if option.is_answer else ' '} {option.key}) {option.text}")
    lines += ["A  " + item.answer.replace("\n", "\n   "), "```", ""]
    return [*lines, "```json", _json(item.answer_value), "```"]


def _json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _examples(templates: Sequence[Template]) -> dict[str, Item]:
    """The first item of each template on the sample."""
    found: dict[str, Item] = {}
    with tempfile.TemporaryDirectory() as folder:
        load_sample(SAMPLE)(Path(folder))
        reader = load_reader(SAMPLE)(Path(folder))
        for video_id in reader.videos():
            timeline = build_timeline(reader.read(video_id))
            if timeline is None:
                continue
            cut = cut_clips(timeline.video, timeline.table.instants_us)
            view: View = view_windows(timeline, cut.windows)
            for item in ask(view, list(templates), SEED).items:
                found.setdefault(item.template_id, item)
    return found
