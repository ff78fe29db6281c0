"""Names that only their place or their sound tells, since a recogniser made other words of them."""

from __future__ import annotations

import time

from surgqa.transforms.evidence.privacy import mask_text
from surgqa.transforms.evidence.privacy.sounding import like_a_name, near_a_name, sound, split_name
from tests.each import cases


@cases(
    ("text", "masked"),
    [
        ("Far it had it is holding the camera.", "[NAME] is holding the camera."),
        ("What field wants to see the duct.", "[NAME] wants to see the duct."),
        ("This is Monica with field with a case.", "This is [NAME] [NAME] with a case."),
        ("The wife of in borg is waiting.", "The wife of in borg is waiting."),
        ("The son of tapleton has called.", "The son of [NAME] has called."),
        ("No amima, the other one.", "No [NAME], the other one."),
        ("We have kind of heard on the table.", "We have [NAME] on the table."),
        ("The stump of salamar bleeds.", "The stump of [NAME] bleeds."),
        ("I ask Glen a Kawasaki to hold it.", "I ask [NAME] [NAME] to hold it."),
        (
            "Can you tell me your name?\nTest tindel, lovely.",
            "Can you tell me your name?\n[NAME], lovely.",
        ),
        (
            "Can you tell me your name?\nTindel please thanks, lovely.",
            "Can you tell me your name?\n[NAME] please thanks, lovely.",
        ),
        (
            "Consent was taken by Du 'al Di 'ambo in the holding area.",
            "Consent was taken by [NAME] in the holding area.",
        ),
        ("Send for miss park, we're ready.", "Send for miss [NAME], we're ready."),
        ("At the scrub table is nurse -mieve.", "At the scrub table is nurse [NAME]."),
        (
            "Colled peters, fourth year resident, will do it.",
            "[NAME], fourth year resident, will do it.",
        ),
        ("We took this from Lane and his group.", "We took this from [NAME] and his group."),
        ("Josh Hold, you may stop.", "[NAME], you may stop."),
        ("Yanis and I will turn her on three.", "[NAME] and I will turn her on three."),
        ("Hey, Seline, can you bring the lights in?", "Hey, [NAME], can you bring the lights in?"),
        (
            "Patient identified as a zoo -markovic procedure confirmed.",
            "Patient identified as a [NAME] procedure confirmed.",
        ),
    ],
)
def test_who_is_spoken_to_or_acts_is_named(text: str, masked: str) -> None:
    assert mask_text(text)[0] == masked


@cases(
    "text",
    [
        "The assistant wants to see the duct.",
        "Experience told us to wait.",
        "We have two stones on the table.",
        "A little more traction, please.",
        "Pull it to the left, slowly and gently.",
        "Blood pressure is stable, 120 over 80.",
        "On Monday the drain comes out.",
        "The hook holds the gallbladder, right there.",
        "There is room for the clip, as you see.",
        "Galstones are seen in the Infundibulem here.",
        "The guideline says it, and I did the last one.",
        "The right Hepaddy Cartery crosses behind the duct.",
        "Redding that back, it is correct.",
        "Start it at 5 micrograms a minute.",
        "D .O .B.",
        "You do not see patients with 92 percent or at 95 degrees.",
        "Two clips to close.",
    ],
)
def test_what_names_nobody_stays(text: str) -> None:
    assert mask_text(text)[0] == text


@cases(
    ("text", "masked"),
    [
        ("Case number 2 m and 7 1.", "Case number [ID]."),
        ("Her file has the numbers of in 4457.", "Her file has the numbers of in [ID]."),
        ("The number is 9 to 0, 1, 8, 3.", "The number is [ID]."),
        ("Extension 38 -20.", "Extension [PHONE]."),
        ("Specimen number.\n3.\n2.\n7.", "Specimen number.\n[ID]."),
        ("Patient number 4983.\nOne clip, then cut.", "Patient number [ID].\nOne clip, then cut."),
        ("It goes to 61 markets treat.", "It goes to [PLACE]."),
        ("He fell at 78 cathedral close and broke ribs.", "He fell at [PLACE] and broke ribs."),
        ("She ran from Prospect Drive.", "She ran from [PLACE]."),
        (
            "They sent her over at Port Carling General, so we wait.",
            "They sent her over at [PLACE], so we wait.",
        ),
        ("I'm on sleep 756 if anyone needs me", "I'm on sleep [PHONE] if anyone needs me"),
        ("Hospital ID243261, day surgery.", "Hospital [ID], day surgery."),
        ("If you search for 3988016s it comes up.", "If you search for [ID] it comes up."),
        (
            "You don't see many people of 91 on a list.",
            "You don't see many people of [AGE] on a list.",
        ),
        ("The name, be a b i c.", "The name, be [NAME]."),
        ("Please mail us at cavided .wata nabe at the editor .net.", "Please mail us at [EMAIL]."),
        ("The name is spelled N, E, M, E, T, H.", "The name is spelled [NAME]."),
        ("Her hospital number is 5531.", "Her hospital number is [ID]."),
    ],
)
def test_numbers_and_spelled_names_as_they_are_misheard(text: str, masked: str) -> None:
    assert mask_text(text)[0] == masked


def test_a_long_number_takes_no_longer_than_its_length() -> None:
    text = "The number is " + "1-2.3/4-" * 60 + "x and [ID] the end."
    started = time.process_time()
    mask_text(text)
    assert time.process_time() - started < 5


def test_common_words_sound_like_a_name() -> None:
    assert sound("withfield") == sound("whitfield")
    assert like_a_name(["with", "field"]) and split_name(["what", "field"])
    assert not like_a_name(["clip", "it"]) and not split_name(["the", "liver"])


def test_a_word_of_other_letters_is_nearly_a_name() -> None:
    assert near_a_name("salamar") and near_a_name("tapleton")
    assert not near_a_name("omentum") and not near_a_name("amima")
