"""S10: computes the scores of perfect and of constant replies, without the code of ``scoring``.

A positive reply claims that the event has come. Content C is the share of accepted replies.
Responsiveness R falls linearly with the distance of the first positive reply from the event time
t*. Stability S is the share of positive replies from t* on. The row's score O is 0.7 C + 0.3 R.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from surgqa.transforms.checks.medstream.sample import StreamRow
from surgqa.transforms.checks.medstream.streams import horizons, times
from surgqa.transforms.checks.medstream.words import plain

CONTENT, TIMING = 0.7, 0.3
EXACT = 1e-9


class Score(NamedTuple):
    """The scores of the replies to a stream; stability is None without rounds from the event on."""

    content: float
    response: float
    stability: float | None
    overall: float


def run_scores(sample: StreamRow) -> Iterator[str]:
    """S10: perfect replies must score 1, and constant replies what the formulas imply."""
    oracle = score(sample, [one.expected for one in sample.rounds])
    comes = sample.event is not None
    best = Score(1.0, 1.0, 1.0 if comes else None, 1.0)
    yield from _differs("the oracle", oracle, best)
    early = sum(not one.answerable for one in sample.rounds) / len(sample.rounds)
    proactive = sample.mode == "proactive"
    silent, strange = ("no_alert", "unanswerable") if proactive else ("unanswerable", "no_alert")
    quiet = _score(early, 0.0 if comes else 1.0, 0.0 if comes else None)
    yield from _differs(f"always {silent}", _always(sample, silent), quiet)
    if _always(sample, strange).content > EXACT:
        yield f"always {strange}: accepted in some round"
    if sample.choices and not proactive:
        first = sample.choices[0]
        right = plain(first) == plain(sample.answer)
        loud = _score((1 - early) if right else 0.0, 0.0, 1.0 if comes else None)
        yield from _differs(f"always {first!r}", _always(sample, first), loud)


def _differs(run: str, found: Score, expected: Score) -> Iterator[str]:
    pairs = zip("CRSO", found, expected, strict=True)
    wrong = [f"{n} {a}, expected {b}" for n, a, b in pairs if not _same(a, b)]
    if wrong:
        yield f"{run}: {'; '.join(wrong)}"


def _same(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return abs(found - expected) <= EXACT


def _always(sample: StreamRow, reply: str) -> Score:
    return score(sample, [reply] * len(sample.rounds))


def _score(content: float, response: float, stability: float | None) -> Score:
    return Score(content, response, stability, CONTENT * content + TIMING * response)


def score(sample: StreamRow, replies: Sequence[str]) -> Score:
    """Return the scores of a stream, given one reply for each of its rounds.

    All rounds must have times, and the event must be between the first and the last.
    """
    rounds = list(zip(sample.rounds, replies, strict=True))
    right = [plain(said) in map(plain, one.accepted) for one, said in rounds]
    positive = [_positive(sample.mode, said) for said in replies]
    late = [said for (one, _), said in zip(rounds, positive, strict=True) if one.answerable]
    first = next((t for t, said in zip(times(sample), positive, strict=True) if said), None)
    stability = sum(late) / len(late) if late else None
    return _score(sum(right) / len(right), response(sample, first), stability)


def _positive(mode: str, reply: str) -> bool:
    said = plain(reply)
    return said.startswith("alert") if mode == "proactive" else said not in ("", "unanswerable")


def response(sample: StreamRow, first: float | None) -> float:
    """Return responsiveness R if the first positive reply is at this time (None: never)."""
    if sample.event is None or sample.tolerance is None:
        return 1.0 if first is None else 0.0
    if first is None:
        return 0.0
    early, late = horizons(sample)
    away = abs(first - sample.event) - sample.tolerance
    length = (early if first < sample.event else late) or 0.0
    if away <= EXACT:
        return 1.0
    return max(0.0, 1 - away / length) if length > 0 else 0.0
