"""The lexicon agrees with the vocabularies and with itself."""

from __future__ import annotations

import pytest

from surgqa.ontology.concepts import core_vocabulary, load_data, vocabulary
from surgqa.transforms.evidence.speech.lexicon import KINDS, OFFICIAL, cues, hint, lexicon
from surgqa.transforms.evidence.speech.tokens import lemma, phrase, tokens
from tests.each import cases

SPEECH = load_data("vocab", "speech")


@cases("kind", sorted(KINDS))
def test_terms_are_concepts_of_the_vocabulary(kind: str) -> None:
    known = vocabulary(KINDS[kind])
    assert set(SPEECH["terms"][kind]) <= set(known)
    assert set(SPEECH["unsaid"].get(kind, ())) <= set(known)


@cases("kind", sorted(KINDS))
def test_every_concept_is_found_by_its_display_name(kind: str) -> None:
    book = lexicon()
    for concept, term in core_vocabulary(KINDS[kind]).items():
        if concept in SPEECH["unsaid"].get(kind, ()):
            continue
        senses = book.words[book.lemmas(phrase(term.display))]
        assert any((s.kind, s.concept, s.tier) == (kind, concept, OFFICIAL) for s in senses)


def test_core_terms_have_chinese_names() -> None:
    found = {sense.concept for senses in lexicon().signs.values() for sense in senses}
    for kind, name in KINDS.items():
        said = set(core_vocabulary(name)) - set(SPEECH["unsaid"].get(kind, ()))
        assert said <= found, said - found


def test_landmarks_are_no_concepts_of_a_core_vocabulary() -> None:
    taken = {concept for name in KINDS.values() for concept in core_vocabulary(name)}
    clash = set(SPEECH["landmarks"]) & taken
    assert clash == {"clip"}  # the verb and the thing


def test_cues_point_to_what_there_is() -> None:
    tissues = set(core_vocabulary("targets")) | set(SPEECH["landmarks"])
    for rule in load_data("vocab", "speech_cues")["phase_cues"]:
        assert rule["phase"] in core_vocabulary("phases")
        assert set(rule["verb"]) <= set(core_vocabulary("verbs"))
        assert set(rule.get("tissue", ())) <= tissues
    assert all(all(words) for words in (*cues(True, "intent"), *cues(False, "negation")))


def test_everyday_words_are_no_terms() -> None:
    book = lexicon()
    assert not [word for word in SPEECH["everyday"] if (word,) in book.words]


@cases(
    ("word", "wanted"),
    [
        ("clipping", "clip"), ("clips", "clip"), ("clipped", "clip"), ("dividing", "divide"),
        ("divided", "divide"), ("arteries", "artery"), ("calot's", "calot"), ("masses", "mass"),
        ("bus", "bus"), ("clip", "clip"), ("surgeons'", "surgeon"),
    ],
)  # fmt: skip
def test_lemmas(word: str, wanted: str) -> None:
    known = {"clip", "divide", "artery", "calot", "mass", "surgeon"}
    assert lemma(word, known) == wanted


def test_tokens_share_their_words_time() -> None:
    words = [
        {"text": "clip-applier,", "start_us": 0, "end_us": 1000},
        {"text": "胆囊管。", "start_us": 1000, "end_us": 4000},
    ]
    said = tokens(words)
    assert [t.text for t in said] == ["clip", "applier", "胆", "囊", "管"]
    assert [t.start_us for t in said] == [0, 500, 1000, 2000, 3000]
    assert [t.breaks for t in said] == [False, True, False, False, True]


@pytest.mark.parametrize(
    ("language", "there", "absent"),
    [
        (
            "en",
            {"grasper", "liver"},
            {"grasping forceps", "cut", "calot triangle dissection", "抓钳"},
        ),
        ("zh", {"抓钳", "肝"}, {"grasper", "夹闭"}),
    ],
)
def test_a_model_expects_official_names_of_things(
    language: str, there: set[str], absent: set[str]
) -> None:
    found = set(hint(language).split(", "))
    assert there <= found and not absent & found
