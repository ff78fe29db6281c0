"""Models on the same items: intervals over videos and paired differences."""

from __future__ import annotations

import pytest

from transforms.scoring.bootstrap import compare

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
