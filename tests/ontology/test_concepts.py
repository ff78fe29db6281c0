"""Vocabularies: maps lead into them, names are unique, and the grammar is right."""

from pathlib import Path

import pytest

from surgqa.ontology.concepts import (
    KINDS,
    LABEL_KINDS,
    Term,
    label_map,
    load_data,
    scale,
    vocabulary,
)
from surgqa.ontology.errors import UserError
from surgqa.ontology.files import listed
from tests.each import cases

FOLDER = Path(__file__).parents[2] / "ontology"
MAPS = [f.stem for f in listed(FOLDER / "maps") if not f.stem.endswith("_triplets")]
TRIPLETS = [f.stem for f in listed(FOLDER / "maps") if f.stem.endswith("_triplets")]


@cases("dataset", MAPS)
def test_every_source_label_leads_to_a_concept_or_is_dropped_with_a_reason(dataset):
    known = {concept for kind in LABEL_KINDS for concept in vocabulary(kind)}
    for kind, labels in label_map(dataset).items():
        assert f"{kind}s" in LABEL_KINDS, kind
        for label, concept in labels.items():
            if isinstance(concept, dict):
                assert list(concept) == ["drop"], label
                assert concept["drop"].strip(), label
            else:
                assert concept in vocabulary(f"{kind}s"), label
                assert concept in known


@pytest.mark.parametrize("name", TRIPLETS)
def test_every_triplet_is_spelled_as_its_datasets_map_spells_it(name):
    labels = label_map(name.removesuffix("_triplets"))
    triplets = load_data("maps", name)
    assert sorted(triplets) == list(range(len(triplets)))
    for number, spelled in triplets.items():
        for kind, label in zip(("instrument", "verb", "target"), spelled, strict=True):
            assert label in labels[kind], number
    assert len({tuple(spelled) for spelled in triplets.values()}) == len(triplets)


def names(term: Term) -> set[str]:
    """Every spelling by which a person could mean the term."""
    spelled = (term.display, *term.synonyms, term.third, term.gerund)
    return {name.lower() for name in spelled if name}


@cases("kind", KINDS)
def test_no_name_means_two_concepts(kind):
    owner: dict[str, str] = {}
    for concept, term in vocabulary(kind).items():
        for name in sorted(names(term)):
            assert owner.setdefault(name, concept) == concept, name


def test_no_concept_id_is_in_two_vocabularies():
    """Wordings look a label up by its id alone."""
    ids = [concept for kind in KINDS for concept in vocabulary(kind)]
    assert len(ids) == len(set(ids))


@cases("kind", KINDS)
def test_ids_are_identifiers_and_names_are_not_empty(kind):
    for concept, term in vocabulary(kind).items():
        assert concept.isidentifier()
        assert concept == concept.lower() == term.id
        assert term.display.strip() == term.display != ""
        if kind == "verbs":
            assert term.third
            assert term.gerund.endswith("ing")


def test_a_phrase_is_the_name_with_an_article_or_without():
    for concept, term in {**vocabulary("instruments"), **vocabulary("targets")}.items():
        articles = ("", "the ", "a ", "an ")
        assert term.phrase in {f"{article}{term.display}" for article in articles}, concept


@pytest.mark.parametrize(
    ("concept", "expected"),
    [
        pytest.param("grasper", "a grasper", id="consonant"),
        pytest.param("irrigator", "a suction irrigator", id="by-the-name-shown-not-the-id"),
        pytest.param("scissors", "scissors", id="plural"),
        pytest.param("bipolar", "bipolar forceps", id="plural-of-two-words"),
    ],
)
def test_indefinite_article(concept, expected):
    assert vocabulary("instruments")[concept].article_phrase == expected


def test_indefinite_article_before_a_vowel():
    assert Term("x", "Endobag", "the Endobag").article_phrase == "an Endobag"
    assert vocabulary("targets")["adhesion"].article_phrase == "an adhesion"


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        pytest.param("speed", 0.0, "stationary", id="zero"),
        pytest.param("speed", 0.0199, "stationary", id="below-slow"),
        pytest.param("speed", 0.02, "slow", id="slow-from-its-bound"),
        pytest.param("speed", 0.083, "moderate", id="published-example"),
        pytest.param("speed", 0.15, "fast", id="fast-from-its-bound"),
        pytest.param("speed", 9.0, "fast", id="no-upper-end"),
        pytest.param("path", 0.0499, "negligible", id="negligible"),
        pytest.param("path", 0.33, "short", id="published-path"),
        pytest.param("path", 0.5, "medium", id="medium-from-its-bound"),
        pytest.param("path", 1.0, "long", id="long-from-its-bound"),
    ],
)
def test_words_hold_from_their_bound_to_the_next(name, value, word):
    assert scale(name).word(value) == word


def test_bounds_ascend_from_zero():
    for name in ("speed", "path"):
        bounds = scale(name).bounds
        assert bounds[0] == 0.0
        assert list(bounds) == sorted(set(bounds))


def test_an_unknown_vocabulary_lists_the_known_ones():
    with pytest.raises(UserError) as raised:
        vocabulary("planets")
    assert "instruments" in raised.value.expected
    assert raised.value.found == "planets"
