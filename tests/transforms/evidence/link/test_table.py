"""Tables in, tables out."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc
import pytest

from surgqa.ontology.observed import BOXES


@pytest.fixture
def busy(film):
    """Two tools, a gap in each, a false box, a tissue."""
    made = film(instants=60)
    for at in range(60):
        if at not in (10, 11, 12):
            made.add(at, 0.2 + 0.005 * at, 0.4, "hook", score=0.9)
        if at % 7:
            made.add(at, 0.7, 0.6, "grasper", score=0.7)
        made.add(at, 0.5, 0.8, "liver", kind="tissue", size=0.3)
    made.add(30, 0.05, 0.05, "clipper", score=0.6)
    return made


def test_the_schema_and_the_order_are_kept(busy, tracked):
    linked = tracked(busy)
    assert linked.schema.equals(BOXES)
    names = ("time_us", "kind", "label", "x1", "y1", "x2", "y2")
    keys = list(zip(*(linked.column(n).to_pylist() for n in names), strict=True))
    assert keys == sorted(keys)
    assert linked.column("track").null_count == 0


def test_interpolated_boxes_are_told_apart(busy, tracked):
    linked = tracked(busy)
    between = linked.filter(pc.equal(linked.column("origin"), "interpolated"))
    hook = [r for r in between.to_pylist() if r["label"] == "hook"]
    assert [r["frame"] for r in hook] == [10, 11, 12]
    assert [r["time_us"] for r in hook] == busy.times_us[10:13].tolist()
    assert np.allclose([r["x1"] for r in hook], 0.15 + 0.005 * np.arange(10, 13), atol=1e-6)
    assert {(r["visibility"], r["state"], r["appearance"]) for r in hook} == {(None, None, None)}
    assert {r["score"] for r in hook} == {0.9}


def test_every_box_left_out_can_be_counted(busy, tracked):
    linked = tracked(busy)
    stayed = linked.filter(pc.not_equal(linked.column("origin"), "interpolated"))
    assert len(busy.rows) - stayed.num_rows == 1
    assert "clipper" not in linked.column("label").to_pylist()


def test_the_order_of_rows_does_not_matter(busy, tracked):
    table = busy.table()
    mixed = table.take(np.random.default_rng(1).permutation(table.num_rows))
    assert tracked(busy, mixed).equals(tracked(busy, table))


def test_linking_twice_is_linking_once(busy, tracked):
    once = tracked(busy, bridge_us=0)
    assert tracked(busy, once, bridge_us=0).equals(once)


def test_boxes_at_instants_nobody_told_of_count(film, tracked):
    """A correction can lie between the samples."""
    made = film(instants=10)
    for at in range(10):
        made.add(at, 0.5, 0.5)
    made.rows.append({**made.rows[4], "time_us": 170_000, "frame": 77, "origin": "manual"})
    linked = tracked(made)
    assert linked.num_rows == 11
    assert linked.column("track").to_pylist() == [0] * 11
