"""Facts about instruments, from event tuples: when they are in view, their actions, their boxes."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from surgqa.ontology.records import IDLE, UNKNOWN
from surgqa.transforms.timeline.relation.draft import RelationDraft
from surgqa.transforms.timeline.relation.instants import KindInstants, Runs, runs_of
from surgqa.transforms.timeline.relation.sightings import Instances, Sighted, add_sightings
from surgqa.transforms.timeline.relation.table import NONE, Codes, on_axis
from surgqa.transforms.timeline.timeline import Timeline


def add_tools(draft: RelationDraft, timeline: Timeline) -> None:
    """Add facts of the kinds ``instrument``, ``interaction`` and ``idle``, and all boxes.

    An ``instrument`` fact is one track that is labelled at neighbouring instants; an
    ``interaction`` is one track with one verb and target. The interactions of a class are known
    only at instants where every row of the class states them, so each class has its own gaps.
    """
    table = timeline.table
    looked = KindInstants(table.instants_us, timeline.video.period_us)
    instances = Instances(draft.codes.codes(timeline.tracks.ids), *_there(timeline, draft.video))
    classes = draft.codes.codes(table.labels)
    of_row, sample = timeline.tracks.of_row, table.sample
    draft.instants[draft.video] = on_axis(draft.video, table.instants_us)
    if table.absence is None:
        runs = runs_of(looked, of_row, sample)
        label = classes[timeline.tracks.label[runs.key]]
        proofs = draft.prove_runs("events", looked, runs, of_row, sample, timeline.event_ids)
        draft.add_runs("instrument", runs, draft.new_gaps(len(looked.t) + 1), label=label,
                       subject=label, proof=proofs, **instances.of(runs.key))  # fmt: skip
    else:
        add_sightings(draft, Sighted("instrument", "events", table, timeline.event_ids, of_row,
                                     timeline.video.period_us, instances))  # fmt: skip
    draft.add_holes("instrument", looked.looked())
    vocabulary = frozenset(timeline.video.vocabulary)
    draft.looked_for[draft.video, "instrument"] = {"label": vocabulary, "subject": vocabulary}
    boxed = timeline.boxed
    draft.samples.append((instances.track[of_row[boxed]],
                          on_axis(draft.video, table.instants_us[sample[boxed]]),
                          table.box_xyxy[boxed]))  # fmt: skip
    if table.pair_sets:
        for code, subject in enumerate(classes.tolist()):
            _add_actions(draft, timeline, code, subject, instances)
        for kind in ("interaction", "idle"):
            draft.looked.add((draft.video, kind))
            draft.looked_for[draft.video, kind] = {"subject": vocabulary}


def _there(timeline: Timeline, video: int) -> tuple[np.ndarray, np.ndarray]:
    """Return int64 (K,), (first, last + 1 us): when each track is certainly in view."""
    table, count = timeline.table, len(timeline.tracks.ids)
    at = on_axis(video, table.instants_us[table.sample])
    first, last = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(first, timeline.tracks.of_row, at)
    np.maximum.at(last, timeline.tracks.of_row, at + 1)
    return first, last


def _add_actions(
    draft: RelationDraft, timeline: Timeline, code: int, subject: int, instances: Instances
) -> None:
    """Add the facts of kind ``interaction`` and ``idle`` of one class of instruments."""
    table = timeline.table
    mine = np.flatnonzero(table.label == code)
    known = np.ones(len(table.instants_us), bool)
    known[table.sample[mine[table.pairs[mine] == UNKNOWN]]] = False
    grid, place = (
        KindInstants(table.instants_us[known], timeline.video.period_us),
        np.cumsum(known) - 1,
    )
    gaps = draft.new_gaps(len(grid.t) + 1)
    pairs = sorted({pair for pairs in table.pair_sets for pair in pairs})
    number = {pair: i for i, pair in enumerate(pairs)}
    done = [(row, number[pair]) for row in mine[known[table.sample[mine]]].tolist()
            for pair in table.pair_sets[table.pairs[row]]]  # fmt: skip
    row, pair = np.array(done, np.int64).reshape(-1, 2).T
    key = timeline.tracks.of_row[row].astype(np.int64) * len(pairs) + pair
    at = place[table.sample[row]]
    runs = runs_of(grid, key, at)
    track, act = np.divmod(runs.key, len(pairs))
    s_mark, e_mark = _shared_borders(draft, runs, track, grid)
    verb, target = _codes_of(draft.codes, pairs)
    ids = [timeline.event_ids[one] for one in row.tolist()]
    proofs = draft.prove_runs("events", grid, runs, key, at, ids)
    columns = {"verb": verb[act], "target": target[act], "s_mark": s_mark, "e_mark": e_mark,
               "proof": proofs, **instances.of(track)}  # fmt: skip
    idle = np.array([pair[0] == IDLE[0] for pair in pairs], bool)[act]
    for kind, take in (("interaction", ~idle), ("idle", idle)):
        draft.add_runs(kind, runs.take(take), gaps, subject=subject,
                       **{name: column[take] for name, column in columns.items()})  # fmt: skip
        draft.add_holes(kind, grid.looked(), subject=subject)


def _codes_of(codes: Codes, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    verbs = codes.codes(verb for verb, _ in pairs)
    targets = codes.codes("" if target == IDLE[1] else target for _, target in pairs)
    return verbs, targets


def _shared_borders(
    draft: RelationDraft, runs: Runs, track: np.ndarray, grid: KindInstants
) -> tuple[np.ndarray, np.ndarray]:
    """Return (start marks, end marks) for borders at which an instrument changes its action.

    If an instrument ends one action and begins another between two neighbouring labels, both
    borders get the same mark, that is, they are one instant. They do not if anything else about
    the instrument changes there, or if a gap, in which it may do more, lies between the labels.
    """
    s_mark, e_mark = np.full(len(track), NONE, np.int64), np.full(len(track), NONE, np.int64)
    ends: dict[tuple[int, int], list[int]] = defaultdict(list)
    begins: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, (who, first, last) in enumerate(zip(track.tolist(), runs.s_gap.tolist(),
                                               runs.e_gap.tolist(), strict=True)):  # fmt: skip
        begins[who, first].append(i)
        ends[who, last].append(i)
    for place, stopped in sorted(ends.items()):
        begun = begins[place]
        if len(stopped) == len(begun) == 1 and grid.joined[place[1]]:
            e_mark[stopped[0]] = s_mark[begun[0]] = draft.new_gaps()
    return s_mark, e_mark
