"""The evidence as proofs read it: boxes are facts of their instance's class, nulls are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from duckdb import DuckDBPyConnection

from surgqa.transforms.checks.proof import evidence
from surgqa.transforms.checks.proof.evidence import (
    NOBODY_LOOKED,
    Some,
    opened,
    put_evidence,
    some_at_a_time,
)
from surgqa.transforms.store.folder import OutputFolder
from tests.transforms.checks.proof.opened import connect
from tests.transforms.checks.world import evidence_of


def rows_of(tmp_path: Path, query: str, **tables: list[dict[str, Any]]) -> list[tuple]:
    """What a query gives of an output with some rows of evidence, all of d/v unless they say."""
    with connect(evidence_of(tmp_path, **tables), tmp_path) as con:
        return con.execute(query).fetchall()


TIMES = {f"{name}_us": 0 for name in ("s0", "s", "s1", "e0", "e", "e1", "x0", "x1", "t0", "t1")}


def fact(**columns: Any) -> dict[str, Any]:
    return {"kind": "instrument", **TIMES, "grp": 0, "sure": True, **columns}


def test_each_box_is_a_fact_of_one_microsecond(tmp_path: Path):
    box = {"x1": 0.0, "y1": 0.0, "x2": 1.0, "y2": 1.0}
    found = rows_of(
        tmp_path,
        "select video, label, subject, track, s0, s, s1, e0, e, e1, x0, x1, t0, t1, sure "
        "from facts where kind = 'sample' order by video, track, s",
        facts=[fact(track="t", subject="hook"), fact(track="t", subject="hook", kind="idle"),
               fact(track="u", subject="grasper"), fact(track="t", subject="scissors",
                                                        video_id="w")],
        samples=[{"track": "t", "time_us": 5, **box}, {"track": "t", "time_us": 9, **box},
                 {"track": "u", "time_us": 5, **box}, {"track": "x", "time_us": 5, **box},
                 {"track": "t", "time_us": 5, **box, "video_id": "w"}],
    )  # fmt: skip
    one = {"d/v": {"t": "hook", "u": "grasper", "x": None}, "d/w": {"t": "scissors"}}
    assert [(row[0], row[3], row[1]) for row in found] == [
        ("d/v", "t", "hook"), ("d/v", "t", "hook"), ("d/v", "u", "grasper"), ("d/v", "x", None),
        ("d/w", "t", "scissors"),
    ]  # fmt: skip
    for video, label, subject, track, s0, s, s1, *ends, x0, x1, t0, t1, sure in found:
        assert label == subject == one[video][track]
        assert (s0, s1, x0, t0) == (s,) * 4 and (*ends, x1, t1) == (s + 1,) * 5 and sure
    assert [row[5] for row in found] == [5, 9, 5, 5, 5]


def test_marks_that_are_none_and_floors_that_nobody_knows(tmp_path: Path):
    marks = {name: k - 1 for k, name in enumerate(("s_mark", "e_mark", "s_gap", "e_gap"))}
    found = rows_of(
        tmp_path,
        "select s_mark, e_mark, s_gap, e_gap, "
        "(select list(floor order by floor) from holes where kind = 'phase'), "
        "(select list(field) from looked where kind = 'phase'), (select fps from videos), "
        "(select list(id) from clips) from facts",
        facts=[fact(**marks)],
        holes=[{"kind": "phase", "floor_us": 3}, {"kind": "phase"}],
        looked=[{"kind": "phase"}],
        videos=[{"fps_num": 30, "fps_den": 4}],
        segments=[{"segment_id": "a", "kind": "clip"}, {"segment_id": "b", "kind": "phase"}],
    )  # fmt: skip
    assert found == [(None, 0, 1, 2, [3, NOBODY_LOOKED], [""], 7.5, ["a"])]


def recordings(tmp_path: Path, **instants: int) -> DuckDBPyConnection:
    """An opened database with so many instants of each recording."""
    rows = [{"video_id": name, "time_us": k} for name, n in instants.items() for k in range(n)]
    rows_of(tmp_path, "select 1", instants=rows)
    con = opened(OutputFolder(tmp_path), tmp_path / "evidence")
    con.execute("create table asked as select 'd' as dataset, video_id from instants_file")
    con.execute("insert into asked values ('c', 'it''s'), ('e', 'a'), ('d', 'b')")
    return con


def test_recordings_are_looked_at_in_order_as_many_as_the_bound_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(evidence, "AT_ONCE", 10)
    con = recordings(tmp_path, v1=4, v2=5, v3=25, v4=1, v5=9)
    assert list(some_at_a_time(con, "asked")) == [
        Some((("c", "it's", "it's"), ("d", "b", "v2"))), Some((("d", "v3", "v4"),)),
        Some((("d", "v5", "v5"), ("e", "a", "a"))),
    ]  # fmt: skip


def test_only_their_evidence_is_there(tmp_path: Path):
    con = recordings(tmp_path, v1=4, v2=5, v3=2)
    for some, wanted in (
        (Some((("d", "v1", "v2"), ("e", "v3", "v4"))), [("d/v1", 4), ("d/v2", 5)]),
        (Some((("c", "v1", "v2"), ("d", "v3", "v3"))), [("d/v3", 2)]),
        (Some((("d", "it's", "it's"),)), []),
        (None, [("d/v1", 4), ("d/v2", 5), ("d/v3", 2)]),
    ):
        put_evidence(con, some)
        found = con.execute("select video, count(*) from instants group by all order by all")
        assert found.fetchall() == wanted
