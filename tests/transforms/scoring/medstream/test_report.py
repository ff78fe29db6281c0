"""The whole: the oracle, the floors, groups, intervals, and the two benchmarks side by side."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.scoring.outputs import Decay, WordScoring
from surgqa.transforms.scoring.outputs.items import COLUMNS, item_of
from surgqa.transforms.scoring.outputs.report import FLOORS
from surgqa.transforms.scoring.outputs.scores import FIXED, score_item
from tests.each import cases
from tests.transforms.scoring import samples as surgstu
from tests.transforms.scoring.grouped import first
from tests.transforms.scoring.medstream.samples import (
    PHASES,
    SENTENCE,
    closed,
    every,
    free,
    never,
    second,
    stream,
    watch,
)
from tests.transforms.scoring.oracle import oracle


def gold(rows):
    return {key: text for row in rows for key, text in oracle(row).items()}


def scored(rows, predictions, **more):
    return score_dataset(rows, predictions, **more).own.get("medstream")


def always(row, text):
    """The measures of an item to which every reply is the same."""
    item = item_of(row)
    return score_item(item, dict.fromkeys(item.keys, text)).measures


def of_floor(row, name):
    item = item_of(row)
    return score_item(item, dict.fromkeys(item.keys, FLOORS[name](item))).measures


# ---- the oracle ---------------------------------------------------------------------


@cases("row", every(), ids=lambda row: row["item_id"])
def test_the_gold_answers_score_1(row):
    measures = score_item(item_of(row), oracle(row)).measures
    assert measures.content == measures.overall == 1.0
    assert measures.responsiveness == (1.0 if row["rounds"] else None)
    assert measures.stability in (1.0, None)
    comes = row["rounds"] and any(one["answerable"] for one in row["rounds"])
    assert (measures.stability == 1.0) == bool(comes)


def test_the_oracle_scores_1_in_every_group():
    rows = every()
    report = scored(rows, gold(rows))
    assert len(report.items) == len(rows)
    for group in report.groups:
        assert group.content == group.overall == 1.0
        assert group.responsiveness in (1.0, None) and group.stability in (1.0, None)
        assert group.unparsed == group.missing == 0


# ---- single items -------------------------------------------------------------------


def test_content_of_a_stream_is_the_mean_of_its_rounds():
    row = stream()
    replies = ["unanswerable", "unanswerable", "unanswerable", "D", "C", "unanswerable"]
    predictions = {(row["item_id"], i): text for i, text in enumerate(replies)}
    one = score_item(item_of(row), predictions)
    assert one.measures.content == pytest.approx(4 / 6)
    assert one.measures.responsiveness == 1.0
    assert one.measures.stability == pytest.approx(2 / 3)
    assert one.measures.overall == pytest.approx(0.7 * 4 / 6 + 0.3)
    assert (one.first_us, one.event_us) == (second(40), second(40))


def test_a_wrong_answer_keeps_the_stability():
    assert always(stream(), "C").stability == 1.0
    assert always(watch(), "alert: bleeding").stability == 1.0
    assert always(watch(), "alert").stability == 1.0


def test_an_alert_without_a_reason_counts_for_r_and_s_but_not_for_c():
    row = watch()
    replies = {("w1", i): "alert" if i >= 3 else "no_alert" for i in range(5)}
    measures = score_item(item_of(row), replies).measures
    assert (measures.content, measures.responsiveness, measures.stability) == (0.6, 1.0, 1.0)


def test_a_missing_round_is_0_and_silent():
    row = watch()
    replies = {("w1", 3): "alert: raised lesion in view"}
    measures = score_item(item_of(row), replies).measures
    assert (measures.content, measures.responsiveness, measures.stability) == (0.2, 1.0, 0.5)


@settings(max_examples=50)
@given(st.permutations(range(6)))
def test_the_order_of_the_rounds_in_the_row_does_not_matter(order):
    row = stream()
    replies = {("s1", i): text for i, text in enumerate(["", "D", "unanswerable", "C", "D", "D"])}
    shuffled = stream(rounds=[row["rounds"][i] for i in order])
    assert score_item(item_of(shuffled), replies) == score_item(item_of(row), replies)


# ---- floors -------------------------------------------------------------------------


def test_always_the_first_choice_answers_in_the_first_round():
    row = stream(right=PHASES[0])
    row["answer_key"] = "A"
    measures = of_floor(row, "first choice")
    assert (measures.content, measures.responsiveness, measures.stability) == (0.5, 0.0, 1.0)
    wrong = of_floor(stream(), "first choice")
    assert (wrong.content, wrong.responsiveness, wrong.stability) == (0.0, 0.0, 1.0)


def test_always_unanswerable_is_right_until_the_event():
    for row in (stream(), stream(open_=True)):
        measures = of_floor(row, "unanswerable")
        assert (measures.content, measures.responsiveness, measures.stability) == (0.5, 0.0, 0.0)
        assert measures.overall == pytest.approx(0.35)
    assert of_floor(every()[4], "unanswerable").overall == 1.0
    assert of_floor(closed(), "unanswerable").overall == 0.0
    assert of_floor(watch(), "unanswerable").overall == 0.0


def test_always_silent_has_the_share_of_early_rounds():
    measures = of_floor(watch(), "silent")
    assert (measures.content, measures.responsiveness, measures.stability) == (0.6, 0.0, 0.0)
    measures = of_floor(never(), "silent")
    assert (measures.content, measures.responsiveness, measures.stability) == (1.0, 1.0, None)
    assert measures.overall == 1.0


def test_an_alarm_in_the_first_round_earns_nothing_of_r():
    assert always(watch(), "alert: raised lesion in view").responsiveness == 0.0
    assert always(never(), "alert: raised lesion in view").responsiveness == 0.0


def test_open_items_have_no_first_choice():
    for row in (free(), watch()):
        assert of_floor(row, "first choice").content == 0.0


def test_floors_are_the_means_of_their_items_and_do_not_look_at_predictions():
    rows = every()
    a, b = scored(rows, {}), scored(rows, gold(rows))
    assert a.floors == b.floors
    assert {(f.floor, f.mode) for f in a.floors} == {
        (name, mode) for name in FLOORS
        for mode in ("all items", "retrospective", "present", "future", "proactive")
    }  # fmt: skip
    silent = first(a.floors, floor="silent", mode="proactive")
    assert (silent.items, silent.content, silent.stability) == (2, 0.8, 0.0)
    assert silent.responsiveness == 0.5
    assert first(a.floors, floor="first choice", mode="present").responsiveness is None


# ---- groups -------------------------------------------------------------------------


def test_modes_take_c_over_all_items_and_r_and_s_over_streams():
    rows = [closed("a", mode="future", name="phase_next"), stream("b"), stream("c", event=None)]
    predictions = {("a", None): "D"} | {("b", i): "unanswerable" for i in range(6)}
    group = first(
        scored(rows, predictions | {("c", i): "unanswerable" for i in range(6)}).groups,
        kind="mode",
        name="future",
    )
    assert (group.items, group.streaming, group.outputs) == (3, 2, 13)
    assert group.content == pytest.approx((1 + 0.5 + 1) / 3)
    assert group.responsiveness == 0.5
    assert group.stability == 0.0
    assert group.overall == pytest.approx((1 + 0.35 + 1) / 3)


def test_groups_by_mode_type_task_dataset_and_organ():
    rows = every()
    report = scored(rows, {})
    names = {kind: [g.name for g in report.groups if g.kind == kind]
             for kind in ("overall", "mode", "question_type", "dataset", "organ")}  # fmt: skip
    assert names == {
        "overall": ["all items"],
        "mode": ["retrospective", "present", "future", "proactive"],
        "question_type": ["closed", "open"],
        "dataset": ["demochole", "democolon"],
        "organ": ["colon and rectum", "gallbladder"],
    }
    tasks = {g.name: g.items for g in report.groups if g.kind == "task"}
    assert tasks["future/phase_begins"] == 2 and sum(tasks.values()) == len(rows)
    with pytest.raises(KeyError):
        first(report.groups, kind="organ", name="heart")


def test_missing_and_unreadable_outputs_are_counted():
    rows = [closed("a"), stream("b"), watch("c")]
    predictions = {("a", None): "perhaps", ("b", 0): "", ("b", 1): "D", ("c", 0): "no_alert"}
    report = scored(rows, predictions)
    assert report.counts() == {"items": 3, "streaming": 2, "outputs": 12, "scored": 2,
                               "unparsed": 2, "missing": 8}  # fmt: skip
    whole = first(report.groups, kind="overall", name="all items")
    assert (whole.unparsed, whole.missing) == (2, 8)


def test_a_prediction_of_no_item_or_round_is_listed():
    rows = [closed("a"), stream("b")]
    lost = {("a", 0): "D", ("b", None): "D", ("b", 6): "D", ("x", 1): "D"}
    report = score_dataset(rows, lost | gold(rows))
    assert report.unknown == (("a", 0), ("b", None), ("b", 6), ("x", 1))
    assert first(report.own["medstream"].groups, kind="overall", name="all items").overall == 1.0


def many():
    rows = []
    for i in range(30):
        video = {"video_id": f"v{i % 7}"}
        rows += [closed(f"a{i:02d}", **video), stream(f"b{i:02d}", **video),
                 watch(f"c{i:02d}", **video)]  # fmt: skip
    replies = ("D", "C", "unanswerable", "", "no_alert", "alert: raised lesion in view")
    keys = [key for row in rows for key in item_of(row).keys]
    return rows, {key: replies[(3 * i + i // 7) % 6] for i, key in enumerate(keys)}


def test_intervals_are_clustered_by_video_and_reproducible():
    rows, predictions = many()
    report = scored(rows, predictions)
    again = scored(list(reversed(rows)), predictions)
    assert json.dumps(report.to_dict()) == json.dumps(again.to_dict())
    whole = first(report.groups, kind="overall", name="all items")
    for name, (low, high) in whole.intervals.items():
        assert 0 <= low < getattr(whole, name) < high <= 1, name
    other = first(scored(rows, predictions, seed="1").groups, kind="overall", name="all items")
    assert other.intervals != whole.intervals and other.overall == whole.overall
    one_video = scored([closed("a"), closed("b")], {("a", None): "D"})
    assert set(first(one_video.groups, kind="overall", name="all items").intervals.values()) == {
        None
    }


def test_items_of_one_video_widen_the_interval():
    """Thirty items of three videos tell less than thirty of thirty."""

    def rows(videos):
        return [closed(f"a{i:02d}", video_id=f"v{i % videos}") for i in range(30)]

    def width(videos):
        replies = {(f"a{i:02d}", None): "D" if i % 3 else "C" for i in range(30)}
        low, high = first(
            scored(rows(videos), replies).groups, kind="overall", name="all items"
        ).intervals["overall"]
        return high - low

    assert width(3) > 1.5 * width(30)


# ---- what is left behind ------------------------------------------------------------


def test_the_report_as_json_and_as_tables():
    rows, predictions = many()
    manner = WordScoring(Decay(FIXED, second(20)))
    report = scored(rows, predictions, manner=manner)
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["decay"] == {"mode": "fixed", "horizon_s": 20.0}
    assert plain["rated_by"] == {"by": "stand_in", "judges": [], "open_outputs": 0}
    assert len(plain["items"]) == 90
    item = next(one for one in plain["items"] if one["item_id"] == "c00")
    assert [one["round_index"] for one in item["outputs"]] == [0, 1, 2, 3, 4]
    for group in plain["groups"]:
        assert group["overall"] == round(group["overall"], 4)
    modes, *_, floors = report.tables()
    assert modes[0][3:7] == ["C", "R", "S", "O"]
    assert [row[0] for row in modes[1:]] == ["present", "future", "proactive", "all items"]
    assert modes[1][4:6] == ["-", "-"]
    assert {row[0] for row in floors[1:]} == set(FLOORS)
    assert (
        report.manner()
        == "decay: fixed (20 s); open answers: 0 rated by the deterministic stand-in"
    )
    widths = {len(row) for row in modes}
    assert widths == {len(modes[0])}


def test_the_decay_is_told_and_changes_r():
    row = stream()
    replies = {("s1", i): "unanswerable" if i < 1 else "D" for i in range(6)}
    linear = scored([row], replies)
    fixed = scored([row], replies, manner=WordScoring(Decay(FIXED)))
    assert first(linear.groups, kind="mode", name="future").responsiveness == pytest.approx(
        1 - 18 / 28
    )
    assert first(fixed.groups, kind="mode", name="future").responsiveness == pytest.approx(
        1 - 18 / 30
    )
    assert linear.to_dict()["decay"] == {"mode": "linear", "horizon_s": None}


def test_both_benchmarks_in_one_dataset_keep_apart():
    rows = [surgstu.row("counting/counting_distinct", "z"), *every()]
    predictions = gold(rows[1:]) | {("z", None): "B"}
    report = score_dataset(rows, predictions)
    assert report.counts()["items"] == report.counts()["scored"] == 1
    assert report.own["medstream"].counts()["items"] == len(rows) - 1
    assert not report.unknown and not report.unscored
    assert {group.benchmark for group in report.groups} == {"surgstu"}
    assert score_dataset(rows[:1], {}).own == {}


def test_the_named_columns_are_enough():
    rows = [{name: row[name] for name in ("benchmark", *COLUMNS)} for row in every()]
    assert first(scored(rows, gold(rows)).groups, kind="overall", name="all items").overall == 1.0


def test_a_response_in_a_sentence_is_what_the_sample_says():
    assert always(free(), SENTENCE).overall == 1.0


def test_no_response_is_not_silence():
    item = item_of(never())
    whole = dict.fromkeys(item.keys, "no_alert")
    assert score_item(item, whole).measures.overall == 1.0
    assert score_item(item, {}).measures.overall == 0.0
    whole.pop(next(iter(item.keys)))
    assert score_item(item, whole).measures.responsiveness == 0.0


@pytest.mark.parametrize("nothing", ["", " ", "banana"])
def test_neither_an_empty_output_nor_one_of_no_form_is_silence(nothing: str):
    item = item_of(never())
    assert score_item(item, dict.fromkeys(item.keys, nothing)).measures.overall == 0.0
