"""Rounds: the times at which a streaming question is asked again, and what is right at each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ontology.keys import Key
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import One, Range, Stretch
from transforms.algebra.tree import Read
from transforms.language.program.program import Rounds
from transforms.timeline.relation import SHIFT

SECOND_US = 1_000_000


def rounds_of(rounds: Rounds, rows: Rows, keys: Sequence[Key], said: Sequence[str]) -> list[Any]:
    """Of each row its rounds, as the row of ``data/`` has them; None where there is no room.

    Before the answer is due the expected output is the template's ``else``; from the first
    instant at which the answer is certainly there it is the answer, as long as the fact surely
    holds.  Where nothing is due every round expects ``else``.

    Args:
        said: the answer's words of each row.
    """
    window = rows.name("window")
    assert isinstance(window, Stretch)
    base = rows.video.astype(np.int64) << SHIFT
    begin, end = (window.start.at - base).tolist(), (window.end.at - base).tolist()
    if rounds.due is None:
        return [_told(rounds, range(a + rounds.every, b, rounds.every), a, "") for a, b in
                zip(begin, end, strict=True)]  # fmt: skip
    due = evaluate(rounds.due, rows)
    assert isinstance(due, Range)
    last = _holds_until(rounds, rows, end) - base
    out = []
    for i, (a, b) in enumerate(zip(begin, end, strict=True)):
        if due.none[i]:
            times = _spread(a, b, rounds.before[1] + 1 + rounds.after)
            out.append(_told(rounds, times, a, ""))
            continue
        earliest, latest = int(due.lo[i] - base[i]), int(due.hi[i] - base[i])
        before = rounds.before[0] + keys[i].h64("rounds") % (
            rounds.before[1] - rounds.before[0] + 1
        )
        early = _spread(a, earliest - rounds.within, before)
        late = _spread(latest, min(int(last[i]), b), rounds.after)
        if len(early) < rounds.before[0] or len(late) < rounds.after:
            out.append(None)
            continue
        out.append(_told(rounds, [*early, latest, *late], a, said[i], latest))
    return out


def _holds_until(rounds: Rounds, rows: Rows, end: Sequence[int]) -> np.ndarray:
    """int64 (n,): until when the fact that is due surely holds, else the window's end."""
    if isinstance(rounds.due, Read):
        fact = evaluate(rounds.due.base, rows)
        if isinstance(fact, One):
            return fact.columns["e0"].astype(np.int64)
    return np.array(end, np.int64) + (rows.video.astype(np.int64) << SHIFT)


def _spread(low: int, high: int, n: int) -> list[int]:
    """n times on whole seconds after ``low`` and before ``high``, evenly; fewer without room."""
    first, last = low // SECOND_US + 1, -(-high // SECOND_US) - 1
    room = last - first + 1
    if n <= 0 or room < n:
        return [] if n <= 0 or room <= 0 else [t * SECOND_US for t in range(first, last + 1)]
    return [(first + (2 * k + 1) * room // (2 * n)) * SECOND_US for k in range(n)]


def _told(
    rounds: Rounds, times: Sequence[int], begin: int, said: str, due: int | None = None
) -> list[dict[str, Any]]:
    out = []
    for index, time in enumerate(times):
        ready = due is not None and time >= due
        out.append({
            "round_index": index, "current_us": time, "start_us": begin, "end_us": time,
            "expected_output": said if ready else rounds.otherwise,
            "accepted_outputs": [] if ready else list(rounds.accept), "answerable": ready,
        })  # fmt: skip
    return out
