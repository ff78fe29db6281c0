"""Query windows and rounds: what may be seen when a question is put, and when to answer.

A question put at t_q sees [max(0, t_q - w), t_q]; a stream that starts with the question
sees [t_q, t_c] at each round (MedStreamBench).  Where that gives no rule, ours are: one
round exactly at the event, the others spread evenly on whole seconds, and none so shortly
before the event that an answer would be wrong and yet on time.
"""

from __future__ import annotations

from ontology.keys import digest
from ontology.records import Video, Window
from ontology.rounds import DELTA_US
from ontology.times import SECOND_US

SHORTEST_US = 2 * SECOND_US
"""A window holds two pictures at least: they are shown every two seconds."""

SILENT_ROUNDS = 4
"""Rounds of a stream in which the event never comes."""


def query_window(video: Video, query_us: int, look_back_us: int) -> Window:
    """The window of a question that is put once."""
    start = max(0, query_us - look_back_us)
    return Window("query", digest("query", video.key, start, query_us), start, query_us)


def stream_window(video: Video, query_us: int, last_us: int) -> Window:
    """All that a stream shows from the question to its last round."""
    return Window("stream", digest("stream", video.key, query_us, last_us), query_us, last_us)


def rounds_with_event(query_us: int, event_us: int, last_us: int, before: int) -> list[int]:
    """Times of the rounds of a stream in which the event comes; empty where they don't fit.

    Args:
        event_us: start of the event, with a round exactly there.
        last_us: time of the last round, after the event.
        before: how many rounds come before the event.
    """
    latest = event_us - DELTA_US
    early = [_whole(query_us + k * (latest - query_us) // before) for k in range(1, before + 1)]
    times = [*early, event_us, last_us]
    rising = all(a < b for a, b in zip(times, times[1:], strict=False))
    # An answer in the first round must have something to lose.
    return times if rising and query_us < times[0] < latest else []


def silent_rounds(query_us: int, last_us: int) -> list[int]:
    """Times of the rounds of a stream in which nothing comes; empty where they don't fit."""
    length = last_us - query_us
    times = [_whole(query_us + k * length // SILENT_ROUNDS) for k in range(1, SILENT_ROUNDS)]
    times.append(last_us)
    rising = all(a < b for a, b in zip([query_us, *times], times, strict=False))
    return times if rising else []


def _whole(time_us: int) -> int:
    return time_us // SECOND_US * SECOND_US
