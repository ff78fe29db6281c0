"""The whole: groups, floors, intervals, what is missing, and the file of predictions."""

import json

import numpy as np
import pytest

from surgqa.ontology.errors import OutputBroken, SourceBroken, SourceMissing, UserError
from surgqa.ontology.keys import h64
from surgqa.transforms.scoring.bootstrap import draw_counts, interval
from surgqa.transforms.scoring.predictions import load_predictions
from surgqa.transforms.scoring.report import HEADER
from surgqa.transforms.scoring.score import COLUMNS, score_dataset
from tests.transforms.scoring.grouped import first
from tests.transforms.scoring.samples import CLOSED, OPEN, TASKS, row, tool

LABEL_TASK = "spatial_temporal_grounding/closest"
COUNT_TASK = "counting/counting_distinct"


def gold(rows):
    return {(r["item_id"], None): r["answer"] for r in rows}


def closest(item_id, label, answer, video="VID01"):
    return row(LABEL_TASK, item_id, video, values=[tool(label)], answer=answer)


def varied(count):
    """Items of two open and two closed templates with different answers over ten videos."""
    names = [("grasper", "grasper"), ("hook", "hook"), ("bipolar", "bipolar forceps")]
    rows = []
    for i in range(count):
        video = f"VID{i % 10:02d}"
        label, text = names[h64("label", i) % 3]
        rows.append(closest(f"a{i:05d}", label, text, video))
        seconds = h64("time", i) % 25
        values = [100_000_000 + seconds * 1_000_000]
        task = "interaction_captioning/first_appearance_time"
        rows.append(row(task, f"b{i:05d}", video, values=values, answer=f"{seconds}.00 s"))
        rows.append(row(COUNT_TASK, f"c{i:05d}", video, key="ABCD"[h64("n", i) % 4]))
        rows.append(
            row("existence/existence_global", f"d{i:05d}", video, key="AB"[h64("y", i) % 2])
        )
    return rows


def test_gold_answers_score_one_in_every_group():
    rows = [row(task, f"{task}{video}", video) for task in TASKS for video in ("V1", "V2")]
    report = score_dataset(rows, gold(rows))
    assert report.groups
    for group in report.groups:
        assert group.score == 1.0, group.name
        assert group.interval == (1.0, 1.0)
        assert {group.iou, group.acc_iou50, group.accuracy} <= {1.0, None}
    assert report.counts() == {
        "items": 78, "scored": 78, "unparsed": 0, "missing": 0, "unknown": 0, "unscored": 0,
    }  # fmt: skip


def test_missing_unreadable_unknown_and_unscored_are_all_counted():
    rows = [
        closest("a", "hook", "hook"),
        closest("b", "hook", "hook"),
        closest("c", "hook", "hook"),
    ]
    rows.append(row(LABEL_TASK, "d", benchmark="other", rule_args="{}"))
    predictions = {("a", None): "hook", ("b", None): "??", ("x", None): "hook", ("a", 3): "hook"}
    report = score_dataset(rows, predictions | {("d", 0): "hook"})
    assert report.counts() == {
        "items": 3, "scored": 1, "unparsed": 1, "missing": 1, "unknown": 2, "unscored": 1,
    }  # fmt: skip
    assert report.unknown == (("a", 3), ("x", None))
    assert report.unscored == {f"other/{LABEL_TASK}": 1}
    group = first(report.groups, kind="core_task", name="spatial_temporal_grounding")
    assert (group.items, group.unparsed, group.missing) == (3, 1, 1)
    assert group.score == pytest.approx(1 / 3)


def test_core_tasks_are_micro_averages_and_categories_weigh_closest():
    rows = [closest(f"a{i}", "hook", "hook") for i in range(3)]
    rows.append(row("spatial_temporal_grounding/segment", "s"))
    rows.append(row("relation_comparison/comparison", "r"))
    report = score_dataset(rows, {(f"a{i}", None): "hook" for i in range(3)})
    assert first(
        report.groups, kind="core_task", name="spatial_temporal_grounding"
    ).score == pytest.approx(3 / 4)
    assert first(report.groups, kind="category", name="spatio_temporal").score == pytest.approx(
        2.4 / 3.4
    )
    assert first(report.groups, kind="category", name="interaction").score == 0.0
    assert first(report.groups, kind="overall", name="micro-average").score == pytest.approx(3 / 5)
    assert first(report.groups, kind="overall", name="mean of categories").score == pytest.approx(
        1.2 / 3.4
    )
    assert first(report.groups, kind="template", name="surgstu.closest").score == 1.0


