"""Rounds that come again and again: at full periods from the start, each with its own answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from surgqa.transforms.checks.proof.rounds import round_problems
from tests.each import cases
from tests.transforms.checks.proof.made import POLYP, STREAM, S, asked, stream_row, text_of

START = 7 * S


def one(index: int, at_s: int, said: str = "Two", **more: Any) -> dict[str, Any]:
    return {"round_index": index, "current_us": at_s * S, "start_us": START, "end_us": at_s * S,
            "expected_output": said, "accepted_outputs": [said], "answerable": True,
            **more}  # fmt: skip


def codes(*found: dict[str, Any], every_s: int | None = 5, end_s: int = 40) -> list[str]:
    rounds = None if every_s is None else SimpleNamespace(every=every_s * S, due=None)
    row = {"start_us": START, "end_us": end_s * S, "rounds": list(found)}
    of: Any = SimpleNamespace(program=SimpleNamespace(rounds=rounds), row=row)
    return [detail for _, detail in round_problems(of)]


def test_full_periods_from_the_start():
    assert codes(one(0, 12), one(1, 17), one(2, 32)) == []


@cases(("found", "said"), [
    ([], "rounds at [], expected every 5000000"),
    ([one(0, 12), one(1, 18)], "expected every 5000000 from 7000000"),
    ([one(0, 10)], "expected every 5000000 from 7000000"),  # of the recording, not of the stretch
    ([one(0, 12), one(0, 17)], "round 1 has the index 0"),
    ([one(0, 12, start_us=0)], "round 0 shows [0, 12000000), expected [7000000, 12000000)"),
    ([one(0, 12, end_us=13 * S)], "round 0 shows [7000000, 13000000)"),
    ([one(0, 17), one(1, 12)], "round 1 at 12000000, after 17000000"),
    ([one(0, 12), one(1, 12)], "round 1 at 12000000, after 12000000"),
    ([one(0, 42)], "round 0 at 42000000, after 7000000, window to 40000000"),
    ([one(0, 12, "two")], ""),
    ([one(0, 12, accepted_outputs=["Three"])], ""),
    ([one(0, 12, answerable=False)], ""),
])  # fmt: skip
def test_others_are_told(found, said):
    told = codes(*found)
    assert told and any(said in detail for detail in told)


def test_where_the_template_has_none():
    assert codes(every_s=None) == []
    assert codes(one(0, 12), every_s=None) == ["1 rounds, the template has none"]


ALERT, SILENT = "Alert: polyp in view", "no_alert"


def due(*times_s: float, at_s: int = 130, none: bool = False) -> list[str]:
    """What is wrong with a stream from 100 to 160 s whose rounds are at some times."""
    data = stream_row()
    data["rounds"] = [
        {"round_index": k, "current_us": int(time * S), "start_us": 100 * S,
         "end_us": int(time * S), "expected_output": ALERT if late else SILENT,
         "accepted_outputs": [ALERT] if late else [SILENT, "uncertain"], "answerable": late}
        for k, time in enumerate(times_s) for late in [time >= at_s and not none]
    ]  # fmt: skip
    hit = None if none else {**POLYP, "start_us": at_s * S}
    data["slots"] = data["answer_value"] = text_of({"hit": hit})
    return [code for code, _ in round_problems(asked(STREAM, data), {})]


MALFORMED = ["rounds_malformed"]


@cases(
    ("times", "wrong"),
    [
        ((110, 120, 130, 140), []),
        ((100.5, 110.5, 120.5, 130.5, 140.5), MALFORMED),
        ((115, 120, 125, 130, 135), []),
        ((120, 130, 140), MALFORMED),
        ((114, 118, 122, 126, 130, 134), MALFORMED),
        ((110, 120, 130), MALFORMED),
        ((110, 120, 130, 140, 150), MALFORMED),
        ((110, 120, 130, 135), MALFORMED),
        ((110, 119, 130, 140), MALFORMED),
        ((112, 121, 130, 139), []),
        ((124, 127, 130, 133), []),
        ((126, 128, 130, 132), MALFORMED),
        ((102, 116, 130, 144), []),
        ((100, 115, 130, 145), MALFORMED),
    ],
)
def test_rounds_around_the_time_at_which_an_answer_is_due(times: Any, wrong: list[str]):
    assert due(*times) == wrong


@cases(
    ("times", "wrong"),
    [((110, 120, 130, 140), []), ((110, 120, 130), MALFORMED),
     ((110, 120, 130, 140, 150), MALFORMED), ((110, 120, 131, 140), MALFORMED),
     ((110.5, 120.5, 130.5, 140.5), MALFORMED)],
)  # fmt: skip
def test_four_rounds_where_nothing_is_due(times: Any, wrong: list[str]):
    assert due(*times, none=True) == wrong


def test_words_of_rounds():
    data = stream_row()
    rounds = data["rounds"]
    for change in ({"expected_output": "Alert: ulcer in view"}, {"answerable": False},
                   {"accepted_outputs": [ALERT, "no_alert"]}):  # fmt: skip
        data["rounds"] = [*rounds[:2], {**rounds[2], **change}, rounds[3]]
        assert "round_differs" in [c for c, _ in round_problems(asked(STREAM, data), {})]
    data["rounds"] = None
    assert [c for c, _ in round_problems(asked(STREAM, data), {})] == MALFORMED
