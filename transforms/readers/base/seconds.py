"""Read rows that state a label with its start and end in seconds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from surgqa.ontology.records import Code, Span
from surgqa.ontology.times import SECOND_US, round_half_up
from surgqa.transforms.readers.base.delimited import DelimitedLine, number
from surgqa.transforms.readers.base.intervals import Claimed
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.words import concept_of


def exact_us(seconds: str) -> int | None:
    """Return microseconds of a decimal number of seconds; None if the text is not a number."""
    return None if number(seconds) is None else round_half_up(Fraction(seconds) * SECOND_US)


def second_rows(
    kind: str,
    rows: Iterable[tuple[DelimitedLine, str]],
    known: Mapping[str, Mapping[str, Any]],
    ledger: Ledger,
    place: int,
) -> Iterator[Claimed]:
    """Yield the spans of rows with ``startseconds``, ``endseconds`` and ``label``, unchecked.

    A row that repeats an earlier row is rejected.  A span that starts before the video
    and ends within it is cut to start at 0.

    Args:
        rows: each row with its place in the file.
        place: position of the file among the video's files, for sorting the ledger.
    """
    done: set[tuple[str, int, int]] = set()
    for row, where in rows:
        at = (place, row.line)
        concept = concept_of(kind, row["label"], known)
        start, end = exact_us(row["startseconds"]), exact_us(row["endseconds"])
        if not isinstance(concept, str):
            ledger.reject(at, *concept, where)
        elif start is None or end is None:
            ledger.reject(at, Code.BAD_TIME, "start or end is not a number of seconds", where)
        elif (key := (concept, max(start, 0), end)) in done:
            reason = f"{kind} {concept} stands there with these times already"
            ledger.reject(at, Code.DUPLICATE_FRAME, reason, where)
        else:
            done.add(key)
            if start < 0 < end:
                start, reason = 0, f"{kind} {concept} starts before the recording: cut"
                ledger.repair(at, Code.BAD_TIME, reason, where)
            source = where.rpartition(":")[0]
            yield Claimed(Span(kind, concept, start, end, source, where), at, where)