def test_closed_floors_are_exact():
    keys = ["B", "B", "B", "C"]
    rows = [row(COUNT_TASK, f"i{n}", key=key) for n, key in enumerate(keys)]
    group = first(score_dataset(rows, {}).groups, kind="template", name="surgstu.counting_distinct")
    assert (group.chance, group.majority) == (0.25, 0.75)
    group = first(
        score_dataset([row("existence/existence_global")], {}).groups,
        kind="core_task",
        name="existence",
    )
    assert (group.chance, group.majority) == (0.5, 1.0)


def test_open_floors_of_a_small_template_are_exact():
    rows = [closest(f"i{n}", "hook", "hook") for n in range(3)] + [
        closest("z", "grasper", "grasper")
    ]
    group = first(score_dataset(rows, {}).groups, kind="template", name="surgstu.closest")
    assert group.chance == pytest.approx(6 / 12)
    assert group.majority == pytest.approx(3 / 4)


def test_chance_of_a_single_open_item_is_not_defined():
    assert score_dataset([closest("a", "hook", "hook")], {}).groups[0].chance is None


def test_a_random_guesser_lands_on_the_printed_chance():
    rows = varied(400)
    by_template = {}
    for r in rows:
        by_template.setdefault(r["template_id"], []).append(r)
    guesses = {}
    for r in rows:
        others = by_template[r["template_id"]]
        key = h64("a guesser of its own", r["item_id"])
        guess = others[key % len(others)]["answer"]
        if r["options"]:
            guess = r["options"][key % len(r["options"])]["key"]
        guesses[r["item_id"], None] = guess
    report = score_dataset(rows, guesses)
    for group in report.groups:
        assert group.score == pytest.approx(group.chance, abs=0.05), group.name


def test_always_the_majority_lands_on_the_printed_majority():
    rows = varied(50)
    labels = [r["answer"] for r in rows if r["task"] == LABEL_TASK]
    most = min(set(labels), key=lambda text: (-labels.count(text), text))
    report = score_dataset(rows, {(r["item_id"], None): most for r in rows})
    group = first(report.groups, kind="template", name="surgstu.closest")
    assert group.score == group.majority


def test_the_report_does_not_depend_on_the_rows_order():
    rows = varied(30)
    predictions = gold(rows[::3])
    forward, backward = (score_dataset(order, predictions) for order in (rows, rows[::-1]))
    assert forward.to_dict() == backward.to_dict()


def test_the_interval_knows_that_items_of_a_video_stand_together():
    """40 items of 4 videos, all or nothing per video: as uncertain as 4 items."""
    rows = [closest(f"i{n:02d}", "hook", "hook", f"V{n % 4}") for n in range(40)]
    right = {(r["item_id"], None): "hook" for r in rows if r["video_id"] in ("V0", "V1")}
    report = score_dataset(rows, right)
    low, high = first(report.groups, kind="template", name="surgstu.closest").interval
    assert (low, high) == (0.0, 1.0)
    spread = {(r["item_id"], None): "hook" for n, r in enumerate(rows) if n % 8 < 4}
    low, high = first(
        score_dataset(rows, spread).groups, kind="template", name="surgstu.closest"
    ).interval
    assert (low, high) == (0.5, 0.5)


def test_draws_are_keyed_whole_and_even():
    counts = draw_counts(7, 500, "0")
    assert np.array_equal(counts, draw_counts(7, 500, "0"))
    assert not np.array_equal(counts, draw_counts(7, 500, "1"))
    assert (counts.sum(axis=1) == 7).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(7), abs=0.15)
    assert counts.var() == pytest.approx(6 / 7, abs=0.1)


def test_one_video_has_no_interval():
    assert interval(np.array([0.5, 0.5]), 1) is None


def test_an_item_twice_is_an_error():
    rows = [closest("a", "hook", "hook")] * 2
    with pytest.raises(OutputBroken, match="occurs twice"):
        score_dataset(rows, {})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer_value": "{"}, "not a JSON object"),
        ({"answer_value": "3"}, "not a JSON object"),
    ],
)
def test_a_broken_row_is_named(changes, message):
    with pytest.raises(OutputBroken, match=message) as caught:
        score_dataset([row(COUNT_TASK, "the-item") | changes], {})
    assert "the-item" in caught.value.summary


def test_an_answer_value_without_a_field_is_named():
    broken = row(LABEL_TASK, "the-item", answer_value='{"other": 1}')
    with pytest.raises(OutputBroken, match="the-item: its answer has no part"):
        score_dataset([broken], {("the-item", None): "hook"})


