"""Text of a preview: the template as sentences, its questions, and why other units have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import orjson

from surgqa.ontology.items import Item
from surgqa.ontology.kinds import kind_names
from surgqa.ontology.times import print_seconds
from surgqa.pipeline.preview import known
from surgqa.transforms.language import Program, said
from surgqa.transforms.language.units import no_unit
from surgqa.transforms.questions.row_fields import stage_numbered
from surgqa.transforms.questions.why import reason_of

POINTERS = 4
"""Number of evidence rows printed for an item."""

UNITS = {
    "clip": "clip(s)", "still": "picture(s)", "recording": "recording(s)",
    "now": "stretch(es) of time", "stream": "stretch(es) of time", "chain": "stretch(es) of time",
}  # fmt: skip
"""Kind of unit -> what at most one item is about."""


def preview_program(
    program: Program, dataset: str | None, n: int, root: Path | None = None,
    videos: Sequence[str] = (),
) -> str:  # fmt: skip
    """Return the template as sentences, at most ``n`` items (or chains), and reasons for the rest.

    Args:
        dataset: dataset whose sample is used; None: the first dataset with items.
        root: the dataset's own files instead of its sample.
        videos: videos of ``root``; the first few if none is named.

    Raises:
        UserError: there is no such dataset, folder or video.
    """
    if dataset is None:
        dataset, asked = known.first_asked(program)
    elif root is not None:
        asked = known.asked_of(program, known.real_known(dataset, root, videos))
    else:
        asked = known.asked_of(program, known.sample_known(dataset))
    whose = "recordings" if root is not None else "sample"
    where = f"the {dataset} {whose}" if dataset else "the samples of all datasets"
    groups = [
        list(items)
        for _, items in groupby(
            asked.items, key=lambda one: (one[0], one[1].chain_id or one[1].item_id)
        )
    ]
    chains = f"{len(groups)} chain(s), " if program.unit.kind == "chain" else ""
    head = f"{program.id} v{program.version}: asked {chains}{len(asked.items)} item(s) in {where}"
    shown = ["\n".join(_group(program, group)) for group in groups[:n]]
    about = [*said(program), f"For one unit, up to {program.cost:,} filling(s) are tried."]
    sentences = "\n".join(f"  {line}" for line in about)
    return "\n\n".join([head, sentences, *shown, *reasons(program, asked)])


# -- items ----------------------------------------------------------------------------------------


def _group(program: Program, group: Sequence[tuple[str, Item]]) -> Iterator[str]:
    key = group[0][0]
    if program.unit.kind == "chain":
        yield f"  {key}, chain {group[0][1].chain_id}"
    for _, item in group:
        yield from _item(program, key, item)


def _item(program: Program, key: str, item: Item) -> Iterator[str]:
    yield f"  {_place(program, key, item)}"
    for name, text in given(item):
        yield f"     {name}: {text}"
    yield f"  Q  {item.question}"
    for option in item.options:
        mark = "*" if option.is_answer else " "
        yield f"    {mark} {option.key}) {option.text}  [{option.kind}]"
    yield "  A  " + item.answer.replace("\n", "\n     ")
    for line in item.reasoning:
        yield f"     - {line}"
    for one in item.extra.get("rounds") or ():
        outputs = dict.fromkeys([one["expected_output"], *one["accepted_outputs"]])
        yield f"     at {print_seconds(one['current_us'])} s: {' or '.join(outputs)}"
    yield from _judged(item)
    for pointer in item.evidence[:POINTERS]:
        span = f"{print_seconds(pointer.start_us)}-{print_seconds(pointer.end_us)} s"
        yield f"     evidence: {pointer.kind} {pointer.id}, {span}"


def _place(program: Program, key: str, item: Item) -> str:
    """Return the unit of an item: its clip, time or video."""
    start, end = (print_seconds(time) for time in (item.window.start_us, item.window.end_us))
    put = print_seconds(int(item.extra.get("query_us") or item.window.end_us))
    match program.unit.kind:
        case "still":
            return f"{key}, picture"
        case "recording":
            return f"{key}, whole recording of {end} s"
        case "now":
            return f"{key}, asked at {put} s, sees {start}-{end} s"
        case "stream":
            return f"{key}, stream {start}-{end} s"
        case "chain":
            return f"{stage_numbered(program, item.stage)}, window {start}-{end} s"
    return f"{key}, {program.unit.kind} {start}-{end} s"


def given(item: Item) -> list[tuple[str, str]]:
    """Return the further texts of a question, such as its clue: (name, text)."""
    texts = (("knowledge", item.knowledge), ("given", item.context), ("clue", item.clue))
    return [(name, text) for name, text in texts if text]


def _judged(item: Item) -> Iterator[str]:
    """Yield what an open answer must contain for the full score."""
    rubric = item.extra.get("rubric")
    if rubric is None:
        return
    for scale, marks in (orjson.loads(rubric) if isinstance(rubric, str) else rubric).items():
        if isinstance(marks, dict):
            best = max(marks)
            yield f"     {scale.replace('_', ' ')} {best}: {marks[best]}"


# -- units without an item ------------------------------------------------------------------------


def reasons(program: Program, asked: known.OfKnown) -> Iterator[str]:
    """Yield why units have no item, most frequent reason first, then which kinds videos lack."""
    counts: Counter[str] = Counter()
    for reject in asked.declined:
        found = reason_of(program, reject)
        operator = f" [{found.operator}]" if found.operator else ""
        cause = f": {found.cause}" if found.cause else ""
        counts[f"{found.name}: {found.text}{operator}{cause}"] += reject.count
    if counts:
        lines = [
            f"  {n} x  {text}"
            for text, n in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        ]
        unit = UNITS[program.unit.kind]
        head = f"not asked about {counts.total()} {unit}; not certain was"
        yield "\n".join([head, *lines])
    elif asked.unitless and not asked.items:
        yield f"not asked: {no_unit(program.unit)}"
    if asked.without:
        lacking = Counter(asked.without.values())
        lines = [f"  {n} x  {', '.join(kinds)}" for kinds, n in sorted(lacking.items())]
        kinds = ", ".join(" or ".join(group) for group in known.needed(program))
        own = sorted(set().union(*known.needed(program)) - set(kind_names()))
        lines += [f"  '{one}' is not a kind that surgqa knows; your tables may contain it. Known: "
                  + ", ".join(kind_names()) for one in own]  # fmt: skip
        yield "\n".join([f"not a question for recordings without {kinds}; missing were", *lines])
