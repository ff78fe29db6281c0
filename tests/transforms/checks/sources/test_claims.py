"""What files say, as queries of a second reading give it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from surgqa.transforms.checks.sources import claims
from surgqa.transforms.checks.sources.claims import Claim, LabelFiles, claims_of, connected
from surgqa.transforms.checks.sources.spec import Input, SourceReading, Spec, spec_of, words
from surgqa.transforms.places import place
from tests.each import cases

LABELS = {"instrument": {"Hook": "hook", "Clip-Applier": "clipper", "0": "grasper", "bad": None},
          "version": 1}  # fmt: skip
VIDEO = {"video_id": "v", "width": 8, "height": 6, "fps_num": 25, "fps_den": 1, "duration_us": 9}


@cases(
    ("sql", "value"),
    [
        ("us(1, 3)", 333_333),
        ("us(2, 3)", 666_667),
        ("us(1, 2000000)", 1),
        ("us(1, 2000001)", 0),
        ("us(0, 25)", 0),
        ("ratio_us(1, 30000, 1001)", 33_367),
        ("ratio_us(1, 2000000, 1)", 1),
        ("ratio_us(2, 3, 2)", 1_333_333),
        ("inside(-0.5)", 0),
        ("inside(0.5)", 0.5),
        ("inside(1.5)", 1),
        ("inside(null)", None),
        ("named('instrument', 'Hook')", "hook"),
        ("named('instrument', 'hook')", None),
        ("named('verb', 'Hook')", None),
        ("named('instrument', null)", None),
        ("named(null, 'Hook')", None),
        ("named('instrument', 'bad')", None),
        ("spelt('instrument', 'CLIP applier')", "clipper"),
        ("spelt('instrument', 'clipper')", None),
        ("spelt('instrument', null)", None),
        ("twice(4)", 8),
        ("(select count(*) from labels)", 3),
    ],
)
def test_functions_of_queries(sql: str, value: Any):
    con = connected(Spec(LABELS, (), "create macro twice(x) as 2 * x;"))  # type: ignore[arg-type]
    found = con.execute(f"select {sql}").fetchall()[0][0]
    assert found == (pytest.approx(value) if isinstance(value, float | int) else value)


def test_queries_see_no_file(tmp_path: Path):
    (tmp_path / "a.csv").write_text("1\n")
    with pytest.raises(Exception, match="disabled|external"):
        connected(Spec({}, ())).execute(f"from read_csv('{tmp_path}/a.csv')")


COLUMNS = {
    "place": 1, "part": "'a'", "kind": "'k'", "label": "'hook'", "start_us": 100, "end_us": "null",
    "x1": 0.1, "y1": 0.2, "x2": 0.3, "y2": 0.4, "verb": "''", "target": "'liver'",
    "subject": "''", "value": 3, "rater": "''", "text": "''",
}  # fmt: skip


def told(tmp_path: Path, wanted: Any = None, **columns: Any) -> dict[int, list[Claim]]:
    """What a query gives whose columns are these."""
    query = "select " + ", ".join(f"{value} as {name}" for name, value in columns.items())
    reading = SourceReading({}, re.compile("x"), (), query)
    return claims_of(
        connected(Spec({}, ())), reading, LabelFiles(place(str(tmp_path))), VIDEO, wanted
    )


def test_a_claim_has_nothing_where_a_cell_is_empty(tmp_path: Path):
    ((one,),) = told(tmp_path, **COLUMNS).values()
    assert one == Claim(1, "a", "k", "hook", 100, None, (0.1, 0.2, 0.3, 0.4), None, "liver", None,
                        3.0, None, None)  # fmt: skip
    ((bare,),) = told(tmp_path, place=7).values()
    assert bare == Claim(7, *[None] * 12)
    ((part,),) = told(tmp_path, place=7, part=5).values()
    assert part.part == "5"


@pytest.mark.parametrize(
    ("side", "to", "there"),
    [
        ("x1", 0.29, True),
        ("x1", 0.3, False),
        ("x1", 0.9, False),
        ("y1", 0.4, False),
        ("y1", 0.39, True),
        ("x2", "null", False),
        ("y2", 0.2, False),
    ],
)
def test_a_box_has_an_area(tmp_path: Path, side: str, to: Any, there: bool):
    ((one,),) = told(tmp_path, **COLUMNS | {side: to}).values()
    assert (one.box is not None) is there


def test_claims_lie_by_their_places(tmp_path: Path):
    query = "select unnest([3, 1, 3]) as place, unnest(['a', 'b', 'c']) as label"
    reading = SourceReading({}, re.compile("x"), (), query)
    found = claims_of(
        connected(Spec({}, ())), reading, LabelFiles(place(str(tmp_path))), VIDEO, None
    )
    assert {at: [one.label for one in many] for at, many in found.items()} == {
        3: ["a", "c"], 1: ["b"]
    }  # fmt: skip


CELLS = Input("rows", re.compile(r"(?P<video>\w+)/(?P<place>\d+)\.csv"), "cells", "commas")


def written(tmp_path: Path, *names: str) -> list[str]:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a,b\n")
    return list(names)


def test_files_of_the_video_and_of_wanted_places(tmp_path: Path):
    paths = written(tmp_path, "v/2.csv", "v/1.csv", "w/1.csv", "v/x.txt")
    files = LabelFiles(place(str(tmp_path)), paths, "v")
    assert files.table(CELLS, None).column("file").to_pylist() == ["v/1.csv", "v/2.csv"]
    assert files.table(CELLS, {2, 3}).column("file").to_pylist() == ["v/2.csv"]
    assert files.table(CELLS, set()).num_rows == 0
    every = Input("rows", re.compile(r"\w+/\w+\.csv"), "cells", "commas")
    assert files.table(every, {9}).num_rows == 3


def test_tables_that_many_videos_share_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(claims, "KEPT", 2)
    read = []
    right = claims.rows_of
    monkeypatch.setattr(claims, "rows_of", lambda *of: read.append(of[1:]) or right(*of))
    paths = written(tmp_path, *(f"v/{k}.csv" for k in (1, 2, 3)))
    files = LabelFiles(place(str(tmp_path)), paths, "v")
    for one, many in ((1, 1), (2, 2), (1, 2), (3, 3), (2, 3), (1, 4)):
        files.table(CELLS, {one})
        assert len(read) == many, one


def test_tables_of_datasets_and_words():
    known = spec_of("cholec80")
    assert known is not None and known.readings and not known.why_not
    assert spec_of("nobody") is None and spec_of("../cholec80") is None and spec_of("") is None
    assert spec_of("bern_bypass70") == spec_of("multibypass140") != known
    assert spec_of("tables").why_not  # type: ignore[union-attr]
    assert words("effect")["divided"] == "divided"
    assert words("phase")["preparation"] == "preparation"


def test_places_follow_one_another_unless_a_table_says_otherwise():
    ordered = {name: [one.ordered for one in spec_of(name).readings]
               for name in ("cholec80", "kvasir_capsule")}  # fmt: skip
    assert all(ordered["cholec80"]) and False in ordered["kvasir_capsule"]
