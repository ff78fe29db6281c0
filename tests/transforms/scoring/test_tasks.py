"""Every task: the gold answer, worse answers, and no answer at all."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from time import process_time

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.ontology import plugins
from surgqa.ontology.boxes import print_box
from surgqa.ontology.errors import UserError
from surgqa.ontology.times import print_number, print_seconds
from surgqa.transforms.scoring import tasks
from surgqa.transforms.scoring.tasks import task_of
from tests.each import cases
from tests.transforms.scoring.samples import (
    BOX_TEXT,
    CLOSED,
    FAR_TEXT,
    OPEN,
    START_US,
    TASKS,
    at,
    presence,
    row,
)
from tests.transforms.scoring.single import score_row
from tests.transforms.scoring.test_parse import TEXTS
from tests.transforms.scoring.typed.drawn import programs, rows


def score(task, response, **changes):
    name = next(full for full in TASKS if full.endswith(f"/{task}"))
    return score_row(row(name, **changes), response)


def test_every_task_has_a_sample():
    assert set(TASKS) == {one.task for one in programs() if one.benchmark == "surgstu"}


@cases("task", TASKS)
def test_the_gold_answer_scores_exactly_one(task):
    sample = row(task)
    item = score_row(sample, sample["answer"])
    assert (item.score, item.status) == (1.0, "scored")
    assert {item.iou, item.hit, item.accuracy} <= {1.0, None}


@cases("task", TASKS)
def test_silence_and_nonsense_score_zero_and_are_told_apart(task):
    missing, nonsense = score_row(row(task), None), score_row(row(task), "qwertz")
    assert (missing.score, missing.status) == (0.0, "missing")
    assert (nonsense.score, nonsense.status) == (0.0, "unparsed")
    columns = [(c.iou is None, c.accuracy is None) for c in (missing, nonsense)]
    gold = score_row(row(task), row(task)["answer"])
    assert columns == [(gold.iou is None, gold.accuracy is None)] * 2


@cases("task", CLOSED)
def test_every_wrong_option_scores_zero(task):
    sample = row(task)
    for option in sample["options"]:
        for text in (option["key"], f"{option['key']}) {option['text']}", option["text"]):
            item = score_row(sample, text)
            assert (item.score, item.status) == (float(option["is_answer"]), "scored"), text


@cases(
    ("task", "response", "expected"),
    [
        # centre moved by (0.1, 0): 0.1 / sqrt 2
        ("locate", "[254, 387, 444, 477]", 1 - 0.1 / 2**0.5),
        ("locate", "The grasper is not visible.", 0.0),
        ("locate_by_action", f"hook: {BOX_TEXT}", 1.0),
        # one extreme right, the other missing: 0.35/2 + 0.25/2 + 0.40 (1 - sqrt 2 / 2)
        (
            "trajectory",
            f"Extreme Left: {BOX_TEXT} at t=3.00 s",
            0.3 + 0.4 * (1 - 2**0.5 / 2),
        ),
        ("trajectory", f"{BOX_TEXT} at 3.00 s, then {FAR_TEXT} at 7.00 s", 1.0),
        # times 5 s of 25 s late, boxes right: 0.35 + 0.25 * 0.8 + 0.40 * 0.8
        (
            "trajectory",
            f"Extreme Left: {BOX_TEXT} at t=8.00 s; Extreme Right: {FAR_TEXT} at t=12.00 s",
            0.87,
        ),
        ("segment", "left, top", 0.5),
        ("closest", "the bipolar", 1.0),
        ("closest", "hook", 0.0),
        ("refusal_absent_instrument", BOX_TEXT, 0.0),
        ("refusal_absent_instrument", f"The hook is not visible, maybe {BOX_TEXT}", 0.0),
        ("refusal_absent_instrument", "There is no hook.", 1.0),
        ("next_action", "It dissects the cystic duct", 1.0),
        ("next_action", "dissect the liver", 0.0),
        ("action_status", "clipping", 1.0),
        ("action_status", "idle", 0.0),
        ("movement_status", "It moves moderately", 1.0),
        ("movement_status", "fast", 0.0),
        ("target_interaction", "the cystic duct", 1.0),
        ("target_interaction", "no specific target", 0.0),
        ("identify_bbox", "grasper (instance 2)", 1.0),
        ("identify_bbox", "hook", 0.0),
        ("identify_bbox", "grasper", 1.0),
        ("refusal_no_specific_action", "It is not performing any action.", 1.0),
        ("refusal_no_specific_action", "dissecting", 0.0),
        ("reverse_target", "grasper", 2 / 3),
        ("reverse_target", "none", 0.0),
        ("interaction_duration", "7 seconds", 0.5),
        ("interaction_count", "3", 1.0),
        ("interaction_count", "two", 2 / 3),
        ("longest_continuous_action", "8 s", 0.5),
        # length exact, interval [5, 13) against [3, 11): 6 of 10 s
        ("longest_continuous_action", "8.00 s, from 5.00 s to 13.00 s", 0.8),
        ("longest_continuous_action", "from 3 s to 11 s", 1.0),
        ("idle_duration", "6 s idle, 30% of the time", 1.0),
        ("idle_duration", "3 s idle (10-25%)", 0.25),
        ("first_appearance_time", "8.00 s", 0.8),
        ("last_appearance_time", "21.5", 1.0),
        ("first_action", "dissect the cystic duct", 0.5),
        ("first_action", "cut the liver at 3.00 s", 0.5),
        # LCS of (grasp gb retract gb idle none) and (retract gb idle none): 2 * 4 / 10
        ("action_sequence", "retract the gallbladder -> idle", 0.8),
        ("most_active_instrument", "hook (14.00 s)", 0.0),
        ("most_target_diversity_instrument", "grasper", 1.0),
        ("dominant_verb", "dissection", 1.0),
        ("distinct_targets_touched", "cystic duct and liver", 0.5),
        ("rel_pos", "left and below", 0.5),
        ("rel_change", "closer", 0.5),
        ("rel_change", "farther (-0.35)", 0.5),
        ("comparison", "No", 0.5),
        ("comparison", "No: liver and liver", 0.75),
        ("comparison", "Yes: both the gallbladder", 0.25),
        ("velocity", "moderate", 0.5),
        ("velocity", "min 0.010, max 0.200, mean 0.083 units/s; fast", 0.5),
        ("trajectory_reasoning", f"Initialisation: {BOX_TEXT}", 0.2),
        ("trajectory_reasoning", "Movement profile: 2.00 s, moderate\nConsistency: cut", 0.3),
    ],
)
def test_partial_answers(task, response, expected):
    assert score(task, response).score == pytest.approx(expected)


def test_a_label_named_beside_the_box_counts_under_accuracy():
    assert score("locate_by_action", f"hook: {BOX_TEXT}").accuracy == 0.0
    assert score("locate_by_action", BOX_TEXT).accuracy == 0.0


def _line(name, start, end, box=BOX_TEXT):
    return f"{name}: Window [{start} s - {end} s], Start BBox {box}, End BBox {FAR_TEXT}"


def test_window_divides_by_the_longer_list():
    gold = OPEN["spatial_temporal_grounding/window"][1]
    extra = f"{gold}\n{_line('scissors', 0, 1)}"
    assert score("window", extra).score == pytest.approx(3 / 4)
    assert score("window", _line("hook", 3, 25)).score == pytest.approx(1 / 3)


def test_window_without_sides_is_matched_in_order():
    lines = "\n".join([_line("grasper", 0, 12), _line("grasper", 2, 9), _line("hook", 3, 25)])
    assert score("window", lines).score == 1.0


def test_empty_sets_agree():
    empty = {"values": [[]], "answer": "None"}
    assert score("reverse_target", "none", **empty).score == 1.0
    assert score("reverse_target", "No instrument touches it.", **empty).score == 1.0
    assert score("reverse_target", "hook", **empty).score == 0.0
    assert score("distinct_targets_touched", "0: none", values=[0, []], answer="0: none").score == 1


def test_a_row_that_says_no_types_is_scored_by_its_options_or_not_at_all():
    silent = {"benchmark": "other", "rule_args": "{}"}
    assert score_row(row("classes/classes", **silent), "B").score == 1.0
    assert task_of(row("relation_comparison/rel_pos", **silent)) is None


# ---- gold answers with any values ----------------------------------------------------

GRID = st.integers(0, 1_000_000).map(lambda n: n / 1_000_000)
BOXES = st.tuples(GRID, GRID, st.floats(0.01, 0.4), st.floats(0.01, 0.4)).map(
    lambda b: [b[0] * 0.6, b[1] * 0.6, b[0] * 0.6 + b[2], b[1] * 0.6 + b[3]]
)
TIMES = st.integers(0, 25_000_000).map(lambda us: START_US + us)
SPEEDS = st.floats(0, 3)


def clock(time_us):
    return print_seconds(time_us - START_US)


def exact(task, text, values):
    return score(task, text, values=values, answer=text).score == 1.0


@settings(deadline=None)
@given(BOXES, BOXES, TIMES, TIMES)
def test_any_trajectory_printed_and_read_again_is_exact(left, right, first, second):
    values = [first, left, second, right]
    text = f"{print_box(left)} at {clock(first)} s and {print_box(right)} at {clock(second)} s"
    item = score("trajectory", text, values=values, answer=text)
    assert (item.score, item.iou, item.hit) == (1.0, 1.0, 1.0)


@settings(deadline=None)
@given(BOXES, TIMES, st.integers(0, 10_000_000))
def test_any_window_printed_and_read_again_is_exact(box, start_us, length_us):
    entry = presence("hook", 1, 0, 0) | {
        "start": start_us, "end": start_us + length_us, "start_box": box, "end_box": box,
    }  # fmt: skip
    text = (
        f"Hook: Window [{clock(start_us)} s - {clock(start_us + length_us)} s], "
        f"Start BBox {print_box(box)}, End BBox {print_box(box)}"
    )
    assert exact("window", text, [[entry]])


@settings(deadline=None)
@given(SPEEDS, SPEEDS, SPEEDS, st.sampled_from(["stationary", "slow", "moderate", "fast"]))
def test_any_velocity_printed_and_read_again_is_exact(low, high, mean, word):
    numbers = [print_number(v, 3) for v in (low, high, mean)]
    text = f"Min {numbers[0]}, max {numbers[1]}, mean {numbers[2]} units/s; {word}"
    assert exact("velocity", text, [low, high, mean, word])


@settings(deadline=None)
@given(st.floats(-1.4, 1.4), st.sampled_from(["closer", "farther", "approximately maintained"]))
def test_any_change_printed_and_read_again_is_exact(delta, word):
    shown = abs(delta) if word == "farther" else -abs(delta) if word == "closer" else delta
    assert exact("rel_change", f"{word} ({print_number(shown, 2)})", [word, shown])


@settings(deadline=None)
@given(st.integers(1, 30_000_000), st.integers(1, 20), TIMES)
def test_any_duration_printed_and_read_again_is_exact(length_us, count, start_us):
    total, end_us = print_seconds(length_us), start_us + length_us
    assert exact("interaction_duration", f"{total} s in {count} stretches", [length_us, count])
    assert exact("interaction_count", f"{count} stretches, {total} s in total", [count, length_us])
    text = f"{total} s, from {clock(start_us)} s to {clock(end_us)} s"
    assert exact("longest_continuous_action", text, [length_us, start_us, end_us])


@settings(deadline=None)
@given(st.sampled_from(TASKS), TEXTS)
def test_no_response_leaves_the_range(task, response):
    item = score_row(row(task), response)
    for value in (item.score, item.iou, item.hit, item.accuracy):
        assert value is None or 0.0 <= value <= 1.0


@pytest.mark.parametrize(
    "piece", ["[1 1 1 ", "after ", "9", "A) ", "grasper: ", "<answer>", "left "]
)
def test_a_response_that_repeats_itself_is_read_in_linear_time(piece):
    text = piece * (50_000 // len(piece))
    started = process_time()
    for task in TASKS:
        score_row(row(task), text)
    assert process_time() - started < 10  # a quadratic search takes a minute


def test_gold_times_count_from_the_clip():
    assert score("first_appearance_time", "103.00 s").score == 0.0
    assert score("first_appearance_time", "3.00 s", values=[at(3.004)]).score == 1.0


NAMED = {name: row for name, row in rows() if orjson.loads(row["rule_args"])["scorer"]}


def yes(text: str, case: object) -> float | None:
    """A scorer of another package: half for any word that says yes."""
    return 0.5 if "yes" in text.lower() else None


@pytest.fixture
def installed(monkeypatch):
    def install(*points: EntryPoint) -> None:
        monkeypatch.setattr(plugins, "entry_points", lambda group: points)
        for cached in (tasks.scorers, tasks.named_task):
            cached.cache_clear()

    yield install
    tasks.scorers.cache_clear()
    tasks.named_task.cache_clear()


def row_of(name: str) -> dict:
    row = dict(next(iter(NAMED.values())))
    arguments = orjson.loads(row["rule_args"]) | {"scorer": name}
    return row | {"rule_args": orjson.dumps(arguments).decode()}


def test_every_scorer_that_a_shipped_template_names_is_there_and_used():
    named = {program.scorer for program in programs() if program.scorer}
    assert named == set(tasks.scorers())


@cases("name", NAMED)
def test_the_contract_of_a_scorer(name):
    row = NAMED[name]
    assert score_row(row, row["answer"]).score == 1.0
    for text in ("qwertz", "", "?" * 500, "-- [", "1" * 400):
        item = score_row(row, text)
        assert 0.0 <= item.score <= 1.0
    assert score_row(row, "qwertz").status == "unparsed"


def test_a_scorer_of_another_package_is_found_by_its_name(installed):
    point = EntryPoint("hospital.yes", f"{__name__}:yes", plugins.SCORERS)
    installed(point)
    assert score_row(row_of("hospital.yes"), "Yes!").score == 0.5
    assert score_row(row_of("hospital.yes"), "Hm").status == "unparsed"


def test_a_scorer_that_nobody_offers_is_told_with_the_template(installed):
    installed()
    with pytest.raises(UserError, match="no scorer is called 'nobody'") as caught:
        score_row(row_of("nobody"), "x")
    assert "surgstu.locate" in str(caught.value.expected) and "surgstu." in str(caught.value.where)


def test_two_scorers_of_one_name_are_told(installed):
    installed(EntryPoint("surgstu.locate", f"{__name__}:yes", plugins.SCORERS))
    with pytest.raises(UserError, match="two scorers have the same name"):
        tasks.scorers()
