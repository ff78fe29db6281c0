"""Preview of a question that is put at a time: its items with rounds, and why there are no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import orjson

from ontology.records import Item
from ontology.times import print_seconds
from pipeline.preview.samples import OfSample, asked_of, first_sample, sample_books
from transforms.language import Query

POINTERS = 4
"""Rows of evidence that are shown of an item."""


def preview_query(query: Query, dataset: str | None, n: int) -> str:
    """Text of at most ``n`` items, and the reasons of stretches without one.

    Args:
        dataset: whose sample is asked; the first one that gives items if None.

    Raises:
        UserError: no such dataset.
    """
    if dataset is None:
        dataset, asked = first_sample(query)
    else:
        asked = asked_of(sample_books(dataset), [query])
    where = f"the {dataset} sample" if dataset else "the samples of all datasets"
    head = f"{query.id} v{query.version}: asked {len(asked.items)} item(s) in {where}"
    shown = ["\n".join(_item(key, item)) for key, item in asked.items[:n]]
    return "\n\n".join([head, *shown, *_reasons(asked)])


def _item(key: str, item: Item) -> Iterator[str]:
    start, end, put = (
        print_seconds(time)
        for time in (item.window.start_us, item.window.end_us, item.extra["query_us"])
    )
    what = "stream" if item.extra["rounds"] else "window"
    yield f"  {key}, {what} {start}-{end} s, asked at {put} s"
    yield f"  Q  {item.question}"
    for option in item.options:
        mark = "*" if option.is_answer else " "
        yield f"    {mark} {option.key}) {option.text}  [{option.kind}]"
    yield "  A  " + item.answer
    for step in item.extra["rounds"]:
        answers = " or ".join(step["accepted_outputs"])
        yield f"     at {print_seconds(step['current_us'])} s: {answers}"
    yield from _judged(item)
    for gate in item.checks:
        limit = f" ({gate.limit})" if gate.limit else ""
        yield f"     {gate.name}: {gate.measured:.4g}{limit}"
    yield f"     {item.clue}"
    for pointer in item.evidence[:POINTERS]:
        span = f"{print_seconds(pointer.start_us)}-{print_seconds(pointer.end_us)} s"
        yield f"     evidence: {pointer.kind} {pointer.id}, {span}"


def _judged(item: Item) -> Iterator[str]:
    """What a full mark is given for, of an open answer."""
    if item.extra["rubric"] is None:
        return
    rubric = orjson.loads(item.extra["rubric"])
    for scale in ("correctness", "evidence_grounding"):
        best = max(rubric[scale])
        yield f"     {scale.replace('_', ' ')} {best}: {rubric[scale][best]}"


def _reasons(asked: OfSample) -> Iterator[str]:
    """Why stretches gave nothing, and how many recordings the question is not for."""
    counts: Counter[str] = Counter()
    for reject in asked.declined:
        counts[f"{reject.where}: {reject.reason}"] += reject.count
    if counts:
        lines = [f"  {n} x  {reason}" for reason, n in sorted(counts.items())]
        yield "not asked in {} stretch(es)\n{}".format(counts.total(), "\n".join(lines))
    if asked.without:
        yield f"not a question for {asked.without} recording(s) without such labels"
