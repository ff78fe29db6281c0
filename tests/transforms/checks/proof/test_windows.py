"""Windows and times of questions by their unit, at each border."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from surgqa.transforms.checks.proof.prove import Around
from surgqa.transforms.checks.proof.windows import window_id, window_problems
from tests.each import cases

S = 1_000_000
LONG = 100 * S + S // 2
NOW = {"kind": "now", "see": 20 * S, "shortest": 5 * S}
STREAM = {"kind": "stream", "length": (10 * S, 30 * S)}
CLIPS = frozenset({("c", 0, 20 * S)})


def found(unit: dict[str, Any], start: int, end: int, now: int | None = None,
          instants: Any = (), **columns: Any) -> list[str]:  # fmt: skip
    """Codes of what is wrong with a window of a recording of 100.5 s."""
    kind = unit["kind"]
    of: Any = SimpleNamespace(**{"now": None, "see": None, "shortest": 0, "length": None} | unit)
    row = {"start_us": start, "end_us": end, "query_us": now, "dataset": "d", "video_id": "v",
           "window_id": window_id(kind, "d/v", start, end), **columns}  # fmt: skip
    asked: Any = SimpleNamespace(row=row, program=SimpleNamespace(unit=of))
    return [code for code, _ in window_problems(asked, LONG, CLIPS, instants)]


WINDOW, QUERY = ["window_differs"], ["query_window_differs"]


@pytest.mark.parametrize(
    ("start", "end", "wrong"),
    [
        (0, LONG, []),
        (0, LONG - 1, WINDOW),
        (1, LONG, WINDOW),
        (0, 0, WINDOW * 2),
        (-1, LONG, WINDOW * 2),
        (5, 4, WINDOW * 2),
    ],
)
@pytest.mark.parametrize("kind", ["recording", "still"])
def test_all_of_a_recording(kind: str, start: int, end: int, wrong: list[str]):
    assert found({"kind": kind}, start, end) == wrong


@cases(
    ("start", "end", "name", "wrong"),
    [
        (0, 20 * S, "c", []),
        (0, 20 * S, "d", WINDOW),
        (1, 20 * S, "c", WINDOW),
        (0, 20 * S + 1, "c", WINDOW),
    ],
)
def test_a_clip_is_one_of_the_video(start: int, end: int, name: str, wrong: list[str]):
    assert found({"kind": "clip"}, start, end, window_id=name) == wrong


@pytest.mark.parametrize("kind", ["act", "chain"])
def test_other_windows_are_named_by_their_ends(kind: str):
    assert found({"kind": kind}, 3, 7) == []
    assert found({"kind": kind}, 0, 1) == []
    assert found({"kind": kind}, 3, 7, window_id=window_id(kind, "d/v", 3, 8)) == WINDOW
    assert found({"kind": kind}, 3, 7, window_id=window_id(kind, "d/w", 3, 7)) == WINDOW
    assert found({"kind": kind}, 3, 3) == WINDOW


def test_ids_have_their_ends_but_of_a_whole_recording():
    assert window_id("recording", "d/v", 0, 1) == window_id("recording", "d/v", 0, 2)
    assert window_id("still", "d/v", 0, 1) == window_id("still", "d/v", 1, 2)
    assert len({window_id("now", "d/v", a, b) for a, b in ((0, 1), (0, 2), (1, 2))}) == 3
    assert len({window_id(kind, "d/v", 0, 1) for kind in ("now", "clip", "still")}) == 3


@cases(
    ("now", "start", "end", "wrong"),
    [
        (60 * S, 40 * S, 60 * S + 1, []),
        (60 * S, 40 * S, 60 * S, QUERY),
        (60 * S, 40 * S, 60 * S + 2, QUERY),
        (60 * S, 40 * S - 1, 60 * S + 1, QUERY),
        (60 * S, 40 * S + 1, 60 * S + 1, QUERY),
        (20 * S, 0, 20 * S + 1, []),
        (19 * S, 0, 19 * S + 1, []),
        (5 * S, 0, 5 * S + 1, []),
        (4 * S, 0, 4 * S + 1, QUERY),
        (0, 0, 1, []),
        (100 * S, 80 * S, 100 * S + 1, []),
        (101 * S, 81 * S, 101 * S + 1, QUERY),
        (-S, 0, 1, QUERY * 2),
        (60 * S + 1, 40 * S + 1, 60 * S + 2, QUERY),
        (None, 40 * S, 60 * S, []),
    ],
)
def test_a_question_at_a_time(now: int | None, start: int, end: int, wrong: list[str]):
    assert found(NOW, start, end, now) == wrong


def test_the_last_microsecond_of_a_recording_may_be_asked_about():
    at_end = NOW | {"now": "each"}
    assert found(at_end, LONG - 1 - 20 * S, LONG, LONG - 1) == []
    assert found(at_end, LONG - 20 * S, LONG + 1, LONG) == QUERY


def test_a_shortest_window():
    for length, wrong in ((5 * S, []), (5 * S - 1, QUERY)):
        unit = NOW | {"see": length - 1, "shortest": 5 * S, "now": "each"}
        assert found(unit, 60 * S - length + 1, 60 * S + 1, 60 * S) == wrong
    assert found(NOW | {"see": 0}, 60 * S, 60 * S + 1, 60 * S) == QUERY
    assert found({"kind": "now", "see": None, "shortest": 5 * S}, 0, 60 * S + 1, 60 * S) == []


def test_one_picture_is_no_short_window():
    unit = NOW | {"see": None, "now": "each"}
    assert found(unit, 0, 1, 0) == []
    assert found(unit, 0, 2, 1) == QUERY


@cases(
    ("now", "start", "end", "wrong"),
    [
        (20 * S, 20 * S, 30 * S, []),
        (20 * S, 20 * S, 50 * S, []),
        (20 * S, 20 * S, 29 * S, QUERY),
        (20 * S, 20 * S, 51 * S, QUERY),
        (20 * S, 20 * S, 40 * S + 1, QUERY),
        (20 * S, 21 * S, 40 * S, QUERY),
        (80 * S, 80 * S, LONG, []),
        (90 * S, 90 * S, LONG, []),
        (95 * S, 95 * S, LONG, QUERY),
        (70 * S, 70 * S, LONG, QUERY),
        (80 * S, 80 * S, LONG + 1, QUERY),
        (71 * S, 71 * S, LONG, []),
        (None, 20 * S, 29 * S, []),
    ],
)
def test_a_stream_lasts_whole_seconds_or_to_the_end(
    now: int | None, start: int, end: int, wrong: list[str]
):
    assert found(STREAM, start, end, now) == wrong


def test_a_stream_cut_by_the_end_is_shorter_than_the_longest():
    whole = STREAM | {"length": (10 * S, 30 * S + S // 2), "now": "each"}
    assert found(whole, 70 * S, LONG, 70 * S) == QUERY
    assert found(whole, 70 * S + 1, LONG, 70 * S + 1) == []


@cases(
    ("now", "instants", "wrong"),
    [
        (60 * S, (), []),
        (60 * S + 1, (), QUERY),
        (60 * S + 1, (1, 60 * S + 1), []),
        (60 * S, (1, 60 * S + 1), QUERY),
    ],
)
def test_any_annotated_instant_or_whole_second(now: int, instants: Any, wrong: list[str]):
    assert found(NOW, now - 20 * S, now + 1, now, instants) == wrong
    assert found(NOW | {"now": "each"}, now - 20 * S, now + 1, now, instants) == []


@cases(
    ("unit", "clips", "instants"),
    [
        ({"kind": "clip"}, True, False),
        ({"kind": "now", "now": None}, False, True),
        ({"kind": "stream", "now": None}, False, True),
        ({"kind": "now", "now": "phase.start"}, False, False),
        ({"kind": "recording", "now": None}, False, False),
        ({"kind": "still", "now": None}, False, False),
    ],
)
def test_what_is_read_of_the_recordings_asked_about(unit: Any, clips: bool, instants: bool):
    con = duckdb.connect()
    con.execute("create table cases as select 'd/v' as video")
    con.execute("create table videos as from (values ('d/v', 9), ('d/w', 8)) t(video, duration_us)")
    con.execute("create table clips as from (values ('d/v', 'c', 0, 4), ('d/w', 'e', 0, 5)) "
                "t(video, id, start_us, end_us)")  # fmt: skip
    con.execute("create table instants as from (values ('d/v', 7), ('d/v', 3), ('d/w', 5)) "
                "t(video, t)")  # fmt: skip
    around, program = Around(), SimpleNamespace(unit=SimpleNamespace(**unit))
    around.look(con, program)  # type: ignore[arg-type]
    assert around.durations == {"d/v": 9}
    assert around.clips == ({"d/v": {("c", 0, 4)}} if clips else {})
    assert around.instants == ({"d/v": [3, 7]} if instants else {})
