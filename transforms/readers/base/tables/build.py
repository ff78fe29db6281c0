"""Convert the entries of all tables of one video to evidence: spans, instants, labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from surgqa.ontology.records import UNKNOWN, Code, InstrumentTable, Span, VideoLabel
from surgqa.ontology.times import SECOND_US, round_half_up
from surgqa.transforms.readers.base.intervals import Claimed, checked_spans, sorted_spans, span_key
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import Thing, table_by_frame
from surgqa.transforms.readers.base.table import instants_of, spans_of
from surgqa.transforms.readers.base.tables.rows import LabelEntry, TableRows
from surgqa.transforms.readers.base.tables.sorts import AREA_KINDS
from surgqa.transforms.readers.base.tables.timing import Timing
from surgqa.transforms.readers.base.words import AllWords, KindWords, Mapped

PLACES = ("instrument", *AREA_KINDS)


@dataclass(frozen=True, slots=True)
class Built:
    """The contents of the tables about one video.

    Attributes:
        period_us: time between two annotated instants; None if there are no instants.
        end_us: end of the last label or instant; 0 if nothing has a time.
        kept: number of labels that were kept, plus one for each row that states no label.
    """

    instruments: InstrumentTable | None
    regions: Mapping[str, InstrumentTable]
    spans: tuple[Span, ...]
    labels: tuple[VideoLabel, ...]
    period_us: int | None
    end_us: int
    kept: int


def build(contents: Sequence[TableRows], words: AllWords, timing: Timing, ledger: Ledger) -> Built:
    """Combine the contents of all tables about one video."""
    tables, periods, kept = {}, {}, sum(rows.idle for rows in contents)
    for kind in PLACES:
        mine = [rows for rows in contents if _by_image(rows) and kind in rows.table.kinds()]
        if mine:
            tables[kind], periods[kind] = _table(kind, mine, words[kind], timing)
            kept += sum(entry.kind == kind for rows in mine for entry in rows.entries)
    claimed = [
        one for rows in contents if not _by_image(rows) for one in _claimed(rows, timing, ledger)
    ]
    spans = checked_spans(_once(claimed, ledger), ledger, timing.duration_us)
    runs = [run for rows in contents if _by_image(rows) for run in _runs(rows, timing)]
    kept += len(spans) + sum(
        entry.kind not in PLACES for rows in contents if _by_image(rows) for entry in rows.entries
    )
    labels = _labels(contents, ledger)
    spans = sorted_spans({span_key(span): span for span in (*runs, *spans)}.values())
    ends = [int(t.instants_us[-1]) + periods[k] for k, t in tables.items() if t.instants_us.size]
    ends += [span.end_us for span in spans]
    period = next(iter(periods.values()), None)
    instruments = tables.pop("instrument", None)
    return Built(
        instruments, tables, spans, labels, period, max(ends, default=0), kept + len(labels)
    )


def _by_image(rows: TableRows) -> bool:
    """True if each row of a table is about one image and not about an interval."""
    return rows.table.timed and "start" not in rows.table.columns


def _table(
    kind: str, contents: Sequence[TableRows], words: KindWords | Mapped, timing: Timing
) -> tuple[InstrumentTable, int]:
    looked = {
        timing.frame(look.time): (rows.source, look.pointer)
        for rows in reversed(contents)
        for look in reversed(rows.looked)
    }
    by_frame: dict[int, list[LabelEntry]] = {frame: [] for frame in looked}
    entries = [entry for rows in contents for entry in rows.entries if entry.kind == kind]
    for entry in sorted(entries, key=lambda e: e.at):
        if entry.time is not None:
            by_frame[timing.frame(entry.time)].append(entry)
    tracks = _tracks({entry.track for entry in entries if entry.track})
    things = {frame: _things(found, tracks) for frame, found in by_frame.items()}
    labels = words.concepts or {entry.concept for entry in entries}
    every = next((rows.table.every for rows in contents if rows.table.every), None)
    places = {(frame, 0): place for frame, place in looked.items()} | {
        (frame, row): (entry.source, entry.pointer)
        for frame, found in by_frame.items()
        for row, entry in enumerate(found)
    }
    table = replace(table_by_frame(things, timing.fps, labels, ""), places=places)
    return table, timing.period(sorted(by_frame), every)


def _things(entries: Sequence[LabelEntry], tracks: Mapping[str, int]) -> list[Thing]:
    """Return one instance for each box, and one for each label that has no box in any table.

    Args:
        entries: the labels of one frame, in the order of tables, lines and cells.
    """
    boxed: dict[tuple, list[tuple[int, LabelEntry]]] = defaultdict(list)
    alone: list[tuple[int, LabelEntry]] = []
    rich = {e.concept for e in entries if e.box or e.pair or e.track}
    first: dict[str, int] = {}
    for row, entry in enumerate(entries):
        if entry.box:
            boxed[entry.concept, entry.box].append((row, entry))
        elif entry.pair or entry.track or _is_new_presence(entry, rich, first):
            alone.append((row, entry))
    groups = [*boxed.values(), *([one] for one in alone)]
    return [_thing(group, tracks) for group in groups]


def _is_new_presence(entry: LabelEntry, rich: Collection[str], first: dict[str, int]) -> bool:
    """Return whether a label without box, pair and track stands for an instance of its own.

    It does not if its concept is in ``rich`` (has one of these) or in an earlier table.
    """
    return entry.concept not in rich and first.setdefault(entry.concept, entry.at[0]) == entry.at[0]


def _thing(group: Sequence[tuple[int, LabelEntry]], tracks: Mapping[str, int]) -> Thing:
    row, entry = group[0]
    pairs = tuple(sorted({one.pair for _, one in group if one.pair}))
    track = next((tracks[one.track] for _, one in group if one.track), UNKNOWN)
    return Thing(0, entry.concept, entry.box, pairs or None, row, track, entry.score)


def _tracks(names: Iterable[str]) -> dict[str, int]:
    """Return track numbers: whole numbers are kept, other names are numbered in their order."""
    ordered = sorted(names)
    if all(name.isdecimal() and int(name) < 2**31 for name in ordered):
        return {name: int(name) for name in ordered}
    return {name: number for number, name in enumerate(ordered)}


def _claimed(rows: TableRows, timing: Timing, ledger: Ledger) -> list[Claimed]:
    """Return the intervals of a table whose rows state a start, and may state an end."""
    following, open_ended = _following(rows), _open_ended(rows)
    out = []
    for entry in rows.entries:
        if entry.time is None:
            continue
        end = entry.end
        if entry.at[1] in open_ended:
            reason = "the next start can't be read, so the end is not known"
            ledger.reject(entry.at, Code.INCOMPLETE_INSTANT, reason, entry.where)
            continue
        if end is None and "end" not in rows.table.columns:
            end = following.get((entry.rater, entry.at[1]))
            if end is None and timing.duration_us is not None:
                end = Fraction(timing.duration_us, SECOND_US)
        if end is None:
            reason = "it is the last one, and nothing tells where the recording ends"
            ledger.reject(entry.at, Code.BAD_TIME, reason, entry.where)
            continue
        start_us, end_us = (round_half_up(time * SECOND_US) for time in (entry.time, end))
        span = Span(entry.kind, entry.concept, start_us, end_us, entry.source, entry.pointer,
                    entry.value, entry.rater, entry.subject)  # fmt: skip
        out.append(Claimed(span, entry.at, entry.where))
    return out


def _open_ended(rows: TableRows) -> set[int]:
    """Return the lines that last until the next row, if the time of that row is invalid."""
    if "end" in rows.table.columns:
        return set()
    lines = [look.line for look in rows.looked]
    return {max(before) for bad in rows.unread if (before := [n for n in lines if n < bad])}


def _following(rows: TableRows) -> dict[tuple[str, int], Fraction]:
    """Return, for each (rater, line), the time at which the next row of that rater starts."""
    by_rater: dict[str, list[tuple[Fraction, int]]] = defaultdict(list)
    for look in rows.looked:
        by_rater[look.rater].append((look.time, look.line))
    out = {}
    for rater, looks in by_rater.items():
        ordered = sorted(looks)
        for (_, line), (time, _) in zip(ordered, ordered[1:], strict=False):
            out[rater, line] = time
    return out


def _once(claimed: Iterable[Claimed], ledger: Ledger) -> list[Claimed]:
    """Return the entries; repeated entries are rejected."""
    met: dict[tuple, str] = {}
    out = []
    for one in sorted(claimed, key=lambda c: c.at):
        before = met.setdefault(span_key(one.span), one.where)
        if before == one.where:
            out.append(one)
        else:
            reason = f"the {one.span.kind} {one.span.label} stands already at {before}"
            ledger.reject(one.at, Code.BAD_ROW, reason, one.where)
    return out


def _runs(rows: TableRows, timing: Timing) -> list[Span]:
    """Return a span for each run of annotated images with one label, from a table by image."""
    out: list[Span] = []
    by_rater: dict[str, set[int]] = defaultdict(set)
    for look in rows.looked:
        by_rater[look.rater].add(timing.frame(look.time))
    seen: dict[tuple[str, str, str, str], dict[int, str]] = defaultdict(dict)
    for entry in rows.entries:
        if entry.kind not in PLACES and entry.time is not None:
            key = (entry.rater, entry.kind, entry.concept, entry.subject)
            seen[key].setdefault(timing.frame(entry.time), entry.pointer)
    for (rater, kind, concept, subject), lines in seen.items():
        frames = sorted(by_rater[rater])
        period = timing.period(frames, rows.table.every)
        codes = np.array([0 if frame in lines else UNKNOWN for frame in frames])
        instants = instants_of(np.array(frames, dtype=np.int64), timing.fps)
        places = [lines.get(frame, "") for frame in frames]
        runs = spans_of(
            kind, instants, codes, [concept], period, rows.source, partial(_first, places)
        )
        limit = timing.duration_us
        out += [
            replace(run, rater=rater, subject=subject,
                    end_us=run.end_us if limit is None else min(run.end_us, limit))
            for run in runs
        ]  # fmt: skip
    return out


def _first(places: Sequence[str], first: int, last: int) -> str:
    return places[first]


def _labels(contents: Sequence[TableRows], ledger: Ledger) -> tuple[VideoLabel, ...]:
    """Return the labels of the whole recording. A label that one rater repeats counts once."""
    out: dict[tuple[str, str, str], VideoLabel] = {}
    where: dict[tuple[str, str, str], str] = {}
    for rows in contents:
        for entry in (e for e in rows.entries if not rows.table.timed and e.time is None):
            key = entry.kind, entry.concept, entry.rater
            if key in out:
                before = where[key]
                reason = f"the {entry.kind} {entry.concept} stands already at {before}"
                ledger.reject(entry.at, Code.BAD_ROW, reason, entry.where)
                continue
            where[key] = entry.where
            out[key] = VideoLabel(entry.kind, entry.concept, entry.value, entry.rater,
                                  entry.source, entry.pointer)  # fmt: skip
    return tuple(out[key] for key in sorted(out))
