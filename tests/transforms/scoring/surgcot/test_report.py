"""Scores of whole chains, by hand."""

from __future__ import annotations

import json

import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.scoring.surgcot.items import COLUMNS
from tests.each import cases
from tests.transforms.scoring.grouped import first
from tests.transforms.scoring.surgcot.samples import CAO, MTL, TASKS, chain, five, gold, wrong_key

ACCURACIES = ("main", "q1", "q2", "q3", "accuracy", "chain_completion")


def scored(rows, predictions, **more):
    report = score_dataset(rows, predictions, **({"replicates": 50} | more))
    assert not report.groups and not report.items and not report.unscored
    return report.own["surgcot"]


def replies(rows, right: str):
    """``right`` says for each row, in order, whether its reply is: ``+``, ``-``, or ``.``: none."""
    out = {}
    for row, sign in zip(rows, right, strict=True):
        if sign != ".":
            out[row["item_id"], None] = row["answer_key"] if sign == "+" else wrong_key(row)
    return out


def test_the_right_answers_score_one_everywhere():
    rows = five() + five(scale="coarse", video=("demo", "v02", "test", None))
    report = scored(rows, gold(rows))
    assert len(report.groups) == 2 * (len(TASKS) + 1)
    for group in report.groups:
        assert [group.measures[name] for name in ACCURACIES] == [1.0] * len(ACCURACIES)
        assert group.measures["q2_given_q1"] == group.measures["q3_given_q1_q2"] == 1.0
        assert group.measures["main_right_chain_wrong"] == 0.0
        assert (group.measures["iou_q2"], group.measures["error_q3_s"]) == (1.0, 0.0)
        assert (group.missing, group.unparsed, group.incomplete) == (0, 0, 0)
    assert report.counts() == {"standard": 5, "coarse": 5, "incomplete": 0, "items": 40,
                               "scored": 40, "unparsed": 0, "missing": 0}  # fmt: skip


def test_every_wrong_option_scores_zero():
    rows = five()
    for place in range(3):
        wrong = {}
        for row in rows:
            others = [o for o in row["options"] if not o["is_answer"]]
            wrong[row["item_id"], None] = f"{others[place]['key']}) {others[place]['text']}"
        measures = first(scored(rows, wrong).groups, name="average", scale="standard").measures
        assert [measures[name] for name in ACCURACIES] == [0.0] * len(ACCURACIES)
        assert measures["q2_given_q1"] is None and measures["iou_q2"] == 0.0
        assert measures["error_q3_s"] in (0.5, 1.0)


def test_chain_measures_by_hand():
    """Rows are main, Q1, Q2, Q3 of four chains of one task."""
    rows = [row for n in range(4) for row in chain(CAO, n)]
    group = first(
        scored(rows, replies(rows, "++++++-+-++++-++")).groups, name=CAO, scale="standard"
    )
    assert group.measures["main"] == 0.75 and group.measures["accuracy"] == 13 / 16
    assert group.measures["chain_completion"] == 0.25
    assert group.measures["main_right_chain_wrong"] == 0.5
    assert group.measures["q2_given_q1"] == pytest.approx(2 / 3)
    assert group.measures["q3_given_q1_q2"] == 1.0
    measures = group.measures
    assert measures["main"] == measures["chain_completion"] + measures["main_right_chain_wrong"]


def test_the_average_is_the_mean_of_the_tasks():
    rows = [row for n in range(3) for row in chain(CAO, n)] + chain(MTL, 9)
    report = scored(rows, replies(rows, "++++" * 3 + "----"))
    assert first(report.groups, name=CAO, scale="standard").measures["accuracy"] == 1.0
    average = first(report.groups, name="average", scale="standard").measures
    assert average["accuracy"] == average["chain_completion"] == 0.5
    # A task without a right Q1 has no share of Q2 given it, and is not in that mean.
    assert average["q2_given_q1"] == 1.0


def test_coarse_chains_are_never_among_standard_ones():
    standard, coarse = chain(CAO, 0), chain(CAO, 1, scale="coarse")
    report = scored([*standard, *coarse], replies([*standard, *coarse], "++++----"))
    assert (
        first(report.groups, name="average", scale="standard").measures["accuracy"] == 1.0
        and first(report.groups, name="average", scale="standard").chains == 1
    )
    assert first(report.groups, name="average", scale="coarse").measures["accuracy"] == 0.0
    alone = scored(coarse, {})
    with pytest.raises(KeyError):
        first(alone.groups, name="average", scale="standard")
    assert [title for title, _ in alone.titled("surgcot")] == [
        "surgcot, coarse chains: accuracy", "surgcot, coarse chains: whole chains and times",
    ]  # fmt: skip


