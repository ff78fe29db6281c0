"""Plans: read, marked as a whole and place by place, beside what guessing gets."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.next_actions import action_ids, display
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.scoring.sapbench.plans import (
    BETWEEN,
    FLOORS,
    any_option,
    commonest,
    mark_plan,
    plan_of,
    read_plan,
)
from tests.each import cases

D, V, R, C, A = action_ids()
PLANNED = json.dumps({"answer": {"plan": {"type": "sequence", "of": "next_action"}}})
FOUR = ((D, C, D), (C, D, D), (D, C, A), (V, C, D))


def row(number: int = 0, video: str = "v", right: tuple = FOUR[0], plans=FOUR, **more) -> dict:
    options = [{"key": key, "text": BETWEEN.join(map(display, plan))}
               for key, plan in zip("ABCD", plans, strict=True)]  # fmt: skip
    return {
        "item_id": f"{number:04d}", "benchmark": "sapbench", "task": "future/plan",
        "template_id": "sapbench.plan.three", "dataset": "cholect50", "video_id": video,
        "options": options, "answer_key": "ABCD"[plans.index(right)],
        "answer_value": json.dumps({"plan": list(right)}), "rule_args": PLANNED,
        **more,
    }  # fmt: skip


@cases(
    ("reply", "plan"),
    [
        ("B", FOUR[1]),
        ("(D) since the duct is free", FOUR[3]),
        ("Dissection, then Coagulation, then Aspiration", FOUR[2]),
        ("Scene understanding: A clip lies near the duct.\n\nPlan:\nB\nCoagulation: it bleeds.",
         FOUR[1]),
        ("**Plan**: C) because A fails", FOUR[2]),
        ("1. Dissection\n2. Coagulation\n3. Dissection", (D, C, D)),
        ("1. Aspiration: blood\n2. Aspiration\n3. Tissue retraction\n4. Dissection", (A, A, R)),
        ('["dissect", "clip", "suction"]', (D, V, A)),
        ("<think>B</think>A", FOUR[0]),
        ("1. Dissection\n2. Coagulation", None),
        ("1. Dissection\n2. Stapling\n3. Coagulation", None),
        ("I cannot tell.", None),
        ("", None),
    ],
)  # fmt: skip
def test_replies(reply: str, plan) -> None:
    assert read_plan(reply, plan_of(row())) == plan


@given(st.text(max_size=400))
def test_any_text_is_accepted(text: str) -> None:
    said = read_plan(text, plan_of(row()))
    assert said is None or len(said) == 3


def test_places_are_marked_one_by_one() -> None:
    item = plan_of(row())
    assert mark_plan(item, FOUR[0]).exact == 1
    assert mark_plan(item, FOUR[1]).places == (0, 0, 1)
    assert mark_plan(item, (D, C)).places == (1, 1, 0)
    assert mark_plan(item, None).places == (0, 0, 0)


def test_what_guessing_gets() -> None:
    items = [plan_of(row(0, "a")), plan_of(row(1, "a", FOUR[2])), plan_of(row(2, "b", FOUR[2])),
             plan_of(row(3, "c"))]  # fmt: skip
    (mark, *_) = any_option(items)
    assert mark.exact == Fraction(1, 4)
    assert mark.places == (Fraction(2, 4), Fraction(3, 4), Fraction(3, 4))
    # a: once each elsewhere, the order of actions decides; b: A twice, C once; c: C twice.
    assert [one.exact for one in commonest(items)] == [1, 0, 0, 0]
    assert [one.exact for one in commonest(items[:2])] == [1, 0]


def test_gold_is_one_and_tables_show_each_length_apart() -> None:
    two = ((D, C), (C, D), (D, A), (V, C))
    rows = [row(0), row(1, "w", FOUR[3]), row(2, "w", two[0], two), row(3, "w", two[3], two)]
    replies = {(one["item_id"], None): one["answer_key"] for one in rows}
    report = score_dataset(rows, replies, replicates=20)
    assert not report.groups and not report.unscored
    plans = report.own["sapbench"].plans
    assert [group.name for group in plans.groups] == ["plans of 2", "plans of 3"]
    assert all(share.value == 1 for group in plans.groups for share in group.shares)
    head, model, interval, n, *floors = plans.tables()[1]
    assert head == ["plans of 3", "exact", "action 1", "action 2", "action 3"]
    assert model[1:] == ["100.00"] * 4 and n[1:] == [2] * 4
    assert interval[1] == "100.00 to 100.00"
    assert [line[0] for line in floors] == list(FLOORS)
    assert json.loads(json.dumps(report.to_dict()))["sapbench"]["ranked"] is None


def test_missing_and_unread_are_wrong_and_counted() -> None:
    rows = [row(k, "v" if k else "w") for k in range(3)]
    report = score_dataset(rows, {("0000", None): "A", ("0001", None): "no idea"}, replicates=0)
    counts = report.own["sapbench"].counts()
    assert counts == {"items": 3, "scored": 1, "unparsed": 1, "missing": 1}
    (group,) = report.own["sapbench"].plans.groups
    assert group.shares[0].value == Fraction(1, 3) and group.shares[0].interval is None


def test_the_order_of_rows_does_not_show() -> None:
    rows = [row(k, "vwx"[k % 3], FOUR[k % 4], dataset="d" if k % 2 else "e") for k in range(12)]
    replies = {(one["item_id"], None): "ABCD"[k % 3] for k, one in enumerate(rows)}
    once = score_dataset(rows, replies, replicates=50).to_dict()
    assert once == score_dataset(rows[::-1], replies, replicates=50).to_dict()
    names = [group["name"] for group in once["sapbench"]["plans"]["groups"]]
    assert names == ["plans of 3", "plans of 3, d", "plans of 3, e"]


@cases(
    "more",
    [
        {"answer_value": "{}"},
        {"answer_value": '{"plan": ["stapling"]}'},
        {"answer_value": "no json"},
        {"answer_value": "[]"},
        {"answer_key": "B"},
        {"options": []},
        {"options": [{"key": "A", "text": "Dissection"}]},
        {"options": [{"key": "A", "text": "Dissection, then Coagulation, then Stapling"}]},
    ],
)
def test_a_row_that_is_no_plan_is_refused(more: dict) -> None:
    with pytest.raises(OutputBroken, match="item 0000"):
        plan_of(row(**more))
