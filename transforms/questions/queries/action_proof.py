"""Which rows of the evidence prove what comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ontology.next_actions import action_of_verbs
from ontology.records import IDLE, UNKNOWN, Pointer, Span
from ontology.times import SECOND_US
from transforms.timeline import Timeline
from transforms.windows.action_clips import Clip, Sample

Row = tuple[int, int, str]
"""(start_us, end_us, id) of a segment."""

Proof = Callable[[Sample, int], tuple[list[Pointer], int]]
"""Of a sample, and of the clips that its answer rests on: pointers, and their last time."""


def imported_proof(rows: Sequence[Row]) -> Proof:
    """The clips themselves, in the order of the video's."""

    def proof(sample: Sample, used: int) -> tuple[list[Pointer], int]:
        taken = rows[sample.number - 1 : sample.number + used]
        pointers = [Pointer("segments", name, start, end) for start, end, name in taken]
        return pointers, max(end for _, end, _ in taken)

    return proof


def derived_proof(
    timeline: Timeline, clips: Sequence[Clip], spans: Sequence[tuple[Span, str]]
) -> Proof:
    """What is seen on the current frame and where the next action first shows, and the phases.

    Args:
        clips: of the video, in order.
        spans: labelled intervals with the ids of their rows.
    """
    instants_us, first_row = timeline.table.instants_us, _first_rows(timeline)

    def rows_at(second: int, action: str | None) -> list[Pointer]:
        low, high = np.searchsorted(instants_us, [second * SECOND_US, (second + 1) * SECOND_US])
        for sample in range(int(low), int(high)):
            rows = range(first_row[sample], first_row[sample + 1])
            verbs = _verbs(timeline, rows)
            if verbs is not None and (action is None or action_of_verbs(verbs) == action):
                time = int(instants_us[sample])
                return [Pointer("events", timeline.event_ids[row], time, time) for row in rows]
        return []

    def proof(sample: Sample, used: int) -> tuple[list[Pointer], int]:
        until_us = (clips[sample.number + used - 1].end + 1) * SECOND_US
        asked = sample.asked
        pointers: list[Pointer] = []
        for second in range(sample.frame, sample.before.start - 1, -1):
            pointers = rows_at(second, None)
            if pointers:
                break
        for second in range(asked.start, asked.end + 1):
            shown = rows_at(second, asked.action)
            if shown:
                pointers += shown
                break
        times = (sample.frame * SECOND_US, asked.start * SECOND_US)
        for span, name in spans:
            if span.kind == "phase" and any(span.start_us <= t < span.end_us for t in times):
                end = min(span.end_us, until_us)
                pointers.append(Pointer("segments", name, span.start_us, end))
        return pointers, until_us

    return proof


def _first_rows(timeline: Timeline) -> list[int]:
    places = np.arange(len(timeline.table.instants_us) + 1)
    return np.searchsorted(timeline.table.sample, places).tolist()


def _verbs(timeline: Timeline, rows: range) -> set[str] | None:
    """Verbs of an instant; None where some instrument's is not annotated."""
    table = timeline.table
    codes = table.pairs[rows.start : rows.stop].tolist()
    if UNKNOWN in codes:
        return None
    return {verb for code in codes for verb, _ in table.pair_sets[code]} - {IDLE[0]}
