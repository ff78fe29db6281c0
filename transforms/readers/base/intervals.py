"""Check and sort the intervals that sources state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from surgqa.ontology.records import Code, Span
from surgqa.ontology.times import print_seconds
from surgqa.transforms.readers.base.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Claimed:
    """A span as the source states it, with its place for the ledger.

    Attributes:
        at: key by which the ledger sorts, such as the line number.
        where: ``file:line``.
    """

    span: Span
    at: tuple[int, ...]
    where: str


def checked_spans(
    claimed: Iterable[Claimed], ledger: Ledger, duration_us: int | None = None
) -> tuple[Span, ...]:
    """Return the valid spans, sorted; impossible spans are rejected, overlong spans are cut.

    Args:
        duration_us: end of the video; None if the spans themselves determine it.
    """
    good: list[Span] = []
    for one in claimed:
        span, problem = one.span, _problem(one.span, duration_us)
        if problem:
            ledger.reject(one.at, Code.BAD_TIME, problem, one.where)
            continue
        if duration_us is not None and span.end_us > duration_us:
            over = print_seconds(span.end_us - duration_us, 3)
            reason = f"{span.kind} {span.label} ends {over} s after the recording: cut"
            ledger.repair(one.at, Code.BAD_TIME, reason, one.where)
            span = replace(span, end_us=duration_us)
        good.append(span)
    return sorted_spans(good)


def sorted_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans sorted by (kind, start, end, label, subject, rater)."""
    return tuple(sorted(spans, key=span_key))


def span_key(span: Span) -> tuple[str, int, int, str, str, str]:
    """Return the sort key of a span, which no two different spans have in common."""
    return span.kind, span.start_us, span.end_us, span.label, span.subject, span.rater


def _problem(span: Span, duration_us: int | None) -> str | None:
    if span.start_us < 0:
        return f"{span.kind} {span.label} starts before the recording"
    if span.end_us <= span.start_us:
        start, end = (print_seconds(t, 3) for t in (span.start_us, span.end_us))
        return f"{span.kind} {span.label} from {start} s to {end} s has no length"
    if duration_us is not None and span.start_us >= duration_us:
        return f"{span.kind} {span.label} starts after the recording's end"
    return None
