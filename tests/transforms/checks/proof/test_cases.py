"""Cases as queries take them: where windows end, and when a question is asked last."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import duckdb
import orjson

from surgqa.transforms.checks.proof.cases import last_round, put_cases
from tests.each import cases


def asked(start: int = 100, end: int = 200, kind: str = "clip", every: int | None = None,
          chain: str | None = None, name: str = "q1", due: bool = False) -> Any:  # fmt: skip
    rounds = SimpleNamespace(every=every) if every is not None or due else None
    row = {"dataset": "d", "video_id": "v", "start_us": start, "end_us": end, "query_us": 150,
           "chain_id": chain}  # fmt: skip
    return SimpleNamespace(
        row=row, slots={"a": 1}, stage=SimpleNamespace(name=name),
        program=SimpleNamespace(rounds=rounds, unit=SimpleNamespace(kind=kind)),
    )  # fmt: skip


@cases(
    ("start", "end", "every", "last"),
    [(0, 100, 30, 90), (0, 90, 30, 60), (0, 91, 30, 90), (7, 98, 30, 97), (7, 97, 30, 67),
     (7, 8, 30, 7)],
)  # fmt: skip
def test_the_last_of_many_rounds_lies_before_the_end(start: int, end: int, every: int, last: int):
    assert last_round(asked(start, end, every=every)) == {"round": last}


def test_other_questions_have_no_last_round():
    assert last_round(asked()) == last_round(asked(due=True)) == last_round(asked(every=0)) == {}


@cases("kind", ["clip", "still", "recording", "now", "chain"])
@cases(
    ("instants", "end"),
    [((), 200), ((99, 200), 200), ((100,), 101), ((199,), 200), ((120, 150), 151),
     ((120, 500), 121)],
)  # fmt: skip
def test_a_window_ends_with_its_last_labelled_instant(kind: str, instants: Any, end: int):
    con = duckdb.connect()
    con.execute("create table instants (video varchar, t bigint)")
    con.execute("insert into instants values ('d/w', 170)")
    for time in instants:
        con.execute("insert into instants values ('d/v', ?)", (time,))
    put_cases(con, [asked(kind=kind)], {})
    wanted = end if kind in ("clip", "still", "recording") else 200
    assert con.execute("select * from windows").fetchall() == [(0, "d/v", 100, wanted)]
    ((now, start, slots),) = con.execute(
        "select now_us, window_start_us, slots from cases").fetchall()  # fmt: skip
    assert (now, start, orjson.loads(slots)) == (150, 100, {"a": 1})


def test_names_have_windows_of_a_chain_and_times_of_rounds():
    con = duckdb.connect()
    con.execute("create table instants (video varchar, t bigint)")
    parts = [asked(chain="c"), asked(120, 130, chain="c", name="q2")]
    put_cases(con, [parts[0], asked(every=40)], {"c": parts})
    slots = [
        orjson.loads(one) for (one,) in con.execute("select slots from cases order by q").fetchall()
    ]
    windows = {"q1.window": {"start": 100, "end": 200}, "q2.window": {"start": 120, "end": 130}}
    assert slots == [{"a": 1, **windows}, {"a": 1, "round": 180}]
    put_cases(con, [parts[0]], {}, [{"round": 7}])
    assert con.execute("select slots from cases").fetchall() == [('{"a":1,"round":7}',)]
