"""Tasks of chains, for ``docs/tasks.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from ontology.records import Item
from ontology.times import SECOND_US
from pipeline.docs.queries import NO_EXAMPLE
from pipeline.docs.tables import found_by, metric
from pipeline.preview.chains import given, whole_chains
from pipeline.preview.samples import all_recordings, chains_of
from transforms.language import Chain
from transforms.language.chains import STAGES
from transforms.language.chains.finders import NEEDS

Examples = Mapping[str, tuple[str, Sequence[Item]]]
"""Template id -> recording and the four items of a chain."""


def chains_part(chains: Sequence[Chain], folder: Path) -> str:
    """Sections of all tasks, by benchmark.

    Args:
        folder: where ``answers.md`` and ``scoring.md`` lie.

    Raises:
        UserError: a finder or a measure is described in neither.
    """
    examples = first_chains_of_all(chains)
    parts = []
    for benchmark in sorted({chain.benchmark for chain in chains}):
        parts.append(f"## {benchmark}: chains\n")
        mine = [chain for chain in chains if chain.benchmark == benchmark]
        for task in sorted({chain.task for chain in mine}):
            parts.append(_task([c for c in mine if c.task == task], examples, folder))
    return "\n".join(parts)


def overview(chains: Sequence[Chain]) -> list[str]:
    """One line of the page's table for each task: link, forms, profiles, what it needs."""
    lines = []
    for benchmark, task in sorted({(chain.benchmark, chain.task) for chain in chains}):
        mine = [c for c in chains if (c.benchmark, c.task) == (benchmark, task)]
        profiles = ", ".join(dict.fromkeys(name for chain in mine for name in chain.profiles))
        needed = ", or ".join(dict.fromkeys(NEEDS[chain.finder] for chain in mine))
        lines.append(f"| [{task}](#{task}) | {len(STAGES)} x choice | {profiles} | {needed} |")
    return lines


def _task(chains: Sequence[Chain], examples: Examples, folder: Path) -> str:
    finders = list(dict.fromkeys(chain.finder for chain in chains))
    lines = [
        f"### {chains[0].task}",
        "",
        f"{'; '.join(dict.fromkeys(chain.title for chain in chains))}. {_templates(chains)}",
        "",
    ]
    for finder in finders:
        row = found_by(finder, folder)
        mark = f" (`{finder}`)" if len(finders) > 1 else ""
        lines.append(f"- **needs**{mark}: {NEEDS[finder]}")
        lines.append(f"- **`answer_value`** of `q1`{mark}: {row.value}")
        lines.append(f"- **true when**{mark}: {row.truth}")
    lines += [f"- **score**: {metric(chains[0].task, folder)}", ""]
    found = next((examples[chain.id] for chain in chains if chain.id in examples), None)
    return "\n".join([*lines, *_example(found)]) + "\n"


def _templates(chains: Sequence[Chain]) -> str:
    names = [
        f"`{chain.id}` (version {chain.version}, profiles {' and '.join(chain.profiles)}, one "
        f"chain at most for each {chain.every_us / SECOND_US:g} s)"
        for chain in chains
    ]
    finders = dict.fromkeys(chain.finder for chain in chains)
    links = " and ".join(f"[`{name}`](operators.md#{name})" for name in finders)
    return f"Found by {links}: {', '.join(names)}."


def _example(found: tuple[str, Sequence[Item]] | None) -> list[str]:
    if found is None:
        return [NO_EXAMPLE]
    video, items = found
    shown = [line for item in items for line in ("", *_stage(item))]
    value = items[0].answer_value
    return [
        "```text", video, *shown, "```", "",
        "```json", orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode(), "```",
    ]  # fmt: skip


def _stage(item: Item) -> Iterator[str]:
    yield f"{STAGES[item.stage or 0]}"
    for name, text in given(item):
        yield f"   {name}: {text}"
    yield f"Q  {item.question}"
    for option in item.options:
        yield f"   {'*' if option.is_answer else ' '} {option.key}) {option.text}"


def first_chains_of_all(chains: Sequence[Chain]) -> dict[str, tuple[str, Sequence[Item]]]:
    """The first chain of each template in the samples, datasets by name."""
    found: dict[str, tuple[str, Sequence[Item]]] = {}
    for _, recordings in all_recordings():
        left = [chain for chain in chains if chain.id not in found]
        for video, items in whole_chains(chains_of(recordings, left)):
            found.setdefault(items[0].template_id, (video, items))
    return found
