"""Questions put at a time and chains, asked of the made-up samples of the readers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

from ontology.records import Item, Rejected, VideoEvidence
from transforms.language import Chain, Query
from transforms.questions.chains import ask_chains
from transforms.questions.queries import ask_queries
from transforms.registry import datasets, load_reader, load_sample
from transforms.timeline import Timeline, build_timeline
from transforms.timeline.channels import fact_book
from transforms.timeline.facts import FactBook

SEED = "42"

ONES_OWN = ("exports", "observed", "tables")
"""Readers of data of one's own: what their samples hold is no dataset's."""


Recording = tuple[VideoEvidence, Timeline | None]
"""What is labelled of a recording, and its instruments linked."""

R = TypeVar("R")


@cache
def sample_recordings(dataset: str) -> tuple[Recording, ...]:
    """Each recording of a dataset's sample.

    Raises:
        UserError: there is no such dataset.
    """
    with tempfile.TemporaryDirectory() as folder:
        load_sample(dataset)(Path(folder))
        reader = load_reader(dataset)(Path(folder))
        evidence = [reader.read(video_id) for video_id in reader.videos()]
    return tuple((one, build_timeline(one)) for one in evidence)


@cache
def sample_books(dataset: str) -> tuple[FactBook, ...]:
    """All that is labelled of each recording of a dataset's sample.

    Raises:
        UserError: there is no such dataset.
    """
    return tuple(fact_book(*one) for one in sample_recordings(dataset))


def all_samples() -> Iterator[tuple[str, tuple[FactBook, ...]]]:
    """Name and sample of every public dataset, by name; readers still to be written are none."""
    return _of_all(sample_books)


def all_recordings() -> Iterator[tuple[str, tuple[Recording, ...]]]:
    """Name and recordings of every public dataset, by name."""
    return _of_all(sample_recordings)


def _of_all(sample: Callable[[str], tuple[R, ...]]) -> Iterator[tuple[str, tuple[R, ...]]]:
    for name in datasets():
        if name in ONES_OWN:
            continue
        try:
            found = sample(name)
        except NotImplementedError:
            continue
        yield name, found


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


def chains_of(recordings: Sequence[Recording], chains: Sequence[Chain]) -> OfSample:
    """Ask chains of all recordings of a sample; four items each, the main question first."""
    out = OfSample()
    for evidence, timeline in recordings:
        asked = ask_chains(evidence, timeline, chains, SEED)
        out.items += [(evidence.video.key, item) for item in asked.items]
        out.declined += asked.declined
        out.without += not asked.items and not asked.declined
    return out


def first_sample(query: Query) -> tuple[str, OfSample]:
    """The first dataset whose sample gives items, and what it gave.

    Where none does: '' and the reasons of all.
    """
    return _first((name, asked_of(books, [query])) for name, books in all_samples())


def first_chains(chain: Chain) -> tuple[str, OfSample]:
    """The same of a chain."""
    return _first((name, chains_of(found, [chain])) for name, found in all_recordings())


def _first(samples: Iterable[tuple[str, OfSample]]) -> tuple[str, OfSample]:
    nothing = OfSample()
    for name, asked in samples:
        if asked.items:
            return name, asked
        nothing.declined += asked.declined
        nothing.without += asked.without
    return "", nothing
