"""Instruments and what they do, from event tuples: presences, interactions, idleness, boxes."""

from __future__ import annotations

import numpy as np

from ontology.records import IDLE, UNKNOWN
from transforms.timeline.relation.draft import Draft
from transforms.timeline.relation.instants import Grid, Runs, runs_of
from transforms.timeline.relation.sightings import add_sightings
from transforms.timeline.relation.table import NONE, Codes, on_axis
from transforms.timeline.timeline import Timeline


def add_tools(draft: Draft, timeline: Timeline) -> None:
    """Facts of kind ``instrument``, ``interaction`` and ``idle``, and samples of boxes.

    A presence is one instance (track) seen at neighbouring instants.  An interaction is one
    instance with one verb and target.  Interactions of a class are known at instants where
    every row of it has them, so each class has holes of its own.
    """
    table = timeline.table
    looked = Grid(table.instants_us, timeline.video.period_us)
    tracks = np.array([draft.codes.code(name) for name in timeline.tracks.ids], np.int32)
    classes = np.array([draft.codes.code(name) for name in table.labels], np.int32)
    of_row, sample = timeline.tracks.of_row.astype(np.int64), table.sample.astype(np.int64)
    draft.instants[draft.video] = on_axis(draft.video, table.instants_us)
    there = _there(timeline, draft.video)
    if table.absence is None:
        gaps = draft.gaps_of(looked)
        runs = runs_of(looked, of_row, sample)
        label = classes[timeline.tracks.label[runs.key]]
        proofs = draft.prove_runs("events", looked, runs, of_row, sample, timeline.event_ids)
        draft.add_runs("instrument", runs, gaps, label=label, subject=label,
                       track=tracks[runs.key], t0=there[0][runs.key], t1=there[1][runs.key],
                       proof=proofs)  # fmt: skip
    else:
        add_sightings(draft, timeline, table.absence, tracks, there)
    draft.add_holes("instrument", looked.looked())
    draft.looked_for[draft.video, "instrument"] = {
        "label": frozenset(timeline.video.vocabulary),
        "subject": frozenset(timeline.video.vocabulary),
    }
    boxed = np.flatnonzero(timeline.boxed)
    draft.samples.append((tracks[of_row[boxed]],
                          on_axis(draft.video, table.instants_us[table.sample[boxed]]),
                          table.box_xyxy[boxed]))  # fmt: skip
    if table.pair_sets:
        for code in range(len(table.labels)):
            _add_actions(draft, timeline, code, tracks, int(classes[code]), there)
        vocabulary = frozenset(timeline.video.vocabulary)
        draft.looked |= {(draft.video, kind) for kind in ("interaction", "idle")}
        for kind in ("interaction", "idle"):
            draft.looked_for[draft.video, kind] = {"subject": vocabulary}


def _there(timeline: Timeline, video: int) -> tuple[np.ndarray, np.ndarray]:
    """(first, last + 1 us) int64 (K,): from when to when each track is certainly there."""
    table, count = timeline.table, len(timeline.tracks.ids)
    at = on_axis(video, table.instants_us[table.sample])
    first, last = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(first, timeline.tracks.of_row, at)
    np.maximum.at(last, timeline.tracks.of_row, at + 1)
    return first, last


def _add_actions(
    draft: Draft, timeline: Timeline, code: int, tracks: np.ndarray, subject: int,
    there: tuple[np.ndarray, np.ndarray],
) -> None:  # fmt: skip
    """Interactions and idleness of one class of instruments."""
    table = timeline.table
    mine = np.flatnonzero(table.label == code)
    unknown = np.unique(table.sample[mine[table.pairs[mine] == UNKNOWN]])
    known = np.setdiff1d(np.arange(len(table.instants_us)), unknown)
    grid = Grid(table.instants_us[known], timeline.video.period_us)
    place = np.full(len(table.instants_us), NONE)
    place[known] = np.arange(len(known))
    gaps = draft.gaps_of(grid)
    pairs = sorted({pair for pairs in table.pair_sets for pair in pairs})
    number = {pair: i for i, pair in enumerate(pairs)}
    rows, which = [], []
    for row in mine[place[table.sample[mine]] != NONE].tolist():
        for pair in table.pair_sets[table.pairs[row]]:
            rows.append(row)
            which.append(number[pair])
    row, pair = np.array(rows, np.int64), np.array(which, np.int64)
    of_row = timeline.tracks.of_row.astype(np.int64)
    key, at = of_row[row] * len(pairs) + pair, place[table.sample[row]]
    runs = runs_of(grid, key, at)
    marks = _shared_borders(draft, runs, runs.key // len(pairs), grid)
    verb, target = _codes_of(draft.codes, pairs)
    idle = np.array([p[0] == IDLE[0] for p in pairs], bool)[runs.key % len(pairs)]
    ids = [timeline.event_ids[one] for one in rows]
    proofs = draft.prove_runs("events", grid, runs, key, at, ids)
    for kind, take in (("interaction", ~idle), ("idle", idle)):
        index = np.flatnonzero(take)
        draft.add_runs(
            kind, runs.take(index), gaps, subject=subject,
            track=tracks[runs.key[index] // len(pairs)],
            verb=verb[runs.key[index] % len(pairs)], target=target[runs.key[index] % len(pairs)],
            s_mark=marks[0][index], e_mark=marks[1][index], proof=proofs[index],
            t0=there[0][runs.key[index] // len(pairs)], t1=there[1][runs.key[index] // len(pairs)],
        )  # fmt: skip
        draft.add_holes(kind, grid.looked(), subject=subject)


def _codes_of(codes: Codes, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    verb = np.array([codes.code(v) for v, _ in pairs], np.int32)
    target = np.array([NONE if t == IDLE[1] else codes.code(t) for _, t in pairs], np.int32)
    return verb, target


def _shared_borders(
    draft: Draft, runs: Runs, track: np.ndarray, grid: Grid
) -> tuple[np.ndarray, np.ndarray]:
    """(start marks, end marks): one instance stops one thing and begins another between two
    neighbouring labels; both are one border if nothing else of it changes there, and if there
    is no hole between the two, in which it may do something else.
    """
    s_mark, e_mark = np.full(len(track), NONE, np.int64), np.full(len(track), NONE, np.int64)
    ends: dict[tuple[int, int], list[int]] = {}
    begins: dict[tuple[int, int], list[int]] = {}
    for i, (who, first, last) in enumerate(zip(track.tolist(), runs.s_gap.tolist(),
                                               runs.e_gap.tolist(), strict=True)):  # fmt: skip
        begins.setdefault((who, first), []).append(i)
        ends.setdefault((who, last), []).append(i)
    for place, stopped in sorted(ends.items()):
        begun = begins.get(place, [])
        if len(stopped) == len(begun) == 1 and grid.joined[place[1]]:
            e_mark[stopped[0]] = s_mark[begun[0]] = draft.gaps
            draft.gaps += 1
    return s_mark, e_mark
