"""What runs of replies would score, worked out by hand, and which rows give themselves away."""

from __future__ import annotations

from typing import Any

import pytest

from surgqa.transforms.checks.medstream.runs import response, run_scores, score
from surgqa.transforms.checks.medstream.sample import read
from tests.each import cases

ALERT = "alert: it is there"


def stream(*times: float, event: float | None = 5.0, proactive: bool = True, **more: Any) -> Any:
    """A stream with its rounds at some times; without a tolerance told it is two seconds."""
    quiet, loud = ("no_alert", ALERT) if proactive else ("unanswerable", "clipping")
    rounds = []
    for time in times:
        there = event is not None and time >= event
        rounds.append({
            "current_time": time, "answerable": there, "expected_output": loud if there else quiet,
            "accepted_outputs": [loud] if there else [quiet, "uncertain"],
        })  # fmt: skip
    row = {"task_mode": "streaming", "temporal_mode": "proactive" if proactive else "future",
           "rounds": rounds, "expected_response_time": event}  # fmt: skip
    if not proactive:
        row |= {"question_type": "closed", "choices": ["clipping", "cutting"], "answer": "clipping"}
    return read(row | more)


@cases(
    ("first", "value"),
    [
        (None, 0.0),
        (5.0, 1.0),
        (7.0, 1.0),
        (3.0, 1.0),
        (8.0, 1 - 1 / 3),
        (10.0, 0.0),
        (11.0, 0.0),
        (2.0, 0.5),
        (1.0, 0.0),
        (0.0, 0.0),
    ],
)
def test_how_responsive_a_first_alert_is(first: float | None, value: float):
    """Rounds at 1, 3, 8; two seconds early is in time, and so is two seconds late."""
    assert response(stream(1.0, 3.0, 8.0), first) == pytest.approx(value)


def test_responsiveness_where_nothing_comes_or_rounds_are_few():
    silent = stream(1.0, 3.0, 8.0, event=None)
    assert (response(silent, None), response(silent, 3.0)) == (1.0, 0.0)
    untold = stream(1.0, 3.0, tolerance_sec="x")
    assert (response(untold, None), response(untold, 3.0)) == (1.0, 0.0)
    alone = stream(9.0)
    assert (response(alone, 9.0), response(alone, 6.0), response(alone, None)) == (0.0, 1.0, 0.0)
    late = stream(3.0, 4.0, event=5.0)
    assert response(late, 2.0) == 0.0  # no time is left before the first round


@cases(
    ("replies", "scores"),
    [
        (["no_alert", "no_alert", ALERT], (1.0, 1 - 1 / 3, 1.0)),
        (["no_alert", "no_alert", "no_alert"], (2 / 3, 0.0, 0.0)),
        ([ALERT, ALERT, ALERT], (1 / 3, 0.0, 1.0)),
        (["uncertain", ALERT, "No alert."], (1 / 3, 1.0, 0.0)),
        (["uncertain", "uncertain", "alert"], (2 / 3, 1 - 1 / 3, 1.0)),
    ],
)
def test_a_run_of_replies(replies: list[str], scores: tuple[float, float, float]):
    found = score(stream(1.0, 3.0, 8.0), replies)
    assert found[:3] == pytest.approx(scores)
    assert found.overall == pytest.approx(0.7 * scores[0] + 0.3 * scores[1])


TENS = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)


@cases(
    ("first", "earned"),
    [(10, 0), (20, 0.3571), (30, 0.7143), (40, 1), (50, 0.7143), (60, 0.3571), (None, 0)],
)
def test_responsiveness_has_the_specified_values(first, earned):
    assert response(stream(*TENS, event=40.0), first) == pytest.approx(earned, abs=5e-5)


def test_stability_counts_positive_replies_from_the_event_on():
    replies = ["no_alert"] * 3 + [ALERT, "no_alert", ALERT]
    found = score(stream(*TENS, event=40.0), replies)
    assert found == pytest.approx((5 / 6, 1, 2 / 3, 0.7 * 5 / 6 + 0.3))


def test_silence_is_right_where_nothing_comes():
    sample = stream(10.0, 20.0, 30.0, event=None)
    assert score(sample, ["no_alert"] * 3) == (1, 1, None, 1)
    assert score(sample, ["no_alert", ALERT, "no_alert"])[:3] == (pytest.approx(2 / 3), 0, None)


def test_answers_are_positive_unless_they_are_none():
    """The first of three rounds is answered as if it could be, the second with nothing."""
    found = score(stream(3.0, 6.0, 8.0, proactive=False), ["cutting", "", "clipping"])
    assert found[:3] == pytest.approx((1 / 3, 1.0, 0.5))


@pytest.mark.parametrize("proactive", [True, False])
@pytest.mark.parametrize("event", [5.0, None])
def test_right_rows_give_nothing_away(proactive: bool, event: float | None):
    assert list(run_scores(stream(1.0, 3.0, 5.0, 9.0, event=event, proactive=proactive))) == []


def changed(place: int, accepted: list[str], **more: Any) -> list[str]:
    sample = stream(1.0, 3.0, 5.0, 9.0, **more)
    rounds = [dict(one) for one in sample.row["rounds"]]
    rounds[place]["accepted_outputs"] = accepted
    return [one.split(":")[0] for one in run_scores(read({**sample.row, "rounds": rounds}))]


def test_rounds_that_take_what_they_should_not():
    assert changed(0, ["no_alert", "unanswerable"]) == ["always unanswerable"]
    assert changed(2, [ALERT, "no_alert"]) == ["always no_alert"]
    assert changed(0, ["uncertain"]) == ["the oracle", "always no_alert"]
    assert changed(0, ["unanswerable", "no_alert"], proactive=False) == ["always no_alert"]
    assert changed(0, ["unanswerable", "clipping"], proactive=False) == ["always 'clipping'"]
    assert changed(3, ["clipping", "unanswerable"], proactive=False) == ["always unanswerable"]


def test_the_first_choice_scores_what_it_earns():
    sample = stream(1.0, 3.0, 5.0, 9.0, proactive=False)
    other = read({**sample.row, "choices": ["cutting", "clipping"]})
    assert list(run_scores(other)) == []
    assert list(run_scores(read({**sample.row, "choices": []}))) == []