def test_nothing_to_score():
    report = score_dataset([], {("a", None): "hook"})
    assert report.groups == () and report.unknown == (("a", None),)


def test_a_guesser_that_never_looks_is_scored_beside():
    rows = varied(20)
    blind = {(r["item_id"], None): r["answer"] for r in rows if r["item_id"][0] in "ac"}
    report = score_dataset(rows, {}, blind=blind)
    assert {one.blind for one in report.groups} == {1.0, None}
    silent = [r["template_id"] for r in rows if r["item_id"][0] in "bd"]
    assert {first(report.groups, kind="template", name=one).blind for one in silent} == {None}
    (name,) = report.headlines()
    worse = score_dataset(rows, {}, blind=dict.fromkeys(blind, "nothing like it"))
    assert worse.blind == {name: 0.0}
    assert report.blind == dict.fromkeys(report.headlines(), 1.0)
    assert report.table()[1][HEADER.index("blind")] == "100.00"
    assert report.to_dict()["groups"][0]["blind"] == 1.0
    assert {one.blind for one in score_dataset(rows, {}).groups} == {None}


def test_report_is_json_and_table():
    rows = [row(task, f"{task}{video}", video) for task in TASKS for video in ("V1", "V2")]
    report = score_dataset(rows, gold(rows))
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["schema"] == "surgqa/score-v1"
    assert len(plain["items"]) == 78 and len(plain["groups"]) == len(report.groups)
    table = report.table()
    assert tuple(table[0]) == HEADER
    assert {len(line) for line in table} == {len(HEADER)}
    kinds = [line[0] for line in table[1:]]
    assert kinds[:2] == ["overall", "overall"]
    assert kinds.count("template") == len(OPEN) + len(CLOSED)
    assert kinds.count("core task") == 8 and kinds.count("category") == 3
    assert table[1][3] == "100.00"


def test_columns_are_what_scoring_reads():
    assert score_dataset([{name: row(COUNT_TASK)[name] for name in COLUMNS}], {}).groups


# ---- the file ------------------------------------------------------------------------


def write(tmp_path, text):
    path = tmp_path / "predictions.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_predictions_are_read(tmp_path):
    text = (
        '{"item_id": "a", "response": "B"}\n\n'
        '{"item_id": "a", "round_index": 2, "response": "x\\u2028y", "model": "m"}\r\n'
        '{"item_id": "b", "round_index": null, "response": ""}'
    )
    assert load_predictions(write(tmp_path, text)) == {
        ("a", None): "B",
        ("a", 2): "x\u2028y",
        ("b", None): "",
    }


@pytest.mark.parametrize(
    ("line", "summary"),
    [
        pytest.param("{", "a prediction is not JSON", id="broken"),
        pytest.param('["a", "B"]', "a prediction is not a JSON object", id="list"),
        pytest.param('{"id": "a", "response": "B"}', "a prediction has no item_id", id="no-id"),
        pytest.param('{"item_id": "a"}', "a prediction has no response", id="no-response"),
        pytest.param('{"item_id": 3, "response": "B"}', "item_id is not text", id="number-id"),
        pytest.param('{"item_id": "a", "response": null}', "response is not text", id="null"),
        pytest.param(
            '{"item_id": "a", "round_index": true, "response": "B"}',
            "round_index is not an integer or null",
            id="bool-round",
        ),
        pytest.param('{"item_id": "ok", "response": "C"}', "item ok is answered twice", id="twice"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, summary):
    path = write(tmp_path, f'{{"item_id": "ok", "response": "B"}}\n\n{line}\n')
    with pytest.raises(UserError) as caught:
        load_predictions(path)
    assert caught.value.summary == summary
    assert caught.value.where == f"{path}:3"
    assert caught.value.expected and caught.value.found and caught.value.fix


def test_a_missing_file_and_a_file_that_is_no_text(tmp_path):
    with pytest.raises(SourceMissing):
        load_predictions(tmp_path / "none.jsonl")
    path = tmp_path / "binary.jsonl"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SourceBroken):
        load_predictions(path)


def test_a_row_is_scored_by_what_it_says_whatever_its_benchmark():
    for name in ("surgstu", "sapbench", "surgveo", "nobody"):
        other = row(COUNT_TASK) | {"benchmark": name, "task": "own/question"}
        (group,) = score_dataset([other], {(other["item_id"], None): other["answer"]}).groups[:1]
        assert (group.benchmark, group.score) == (name, 1.0)
