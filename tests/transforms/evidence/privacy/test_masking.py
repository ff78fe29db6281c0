"""Names, dates and identifiers in what is said: found, and nothing else touched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.transforms.evidence.privacy import mask_text
from tests.each import cases


def scores(sentences) -> tuple[float, float]:
    """Recall (marked spans that are wholly masked) and precision (masks that touch a mark)."""
    found = marked = right = masks = 0
    for text, truth in sentences:
        _, spans = mask_text(text)
        under = {i for span in spans for i in range(span.start, span.end)}
        marked += len(truth)
        found += sum(all(i in under for i in range(a, b) if text[i].isalnum()) for a, b, _ in truth)
        masks += len(spans)
        right += sum(any(s.start < b and s.end > a for a, b, _ in truth) for s in spans)
    return found / marked, right / masks


def test_the_tuned_sentences_are_masked_as_marked(sentences):
    listed = sentences("tuned")
    assert len(listed) >= 120
    assert scores(listed) == (1.0, 1.0)
    for text, truth in listed:
        assert [span.kind for span in mask_text(text)[1]] == [kind for _, _, kind in truth], text


def test_sentences_that_were_never_tuned_on(sentences):
    recall, precision = scores(sentences("fresh"))
    assert recall >= 0.9 and precision >= 0.95


@pytest.mark.parametrize("name", ["tuned", "fresh"])
def test_masked_text_is_the_text_with_its_spans_replaced(sentences, name):
    for text, _ in sentences(name):
        check(text)


PIECES = st.sampled_from(
    ["Dr. ", "Mr ", "patient ", "my name is ", "John", "Smith", " ", ", ", ". ", "Calot", "'s ",
     "triangle", "3 ", "March ", "2021", "12/03/2021", "MRN ", "123456", "ninety", " years old",
     "[NAME]", "[", "]", "NAME", "at ", "Hospital", "University of ", "May", "5 mm", "王", "医生",
     "患者", "李小明", "，", "2021年", "3月", "5日", "van ", "J. ", "a@b.co", "www.x.org", "O'",
     "\n"]
)  # fmt: skip


# The first example reads the lists of names.
@settings(deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join)))
def test_any_text_is_masked_once_and_for_all(text):
    check(text)


def check(text: str) -> None:
    masked, spans = mask_text(text)
    place, rebuilt = 0, ""
    for span in spans:
        assert 0 <= place <= span.start < span.end <= len(text)
        rebuilt += text[place : span.start] + f"[{span.kind}]"
        place = span.end
    assert rebuilt + text[place:] == masked
    assert mask_text(masked) == (masked, ())


def test_chinese_rules_hold_whatever_the_language_is_said_to_be():
    text = "患者张伟，由王医生主刀。"
    assert mask_text(text, "en") == mask_text(text, "zh") == mask_text(text)
    assert mask_text(text)[0] == "患者[NAME]，由[NAME]医生主刀。"


@cases(
    ("text", "wanted"),
    [
        ("Patient number 5, 5, 3, 1.", "Patient number [ID]."),
        ("patient number five five three one", "patient number [ID]"),
        ("Patient number.\n5, 5, 3, 1.", "Patient number.\n[ID]."),
        ("Number 5531, please.", "Number [ID], please."),
        ("case 43 -10", "case [ID]"),
        ("K -7 -4 -8 -6 -9", "K -[ID]"),
        ("She turned 93 last week.", "She turned [AGE] last week."),
        ("She is now 95 and lives alone.", "She is now [AGE] and lives alone."),
        ("He was given 95 ml of saline.", "He was given 95 ml of saline."),
        ("The patient's pulse is 95 and stable.", "The patient's pulse is 95 and stable."),
        ("She had a heart rate of 110 all day.", "She had a heart rate of 110 all day."),
        ("She used 110 sutures.", "She used 110 sutures."),
        ("He needed a hundred clips.", "He needed a hundred clips."),
        ("He is at 100 now.", "He is at 100 now."),
        ("The patient has a pressure of 95 over 60.", "The patient has a pressure of 95 over 60."),
        ("It reads double five three one six.", "It reads [ID]."),
        ("The ward is on four six three nine oh six five.", "The ward is on [ID]."),
        ("Call me on 347 0498506.", "Call me on [PHONE]."),
        ("born in nineteen fifty four", "born in [DATE]"),
        ("She was born in 1954.", "She was born in [DATE]."),
        ("he lives at twelve willow lane", "he lives at [PLACE]"),
        ("sent from millbrook general hospital", "sent from [PLACE]"),
        ("a man of 93 years", "a man of [AGE] years"),
        ("laura dot bennett at clinic dot org", "[EMAIL]"),
    ],
)
def test_numbers_and_places_as_they_are_read_out(text: str, wanted: str) -> None:
    assert mask_text(text)[0] == wanted


@cases(
    ("text", "wanted"),
    [
        ("peter can you pull a little", "[NAME] can you pull a little"),
        ("Please wipe the camera, ingrid.", "Please wipe the camera, [NAME]."),
        ("the patient's name is laura bennett", "the patient's name is [NAME]"),
        ("The patient is called real hallway and she has stones.",
         "The patient is called [NAME] and she has stones."),
        ("Abernathy wants to see the duct.", "[NAME] wants to see the duct."),
        ("I will ask Victor to tilt the table.", "I will ask [NAME] to tilt the table."),
        ("thank you kowalski", "thank you [NAME]"),
        ("Rafael Kewalski takes the hook.", "[NAME] takes the hook."),
        ("Stone, hook and patience: we may cut.", "Stone, hook and patience: we may cut."),
    ],
)  # fmt: skip
def test_names_alone_in_lower_case_and_misheard(text: str, wanted: str) -> None:
    assert mask_text(text)[0] == wanted


EPONYMS = (
    "Calot", "Hartmann", "Veress", "Trendelenburg", "Pringle", "Nissen", "Foley", "Maryland",
    "Babcock", "Kocher", "Allis", "Rouviere", "Morison", "Hasson", "Roux", "Kelly", "Metzenbaum",
    "Pfannenstiel", "Fowler", "Glisson", "Heller", "Toupet", "Strasberg", "Mirizzi", "Luschka",
)  # fmt: skip


@cases("name", EPONYMS)
def test_what_is_named_after_somebody_stays(name: str) -> None:
    for text in (f"Now the {name} is used.", f"{name} comes next.", f"Take {name}, please.",
                 f"take the {name.lower()} again", f"{name}'s sign is seen."):  # fmt: skip
        assert mask_text(text) == (text, ())


def test_words_of_the_ontology_stay_whatever_their_case() -> None:
    from surgqa.ontology.concepts import KINDS, core_vocabulary

    for kind in KINDS:
        for term in core_vocabulary(kind).values():
            for word in (term.display, term.display.title()):
                text = f"Now we see the {word}, please."
                assert mask_text(text) == (text, ()), text


@cases(
    ("text", "wanted"),
    [
        ("住院号一二三四五六七", "住院号[ID]"),
        ("号码是五五三一", "号码是[ID]"),
        ("电话一三八一二三四五六七八", "电话[ID]"),
        ("一九五四年三月出生", "[DATE]出生"),
        ("家住人民路十二号", "家住[PLACE]"),
        ("切除三枚结石，用五毫米穿刺器", "切除三枚结石，用五毫米穿刺器"),
    ],
)
def test_chinese_numerals(text: str, wanted: str) -> None:
    assert mask_text(text, "zh")[0] == wanted


def test_help_loads_no_list_of_names() -> None:
    """Masking is imported by few commands, and the lists are read when something is masked."""
    import subprocess
    import sys

    told = (
        "import surgqa.pipeline.cli.app, surgqa.transforms.evidence.privacy.utterances;"
        "from surgqa.transforms.evidence.privacy import gazetteer as g;"
        "print(g._given.cache_info().currsize, g._common.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "0"]
