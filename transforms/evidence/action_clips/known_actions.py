"""Actions at each instant of a video whose actions come from speech and tracks, not from labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.ontology.moments import Moment
from surgqa.ontology.next_actions import action_of_verbs
from surgqa.ontology.records import IDLE, UNKNOWN, InstrumentTable, VideoEvidence

ORIGIN, CHANNEL = "speech and tracks", "tracks"
"""Origin of these actions, and label of the stretches in which no action can be missed."""


def actions_table(evidence: VideoEvidence) -> InstrumentTable | None:
    """Return the instants at which all actions are known, with the actions as verb-target pairs.

    At these observed instants, the uncertain starts and ends of actions do not change which action
    counts. The result is None if verbs are labelled, or if nothing is known.
    """
    table = evidence.instruments
    actions = [one for one in evidence.moments if one.kind == "action" and one.origin == ORIGIN]
    if table is None or not actions or (table.pairs != UNKNOWN).any():
        return None
    watched = [(one.start_us, one.end_us) for one in evidence.moments
               if one.kind == "watched" and one.label == CHANNEL]  # fmt: skip
    known = np.array([any(a <= time < b for a, b in watched) and _settled(time, actions)
                      for time in table.instants_us.tolist()], bool)  # fmt: skip
    return _of_instants(_done(table, actions), known) if known.any() else None


def _settled(time: int, actions: list[Moment]) -> bool:
    """Whether the action that counts at a time is the same for all possible starts and ends."""
    sure = {one.verb for one in actions if _under_way(one, time, -one.resolution_us)}
    maybe = {one.verb for one in actions if _under_way(one, time, one.resolution_us)}
    return action_of_verbs(sure) == action_of_verbs(maybe)


def _under_way(one: Moment, time: int, more_us: int = 0) -> bool:
    return one.start_us - more_us <= time < one.end_us + more_us


def _done(table: InstrumentTable, actions: list[Moment]) -> InstrumentTable:
    """The table with the actions of each instrument; an instrument without an action idles."""
    sets = ((IDLE,), *sorted({((one.verb, one.target),) for one in actions}))
    pairs = np.zeros(len(table.sample), np.int16)
    times = table.instants_us[table.sample]
    for one in actions:
        mine = (table.track == int(one.group)) & (times >= one.start_us) & (times < one.end_us)
        pairs[mine] = sets.index(((one.verb, one.target),))
    return replace(table, pairs=pairs, pair_sets=sets)


def _of_instants(table: InstrumentTable, keep: np.ndarray) -> InstrumentTable:
    """Return the rows of the table at the instants that the mask ``keep``, bool (T,), selects."""
    rows = keep[table.sample]
    place = np.cumsum(keep) - 1
    return replace(
        table, instants_us=table.instants_us[keep], frames=table.frames[keep],
        sample=place[table.sample[rows]].astype(np.int32), absence=None,
        **{name: getattr(table, name)[rows]
           for name in ("label", "box_xyxy", "score", "pairs", "track", "row")},
    )  # fmt: skip
