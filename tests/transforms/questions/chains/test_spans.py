"""Anomalies that are labelled as intervals, as a hospital's own tables have them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ontology.records import Span
from transforms.questions.chains import ask_chains

from .drawn import S, evidence
from .test_generated import BY_ID, problems, rows_of, view

ONSET = BY_ID["surgcot.anomaly_onset"]


def bleeding(start: float, end: float) -> Span:
    return Span("event", "bleeding", int(start * S), int(end * S), "events.csv", "events.csv:2")


@pytest.mark.parametrize(("fps", "scale"), [(25, "standard"), (1, "coarse")])
def test_a_labelled_interval_gives_a_chain_that_is_proved_again(fps: int, scale: str) -> None:
    one = evidence([], (bleeding(40, 44),), fps=fps)
    asked = ask_chains(one, None, [ONSET], "42")
    assert [item.stage for item in asked.items] == [0, 1, 2, 3]
    assert {item.slots["chain"]["scale"] for item in asked.items} == {scale}
    assert asked.items[1].answer_value == {"anomaly": "bleeding", "target": ""}
    assert asked.items[2].answer_value == {"interval_us": [40 * S, 44 * S]}
    assert asked.items[3].answer_value == {"time_us": 40 * S}
    assert {p.kind for item in asked.items for p in item.evidence} == {"segments"}
    assert problems(rows_of(asked.items, one), view(one)) == []


def test_other_events_are_no_anomalies() -> None:
    outside = replace(bleeding(40, 44), label="out_of_body")
    asked = ask_chains(evidence([], (outside,)), None, [ONSET], "42")
    assert (asked.items, asked.declined) == ([], [])