def test_missing_and_unreadable_replies_are_wrong_and_counted():
    rows = chain(CAO, 0)
    predictions = replies(rows, "++.+") | {(rows[3]["item_id"], None): "somewhere"}
    report = scored(rows, predictions)
    group = first(report.groups, name=CAO, scale="standard")
    assert (group.missing, group.unparsed, group.timed_q2, group.timed_q3) == (1, 1, 0, 0)
    assert group.measures["accuracy"] == 0.5 and group.measures["chain_completion"] == 0.0
    assert group.measures["iou_q2"] is None and group.measures["error_q3_s"] is None
    assert report.counts()["missing"] == report.counts()["unparsed"] == 1


def test_free_times_have_an_overlap_and_an_error_and_choose_no_option():
    rows = chain(CAO, 0)
    free = {(rows[2]["item_id"], None): "between 21.00 s and 22.50 s",
            (rows[3]["item_id"], None): "at about 21.80 s"}  # fmt: skip
    group = first(scored(rows, gold(rows) | free).groups, name=CAO, scale="standard")
    assert group.measures["q2"] == group.measures["q3"] == 0.0 and group.unparsed == 2
    assert group.measures["iou_q2"] == pytest.approx(1.0 / 2.0)
    assert group.measures["error_q3_s"] == pytest.approx(0.23)


def test_floors_are_those_of_guessing():
    rows = [row for n in (0, 4, 8, 1) for row in chain(CAO, n)]
    group = first(scored(rows, {}).groups, name=CAO, scale="standard")
    assert group.measures["chance"] == 0.25
    assert group.measures["chance_chain"] == 0.25**4 == 0.00390625
    # Three of the four chains have their right letters at the same places.
    assert group.measures["majority"] == group.measures["majority_chain"] == 0.75


def test_a_chain_that_lacks_a_stage_counts_in_the_accuracies_alone():
    whole, cut = chain(CAO, 0), chain(CAO, 1)[:3]
    report = scored([*whole, *cut], gold([*whole, *cut[:2]]))
    group = first(report.groups, name=CAO, scale="standard")
    assert (group.chains, group.incomplete, group.items) == (1, 1, 7)
    assert group.measures["chain_completion"] == 1.0 and group.measures["q2"] == 0.5
    assert report.counts()["incomplete"] == 1


def test_rows_in_any_order_and_columns_alone_give_the_same():
    rows = five() + [
        r for n in range(9) for r in chain(CAO, n + 20, video=("d", f"v{n}", None, None))
    ]
    predictions = gold(rows[::2])
    one = scored(rows, predictions).to_dict()
    lean = [{name: row[name] for name in (*COLUMNS, "benchmark")} for row in rows[::-1]]
    assert scored(lean, predictions).to_dict() == one
    assert json.loads(json.dumps(one)) == one
    low, high = one["groups"][0]["intervals"]["accuracy"]
    assert low <= one["groups"][0]["measures"]["accuracy"] <= high


def test_the_report_holds_every_item_and_chain():
    rows = five()
    report = score_dataset(rows, replies(rows, "+++-" * 5), replicates=10)
    plain = report.to_dict()["surgcot"]
    assert [one["item_id"] for one in plain["items"]] == sorted(r["item_id"] for r in rows)
    assert {one["complete"] for one in plain["chains"]} == {False}
    assert plain["chains"][0]["right"] == {"main": True, "q1": True, "q2": True, "q3": False}
    for _, table in report.own["surgcot"].titled("surgcot"):
        assert [row[0] for row in table[1:]] == [*TASKS.values(), "average"]
        assert {len(row) for row in table} == {len(table[0])}


def test_other_datasets_have_no_word_of_chains():
    report = score_dataset([], {})
    assert "surgcot" not in report.own and "surgcot" not in report.to_dict()


def test_predictions_that_fit_nothing_are_told():
    rows = chain(CAO, 0)
    lost = {("nobody", None): "A", (rows[0]["item_id"], 3): "A"}
    assert score_dataset(rows, lost).unknown == tuple(sorted(lost))


@cases(
    ("place", "more", "problem"),
    [(1, {"chain_id": None}, "not a stage"),
     (0, {"answer_key": "E"}, "no right option"), (0, {"options": []}, "no right option"),
     (2, {"answer_value": "{}"}, "has no part 'span'"), (3, {"answer_value": "{"}, "answer_value")],
)  # fmt: skip
def test_a_row_that_cannot_be_scored_is_told(place, more, problem):
    rows = chain(CAO, 0)
    with pytest.raises(OutputBroken, match=problem):
        score_dataset([rows[place] | more], {})


def test_a_stage_twice_is_told():
    rows = chain(CAO, 0)
    with pytest.raises(OutputBroken, match="twice"):
        score_dataset([*rows, rows[1] | {"item_id": "other"}], {})
