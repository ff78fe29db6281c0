"""Clean-up changes how a sentence is written, not what was said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.evidence.speech.tokens import clean, spelled
from tests.each import cases


@cases(
    ("heard", "written"),
    [
        ("  we clip  the the artery ", "We clip the artery."),
        ("i think i 'm done , now", "I think I 'm done, now."),
        ("Haemostasis is good; no HAEMATOMA", "Hemostasis is good; no HEMATOMA."),
        ("Calots triangle", "Calot's triangle."),
        ("that that is had had", "That that is had had."),
        ("cut,, then stop..", "Cut, then stop.."),
        ("done. next we cut", "Done. Next we cut."),
        ("i.e. the duct", "I.e. the duct."),
        ("\ufffdWe clip", "We clip."),
        ("really?", "Really?"),
        ("", ""),
    ],
)
def test_english(heard: str, written: str) -> None:
    assert clean(heard, "en") == written


@cases(
    ("heard", "written"),
    [
        ("现在 我们 夹闭 胆囊管,", "现在我们夹闭胆囊管，"),
        ("剪断.", "剪断。"),
        ("约 5.5 毫米", "约 5.5 毫米"),
        ("Calot 三角", "Calot 三角"),
    ],
)
def test_chinese(heard: str, written: str) -> None:
    assert clean(heard, "zh") == written


def test_other_languages_keep_their_words() -> None:
    assert clean("die die colour", "de") == "Die die colour."


@given(st.text(), st.sampled_from(["en", "zh", "de"]))
def test_twice_cleaned_is_once_cleaned(text: str, language: str) -> None:
    once = clean(text, language)
    assert clean(once, language) == once


def test_one_spelling() -> None:
    assert spelled("Cauterising") == "cauterizing"
    assert spelled("Calot\u2019s") == "calot's"
    assert spelled("duct") == "duct"
