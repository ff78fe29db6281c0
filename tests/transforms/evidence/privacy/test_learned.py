"""The learned model: the same words on every platform, in English only, once and for all."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.keys import digest
from surgqa.ontology.observed import UTTERANCES
from surgqa.transforms.evidence.privacy import (
    LearnedWords,
    SaidSettings,
    finder_of,
    mask_text,
    mask_utterances,
)
from surgqa.transforms.evidence.privacy.features import SLOTS, features, slots, words_in
from surgqa.transforms.evidence.privacy.learned import FILE, scores
from surgqa.transforms.evidence.privacy.wordforms import form_of, value_of

sys.path.insert(0, str(Path(__file__).parent))

import measure  # noqa: E402
import train  # noqa: E402

from tests.each import cases

LEARNED = LearnedWords()


def masked(text: str, language: str | None = "en") -> str:
    return mask_text(text, language, LEARNED.spans(text, language))[0]


def found(text: str, language: str | None = None) -> list[str]:
    """What of a text is masked by the model alone."""
    return [text[one.start : one.end] for one in LEARNED.spans(text, language) if one.kind]


@cases(
    ("text", "wanted"),
    [
        ("Give the camera to tovey and step back.", "Give the camera to [NAME] and step back."),
        ("That was zelda on the phone.", "That was [NAME] on the phone."),
        ("They drove in from harrowdale this morning.",
         "They drove in from [NAME] this morning."),
    ],
)  # fmt: skip
def test_words_that_the_rules_leave_are_masked(text: str, wanted: str):
    assert mask_text(text, "en")[0] == text
    assert masked(text) == wanted


def test_a_word_that_certainly_identifies_nobody_is_not_masked_by_a_rule():
    text = "Recovery wants to know when tovey is coming round."
    assert mask_text(text, "en")[0] == "[NAME] wants to know when tovey is coming round."
    assert masked(text) == "Recovery wants to know when [NAME] is coming round."


@cases(
    "text",
    [
        "We have cut the artery and the duct.",
        "Set the pressure to twelve millimetres of mercury.",
        "Can you pass me the clip applier.",
        "We expose Calot's triangle and look for the artery.",
    ],
)
def test_surgical_speech_is_left_as_it_is(text: str):
    assert masked(text) == text


def test_scores_are_whole_numbers_and_the_same_everywhere():
    words = words_in("Give the camera to tovey and step back.")
    assert list(scores(words)) == [-172, -196, -161, -85, 21, -170, -197, -205]
    text = "Is Velma about\n8 5 9, L -E"
    assert [sum(slots(found)) for found in features(words_in(text))] == [
        3048678, 3921498, 2764001, 3922273, 3870635, 4038577, 3182127, 2781300]  # fmt: skip


def test_recognised_speech_is_masked_as_when_it_was_measured():
    """Every fiftieth recording, with the scores of its words."""
    told = []
    for recording in measure.recordings()[::50]:
        lines = [[word for word, _ in measure.words_of(one)] for one in recording["utterances"]]
        text = "\n".join(map(" ".join, lines))
        told += [list(scores(words_in(text))), LEARNED.spans(text), masked(text)]
    assert digest(str(told))[:12] == "d7d8d371ff2c", "measure recall again, and say so in CHANGELOG"


def test_the_weights_are_one_byte_for_each_slot():
    data = Path(measure.__file__).parents[4] / "transforms" / "evidence" / "privacy" / FILE
    assert data.stat().st_size == SLOTS
    assert LEARNED.identity == finder_of(SaidSettings()).identity["finders"][0]
    assert len(LEARNED.identity["learned"]) >= 32


@cases(
    ("text", "language"),
    [
        ("Gib die Kamera an tovey weiter.", "de"),
        ("把镜头给 tovey and step back", "en"),
        ("把镜头给 tovey and step back", "zh"),
        ("", "en"),
    ],
)
def test_other_languages_are_left_to_the_rules(text: str, language: str):
    assert LEARNED.spans(text, language) == []


def test_a_language_that_is_not_known_is_read_as_english():
    text = "Give the camera to tovey and step back."
    assert LEARNED.spans(text) == LEARNED.spans(text, "en-GB") != []


def test_a_setting_switches_it_off():
    assert finder_of(SaidSettings(learned=False)).finders == ()
    assert finder_of(SaidSettings(learned=False)).spans("Give the camera to tovey.", "en") == []
    (finder,) = finder_of(SaidSettings()).finders
    assert isinstance(finder, LearnedWords)


def test_the_rest_of_a_number_of_a_spelled_word_and_of_an_address_is_masked_with_it():
    assert found("It is 8 5 9 8 3 now.") == ["8 5 9 8 3"]
    assert found("Her son rang from [ID] cathedral close.") == ["cathedral close"]
    assert found("Her son rang from [ID] and then went in again to close.") == []


def table(*texts: str) -> pa.Table:
    return measure.table_of([[(word, None) for word in text.split()] for text in texts])


def test_masking_twice_changes_nothing():
    finder = finder_of(SaidSettings())
    recording = next(one for one in measure.recordings() if one["part"] == measure.TRAINED[-1])
    lines = [list(measure.words_of(line)) for line in recording["utterances"]]
    once = mask_utterances(measure.table_of(lines), finder)
    assert once.schema == UTTERANCES and not once.equals(measure.table_of(lines))
    assert mask_utterances(once, finder).equals(once)


def test_words_and_text_are_masked_alike():
    (row,) = mask_utterances(table("That was zelda on the phone."), LEARNED).to_pylist()
    assert row["text"] == row["raw_text"] == "That was [NAME] on the phone."
    assert [word["text"] for word in row["words"]][2] == "[NAME]"
    assert row["flags"] == ["masked"]


@cases(
    ("written", "word", "shape"),
    [
        ("Bennett's,", "bennett", "CUb"),
        ("71.", "71", "D#-"),
        ("seven", "seven", "ln-"),
        ("Calot", "calot", "CP-"),
        ("%", "", "0--"),
        ("[NAME]'s", "", "CU-"),
        ("[PHONE]", "", "D#-"),
        ("-B", "b", "Is-"),
    ],
)
def test_the_form_of_a_word(written: str, word: str, shape: str):
    form = form_of(written)
    assert (form.word, form.shape) == (word, shape)


def test_stops_hyphens_and_values():
    assert [form_of(one).stop for one in ("so,", "so?", "so!", "so.", "so;", "so")] == [
        ",", "?", "!", ".", ":", ""]  # fmt: skip
    assert form_of("-dup").hyphen and not form_of("dup").hyphen
    values = [value_of(one) for one in ("0", "7", "12", "28", "71", "104", "500", "1987", "8506")]
    assert values == ["z", "a", "b", "c", "d", "o", "e", "y", "f"]
    assert value_of("") == ""


def test_masked_words_in_a_row_count_as_one():
    together = words_in("case [ID] on the table")
    apart = words_in("case [ID] [ID] on the table")
    assert [word.form for word in apart] == [word.form for word in together]


def test_no_part_that_is_only_measured_is_trained_on():
    assert not {*measure.TRAINED} & {*measure.HELD}
    recordings = [one for one, _, _ in train.examples(measure.TRAINED)]
    assert {one["part"] for one in recordings if "part" in one} == {*measure.TRAINED}
    assert sum("part" not in one for one in recordings) == 274
    from make import plan

    names = {name.lower() for part in measure.HELD for blank in ("given", "last")
             for name in plan()[part][blank]}  # fmt: skip
    assert len(names) == 96 * len(measure.HELD)
    assert not names & {
        word.lower() for one in recordings for planted in one["planted"] for word in planted.split()
    }


@pytest.mark.nightly
def test_training_again_gives_nearly_the_same_weights():
    again = train.trained(measure.TRAINED)
    stored = np.frombuffer(train.TARGET.read_bytes(), np.int8)
    # Sums of fractions are rounded differently on other processors.
    assert np.abs(again.astype(int) - stored).max() <= 2
    assert (again == stored).mean() > 0.9
