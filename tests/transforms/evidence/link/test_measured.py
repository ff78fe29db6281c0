"""How well boxes are linked: rendered scenes' own boxes with noise, seeds never tuned on."""

from __future__ import annotations

import time

import numpy as np
import pytest

from benchmarks.linking import HARD, MILD, Answer, detected, idf1, known, mean_of, own

FRESH = range(300, 303)


def own_idf1(name, fps, noise, seconds=60.0):
    return mean_of(idf1, own, name, fps, noise, FRESH, seconds)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["in view", "come and go"])
def test_at_25_pictures_a_second(name):
    assert own_idf1(name, 25, MILD, 20.0) >= 0.95


@pytest.mark.parametrize(
    "name", [pytest.param("in view", marks=pytest.mark.nightly), "come and go"]
)
def test_at_5_pictures_a_second(name):
    assert own_idf1(name, 5, MILD) >= 0.85


@pytest.mark.parametrize(
    ("fps", "least"), [pytest.param(25, 0.8, marks=pytest.mark.nightly), (5, 0.8), (1, 0.6)]
)
def test_wandering_boxes_under_hard_noise(fps, least):
    assert own_idf1("wandering", fps, HARD) >= least


def test_true_boxes_are_linked_almost_perfectly():
    truth = known("come and go", 300, 5)
    noise = type(MILD)(missed=0, jitter=0, wrong=0, false=0, weak=0)
    assert idf1(truth, own(truth, detected(truth, 300, noise))) >= 0.95


def test_the_measure_itself():
    """Right answers get 1; one track cut in two halves gets 2/3 of itself; none gets 0."""
    truth = known("wandering", 1, 5)
    assert idf1(truth, Answer(truth.sample, truth.track, truth.box)) == 1
    one = truth.track == 0
    half = truth.track + 10 * (truth.sample >= np.median(truth.sample[one])) * one
    rows, most = one.sum(), max(np.bincount(half[one]))
    told = idf1(truth, Answer(truth.sample, half, truth.box))
    assert told == pytest.approx((len(one) - rows + most) / len(one))
    away = np.zeros_like(truth.box)
    assert idf1(truth, Answer(truth.sample, truth.track, away)) == 0


def test_time_grows_with_the_length_of_the_video_and_no_faster():
    def took(seconds: float) -> float:
        truth = known("wandering", 1, 5, seconds)
        seen, best = detected(truth, 1, MILD), float("inf")
        for _ in range(3):
            start = time.process_time()  # what other processes take does not count
            own(truth, seen)
            best = min(best, time.process_time() - start)
        return best

    assert took(240) < 4 * 2 * took(60)
