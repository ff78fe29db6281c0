"""Checks that compare rows with each other: repeated rows, and answers that are too frequent."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import NamedTuple

import orjson

from surgqa.transforms.checks.medstream.sample import StreamRow
from surgqa.transforms.checks.medstream.words import plain

FREQUENT = 0.6
ENOUGH = 10
"""Number of rows of a task from which on an answer with more than 60 % is reported. With fewer
rows, only an answer with 100 % is."""

KEPT = 1000
"""Number of different answers that are counted for a task; all others are counted together."""

BYTES = 8
"""Number of bytes that are stored for an id or a question."""

OTHERS = "(others)"


class TaskRows(NamedTuple):
    """The answers of the rows of one task."""

    dataset: str
    name: str


class Across:
    """Digests of the ids, questions and answers of all rows, 16 bytes for each row."""

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self._asked: set[int] = set()
        self.answers: Mapping[TaskRows, Counter[str]] = defaultdict(Counter)

    def add(self, sample: StreamRow) -> Iterator[str]:
        """Add a row; yield D06 if its id, or its question, window and answer, occurred before."""
        times = tuple(sample.times or ())
        asked = (sample.dataset, sample.video, sample.task, times, sample.stem, sample.answers)
        if _seen(self._ids, sample.id):
            yield f"the id {sample.id!r} occurs again"
        elif _seen(self._asked, orjson.dumps(asked).decode()):
            yield f"the same question, window and answer occur again: {sample.stem!r}"
        if sample.closed:
            counts = self.answers[TaskRows(sample.dataset, sample.task)]
            answer = plain(sample.answer)
            counts[answer if answer in counts or len(counts) < KEPT else OTHERS] += 1

    def frequent(self) -> Iterator[str]:
        """D33: yield a message for each task in which one answer is too frequent."""
        for task in sorted(self.answers):
            counts = self.answers[task]
            total = counts.total()
            answer, most = max(counts.items(), key=itemgetter(1))
            alone = total > 1 and most == total
            if alone or (total >= ENOUGH and most > FREQUENT * total):
                yield f"{task.dataset}/{task.name}: {answer!r} in {most} of {total}"


def _seen(known: set[int], text: str) -> bool:
    """Add a text; return whether it was added before."""
    found = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=BYTES)
    key = int.from_bytes(found.digest(), "big")
    again = key in known
    known.add(key)
    return again
