"""Hand-written recordings, and one query template at a time to ask of them.

Times are whole or decimal seconds.  ``Scene`` builds the evidence; ``found`` gives what one
finder makes of it, before the items are worded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from ontology.keys import Key
from ontology.records import (
    UNKNOWN,
    Clock,
    InstrumentTable,
    Item,
    Media,
    MediaKind,
    Pair,
    Source,
    Span,
    Video,
    VideoEvidence,
    VideoLabel,
)
from ontology.rows import SCHEMA_VERSION
from transforms.language.load import load_questions
from transforms.language.queries import Query
from transforms.questions.queries.ask import FINDERS, AskedQueries, ask_queries
from transforms.questions.queries.found import Found, Search
from transforms.timeline import Timeline, build_timeline
from transforms.timeline.channels import fact_book
from transforms.timeline.facts import FactBook

S = 1_000_000
Box = tuple[float, float, float, float]
NOWHERE: Box = (np.nan,) * 4
SEED = "42"
TOOLS = ("bipolar", "clipper", "grasper", "hook", "irrigator", "retrieval_bag", "scissors")
CHOLE = "laparoscopic cholecystectomy"
BYPASS = "laparoscopic gastric bypass"


def us(seconds: float) -> int:
    """Seconds as microseconds."""
    return round(seconds * S)


def span(kind: str, label: str, start: float, end: float, **more) -> Span:
    """A labelled interval."""
    return Span(kind, label, us(start), us(end), f"{kind}.txt", f"{label} {start:g}", **more)


def spans(kind: str, *parts: tuple[str, float, float], **more) -> tuple[Span, ...]:
    """Labelled intervals of one kind."""
    return tuple(span(kind, *part, **more) for part in parts)


def said(kind: str, label: str, value: float | None = None, rater: str = "") -> VideoLabel:
    """What is said of the whole."""
    return VideoLabel(kind, label, value, rater, "whole.csv", f"{kind} {label}")


Row = str | tuple[str, Box] | tuple[str, Box, tuple[Pair, ...] | None]
"""Label; with its box; with what it does, None where that is not known."""


def table(
    at: Mapping[float, Sequence[Row]], labels: Iterable[str], *, pairs: bool = False
) -> InstrumentTable:
    """Event tuples at instants; an instant without rows shows nothing."""
    names, instants = tuple(sorted(labels)), sorted(at)
    rows = sorted(
        (sample, names.index(label), box, does or ())
        for sample, time in enumerate(instants)
        for label, box, does in map(_whole_row, at[time])
    )
    sets = tuple(sorted({row[3] for row in rows if row[3]})) if pairs else ()
    return InstrumentTable(
        instants_us=np.array([us(time) for time in instants], dtype=np.int64),
        frames=np.array([round(time * 25) for time in instants], dtype=np.int64),
        sample=np.array([row[0] for row in rows], dtype=np.int32),
        label=np.array([row[1] for row in rows], dtype=np.int16),
        box_xyxy=np.array([row[2] for row in rows], dtype=np.float64).reshape(len(rows), 4),
        score=np.ones(len(rows)),
        pairs=np.array([sets.index(row[3]) if row[3] in sets else UNKNOWN for row in rows],
                       dtype=np.int16),
        track=np.full(len(rows), UNKNOWN, dtype=np.int32),
        row=np.zeros(len(rows), dtype=np.int32),
        labels=names,
        pair_sets=sets,
        box_origin="manual",
        pointer="{frame}:{row}",
    )  # fmt: skip


def _whole_row(row: Row) -> tuple[str, Box, tuple[Pair, ...] | None]:
    if isinstance(row, str):
        return row, NOWHERE, None
    return (row[0], row[1], row[2]) if len(row) == 3 else (row[0], row[1], None)


def every(
    first: int, last: int, shown: Mapping[str, Iterable[int]], step: int = 1
) -> dict[float, list[Row]]:
    """Instants from first to last second, with the seconds at which each label is there."""
    seconds = {label: set(times) for label, times in shown.items()}
    return {
        time: [label for label in sorted(seconds) if time in seconds[label]]
        for time in range(first, last + 1, step)
    }


def scene(
    *spans: Span, seconds: float = 240, instruments: InstrumentTable | None = None,
    regions: Mapping[str, InstrumentTable] | None = None, labels: Sequence[VideoLabel] = (),
    dataset: str = "cholec80", procedure: str = CHOLE, period: float = 1, fps: int = 25,
    clock: Clock = Clock.TIME, media: MediaKind = MediaKind.ABSENT, name: str = "v01",
) -> VideoEvidence:  # fmt: skip
    """A recording's evidence."""
    video = Video(
        dataset=dataset,
        video_id=name,
        procedure=procedure,
        specialty="surgery",
        fps=Fraction(fps),
        period_us=us(period),
        duration_us=us(seconds),
        media=Media(media),
        split=None,
        split_group=name,
        licence="made up",
        label_source="made up",
        sources=(Source("scene.json", "0" * 64),),
        vocabulary=instruments.labels if instruments else (),
        clock=clock,
    )
    return VideoEvidence(
        video, instruments, spans=tuple(spans), labels=tuple(labels), regions=dict(regions or {})
    )


