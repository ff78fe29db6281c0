"""Agreement, the paired test, intervals, stages: against textbook figures and slow reckoning."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from surgqa.ontology.continuations import BASELINE, LAPAROSCOPIC, ScoreRow
from surgqa.transforms.scoring.surgveo.cells import (
    cell_intervals,
    cells,
    paired,
    rater_agreement,
    report_of,
    scores_by_cell,
    sign_test,
    stage_means,
    violin_points,
)
from surgqa.transforms.scoring.surgveo.design import design_of
from tests.transforms.scoring.surgveo.gold import gold_rows


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_is_the_binomial_one(better, worse):
    expected = binomtest(better, better + worse).pvalue if better + worse else 1.0
    assert float(sign_test(better, worse)) == pytest.approx(expected, rel=1e-9)


def test_a_sign_test_by_hand():
    assert sign_test(8, 1) == Fraction(2 * (1 + 9), 512)


def small(scores):
    """Rows from prompt -> rater -> scores of samples a, b, c, …"""
    return [ScoreRow("abcdef"[k], "t", prompt, rater, 1, "visual", score)
            for prompt, by in scores.items() for rater, given in by.items()
            for k, score in enumerate(given)]  # fmt: skip


def small_scores(by):
    return scores_by_cell(small({BASELINE: by}))


def test_pairs_are_means_over_raters_sample_by_sample():
    rows = small({"baseline": {"A": [1, 2, 3], "B": [2, 2, 3]},
                  "stage_aware": {"A": [3, 2, 1], "B": [4, 1, 3]}})  # fmt: skip
    (one,) = paired(scores_by_cell(rows))
    assert one["differences"] == {"a": 2, "b": -0.5, "c": -1}
    assert (one["better"], one["worse"], one["ties"]) == (1, 2, 0)
    assert (one["p"], one["mean_difference"]) == (1, 1 / 6)


def test_violin_points_are_means_over_raters():
    (cell,) = small_scores({"A": [1, 5], "B": [2, 4]}).values()
    assert violin_points(cell) == {"a": Fraction(3, 2), "b": Fraction(9, 2)}


def test_three_raters_and_one():
    (three,) = cells(small_scores({"A": [1], "B": [2], "C": [4]})).values()
    assert three.printed() == "2.33 ± 1.53"
    (one,) = cells(small_scores({"A": [1, 2]})).values()
    assert one.printed() == "1.50"


def test_intervals_hold_the_mean_and_narrow_to_a_point():
    scores = scores_by_cell(gold_rows())
    found, means = cell_intervals(scores, "x"), cells(scores)
    assert all(low <= means[key].mean <= high for key, (low, high) in found.items())
    assert sum(low < high for low, high in found.values()) > 40
    assert cell_intervals(scores, "x") == found
    assert cell_intervals(scores, "y") != found
    (same,) = cell_intervals(small_scores({"A": [3, 3, 3]}), "x").values()
    assert same == (3.0, 3.0)


def test_stage_means_weigh_back_to_the_cell():
    rows = gold_rows()
    stages = {row.sample_id: f"s{int(row.sample_id[-2:]) % 7}" for row in rows}
    scores = scores_by_cell(rows)
    for key, cell in cells(scores).items():
        by = stage_means(scores[key], stages)
        total = sum(mean * n for mean, n in by.values())
        assert total / sum(n for _, n in by.values()) == cell.mean


def test_the_report_says_all_of_it():
    rows = gold_rows()
    stages = {row.sample_id: "washing" for row in rows}
    report = report_of(rows, design_of(rows, stages), "x")
    assert report["rows"] == 2400
    assert len(report["cells"]) == 48
    assert len(report["paired"]) == 24
    assert {len(one["differences"]) for one in report["paired"]} == {18, 32}
    assert json.loads(json.dumps(report)) == report
    assert len(report["agreement"]) == 8
    assert len(report["drop"]) == 16
    assert report["cells"][0]["stages"]["washing"]["samples"] == 18
    assert {one["prompt"] for one in report["errors"]} == {"baseline", "stage_aware"}


def test_agreement_is_of_two_raters_over_prompts_and_times():
    rows = gold_rows()
    found = rater_agreement(scores_by_cell(rows))
    assert [one["n"] for one in found] == [108] * 4 + [192] * 4
    assert all(-1 <= pair["kappa"] <= 1 for one in found for pair in one["quadratic_kappa"])
    twin = [
        replace(row, score=3) if row.time_s == 1 else row for row in rows if row.rater_id == "L1"
    ]
    twins = rater_agreement(scores_by_cell(twin + [replace(row, rater_id="L2") for row in twin]))
    assert len(twins) == 4
    for one in twins:
        assert one["quadratic_kappa"] == [{"raters": ["L1", "L2"], "kappa": 1}]
        assert (one["track"], one["icc_2_1"]) == (LAPAROSCOPIC, 1)
