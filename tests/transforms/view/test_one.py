"""One item, its evidence and its timeline."""

from __future__ import annotations

from surgqa.transforms.view.one import (
    answer_spans,
    boxes,
    item_of,
    option_spans,
    seen_us,
    spans_of,
    timeline,
    whole,
)
from surgqa.transforms.view.overview import overview
from surgqa.transforms.view.pictures import masks, outline
from surgqa.transforms.view.rejects import funnel, rejects
from tests.each import cases
from tests.transforms.view.made import HOSTILE, MASK, SPOKEN, S, ident


def test_an_item_comes_with_its_evidence_and_where_that_stands(api):
    found = whole(api.db, ident(0))
    (row,) = found["evidence"]["rows"]["events"]
    assert (row["source_path"], row["pointer"], row["time_us"]) == ("labels/a.json", "[12]", 12 * S)
    assert found["item"]["answer_value"] == {"label": "grasper"}
    assert found["video"]["duration_us"] == 60 * S
    assert whole(api.db, "no such id") is None


def test_text_that_is_no_json_stays_text(api):
    assert item_of(api.db, ident(6))["rubric"] == "{broken"
    assert item_of(api.db, ident(6))["options"][0]["value"] == HOSTILE


def test_a_chain_is_shown_whole_in_its_order(api):
    assert [one["stage"] for one in whole(api.db, ident(5))["stages"]] == [0, 1]
    assert whole(api.db, ident(0))["stages"] == []


def test_nothing_later_than_the_question_may_be_seen(api):
    assert seen_us(item_of(api.db, ident(0))) == 20 * S
    assert seen_us(item_of(api.db, ident(3))) == 15 * S
    stream = item_of(api.db, ident(2))
    assert seen_us(stream) == 14 * S
    assert [seen_us(stream, k) for k in (0, 1, 2)] == [12 * S, 13 * S, 14 * S]


def test_a_timeline_has_lanes_holes_and_places(api):
    found = timeline(api.db, item_of(api.db, ident(1)))
    assert (found["from_us"], found["to_us"]) == (5 * S, 25 * S)
    cue, lane, action, other = found["lanes"]
    assert (lane["kind"], lane["holes"]) == ("instrument", [[5 * S, 11 * S]])
    ((fact,),) = [row["facts"] for row in lane["rows"]]
    assert [fact[name] for name in ("s0", "s", "e", "e1")] == [11 * S, 12 * S, 16 * S, 17 * S]
    assert fact["evidence"] and not other["rows"][0]["facts"][0]["evidence"]
    assert [row["label"] for row in action["rows"]] == ["grasper retract liver"]
    assert (cue["kind"], cue["rows"][0]["facts"][0]["words"]) == ("cue", SPOKEN)
    assert fact["words"] is None
    assert found["spans"] == [(12 * S, 12 * S)]
    assert [one["spans"] for one in found["options"]] == [[(15 * S,) * 2], [(12 * S,) * 2]]
    everything = timeline(api.db, item_of(api.db, ident(1)), whole=True)
    assert (everything["from_us"], everything["to_us"]) == (0, 60 * S)


@cases(("value", "spans"), [
    ({"time_us": 5}, [(5, 5)]),
    ({"time_us": 5, "earliest_us": 4, "latest_us": 6}, [(5, 5)]),
    ({"interval_us": [3, 9]}, [(3, 9)]),
    ({"start": 3, "end": {"time_us": 9, "earliest_us": 8, "latest_us": 9}}, [(3, 9)]),
    ([{"start_us": 1, "end_us": 2}, {"time_us": 7}], [(1, 2), (7, 7)]),
    ({"count": 3, "yes": True}, []),
    (None, []),
])  # fmt: skip
def test_places_of_values(value, spans):
    assert spans_of(value) == spans


def test_a_number_is_an_instant_where_the_rule_says_so():
    told = {"answer": {"at": {"type": "instant"}}}
    assert answer_spans({"at": 5}, told) == [(5, 5)] == option_spans(5, told)
    assert answer_spans({"at": 5}, None) == [] == option_spans(5, None)


def test_what_was_refused_is_told_by_template(api):
    assert [(one["template"], one["items"], len(one["rejects"])) for one in funnel(api.db)] == [
        ("bench.chain", 2, 0), ("bench.never", 0, 1), ("bench.what", 6, 2)]  # fmt: skip
    found = rejects(api.db, {"template": "bench.what"})
    assert found["total"] == len(found["rows"]) == 3
    assert overview(api.db)["items"] == 8


def test_an_outline_has_its_holes():
    path = outline(MASK)
    assert path.count("M") == path.count("Z") == 2 and path.startswith("M125 208L")


@cases("text", [
    "", "48x64", "48x64:", "48x64:zzz", "48x64:0", "-1x5:0", "99999999x99999999:0", "0x0:0",
    HOSTILE, "48x64:\u2603", "1x1:ooooooooooooo",
])  # fmt: skip
def test_what_is_no_mask_has_no_outline(text):
    assert outline(text) == ""


def test_masks_are_those_of_an_instant_that_may_be_seen(db):
    row = item_of(db, ident(0))
    assert [one["masked"] for one in boxes(db, row)] == [True, False, False]
    assert [one["label"] for one in masks(db, row, 12 * S)] == ["grasper"]
    assert masks(db, row, 13 * S) == [] == masks(db, row | {"seen_us": 11 * S}, 12 * S)
