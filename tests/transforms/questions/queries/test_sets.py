"""All that is in view at once, and how many kinds: set_now, number_now."""

from __future__ import annotations

import pytest

from .scenes import TOOLS, S, every, found, query, results, scene, span, spans, table, wrong

SHOWN = {"hook": range(10, 41), "grasper": range(20, 61), "scissors": range(35, 38)}
SCENE = scene(instruments=table(every(0, 60, SHOWN), TOOLS), seconds=61)


def true_at(second: int) -> list[str]:
    return sorted(label for label, at in SHOWN.items() if second in at)


@pytest.mark.parametrize("name", ["set_now.instrument", "set_now_open.instrument"])
def test_all_that_is_in_view(name):
    asked = found(SCENE, name, every=1)
    assert {one.query_us // S for one in asked} == set(range(10, 61))
    for one in asked:
        true = true_at(one.query_us // S)
        assert one.value == {"kind": "instrument", "labels": true}
        assert one.slots == {"about": {"kind": "instrument"}}
        assert one.right == ", ".join(true)
        assert one.right not in wrong(one)
        assert len(set(wrong(one))) == 3
        assert [names[0] for names in one.names] == true
        assert all(p.end_us <= one.query_us for p in one.pointers)
        assert {p.id.split("-")[1] for p in one.pointers} == set(true)


def test_wrong_sets_are_those_of_other_instants_of_the_window_first():
    (one,) = [q for q in found(SCENE, "set_now.instrument", every=1) if q.query_us == 20 * S]
    assert [c.text for c in one.wrong if c.why == "other_instant"] == ["hook"]
    (last,) = [q for q in found(SCENE, "set_now.instrument", every=1) if q.query_us == 41 * S]
    kinds = {c.text: c.why for c in last.wrong}
    assert {t for t, why in kinds.items() if why == "other_instant"} == {
        "grasper, hook", "grasper, hook, scissors"}  # fmt: skip


def test_what_comes_later_is_no_source_of_wrong_sets():
    for one in found(SCENE, "set_now.instrument", every=1):
        seen = {", ".join(true_at(t))
                for t in range(one.window.start_us // S, one.query_us // S + 1)}  # fmt: skip
        assert {c.text for c in one.wrong if c.why == "other_instant"} <= seen


def test_an_empty_picture_and_two_labels_only_are_not_asked_about():
    asked, reasons = results(SCENE, query("set_now.instrument", every=1))
    assert min(one.query_us for one in asked) == 10 * S
    assert "not all labels of the kind are known, or there are none" in reasons
    few = scene(instruments=table(every(0, 60, {"hook": range(61)}), ("hook",)))
    asked, reasons = results(few, query("set_now.instrument", every=1))
    assert asked == []
    assert "too few other sets are possible" in reasons


def test_how_many_kinds_are_in_view():
    asked = found(SCENE, "tool_count", every=1)
    assert {one.value["number"] for one in asked} == {1, 2, 3}
    for one in asked:
        count = len(true_at(one.query_us // S))
        assert (one.value, one.right) == ({"number": count}, str(count))
        assert len(set(wrong(one)) - {str(count)}) == 3
        assert all(text.isdigit() for text in wrong(one))


def test_a_second_of_the_same_kind_counts_once():
    at = {t: ["grasper", "grasper", "hook"] for t in range(61)}
    for one in found(scene(instruments=table(at, TOOLS), seconds=61), "tool_count"):
        assert one.value == {"number": 2}


def test_sets_of_spans_are_declined_where_one_is_changing():
    parts = (*spans("phase", ("preparation", 0, 60)), span("structure", "cornea", 0, 30.5))
    one = scene(*parts, seconds=60, dataset="cadis")
    asked = found(one, "set_now.structure", every=1)
    assert asked
    assert not [q for q in asked if q.query_us > 30 * S]
