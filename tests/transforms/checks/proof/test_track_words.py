"""What tells instances of a class apart, at each border of window and distance."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import duckdb

from surgqa.transforms.algebra.tree import Const, Print
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.words import (
    APART,
    names_instances,
    pieces,
    track_words_of,
)
from tests.each import cases

A, B = 100, 200
SAMPLE = 0.125
"""Half the width of every box."""


def told(*tracks: tuple[str, float | None], seen: Any = (A, B), at: Any = (150,),
         **more: Any) -> dict[str, str]:  # fmt: skip
    """What tells tracks of one class that are centred there, in a window [100, 200)."""
    con = duckdb.connect()
    con.execute("create table windows (q int, video varchar, a bigint, b bigint)")
    con.execute("create table facts (video varchar, kind varchar, subject varchar, track varchar, "
                "s0 bigint, e1 bigint)")  # fmt: skip
    con.execute("create table samples (video varchar, track varchar, t bigint, x1 double, "
                "x2 double)")  # fmt: skip
    con.execute(f"insert into windows values (0, 'd/v', {A}, {B})")
    row = {"video": "d/v", "kind": "instrument", "subject": "hook"} | more
    for name, x in tracks:
        values = (row["video"], row["kind"], row["subject"], name, *seen)
        con.execute("insert into facts values (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?)", values * 2)
        for time in at if x is not None else ():
            con.execute("insert into samples values (?, ?, ?, ?, ?)",
                        (row["video"], name, time, x - SAMPLE, x + SAMPLE))  # fmt: skip
    return track_words_of(con).get(0, {})


LEFT, RIGHT = " on the left", " on the right"


def test_one_alone_needs_nothing():
    assert told(("a", 0.5)) == {"a": ""}
    assert told(("a", None)) == {"a": ""}
    assert told(("a", 0.5), kind="idle") == {}
    assert told(("a", 0.5), video="d/w") == {}


@cases(
    ("seen", "there"),
    [((199, 300), True), ((200, 300), False), ((0, 101), True), ((0, 100), False)],
)
def test_who_may_be_seen_in_the_window(seen: tuple[int, int], there: bool):
    assert (told(("a", 0.5), seen=seen) != {}) is there


@cases(
    ("x", "sides"),
    [
        (0.25 + APART, {}),
        (0.25 + APART + 1e-9, {"a": LEFT, "b": RIGHT}),
        (0.25, {}),
        (0.25 - APART, {}),
        (0.25 - APART - 1e-9, {"a": RIGHT, "b": LEFT}),
    ],
)
def test_two_are_told_apart_from_a_tenth_on(x: float, sides: dict[str, str]):
    assert APART == 0.10
    assert told(("a", 0.25), ("b", x)) == sides


def test_of_three_the_middle_one_is_not_told():
    assert told(("a", 0.25), ("b", 0.5), ("c", 0.75)) == {"a": LEFT, "c": RIGHT}
    assert told(("a", 0.25), ("b", 0.5), ("c", 0.5)) == {"a": LEFT}
    assert told(("a", 0.25), ("b", 0.25), ("c", 0.5)) == {"c": RIGHT}


def test_one_without_a_box_is_told_by_nothing_and_hides_the_others():
    assert told(("a", 0.25), ("b", None)) == {}


@cases(("at", "there"), [((A,), True), ((A - 1,), False), ((B - 1,), True), ((B,), False)])
def test_boxes_of_the_window(at: tuple[int, ...], there: bool):
    assert (told(("a", 0.25), ("b", 0.75), at=at) != {}) is there


def moving(*places: float) -> dict[str, str]:
    """One that moves through places, and one at 0.5."""
    con = duckdb.connect()
    con.execute("create table windows as select 0 as q, 'd/v' as video, 0 as a, 100 as b "
                "union all select 1, 'd/v', 0, 1")  # fmt: skip
    con.execute("create table facts as select 'd/v' as video, 'instrument' as kind, 'hook' as "
                "subject, unnest(['a', 'b', 'c']) as track, 0 as s0, 100 as e1")  # fmt: skip
    con.execute("update facts set subject = 'grasper' where track = 'c'")
    con.execute("create table samples (video varchar, track varchar, t int, x1 double, x2 double)")
    for time, x in enumerate(places):
        for name, at in (("a", x), ("b", 0.5), ("c", x)):
            con.execute("insert into samples values ('d/v', ?, ?, ?, ?)",
                        (name, time, at - SAMPLE, at + SAMPLE))  # fmt: skip
    found = track_words_of(con)
    assert found[1].get("c") == found[0].get("c") == ""
    return {name: side for name, side in found[0].items() if name != "c"}


def test_at_any_time_of_the_window():
    assert moving(0.1, 0.2, 0.3) == {"a": LEFT, "b": RIGHT}
    assert moving(0.1, 0.45, 0.3) == {}
    assert moving(0.7, 0.8) == {"a": RIGHT, "b": LEFT}
    assert moving(0.7, 0.55) == {}
    assert moving(0.1, 0.9) == {}


@cases(
    ("filter_", "of", "named"),
    [("the", "fact", True), ("name", "track", True), ("a", "fact", False),
     ("the", "label", False)],
)  # fmt: skip
def test_texts_that_name_an_instance(filter_: str, of: str, named: bool):
    piece = Print(Const(Type(of), None), filter_)
    stage: Any = SimpleNamespace(texts=[("Here is ",), ("this: ", piece)])
    assert names_instances(stage) is named
    assert pieces(("this: ", piece, ".")) == [piece]
