"""Chains of any benchmark: stages, whole chains, one stage given another."""

from __future__ import annotations

import orjson
import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.scoring import score_dataset

STAGES = ("main", "first", "second")


def chain(name: str, video: str = "v1", task: str = "why/what") -> list[dict]:
    texts = {"A": "one", "B": "two", "C": "three", "D": "four"}
    options = [{"key": key, "text": text, "kind": "x"} for key, text in texts.items()]
    return [{
        "item_id": f"{name}-{stage}", "benchmark": "mine", "task": f"{task}/{label}",
        "template_id": "mine.what", "dataset": "d", "video_id": video, "start_us": 0,
        "end_us": 10, "answer": "B) two", "options": options, "answer_key": "B", "rounds": [],
        "answer_value": orjson.dumps({"x": 2}).decode(), "form": "choice", "unit": "chain",
        "rule": "count", "chain_id": name, "stage": stage,
        "rule_args": orjson.dumps({"answer": {"x": {"type": "number", "of": ""}}}).decode(),
    } for stage, label in enumerate(STAGES)]  # fmt: skip


def scored(rows, replies):
    report = score_dataset(rows, {(item, None): text for item, text in replies.items()},
                           replicates=20)  # fmt: skip
    return report, report.own["mine, chains"]


def test_the_right_answers_score_one_in_every_measure():
    rows = [row for name in "abc" for row in chain(name, f"v{name}")]
    _, told = scored(rows, {row["item_id"]: row["answer"] for row in rows})
    (group,) = told.groups
    assert (group.chains, group.items, group.accuracy, group.complete) == (3, 9, 1.0, 1.0)
    assert set(group.stages.values()) == set(group.given.values()) == {1.0}
    assert (group.interval, group.main_only, group.missing) == ((1.0, 1.0), 0.0, 0)
    assert group.chance_complete == pytest.approx(1 / 64)


def test_a_stage_given_those_before_it():
    rows = [*chain("a"), *chain("b", "v2")]
    right = {row["item_id"]: "B" for row in rows}
    report, told = scored(rows, right | {"a-2": "A", "b-1": "C"})
    (group,) = told.groups
    assert group.stages == {"first": 0.5, "second": 0.5, "main": 1.0}
    assert group.given == {"second": 0.0}
    assert (group.complete, group.main_only) == (0.0, 1.0)
    assert report.groups == () and not report.unscored
    ((title, table),) = told.titled("mine, chains")
    assert title == "mine, chains" and len({len(row) for row in table}) == 1


def test_what_is_missing_or_cannot_be_read_is_counted():
    _, told = scored(chain("a"), {"a-0": "qwertz", "a-1": "B"})
    assert told.counts() == {"chains": 1, "items": 3, "scored": 1, "unparsed": 1, "missing": 1}
    assert len(told.remarks("mine")) == 2
    assert told.to_dict()["items"][1]["score"] == 1.0


def test_the_order_of_rows_does_not_show():
    rows = [row for name in "abc" for row in chain(name, task=f"why/{name}")]
    replies = {row["item_id"]: "B" for row in rows[::2]}
    assert scored(rows, replies)[1].to_dict() == scored(rows[::-1], replies)[1].to_dict()
    assert [one.name for one in scored(rows, replies)[1].groups][-1] == "all chains"


def test_a_stage_that_occurs_twice_is_told():
    rows = chain("a")
    with pytest.raises(OutputBroken, match="stage 1"):
        scored([*rows, rows[1] | {"item_id": "other"}], {})