def book(evidence: VideoEvidence) -> FactBook:
    """Its facts."""
    return fact_book(evidence, timeline(evidence))


def timeline(evidence: VideoEvidence) -> Timeline | None:
    """Its event tuples, linked."""
    return build_timeline(evidence)


@cache
def queries() -> Mapping[str, Query]:
    """The query templates that ship, by id without the benchmark."""
    shipped = [q for q in load_questions()
               if isinstance(q, Query) and q.benchmark == "medstream"]  # fmt: skip
    return {q.id.removeprefix("medstream."): q for q in shipped}


def query(name: str, *, every: float | None = None, look_back: float | None = None) -> Query:
    """One of them, with other lengths if so said."""
    one = queries()[name]
    return replace(
        one,
        every_us=one.every_us if every is None else us(every),
        look_back_us=one.look_back_us if look_back is None else us(look_back),
    )


def search(evidence: VideoEvidence, one: Query, seed: str = SEED) -> Search:
    """A query template set to look through a recording."""
    key = Key(SCHEMA_VERSION, seed, one.benchmark, one.id, evidence.video.key)
    return Search(book(evidence), one, key)


def results(evidence: VideoEvidence, one: Query, seed: str = SEED) -> tuple[list[Found], set[str]]:
    """What can be put, and the reasons of what can't."""
    out = list(FINDERS[one.finder](search(evidence, one, seed)))
    found = [result for result in out if isinstance(result, Found)]
    return found, {result.reason for result in out if not isinstance(result, Found)}


def found(
    evidence: VideoEvidence, name: str, *, every: float = 5, look_back: float | None = None,
    seed: str = SEED,
) -> list[Found]:  # fmt: skip
    """Questions of one template, many of them: one for each five seconds."""
    return results(evidence, query(name, every=every, look_back=look_back), seed)[0]


def asked(evidence: VideoEvidence, *chosen: Query, seed: str = SEED) -> AskedQueries:
    """Finished items of some templates, of all of them if none is named."""
    return ask_queries(book(evidence), chosen or tuple(queries().values()), seed)


def items(evidence: VideoEvidence, *chosen: Query, seed: str = SEED) -> list[Item]:
    """The items alone."""
    return asked(evidence, *chosen, seed=seed).items


def times(questions: Iterable[Found]) -> set[float]:
    """When they are put, in seconds."""
    return {one.query_us / S for one in questions}


def values(questions: Iterable[Found]) -> list[dict]:
    """Their typed answers."""
    return [dict(one.value) for one in questions]


def wrong(one: Found) -> list[str]:
    """The texts of the wrong options."""
    return [choice.text for choice in one.wrong]
