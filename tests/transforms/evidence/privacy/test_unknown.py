"""The option that masks unknown words, beside the rules and a model."""

import pyarrow as pa

from surgqa.ontology.observed import UTTERANCES
from surgqa.transforms.evidence.privacy import (
    MaskedSpan,
    SaidSettings,
    mask_text,
    mask_utterances,
    tagger_of,
)
from surgqa.transforms.evidence.privacy.unknown import UnknownWords
from tests.each import cases


def masked(text: str, finder: UnknownWords) -> str:
    """The text as ``surgqa observe`` masks it with this option."""
    return mask_text(text, more=finder.spans(text))[0]


@cases(
    ("said", "left"),
    [
        ("we all think of kadazzi sometimes", "we all think of [NAME] sometimes"),
        ("the zomblatt clip is here", "the [NAME] clip is here"),
        ("grasp the infundibulum with the Maryland", None),
        ("the cholecystectomys were electively scheduled", None),
        ("the galbladder is out", None),
        ("a pux of smoke", None),
    ],
)
def test_a_word_that_nobody_knows_is_masked_and_a_misheard_term_stays(said, left):
    assert mask_text(said)[0] == said
    assert masked(said, UnknownWords()) == (left or said)


def test_what_the_rules_mask_keeps_its_kind():
    said = "Her number is 4 7 1 1 and Dr. Kadazzi operates with zomblatt"
    rules = mask_text(said)[0]
    assert "[ID]" in rules and "Dr. [NAME]" in rules and "zomblatt" in rules
    assert masked(said, UnknownWords()) == rules.replace("zomblatt", "[NAME]")


def test_masking_twice_changes_nothing_and_words_are_masked_like_the_text():
    said = "the zomblatt clip"
    row = {"utterance_id": "u", "start_us": 0, "end_us": 9, "text": said, "raw_text": said,
           "language": "en", "confidence": 1.0, "no_speech": 0.0, "flags": [],
           "words": [{"start_us": 0, "end_us": 9, "text": word, "probability": 1.0}
                     for word in said.split()]}  # fmt: skip
    once = mask_utterances(pa.Table.from_pylist([row], schema=UTTERANCES), UnknownWords())
    (got,) = once.to_pylist()
    assert got["text"] == got["raw_text"] == "the [NAME] clip"
    assert [word["text"] for word in got["words"]] == ["the", "[NAME]", "clip"]
    assert mask_utterances(once, UnknownWords()).equals(once)


def test_the_settings_turn_it_on_and_a_model_is_asked_as_well():
    class Model:
        identity = {"files": {}}

        def spans(self, text, language=None):
            return [MaskedSpan(text.index("hook"), text.index("hook") + 4, "NAME")]

    assert tagger_of(SaidSettings()) is None
    found = tagger_of(SaidSettings(unknown_words=True))
    assert isinstance(found, UnknownWords) and found.identity["model"] is None
    both = UnknownWords(Model())
    assert both.identity != found.identity
    assert masked("the hook and the zomblatt clip", both) == "the [NAME] and the [NAME] clip"
