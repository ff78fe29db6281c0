"""Questions put at a time, asked of the made-up samples of the readers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ontology.records import Item, Rejected
from transforms.language import Query
from transforms.questions.queries import ask_queries
from transforms.registry import datasets, load_reader, load_sample
from transforms.timeline import build_timeline
from transforms.timeline.channels import fact_book
from transforms.timeline.facts import FactBook

SEED = "42"

ONES_OWN = ("exports", "observed", "tables")
"""Readers of data of one's own: what their samples hold is no dataset's."""


@cache
def sample_books(dataset: str) -> tuple[FactBook, ...]:
    """All that is labelled of each recording of a dataset's sample.

    Raises:
        UserError: there is no such dataset.
    """
    with tempfile.TemporaryDirectory() as folder:
        load_sample(dataset)(Path(folder))
        reader = load_reader(dataset)(Path(folder))
        evidence = [reader.read(video_id) for video_id in reader.videos()]
    return tuple(fact_book(one, build_timeline(one)) for one in evidence)


def all_samples() -> Iterator[tuple[str, tuple[FactBook, ...]]]:
    """Name and sample of every public dataset, by name; readers still to be written are none."""
    for name in datasets():
        if name in ONES_OWN:
            continue
        try:
            books = sample_books(name)
        except NotImplementedError:
            continue
        yield name, books


@dataclass
class OfSample:
    """What asking a sample gave.

    Attributes:
        items: each with the key of its recording.
        declined: for the stretches without an item, why.
        without: how many recordings have no label of the kind that is asked about.
    """

    items: list[tuple[str, Item]] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)
    without: int = 0


def asked_of(books: Sequence[FactBook], queries: Sequence[Query]) -> OfSample:
    """Ask all recordings of a sample."""
    out = OfSample()
    for book in books:
        asked = ask_queries(book, queries, SEED)
        out.items += [(book.video.key, item) for item in asked.items]
        out.declined += asked.declined
        out.without += not asked.items and not asked.declined
    return out


def first_sample(query: Query) -> tuple[str, OfSample]:
    """The first dataset whose sample gives items, and what it gave.

    Where none does: '' and the reasons of all.
    """
    nothing = OfSample()
    for name, books in all_samples():
        asked = asked_of(books, [query])
        if asked.items:
            return name, asked
        nothing.declined += asked.declined
        nothing.without += asked.without
    return "", nothing
