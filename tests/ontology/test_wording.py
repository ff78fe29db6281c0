"""Names of concepts can be put into sentences: articles, number, buckets of ratings."""

import re
from pathlib import Path

import pytest

from surgqa.ontology.concepts import LABEL_KINDS, Term, label_map, raw_terms, vocabulary
from surgqa.ontology.files import listed
from surgqa.ontology.ratings import rating
from tests.each import cases, each

MAPS = [f.stem for f in listed(Path(__file__).parents[2] / "ontology" / "maps")
        if not f.stem.endswith("_triplets")]  # fmt: skip
SEEN = ("findings", "landmarks", "structures", "conditions", "instruments", "targets")
TERMS = [(kind, term) for kind in SEEN for term in vocabulary(kind).values()]
NOT_COUNTED = re.compile(
    r".*itis|(?:blood|bleeding|haematin|smoke|mucosa|light|imaging|chromoendoscopy|stool|cancer"
    r"|erythema|inflammation|disease|tape|foam|glue|fluid|gauze|lymphangiectasia)"
)
"""Head nouns of what is not counted."""
PLURAL_WITHOUT_S = {"diverticula"}
SINGULAR_WITH_S = re.compile(r".*(?:ss|us|is|lens)")


def sentence(term: Term) -> str:
    return f"{'Are' if term.plural else 'Is'} {term.article_phrase} in view?"


def head(term: Term) -> str:
    """The noun that the verb agrees with: the last word before a preposition."""
    words = re.split(r" (?:of|from|in|around|or|entering)\b| \(", term.display)[0]
    return words.split()[-1]


def test_is_or_are_it_in_view():
    each(TERMS, _agrees)


def _agrees(_kind: str, term: Term) -> None:
    text, noun = sentence(term), head(term)
    ends_in_s = noun.endswith("s") and not SINGULAR_WITH_S.fullmatch(noun)
    assert term.plural == (ends_in_s or noun in PLURAL_WITHOUT_S), text
    assert not (term.plural and term.mass), text
    counted = re.match(r"(?:Is|Are) an? ", text)
    assert not (counted and (term.plural or NOT_COUNTED.fullmatch(noun))), text
    assert not re.search(r"\b(?:an?|the) (?:an?|the|another|no)\b", text), text
    if counted:
        said = text.split()[2]
        vowel = said[0].lower() in "aeiou" and not re.match(r"u[rst][aeiu]|eu|uni[^nd]", said)
        assert text.startswith("Is an ") == vowel, text


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        pytest.param(Term("x", "ureter", "the ureter"), "a ureter", id="yoo"),
        pytest.param(Term("x", "uterine scar", "the scar"), "a uterine scar", id="yoo-ut"),
        pytest.param(Term("x", "unit", "the unit"), "a unit", id="yoo-uni"),
        pytest.param(Term("x", "unidentified tool", "the tool"), "an unidentified tool", id="un"),
        pytest.param(Term("x", "ulcer", "the ulcer"), "an ulcer", id="ul"),
        pytest.param(Term("x", "smoke", "smoke", mass=True), "smoke", id="mass"),
        pytest.param(Term("x", "iris", "the iris", unique=True), "the iris", id="unique"),
        pytest.param(Term("x", "worms", "the worms", plural=True), "worms", id="plural"),
    ],
)
def test_how_a_thing_is_first_named(term, expected):
    assert term.article_phrase == expected


def test_mass_nouns_have_no_article_at_all_unless_their_entry_says_so():
    assert vocabulary("findings")["fresh_blood"].phrase == "fresh blood"
    assert vocabulary("conditions")["surgical_smoke"].phrase == "surgical smoke"
    assert vocabulary("instruments")["tissue_glue"].phrase == "the tissue glue"


def test_a_landmark_is_the_landmark():
    for term in vocabulary("landmarks").values():
        assert term.article_phrase == term.phrase == f"the {term.display}"


@cases("kind", ["actions", "gestures", "motions"])
def test_what_somebody_does_has_no_article(kind):
    for term in vocabulary(kind).values():
        assert term.article_phrase == term.phrase == term.display


@pytest.mark.parametrize("kind", ["counts"])
def test_what_is_counted_is_plural(kind):
    """For "How many … are there?"."""
    assert all(term.plural for term in vocabulary(kind).values())


@cases("kind", LABEL_KINDS)
def test_entries_say_nothing_unknown_and_names_are_plain_text(kind):
    known = {"display", "phrase", "number", "mass", "unique", "synonyms", "base", "third", "gerund"}
    more = {
        "ratings": {"range", "buckets", "question_grouping"},
        "conditions": {"clause", "asks"},
        "events": {"clause", "asks"},
        "next_actions": {"verbs", "rank"},
    }
    own = more.get(kind, set())
    for key, entry in raw_terms(kind).items():
        assert set(entry) <= known | own, key
        assert entry.get("number", "plural") == "plural", key
        assert not {type(entry.get(flag, True)) for flag in ("mass", "unique")} - {bool}, key
        term = vocabulary(kind)[key]
        assert len(set(term.synonyms)) == len(term.synonyms), key
        assert "_" not in term.display, key
        assert not term.display.endswith((".", "?")), key


@pytest.mark.parametrize("kind", ["conditions", "events"])
def test_what_is_so_or_not_has_its_own_clause(kind):
    """'The mucosa looks normal', not 'normal mucosa is in view'."""
    for key, term in vocabulary(kind).items():
        assert term.clause and term.asks, key
        verb = term.asks.split()[0]
        assert verb in ("is", "are", "does", "do", "can", "has"), term.asks
        assert verb in ("does", "do") or verb in term.clause.split(), term.clause


RATINGS = sorted({
    concept for name in MAPS for concept in label_map(name).get("rating", {}).values()
    if isinstance(concept, str)
})  # fmt: skip


@cases("concept", RATINGS)
def test_every_rating_of_a_dataset_has_words_that_questions_use(concept):
    scale = rating(concept)
    words = scale.buckets[scale.asked]
    assert words.bounds[0] == scale.low
    assert list(words.bounds) == sorted(set(words.bounds))
    assert words.bounds[-1] <= scale.high
    assert 2 <= len(words.words) == len(set(words.words))
    assert words.word(scale.low) == words.words[0]
    assert words.word(scale.high) == words.words[-1]


def test_cut_offs_of_the_osats_sum_and_of_an_item():
    whole = rating("osats_global_rating")
    told = [whole.buckets[whole.asked].word(v) for v in (9.67, 15.99, 16, 23.9, 24, 40)]
    assert told == ["low", "low", "medium", "medium", "high", "high"]
    item = rating("osats_flow").buckets["thirds"]
    assert [item.word(v) for v in (2.67, 3, 3.67, 4)] == ["low", "medium", "medium", "high"]
    assert rating("cvs_achieved").asked == "binary"
