"""Limits of the checks of rows: what lies on each, just inside and just outside."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from surgqa.transforms.checks import report
from surgqa.transforms.checks.codes import Severity
from surgqa.transforms.checks.medstream import CODES, StreamFacts, runs, streams, texts, times
from surgqa.transforms.checks.medstream.layout import LayoutReading, key_order
from surgqa.transforms.checks.medstream.sample import read
from surgqa.transforms.checks.medstream.times import EXACT, PRINTED
from surgqa.transforms.checks.medstream.words import spelled
from tests.each import cases

Row = dict[str, Any]
LITTLE = 1.1
"""A tolerance times this is beyond it, and by less than a quarter."""


def window(start: float, end: float, **more: Any) -> Row:
    """A row whose window ends as the question is put."""
    return {"query_time": end, "context_window_sec": end - start, "input_range": [start, end],
            "temporal_mode": "present", "task": "phase_now"} | more  # fmt: skip


def rounds(*at: float | None, query: float = 0.0, **more: Any) -> Row:
    """A stream with rounds at some times, each with the range from the query on."""
    each = [{"round_index": k, "current_time": time, "input_range": [query, time]}
            for k, time in enumerate(at)]  # fmt: skip
    last = next((time for time in reversed(at) if time is not None), query)
    return window(query, last) | {"task_mode": "streaming", "temporal_mode": "future",
                                  "query_time": query, "rounds": each} | more  # fmt: skip


def lasting(end: float) -> StreamFacts:
    """The length of the only recording is known."""
    return StreamFacts(durations={("", ""): end})


WINDOWS = {
    times.empty_window: [
        (window(0, 1, query_time=None), 1),
        (window(5, 5), 1),
        (window(5, 5.5), 0),
        (window(0, 0, time_unit="image"), 0),
        (window(0, 0, time_unit="image", query_time=1.0), 1),
    ],
    times.first_millisecond: [
        (window(0.001, 1.6), 1),
        (window(0.0012, 1.6), 0),
        (window(0, 1.5, query_time=None), 0),
        (window(0, 1.5), 0),
        (window(-0.5, 1), 0),
        (window(0.001, 1.5), 1),
        (window(PRINTED + EXACT, 1.5), 1),
        (window(PRINTED * LITTLE, 1.5), 0),
        (window(0.001, 1.001), 0),
        (window(0.001, 9, context_window_sec=EXACT), 0),
        (window(0.001, 9, context_window_sec=EXACT * LITTLE), 1),
        (window(0.001, 0.001, context_window_sec=0.5), 0),
        (rounds(1.5, query=0.001), 0),
    ],
    times.past_the_query: [
        (window(0, 1, query_time=None), 0),
        (window(0, EXACT, query_time=0), 0),
        (window(0, EXACT * LITTLE, query_time=0), 1),
        (rounds(1, 2, 3), 0),
        (rounds(0.0) | {"input_range": [0, EXACT]}, 0),
        (rounds(0.0) | {"input_range": [0, EXACT * LITTLE]}, 1),
        (rounds() | {"input_range": [0, 9]}, 0),
        (rounds(0.0, rounds=[{"current_time": 0, "input_range": [0, EXACT]}]), 0),
        (rounds(0.0, rounds=[{"current_time": 0, "input_range": [0, EXACT * LITTLE]}]), 1),
        (rounds(0.0, rounds=[{"current_time": None, "input_range": [0, 5]}]), 0),
        (rounds(0.0, rounds=[{"current_time": 0, "input_range": None}]), 0),
    ],
    times.too_short: [
        (window(0, 0), 0),
        (window(0, 1), 1),
        (window(0, 2 - EXACT * LITTLE), 1),
        (window(0, 2 - EXACT), 0),
        (window(0, 2), 0),
        (window(0, 1, time_unit="image"), 0),
        (window(0, 1, context_window_sec=None), 0),
    ],
    times.too_long: [
        (window(0, 120), 0),
        (window(0, 120 + EXACT), 0),
        (window(0, 120 + EXACT * LITTLE), 1),
        (window(10, 121), 0),
        (window(0, 200, task="video_skill"), 0),
        (window(0, 200, query_time=None), 0),
        (rounds(50, 200), 0),
    ],
    times.other_time: [
        (window(0, PRINTED, sample_id="a.000000000.0000000a"), 0),
        (window(0, PRINTED * LITTLE, sample_id="a.000000000.0000000a"), 1),
        (window(0, 4, sample_id="a.000004000.0000000a"), 0),
        (window(0, 4, sample_id="a.000000004.0000000a", time_unit="frame"), 0),
        (window(0, 4, sample_id="a.phase_5"), 1),
        (window(0, 4, sample_id="a.phase_5", query_time=None), 0),
        (window(0, 4, sample_id="a.phase_5", time_unit="image"), 0),
        (window(0, 4, sample_id="v_5_step"), 1),
        (window(0, 0, question="What is seen at 0.000001 s?"), 0),
        (window(0, 0, question="What is seen at 0 s?"), 0),
        (window(0, 0, question="What is seen at 0.0000011 s?"), 1),
        (window(0, 0, question="What was at 5 s?", temporal_mode="retrospective"), 1),
        (window(0, 0, question="What comes at 5 s?", temporal_mode="future"), 0),
        (window(0, 4, evidence="from 5.0 to 7.0 s"), 0),
        (window(0, 3.9, evidence="from 5.0 to 7.0 s"), 1),
        (window(0, 8, evidence="from 5.0 to 7.0 s"), 0),
        (window(0, 8.1, evidence="from 5.0 to 7.0 s"), 1),
        (window(0, 8.1, evidence="from 5.0 to 7.0 s, and 8.0 s"), 0),
        (window(0, 8.1, evidence="a file"), 0),
        (window(0, 8.1, evidence="from 5.0 to 7.0 s", temporal_mode="retrospective"), 0),
    ],
    times.other_mode_by_evidence: [
        (window(0, 0, time_unit="image"), 0),
        *((window(0, 0, time_unit="image", temporal_mode=mode), 1)
          for mode in ("retrospective", "future", "proactive")),
        (window(0, 0, time_unit="image", temporal_mode="future", task="video_skill"), 0),
        (window(0, 0, temporal_mode="retrospective", evidence="0.000001 s"), 0),
        (window(0, 0, temporal_mode="retrospective", evidence="0.0000011 s"), 1),
        (window(0, 0, temporal_mode="retrospective", evidence="0 s"), 0),
        (window(0, 5, temporal_mode="retrospective", evidence="4 s, 6 s"), 0),
        (window(0, 5, temporal_mode="retrospective", evidence="6 s", query_time=None), 0),
        (window(0, 5, temporal_mode="retrospective", evidence="a file"), 0),
        (window(0, 5, evidence="6 s"), 0),
        (window(0, 5, temporal_mode="future", evidence="5 s"), 1),
        (window(0, 5, temporal_mode="future", evidence="5.1 s"), 0),
        (window(0, 5, temporal_mode="future", evidence="4 s, 6 s"), 0),
        (window(0, 5, temporal_mode="proactive", evidence="5 s"), 1),
        (window(0, 5, temporal_mode="future", evidence="5 s", answer="unanswerable"), 0),
        (rounds(8, expected_response_time=None, evidence="0 s"), 0),
        (rounds(8, expected_response_time=7.0, evidence="0 s"), 1),
    ],
}  # fmt: skip

STREAMS = {
    streams.rounds_not_rising: [
        (rounds(1, 2, 3), 0),
        (rounds(1, 2), 1),
        (rounds(1, 2, 2), 1),
        (rounds(0, 2, 3), 1),
        (rounds(1, None, 3), 1),
        (rounds(1, 2, 3, query_time=None), 0),
        (rounds(), 1),
    ],
    streams.ranges_differ: [
        (rounds(1, 2, 3), 0),
        (rounds(1, 2, 3, query_time=None), 0),
        (rounds(1, rounds=[{"current_time": 1, "input_range": [EXACT, 1]}]), 0),
        (rounds(1, rounds=[{"current_time": 1, "input_range": [EXACT * LITTLE, 1]}]), 1),
        (rounds(1, rounds=[{"current_time": 1, "input_range": [0, 1 - EXACT]}]), 0),
        (rounds(1, rounds=[{"current_time": 1, "input_range": [0, 1 - EXACT * LITTLE]}]), 1),
        (rounds(1, rounds=[{"current_time": 1, "input_range": [0, 1 + EXACT]}]), 0),
        (rounds(1, rounds=[{"current_time": 1, "input_range": [0, None]}]), 1),
        (rounds(1, rounds=[{"current_time": 1, "input_range": [None, 1]}]), 1),
        (rounds(None, rounds=[{"current_time": None, "input_range": [0, 1]}]), 0),
        (rounds(1) | {"input_range": [EXACT, 1]}, 0),
        (rounds(1) | {"input_range": [EXACT * LITTLE, 1]}, 1),
        (rounds(1) | {"input_range": [0, 1 - EXACT]}, 0),
        (rounds(1) | {"input_range": [0, 1 - EXACT * LITTLE]}, 1),
        (rounds(1) | {"input_range": [0, 1 + EXACT]}, 0),
        (rounds(1) | {"input_range": None}, 0),
        (rounds() | {"input_range": [0, -9]}, 0),
    ],
    streams.too_few_around: [
        (rounds(1, 2, 3, expected_response_time=None), 0),
        (rounds(1, 2, 3, expected_response_time=2.0), 0),
        (rounds(2, 3, 4, expected_response_time=2.0), 1),
        (rounds(1, 1.5, 2, expected_response_time=2.0), 1),
        (rounds(1 - EXACT, 1, 2, expected_response_time=1.0), 1),
        (rounds(1 - EXACT * LITTLE, 1, 2, expected_response_time=1.0), 0),
    ],
    streams.none_on_time: [
        (rounds(1, 5, expected_response_time=None), 0),
        (rounds(5, expected_response_time=5.0, tolerance_sec=None), 0),
        (rounds(5, expected_response_time=5.0), 0),
        (rounds(7, expected_response_time=5.0), 0),
        (rounds(0.5 + EXACT, expected_response_time=0.0, tolerance_sec=0.5), 0),
        (rounds(0.5 + EXACT * LITTLE, expected_response_time=0.0, tolerance_sec=0.5), 1),
        (rounds(1 - EXACT, expected_response_time=1.0), 0),
        (rounds(1 - EXACT * LITTLE, 1, expected_response_time=1.0), 1),
        (rounds(3, 5, expected_response_time=5.0), 0),
        (rounds(3.1, 5, expected_response_time=5.0), 1),
        (rounds(EXACT, 0.5, expected_response_time=0.5, tolerance_sec=0.5), 0),
        (rounds(EXACT * LITTLE, 0.5, expected_response_time=0.5, tolerance_sec=0.5), 1),
    ],
}  # fmt: skip

CASES = [(check, *case) for checks in (WINDOWS, STREAMS) for check, cases in checks.items()
         for case in cases]  # fmt: skip


@cases(
    ("check", "row", "found"),
    CASES,
    ids=[f"{check.__name__}-{k}" for k, (check, *_) in enumerate(CASES)],
)
def test_what_lies_on_a_limit(check, row, found):
    assert len(list(check(read(row)))) == found


@cases(
    ("row", "ends", "found"),
    [
        (window(0, 5), None, 0),
        (window(0, 5, query_time=None), 1, 0),
        (window(-1, 5), None, 1),
        (window(0, 5, context_window_sec=5 + 1e-3), None, 1),
        (window(0, 0, context_window_sec=EXACT), None, 0),
        (window(0, 0, context_window_sec=EXACT * LITTLE), None, 1),
        (rounds(5, query=-1), None, 0),
        (window(-1, PRINTED), 0, 1),
        (window(0, PRINTED), 0, 0),
        (window(0, PRINTED * LITTLE), 0, 1),
        (rounds(5), 1, 0),
    ],
)
def test_lengths_of_windows_and_ends_of_recordings(row, ends, found):
    known = StreamFacts() if ends is None else lasting(ends)
    assert len(list(times.window_formula(read(row), known))) == found


@cases(
    ("row", "ends", "found"),
    [
        (rounds(1, query=0), None, 0),
        (rounds(1, query=-0.5), None, 1),
        (rounds(1, query_time=None, expected_response_time=0.0), None, 0),
        (rounds(1, expected_response_time=0.0), None, 1),
        (rounds(1, expected_response_time=0.5), None, 0),
        (rounds(PRINTED), 0, 0),
        (rounds(PRINTED * LITTLE), 0, 1),
        (rounds(PRINTED / 2), 0, 0),
        (rounds(), 0, 0),
    ],
)
def test_streams_lie_in_their_recording(row, ends, found):
    known = StreamFacts() if ends is None else lasting(ends)
    assert len(list(streams.outside_recording(read(row), known))) == found


@cases(
    ("event", "time", "answerable", "found"),
    [
        (5.0, 5.0, True, 0),
        (5.0, 5.0 - EXACT, True, 0),
        (5.0, 5.0 - EXACT * LITTLE, True, 1),
        (5.0, 4.0, False, 0),
        (None, 4.0, False, 0),
        (None, 4.0, True, 1),
        (5.0, None, True, 0),
        (5.0, 6.0, None, 1),
    ],
)
def test_flags_at_the_event(event, time, answerable, found):
    row = rounds(time, expected_response_time=event)
    row["rounds"][0]["answerable"] = answerable
    assert len(list(streams.flags_differ(read(row)))) == found


@cases(
    ("times_", "event", "expected"),
    [
        ((1.0, 3.0, 8.0), 5.0, (2.0, 3.0)),
        ((1.0, 3.0, 8.0), None, (None, None)),
        ((1.0,), 5.0, (None, None)),
        ((1.0, 8.0), 5.0, (2.0, 8.0)),
    ],
)
def test_horizons_by_hand(times_, event, expected):
    row = rounds(*times_, expected_response_time=event)
    assert streams.horizons(read(row)) == expected
    told = dict(zip(("early_horizon_sec", "late_horizon_sec"), expected, strict=True))
    assert not list(streams.horizons_differ(read(row | told)))
    for name, right in told.items():
        off = None if right is not None else 1.0
        assert len(list(streams.horizons_differ(read(row | told | {name: off})))) == 1
        if right is not None:
            near, far = right + 2 * PRINTED * 0.99, right + 2 * PRINTED * LITTLE
            assert not list(streams.horizons_differ(read(row | told | {name: near})))
            assert list(streams.horizons_differ(read(row | told | {name: far})))


def test_a_tolerance_is_above_nothing():
    for value, found in ((0, 1), (-1, 1), ("x", 1), (0.1, 0)):
        row = rounds(1, 2, expected_response_time=None, tolerance_sec=value)
        assert len(list(streams.horizons_differ(read(row)))) == found


def test_a_horizon_on_its_tolerance():
    row = rounds(0.5, 1, expected_response_time=2.5, tolerance_sec=2.0)
    on = row | {"early_horizon_sec": 2 * PRINTED}
    assert not list(streams.horizons_differ(read(on)))


@cases(
    ("stem", "found"), [("How now brown cow", 0), ("Which 2 things?", 0), ("Whicheverwhere is", 1),
                        ("Which 2 thing?", 1)],
)  # fmt: skip
def test_a_stem_of_fifteen_characters_and_three_words(stem, found):
    assert len(list(texts.stem_too_short(read({"question": stem})))) == found


def test_four_cited_times_are_told():
    said = ", ".join(f"{k} s" for k in range(10, 16))
    (told,) = times.other_time(read(window(0, 1, evidence=said)))
    assert told == "the evidence cites 10, 11, 12, 13, t_q is 1"
    (told,) = times.other_time(read(window(0, 1, evidence="from 5 to 7.5 s")))
    assert told == "the evidence cites 5-7.5, t_q is 1"


@cases(
    ("name", "where", "found"),
    [
        ("VID1", "xvid1x", None),  # four letters may stand in any word
        ("VID1", "x/vid1.mp4", "VID1"),
        ("VID01", "xvid01x", "VID01"),
        ("VID 1", "xvid1x", None),
    ],
)
def test_names_of_four_letters_are_whole_words(name, where, found):
    assert spelled([name], where) == found


@cases(
    ("text", "problems"),
    [
        (b'{"a":1}\n{"a":2}\n', []),
        (b'{"a":1}\n\n{"a":2}\n', ["line 2 is empty"]),
        (b'{"a":1}\n{"a":2}\n\n', ["line 3 is empty"]),
        (b'\n{"a":1}\n{"a":2}\n', ["line 1 is no JSON object by itself"]),
        (b'{"a":1}\r\n{"a":2}\r\n', ["line 1 ends in \\r\\n"]),
    ],
)
def test_lines_that_are_empty(text, problems):
    reading = LayoutReading()
    assert [row["a"] for row in reading.rows(BytesIO(text))] == [1, 2]
    assert reading.problems == problems


def test_so_many_findings_of_a_code_are_kept_and_all_counted(monkeypatch):
    monkeypatch.setattr(report, "KEPT_PER_CODE", 2)
    found = report.Findings(CODES)
    for k in range(4):
        found.add("D01", f"row {k}", "short")
    found.add("D01", "row 9", "short", Severity.WARNING)
    assert [one.item_id for one in found.listed()] == ["row 0", "row 1", "row 9"]
    assert sorted(found.graded.values()) == [1, 4]


@cases(
    ("found", "expected", "alike"),
    [(None, None, True), (None, 0.5, False), (0.5, None, False), (0.5, 0.5, True),
     (0.5, 0.5 + runs.EXACT / 2, True), (0.5, 0.5 + 2 * runs.EXACT, False)],
)  # fmt: skip
def test_scores_that_are_alike(found, expected, alike):
    assert runs._same(found, expected) is alike


@cases(
    ("keys", "late"),
    [
        (["sample_id", "dataset", "video_id"], None),
        (["dataset", "sample_id", "video_id"], "sample_id comes too late in the order of keys"),
        (["sample_id", "video_id", "dataset"], "dataset comes too late in the order of keys"),
        (["video_id", "dataset", "sample_id"], "dataset comes too late in the order of keys"),
    ],
)
def test_the_first_key_that_stands_too_late(keys, late):
    told = [one for one in key_order(read(dict.fromkeys(keys, "x"))) if "too late" in one]
    assert told == ([late] if late else [])
