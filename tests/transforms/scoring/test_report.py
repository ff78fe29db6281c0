"""Scores by level and of pairs, and the comparison of models."""

from __future__ import annotations

import pytest

from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.scoring.bootstrap import compare
from surgqa.transforms.scoring.report import LevelScore, Marks, marked, table_of
from tests.own_rows import clip, now


def marks(*rows: dict) -> Marks:
    out = Marks()
    for row in rows:
        out.take(row)
    return out


def row(item: str, level: int | None = None, pair: str | None = None, of: str = "x") -> dict:
    return {"item_id": item, "benchmark": of, "level": level, "pair": pair}


def test_levels_have_the_mean_of_their_items():
    found = marked(marks(row("a", 1), row("b", 1), row("c", 3), row("d", 3, of="y"), row("e"),
                         row("f", 1)),
                   {"a": 1.0, "b": 0.5, "c": 0.25, "d": 1.0, "e": 0.0})  # fmt: skip
    assert found == (LevelScore("x", "easy", 2, 0.75), LevelScore("x", "hard", 1, 0.25),
                     LevelScore("y", "hard", 1, 1.0))  # fmt: skip
    assert table_of(found)[1] == ["x", "easy", "2", "75.00"]


def test_a_pair_counts_if_both_are_right():
    some = marks(row("a", pair="p"), row("b", pair="p"), row("c", pair="q"), row("d", pair="q"),
                 row("e", pair="r"), row("f", pair="s"), row("g", pair="s"))  # fmt: skip
    right = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0, "e": 1.0, "f": 1.0}
    assert marked(some, right) == (LevelScore("x", "pairs", 2, 0.5),)


def test_rows_without_marks_have_none():
    assert marked(marks({"item_id": "a", "benchmark": "x"}), {"a": 1.0}) == ()


def test_a_report_holds_them():
    a, b = now() | {"level": 2, "pair": "p"}, clip() | {"pair": "p"}
    report = score_dataset([a, b], {(a["item_id"], None): a["answer"]}, replicates=1)
    assert report.marked == (
        LevelScore("own", "medium", 1, 1.0),
        LevelScore("own", "pairs", 1, 0.0),
    )
    assert report.to_dict()["marked"][0] == {
        "benchmark": "own", "name": "medium", "number": 1, "score": 1.0}  # fmt: skip


VIDEOS = {f"i{n}": f"v{n % 6}" for n in range(60)}


def test_a_model_against_itself_does_not_differ():
    scores = {name: float(int(name[1:]) % 3 == 0) for name in VIDEOS}
    (pair,) = compare({"a": scores, "b": dict(scores)}, VIDEOS).pairs
    assert (pair.difference, pair.interval, pair.p) == (0.0, (0.0, 0.0), 1.0)


def test_a_difference_in_every_video_is_certain():
    a = dict.fromkeys(VIDEOS, 0.75)
    b = {name: 0.25 if int(name[1:]) % 2 else 0.5 for name in VIDEOS}
    found = compare({"a": a, "b": b}, VIDEOS)
    (pair,) = found.pairs
    assert pair.difference == pytest.approx(0.375) and pair.interval[0] > 0.2 and pair.p < 0.01
    assert [one.mean for one in found.lines] == [pytest.approx(0.75), pytest.approx(0.375)]


def test_pairs_are_compared_where_both_have_scores():
    a = dict.fromkeys(VIDEOS, 1.0)
    b = dict.fromkeys(list(VIDEOS)[:20], 1.0)
    (pair,) = compare({"a": a, "b": b}, VIDEOS).pairs
    assert (pair.items, pair.difference) == (20, 0.0)


def test_one_video_has_no_interval():
    found = compare({"a": {"x": 1.0}, "b": {"x": 0.0}, "c": {}}, {"x": "v"})
    assert all(one.interval is None for one in found.lines)
    assert [one.p for one in found.pairs] == [None, None, None]
    assert found.lines[2].items == 0 and len(list(found.tables())) == 2
