"""Preview of a chain: its four questions with what is given to each, and why there are no more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ontology.records import Item
from ontology.times import print_seconds
from pipeline.preview.queries import POINTERS
from pipeline.preview.samples import OfSample, chains_of, first_chains, sample_recordings
from transforms.language import Chain
from transforms.language.chains import STAGES


def preview_chain(chain: Chain, dataset: str | None, n: int) -> str:
    """Text of at most ``n`` chains, and the reasons of events without one.

    Args:
        dataset: whose sample is asked; the first one that gives chains if None.

    Raises:
        UserError: no such dataset.
    """
    if dataset is None:
        dataset, asked = first_chains(chain)
    else:
        asked = chains_of(sample_recordings(dataset), [chain])
    whole = whole_chains(asked)
    where = f"the {dataset} sample" if dataset else "the samples of all datasets"
    count = f"{len(whole)} chain(s), {len(asked.items)} item(s)"
    head = f"{chain.id} v{chain.version}: asked {count} in {where}"
    shown = ["\n".join(_chain(key, items)) for key, items in whole[:n]]
    return "\n\n".join([head, *shown, *_reasons(asked)])


def whole_chains(asked: OfSample) -> list[tuple[str, list[Item]]]:
    """The recording and the four items of each chain, in the order they were asked."""
    by_chain: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for key, item in asked.items:
        by_chain[key, item.chain_id or ""].append(item)
    return [(key, items) for (key, _), items in by_chain.items()]


def _chain(key: str, items: Sequence[Item]) -> Iterator[str]:
    yield f"  {key}, chain {items[0].chain_id}"
    for item in items:
        yield from _item(item)


def _item(item: Item) -> Iterator[str]:
    start, end = (print_seconds(time) for time in (item.window.start_us, item.window.end_us))
    yield f"  {STAGES[item.stage or 0]}, window {start}-{end} s"
    for name, text in given(item):
        yield f"     {name}: {text}"
    yield f"  Q  {item.question}"
    for option in item.options:
        mark = "*" if option.is_answer else " "
        yield f"    {mark} {option.key}) {option.text}  [{option.kind}]"
    yield "  A  " + item.answer
    for gate in item.checks:
        limit = f" ({gate.limit})" if gate.limit else ""
        yield f"     {gate.name}: {gate.measured:.4g}{limit}"
    for pointer in item.evidence[:POINTERS]:
        span = f"{print_seconds(pointer.start_us)}-{print_seconds(pointer.end_us)} s"
        yield f"     evidence: {pointer.kind} {pointer.id}, {span}"


def given(item: Item) -> list[tuple[str, str]]:
    """What goes with a question, as far as there is any: name and text."""
    told = (("knowledge", item.knowledge), ("known", item.context), ("clue", item.clue))
    return [(name, text) for name, text in told if text]


def _reasons(asked: OfSample) -> Iterator[str]:
    """Why events gave no chain, and how many recordings hold no event at all."""
    counts: dict[str, int] = defaultdict(int)
    for reject in asked.declined:
        counts[f"{reject.where}: {reject.reason}"] += reject.count
    if counts:
        lines = [f"  {n} x  {reason}" for reason, n in sorted(counts.items())]
        yield "not asked about {} event(s)\n{}".format(sum(counts.values()), "\n".join(lines))
    if asked.without:
        yield f"no such event in {asked.without} recording(s)"
