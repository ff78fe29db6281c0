"""The names of clips, and their annotations as event tuples with indices of candidate lists.

A candidate list contains the names of all instruments, verbs or targets of a dataset.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.ontology.words import term
from surgqa.transforms.store import OutputFolder

NONE = -1
"""Index that stands for a missing label: an idle instrument has neither verb nor target."""

KINDS = (("instruments", "instrument"), ("verbs", "verb"), ("targets", "target"))
"""(name of a candidate list, vocabulary of its labels)."""

EVENT = ("t", "instrument", "instance", "x1", "x2", "y1", "y2", "verb", "target")
"""The fields of an event tuple, in order."""

Ids = dict[str, list[str]]
"""Name of a candidate list -> ids of its labels."""


def clip_name(row: Mapping[str, Any]) -> str:
    """Return a clip's name with its first and last second, such as ``cholect50_VID74_141_166``."""
    ends = (_plain(row[name]) for name in ("start_us", "end_us"))
    return "_".join([row["dataset"], re.sub(r"[^\w-]+", "-", row["video_id"]), *ends])


def _plain(time_us: int) -> str:
    return str(time_us // SECOND_US) if time_us % SECOND_US == 0 else print_seconds(time_us)


def candidates_of(folder: OutputFolder) -> dict[str, Ids]:
    """Return the candidate lists of each dataset, each sorted.

    Labels that stand for "no action" and "no target" are left out.
    """
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: {name: set() for name, _ in KINDS})
    for one in folder.evidence("videos").select(["dataset", "vocabulary"]).to_pylist():
        found[one["dataset"]]["instruments"].update(one["vocabulary"] or ())
    columns = ["dataset", "label", "pairs"]
    for batch in folder.evidence("events").select(columns).to_batches():
        for one in batch.to_pylist():
            mine = found[one["dataset"]]
            mine["instruments"].update(filter(None, [one["label"]]))
            for pair in one["pairs"] or ():
                mine["verbs"].update(filter(None, [pair["verb"]]))
                mine["targets"].update(filter(None, [pair["target"]]))
    return {name: {kind: sorted(one for one in ids if not one.startswith("null_"))
                   for kind, ids in lists.items()}
            for name, lists in sorted(found.items())}  # fmt: skip


def named(lists: Ids) -> dict[str, list[str]]:
    """Return candidate lists with display names instead of ids, in the same order."""
    return {name: [term(one, domain).display for one in lists[name]] for name, domain in KINDS}


def event_tuples(events: Iterable[Mapping[str, Any]], clip: Mapping[str, Any], lists: Ids
                 ) -> list[list[Any]]:  # fmt: skip
    """Return the event tuples of a clip.

    A tuple is ``[t, instrument, instance, x1, x2, y1, y2, verb, target]``.

    ``t`` is in seconds of the video. Instrument, verb and target are indices in the candidate
    lists. Instances are numbered from 1 within the clip. The edges of the box are fractions of the
    frame, or null. An instrument that does two things at a time has two tuples.

    Args:
        events: the rows of ``evidence/events`` of the clip's video.
    """
    index = {name: {one: k for k, one in enumerate(ids)} for name, ids in lists.items()}
    instances: dict[str, list[str]] = defaultdict(list)
    out = []
    for one in events:
        if one["label"] is None or not clip["start_us"] <= one["time_us"] < clip["end_us"]:
            continue
        tracks = instances[one["label"]]
        if one["track_id"] not in tracks:
            tracks.append(one["track_id"])
        edges = [one[name] for name in ("x1", "x2", "y1", "y2")]
        for pair in one["pairs"] or ({"verb": None, "target": None},):
            did = [index[f"{name}s"].get(pair[name], NONE) for name in ("verb", "target")]
            out.append([one["time_us"] / SECOND_US, index["instruments"][one["label"]],
                        tracks.index(one["track_id"]) + 1, *edges, *did])  # fmt: skip
    return out
