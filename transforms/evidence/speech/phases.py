"""Phases from speech: when anchors mention a phase, and when a phase is certainly under way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.derive.rows import StretchRow, stretches_table
from surgqa.transforms.evidence.speech.anchors import CUED, KNOWN, UNSURE
from surgqa.transforms.evidence.speech.lexicon import cues
from surgqa.transforms.evidence.speech.negation import marked, places
from surgqa.transforms.evidence.speech.tokens import tokens

KIND = "phase_anchor"
SPOKEN = "spoken"
PHASE = "phase"
AGREED = "speech: agreed"
SCORES = {SPOKEN: 1.0, KNOWN: 0.8, CUED: 0.5}
"""Score of a phase that was named, that the context knew, that actions and tissues hint at."""
MERGE_GAP_US = 2 * SECOND_US
"""Longest gap over which anchors of one phase are merged.  Our choice."""
HEARD_US = SECOND_US // 2
"""How precisely the time of words is known."""
ANNOUNCED_US = 2 * SECOND_US
"""An announced phase is under way this long after the words.  Our choice: the longest time between
a cue and its action in SurgCoT."""
REACH_US = 60 * SECOND_US
"""Longest silence about a phase between two mentions of it for which the phase is taken to have
lasted in between.  Our choice: the longest distance between two actions in SurgCoT."""


def phase_anchors(anchors: pa.Table) -> pa.Table:
    """Neighbouring anchors of the same phase, merged over gaps up to the limit.

    Anchors without a phase are ignored; an anchor of another phase separates two others.

    Args:
        anchors: schema of anchors.

    Returns:
        Rows of the schema of stretches, kind ``phase_anchor``.  The source says how the phase is
        known (``speech: spoken``, ``speech: phase_known``, ``speech: phase_cued``, joined by
        ``+``); the score is the best of them.
    """
    merged: list[dict[str, Any]] = []
    rows = sorted(anchors.to_pylist(), key=lambda row: (row["start_us"], row["end_us"]))
    for row in (row for row in rows if row["phase"] is not None):
        how = next((flag for flag in (KNOWN, CUED) if flag in row["flags"]), SPOKEN)
        last = merged[-1] if merged else None
        if (
            last is not None
            and last["label"] == row["phase"]
            and row["start_us"] - last["end_us"] <= MERGE_GAP_US
        ):
            last["end_us"] = max(last["end_us"], row["end_us"])
            last["how"].add(how)
            continue
        merged.append(
            {"start_us": row["start_us"], "end_us": row["end_us"], "label": row["phase"],
             "how": {how}}
        )  # fmt: skip
    return stretches_table(map(_stretch, merged))


def _stretch(row: dict[str, Any]) -> StretchRow:
    how = sorted(row["how"], key=lambda name: -SCORES[name])
    return StretchRow(row["start_us"], row["end_us"], KIND, row["label"], 0, SCORES[how[0]],
                      f"speech: {'+'.join(how)}")  # fmt: skip


def phases(anchors: pa.Table) -> pa.Table:
    """Return phases from the time when they are named to the last words that agree.

    A phase is known from the end of the words that name it, or from some time after words that
    announce it. It is known to last until later words that name it or mention an action of it. The
    knowledge ends with words of another phase, with words that the phase is over or has not begun,
    with a new announcement of the phase, or with a longer silence about it. At all other times the
    phase is unknown. Words that only hint at a phase, or were recognised badly, are not used.

    Args:
        anchors: schema of anchors.

    Returns:
        Rows of the schema of stretches, kind ``phase``, ascending, without overlaps.
    """
    voices = sorted(map(_voice, anchors.to_pylist()), key=lambda one: (one.start_us, one.end_us))
    return stretches_table(
        StretchRow(run.start_us, run.end_us, PHASE, run.phase, 0, SCORES[SPOKEN], AGREED)
        for run in _runs(voices) if run.end_us > run.start_us
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Voice:
    """The information of one anchor about the phase; ``phase`` is None if there is none."""

    start_us: int
    end_us: int
    phase: str | None
    named: bool
    ahead: bool
    past: bool
    unsure: bool


@dataclass(frozen=True, slots=True)
class _Run:
    """A phase from ``start_us`` to ``end_us``; the last words about it end at ``heard_us``."""

    phase: str
    start_us: int
    end_us: int
    heard_us: int


def _voice(row: dict[str, Any]) -> _Voice:
    flags, span = set(row["flags"]), (row["start_us"], row["end_us"])
    said = tokens([{"start_us": span[0], "end_us": span[1], "text": row["raw_caption"]}])
    past = any(
        places(said, cues(han, "elsewhen")) or marked(said, "negation", han)
        for han in sorted({token.han for token in said})
    )
    named = not flags & {KNOWN, CUED}
    return _Voice(*span, row["phase"], named, bool(row["intent"]), past, UNSURE in flags)


def _runs(voices: Iterable[_Voice]) -> list[_Run]:
    """Return the stretches in which a phase is known; only the last one can still be extended."""
    runs: list[_Run] = []
    going = False
    for one in voices:
        if one.phase is None:
            continue
        same = (
            going and runs[-1].phase == one.phase and one.start_us - runs[-1].heard_us <= REACH_US
        )
        if one.named and not one.unsure and (one.past or one.ahead or not same):
            going = not one.past
            if going:
                start = one.end_us + HEARD_US + (ANNOUNCED_US if one.ahead else 0)
                runs.append(_Run(one.phase, start, start, one.end_us))
        elif not same:
            going = False
        elif not one.past and not one.unsure:
            end = max(runs[-1].end_us, one.start_us - HEARD_US)
            runs[-1] = replace(runs[-1], end_us=end, heard_us=one.end_us)
    return runs
