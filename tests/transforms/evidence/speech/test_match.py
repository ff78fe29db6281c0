"""Which terms a sentence holds, by what is beside it and what is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from surgqa.transforms.evidence.speech import WordContext
from surgqa.transforms.evidence.speech.lexicon import OFFICIAL, Sense
from surgqa.transforms.evidence.speech.match import _added, _Stretch
from tests.each import cases

Anchored = Callable[..., list[dict[str, Any]]]
CHOLE = "laparoscopic cholecystectomy"


def told(rows: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    return [(m["kind"], m["concept"], m["flag"]) for row in rows for m in row["matches"]]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # longest first
        ("the cystic artery", [("target", "cystic_artery", None)]),
        ("the bipolar forceps", [("instrument", "bipolar", None)]),
        ("the gallbladder dissection", [("phase", "gallbladder_dissection", None)]),
        # inflections
        ("she dissects it", [("verb", "dissect", None)]),
        ("the vessel was clipped", [("target", "blood_vessel", None), ("verb", "clip", None)]),
        # noun or verb by the words beside it
        ("we clip it", [("verb", "clip", None)]),
        ("the clip is on", [("object", "clip", None)]),
        ("suction the bile", [("verb", "aspirate", None), ("target", "fluid", None)]),
        ("the suction is on", [("instrument", "irrigator", None)]),
        ("we bag it", [("verb", "pack", None)]),
        ("into the bag", [("target", "specimen_bag", None)]),
        ("the hook comes", [("instrument", "hook", None)]),
        ("we hook it", [("verb", "dissect", None)]),
        # what stays open
        ("suction please", [("instrument", "irrigator", "ambiguous")]),
        ("take forceps", [("instrument", "bipolar", "ambiguous")]),
        # letters
        ("the galbladder", [("target", "gallbladder", None)]),
        ("the hepatocistic triangel", [("landmark", "hepatocystic_triangle", None)]),
        ("a clip a plier", [("instrument", "clipper", None)]),
        ("the peritonein", [("target", "peritoneum", "weak")]),
        # mishearings that are listed
        ("the callous triangle", [("landmark", "hepatocystic_triangle", None)]),
        # everyday words that look like terms
        ("putting a section in that direction", []),
        ("the operation was delivered", []),
        # stops part terms
        ("the liver, bed and all", [("target", "liver", None)]),
        # a phase's everyday name only beside the word phase
        ("in preparation we wait", []),
        ("in preparation for what comes we wait", []),
        ("the preparation phase", [("phase", "preparation", None)]),
        ("we begin with the preparation", [("phase", "preparation", None)]),
        ("the preparation is done", [("phase", "preparation", None)]),
        ("preparation of the field", [("phase", "preparation", None)]),
        ("now the preparatory stage", [("phase", "preparation", None)]),
        ("we prepare the stapler", [("instrument", "stapler", None)]),
    ],
)
def test_terms(anchored: Anchored, text: str, wanted: list[tuple]) -> None:
    assert told(anchored(text)) == wanted


def test_scores_say_how_near_the_letters_were(anchored: Anchored) -> None:
    def score(text: str) -> float:
        return anchored(text)[0]["matches"][0]["score"]

    assert score("the gallbladder") == 1.0
    assert score("the callous triangle") == 0.9
    assert 0.78 <= score("the peritonein") < 0.85 <= score("the galbladder") < 1.0


def test_a_word_over_the_verb_is_not_swallowed(anchored: Anchored) -> None:
    rows = anchored("the hook dissects the gallbladder")
    assert ("verb", "dissect", None) in told(rows)
    assert ("target", "gallbladder", None) in told(rows)


def test_instruments_in_view_tell_forceps_apart(anchored: Anchored) -> None:
    for concept in ("grasper", "bipolar"):
        seen = WordContext(procedure=CHOLE, active=((0, 5_000_000, concept),))
        (row,) = anchored("now take forceps", seen)
        assert row["tool"] == concept
        assert row["flags"] == []
    later = WordContext(procedure=CHOLE, active=((9_000_000, 10_000_000, "grasper"),))
    assert anchored("now take forceps", later)[0]["flags"] == ["ambiguous"]


def test_other_procedures_have_other_phases(anchored: Anchored) -> None:
    text = "this is clipping and cutting"
    assert anchored(text)[0]["phase"] == "clipping_and_cutting"
    assert anchored(text, WordContext())[0]["phase"] == "clipping_and_cutting"
    other = anchored(text, WordContext(procedure="pituitary surgery"))
    assert all(row["phase"] is None for row in other)


def test_matches_know_their_time(anchored: Anchored) -> None:
    (row,) = anchored("we clip the cystic artery", end_us=5_000_000)
    clip, artery = row["matches"]
    assert (clip["start_us"], clip["end_us"]) == (1_000_000, 2_000_000)
    assert (artery["start_us"], artery["end_us"]) == (3_000_000, 5_000_000)
    assert artery["heard"] == "cystic artery"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("现在用电钩分离胆囊三角。", [
            ("instrument", "hook", None), ("verb", "dissect", None),
            ("landmark", "hepatocystic_triangle", None)]),
        ("用施夹钳夹闭胆囊管和胆囊动脉", [
            ("instrument", "clipper", None), ("verb", "clip", None),
            ("target", "cystic_duct", None), ("target", "cystic_artery", None)]),
        ("抓钳牵拉胆囊", [
            ("instrument", "grasper", None), ("verb", "retract", None),
            ("target", "gallbladder", None)]),
        ("不要剪断胆总管", [
            ("verb", "cut", "negated"), ("landmark", "common_bile_duct", None)]),
        ("今天天气很好", []),
    ],
)  # fmt: skip
def test_chinese(anchored: Anchored, text: str, wanted: list[tuple]) -> None:
    assert told(anchored(text, language="zh")) == wanted


def test_chinese_by_the_sign_as_the_model_writes_it(anchored: Anchored) -> None:
    (row,) = anchored("夹 闭 胆 囊 管", language="zh", end_us=5_000_000)
    assert [(m["heard"], m["start_us"]) for m in row["matches"]] == [
        ("夹闭", 0), ("胆囊管", 2_000_000),
    ]  # fmt: skip


@cases(
    ("concept", "likeness", "added"),
    [("hook", 0.9, True), ("hook", 0.95, True), ("hook", 0.85, False), ("liver", 0.95, False)],
)
def test_a_longer_match_of_the_same_meaning_only_adds_words(
    concept: str, likeness: float, added: bool
) -> None:
    hook, inner = (Sense(OFFICIAL, "instrument", name, "tool") for name in ("hook", concept))
    inside = [_Stretch(0, 1, (inner,), likeness)]
    assert _added(_Stretch(0, 2, (hook,), 0.9), inside) == added
