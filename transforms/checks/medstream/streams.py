"""Checks the rounds of a streaming row (t_q: query time, t*: event time, delta: tolerance)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from surgqa.transforms.checks.medstream.sample import StreamRound, StreamRow, number
from surgqa.transforms.checks.medstream.times import EXACT, PRINTED, StreamFacts
from surgqa.transforms.checks.medstream.words import plain

FEWEST = 3
SILENT = ("no_alert", "uncertain")
ALERT = "alert:"


def rounds_not_rising(sample: StreamRow) -> Iterator[str]:
    """S01: at least three rounds, numbered from 0, must be at rising times after the query time."""
    if len(sample.rounds) < FEWEST:
        yield f"{len(sample.rounds)} rounds"
    for place, one in enumerate(sample.rounds):
        if one.index != place:
            yield f"round {place} has round_index {one.index}"
        if one.time is None:
            yield f"round {place} has no time"
    times = [one.time for one in sample.rounds if one.time is not None]
    if any(b <= a for a, b in pairwise(times)):
        yield f"times {times}"
    if sample.query is not None and times and times[0] <= sample.query:
        yield f"first round at {times[0]:g}, t_q is {sample.query:g}"


def ranges_differ(sample: StreamRow) -> Iterator[str]:
    """S02: every range must begin at the query time and not end before its round's time."""
    query = sample.query
    if query is None:
        return
    for place, one in enumerate(sample.rounds):
        if one.start is None or one.end is None:
            yield f"round {place} has no range"
        elif abs(one.start - query) > EXACT or (one.time and one.end < one.time - EXACT):
            yield f"round {place} at {one.time} has [{one.start:g}, {one.end:g}]"
    last = sample.rounds[-1].time if sample.rounds else None
    if sample.times and last is not None:
        start, end = sample.times.start, sample.times.end
        if abs(start - query) > EXACT or end < last - EXACT:
            yield f"[{start:g}, {end:g}], rounds from {query:g} to {last:g}"


def flags_differ(sample: StreamRow) -> Iterator[str]:
    """S03: a round must be marked answerable if it is at or after the event, otherwise not."""
    for place, one in enumerate(sample.rounds):
        if one.time is None:
            continue
        expected = sample.event is not None and one.time >= sample.event - EXACT
        if one.answerable is not expected:
            yield f"round {place} at {one.time:g}: {one.answerable}, t* {sample.event}"


def too_few_around(sample: StreamRow) -> Iterator[str]:
    """S04: at least one round must be before the event, and at least two from the event on."""
    if sample.event is None:
        return
    early = sum(time < sample.event - EXACT for time in times(sample))
    late = len(times(sample)) - early
    if early < 1 or late < 2:
        yield f"{early} before {sample.event:g}, {late} from then on"


def none_on_time(sample: StreamRow) -> Iterator[str]:
    """S05: a round must be within the tolerance after the event, and none within it before."""
    event, tolerance = sample.event, sample.tolerance
    if event is None or tolerance is None:
        return
    if not any(event - EXACT <= time <= event + tolerance + EXACT for time in times(sample)):
        yield f"none in [{event:g}, {event + tolerance:g}]"
    soon = [t for t in times(sample) if event - tolerance + EXACT < t < event - EXACT]
    if soon:
        yield f"{soon[0]:g} is in ({event - tolerance:g}, {event:g})"


def times(sample: StreamRow) -> list[float]:
    """Return the times of the rounds that have a time."""
    return [one.time for one in sample.rounds if one.time is not None]


def odd_output(sample: StreamRow) -> Iterator[str]:
    """S06: each expected output must be one of the accepted ones, and fit its round."""
    for place, one in enumerate(sample.rounds):
        said = f"round {place} expects {one.expected!r}"
        if plain(one.expected) not in map(plain, one.accepted):
            yield f"{said}, which is not accepted"
        fits = _alert_fits if sample.mode == "proactive" else _answer_fits
        if not fits(one):
            yield f"{said}, answerable {one.answerable}"


def _answer_fits(one: StreamRound) -> bool:
    if not one.answerable:
        return one.expected == "unanswerable"
    return bool(one.expected.strip()) and one.expected != "unanswerable"


def _alert_fits(one: StreamRound) -> bool:
    if not one.answerable:
        return one.expected in SILENT
    return one.expected.startswith(ALERT) and bool(one.expected[len(ALERT) :].strip())


def answer_changes(sample: StreamRow) -> Iterator[str]:
    """S07: the expected output of all answerable rounds must be the row's answer."""
    said = list(dict.fromkeys(one.expected for one in sample.rounds if one.answerable))
    if len(said) > 1:
        yield f"{' and then '.join(map(repr, said))}"
    elif said and sample.answer and plain(said[0]) != plain(sample.answer):
        yield f"rounds expect {said[0]!r}, the row says {sample.answer!r}"


def outside_recording(sample: StreamRow, facts: StreamFacts) -> Iterator[str]:
    """S08: the query time must be before the event, and the last round within the video."""
    query, duration = sample.query, facts.duration(sample)
    if query is not None and query < 0:
        yield f"t_q is {query:g}"
    if query is not None and sample.event is not None and sample.event <= query:
        yield f"t* {sample.event:g}, t_q is {query:g}"
    if duration is not None and times(sample) and times(sample)[-1] > duration + PRINTED:
        yield f"last round at {times(sample)[-1]:g}, the video ends at {duration:g}"


def horizons_differ(sample: StreamRow) -> Iterator[str]:
    """S09: the tolerance must be positive; horizons, if stated, must equal :func:`horizons`."""
    if sample.tolerance is None or sample.tolerance <= 0:
        yield f"tolerance {sample.get('tolerance_sec')}"
        return
    expected = horizons(sample)
    for name, right in zip(("early_horizon_sec", "late_horizon_sec"), expected, strict=True):
        if name not in sample.row:
            continue
        found = number(sample.row[name])
        if found is None or right is None:
            same = sample.row[name] is right
        else:
            same = abs(found - right) <= 2 * PRINTED
        if not same:
            yield f"{name} {sample.row[name]}, expected {right}"


def horizons(sample: StreamRow) -> tuple[float | None, float | None]:
    """Return how long before and after the event a reply still gets some score.

    With rounds at t_1 to t_K, the event at t* and the tolerance delta, these horizons are t* -
    delta - t_1, and t_K - t* - delta + the smallest distance of two rounds. Both are None if the
    event never comes.
    """
    moments = times(sample)
    if sample.event is None or sample.tolerance is None or len(moments) < 2:
        return None, None
    step = min(b - a for a, b in pairwise(moments))
    early = sample.event - sample.tolerance - moments[0]
    late = moments[-1] - sample.event - sample.tolerance + step
    return round(early, 6), round(late, 6)
