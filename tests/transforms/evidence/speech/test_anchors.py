"""Slots of an anchor, parts of a sentence, negation, intent, phases; the published shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from surgqa.ontology.observed import ANCHORS, STRETCHES, UTTERANCES
from surgqa.transforms.evidence.speech import WordContext, anchors, phase_anchors
from surgqa.transforms.evidence.speech.phases import KIND

Anchored = Callable[..., list[dict[str, Any]]]
CHOLE = "laparoscopic cholecystectomy"


def slots(row: dict[str, Any]) -> tuple[str | None, str | None, str | None]:
    return row["action"], row["tool"], row["tissue"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("we clip the cystic artery with the clipper", ("clip", "clipper", "cystic_artery")),
        ("the artery is coagulated", ("coagulate", None, None)),
        ("the cystic artery is divided", ("cut", None, "cystic_artery")),
        ("the hook and then the grasper holds the liver", ("grasp", "grasper", "liver")),
        ("with the grasper in place the hook dissects fat", ("dissect", "hook", None)),
        ("using the scissors we cut the adhesion", ("cut", "scissors", "adhesion")),
        ("dissect the gallbladder from the liver bed", ("dissect", None, "gallbladder")),
        ("without harm to the liver, we coagulate", ("coagulate", None, None)),
        ("the critical view of safety", (None, None, None)),
        ("take forceps", (None, None, None)),
    ],
)
def test_slots(anchored: Anchored, text: str, wanted: tuple) -> None:
    (row,) = anchored(text)
    assert slots(row) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("we grasp the fundus and then we cut the adhesion with the scissors",
         [("grasp", None, "gallbladder_fundus"), ("cut", "scissors", "adhesion")]),
        ("we clip and cut the cystic duct with the scissors",
         [("clip", "scissors", "cystic_duct"), ("cut", "scissors", "cystic_duct")]),
        ("irrigate, aspirate the bile",
         [("irrigate", None, "fluid"), ("aspirate", None, "fluid")]),
    ],
)  # fmt: skip
def test_one_anchor_for_each_action(anchored: Anchored, text: str, wanted: list) -> None:
    rows = anchored(text, start_us=1_000_000, end_us=14_000_000)
    assert [slots(row) for row in rows] == wanted
    assert rows[0]["start_us"] == 1_000_000
    assert rows[-1]["end_us"] == 14_000_000
    assert rows[0]["end_us"] <= rows[1]["start_us"]
    assert len({row["anchor_id"] for row in rows}) == 2
    assert {row["raw_caption"] for row in rows} == {text}


@pytest.mark.parametrize(
    "text",
    [
        "do not cut the duct", "we are not clipping yet", "don't cut it", "avoid cutting here",
        "without cutting", "we have not yet divided it", "never coagulate here",
        "rather than clipping", "you can't cut there", "不要剪断", "没有夹闭",
    ],
)  # fmt: skip
def test_what_is_not_done_is_no_action(anchored: Anchored, text: str) -> None:
    (row,) = anchored(text)
    assert row["action"] is None
    assert "negated" in row["flags"]
    assert [m["flag"] for m in row["matches"] if m["kind"] == "verb"] == ["negated"]
    assert not {"cut", "clip", "coagulate"} & set(row["normalized_terms"])


@pytest.mark.parametrize(
    "text",
    [
        "not only cut but look", "no problem, we cut it", "if it is not free, cut it",
        "without haste we cut it", "it is not free but we cut it", "now cut it",
    ],
)  # fmt: skip
def test_a_negation_reaches_no_further_than_its_clause(anchored: Anchored, text: str) -> None:
    assert "cut" in [row["action"] for row in anchored(text)]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("now we clip the duct", True), ("next the liver", True), ("we will clip", True),
        ("we're going to cut", True), ("let's clip", True), ("I'm about to cut", True),
        ("we clip the duct", False), ("until now we clip", False), ("cut next to the liver", False),
        ("接下来夹闭", True), ("夹闭胆囊管", False), ("准备阶段", False),
    ],
)  # fmt: skip
def test_intent(anchored: Anchored, text: str, intent: bool) -> None:
    assert [row["intent"] for row in anchored(text)] == [intent]


def test_a_later_part_is_announced_with_the_first(anchored: Anchored) -> None:
    rows = anchored("we will clip the duct and then cut the artery")
    assert [row["intent"] for row in rows] == [True, True]


def test_phase_by_name_before_context_before_hint(anchored: Anchored) -> None:
    known = WordContext(procedure=CHOLE, phases=((0, 9_000_000, "gallbladder_dissection"),))
    named = anchored("clipping and cutting is next", known)[0]
    assert (named["phase"], named["flags"]) == ("clipping_and_cutting", [])
    given = anchored("we cut the cystic duct", known)[0]
    assert (given["phase"], given["flags"]) == ("gallbladder_dissection", ["phase_known"])
    hinted = anchored("we cut the cystic duct")[0]
    assert (hinted["phase"], hinted["flags"]) == ("clipping_and_cutting", ["phase_cued"])
    assert anchored("we cut the cystic duct", WordContext())[0]["phase"] is None


def test_the_phase_that_shares_most_time_is_known() -> None:
    known = WordContext(phases=((0, 4, "a"), (4, 10, "b"), (10, 12, "c")))
    assert known.phase(3, 6) == "b"
    assert known.phase(2, 6) == "a"
    assert known.phase(12, 20) is None


def test_a_tool_that_is_not_in_view_is_flagged(anchored: Anchored) -> None:
    seen = WordContext(procedure=CHOLE, active=((0, 5_000_000, "hook"),))
    assert anchored("cut it with the scissors", seen)[0]["flags"] == ["tool_not_seen"]
    assert anchored("dissect it with the hook", seen)[0]["flags"] == []


def test_weak_speech_is_told_of_its_anchors(anchored: Anchored) -> None:
    assert anchored("cut it", flags=["weak"])[0]["flags"] == ["weak_speech"]


def test_sentences_without_terms_give_no_anchor(anchored: Anchored) -> None:
    assert anchored("please turn off the lights") == []


def test_text_without_words_is_spread_over_its_time(anchored: Anchored) -> None:
    (row,) = anchored("we clip it now", words=[])
    assert (row["matches"][0]["start_us"], row["matches"][0]["end_us"]) == (1_000_000, 2_000_000)


def table(utterance: Callable[..., dict], *said: tuple[str, int, int]) -> pa.Table:
    rows = [utterance(text, start * 1000, end * 1000) for text, start, end in said]
    return pa.Table.from_pylist(rows, schema=UTTERANCES)


def test_anchors_do_not_depend_on_other_utterances(utterance: Callable[..., dict]) -> None:
    said = [("cut it", 0, 900), ("we clip the liver", 1000, 2000), ("hold on", 3000, 3500)]
    together = anchors(table(utterance, *said), WordContext()).to_pylist()
    alone = [
        row for one in said for row in anchors(table(utterance, one), WordContext()).to_pylist()
    ]
    assert together == alone
    assert anchors(UTTERANCES.empty_table(), WordContext()).schema == ANCHORS


def test_phase_anchors_merge_over_short_gaps(utterance: Callable[..., dict]) -> None:
    said = table(
        utterance,
        ("the preparation phase", 0, 1000),
        ("the liver", 1500, 1800),
        ("still the preparation phase", 3000, 4000),
        ("the preparation phase", 6001, 7000),
        ("clipping and cutting", 7500, 8000),
        ("the preparation phase", 8500, 9000),
    )
    made = phase_anchors(anchors(said, WordContext(procedure=CHOLE)))
    assert made.schema == STRETCHES
    rows = [(r["start_us"] // 1000, r["end_us"] // 1000, r["label"]) for r in made.to_pylist()]
    assert rows == [
        (0, 4000, "preparation"), (6001, 7000, "preparation"),
        (7500, 8000, "clipping_and_cutting"), (8500, 9000, "preparation"),
    ]  # fmt: skip
    assert set(made["kind"].to_pylist()) == {KIND}
    assert set(made["source"].to_pylist()) == {"speech: spoken"}


def test_phase_anchors_say_how_the_phase_is_known(utterance: Callable[..., dict]) -> None:
    said = table(
        utterance, ("we clip the cystic duct", 0, 1000), ("clipping and cutting", 1200, 2000)
    )
    (row,) = phase_anchors(anchors(said, WordContext(procedure=CHOLE))).to_pylist()
    assert (row["source"], row["score"]) == ("speech: spoken+phase_cued", 1.0)
