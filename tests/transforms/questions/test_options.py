"""Wrong options: all different, on both sides, spread over the letters, stable."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.concepts import vocabulary
from ontology.keys import Key
from tests.transforms.questions.tables import SEEDS, evaluator, plain
from tests.transforms.timeline.videos import made_up, windows_over
from transforms.language import load_templates
from transforms.questions import ask
from transforms.questions.answers import Truth
from transforms.questions.options import LETTERS, Choice, lettered, numbers, yes_no

DEFAULTS = {"wrong": 3, "beyond": 2}


def made(answer: int, key: object = "k", **arguments):
    truth = Truth({}, {"number": answer}, ())
    return numbers(None, truth, {**DEFAULTS, **arguments}, Key(key))


@given(answer=st.integers(0, 12), wrong=st.integers(1, 6), beyond=st.integers(0, 4), key=st.text())
def test_numbers_are_different_near_and_hold_the_answer_once(answer, wrong, beyond, key):
    options = made(answer, key, wrong=wrong, beyond=beyond)
    values = [int(option.text) for option in options]
    assert len(set(values)) == len(values) == wrong + 1
    assert min(values) >= 0
    assert [int(o.text) for o in options if o.is_answer] == [answer]
    assert [o.key for o in options] == list(LETTERS[: wrong + 1])
    assert all((o.kind == "answer") == o.is_answer for o in options)


@given(answer=st.integers(0, 12), wrong=st.integers(2, 6), beyond=st.integers(1, 4), key=st.text())
def test_numbers_lie_on_both_sides_where_that_is_possible(answer, wrong, beyond, key):
    values = [int(o.text) for o in made(answer, key, wrong=wrong, beyond=beyond)]
    assert max(values) > answer
    assert min(values) < answer or answer == 0


@given(answer=st.integers(0, 12), key=st.text())
def test_no_nearer_number_is_left_out(answer, key):
    """Three wrong ones of 0 … answer + 2: whoever is left out is no nearer than who is in."""
    values = {int(o.text) for o in made(answer, key)}
    possible = set(range(max(answer + 2, 3) + 1))
    farthest = max(abs(v - answer) for v in values)
    assert all(abs(v - answer) >= farthest for v in possible - values if v <= answer + 2)


def test_ties_between_numbers_are_broken_by_the_key():
    thirds = Counter(({int(o.text) for o in made(5, n)} - {4, 5, 6}).pop() for n in range(400))
    assert set(thirds) == {3, 7}
    assert abs(thirds[3] - 200) < 60


def test_a_single_wrong_number_is_on_either_side():
    """Else the smaller (or larger) of two numbers would always be right."""
    above = sum(max(int(o.text) for o in made(5, n, wrong=1)) == 6 for n in range(400))
    assert abs(above - 200) < 60


def test_the_answers_letter_is_spread_evenly():
    letters = Counter(next(o.key for o in made(2, n) if o.is_answer) for n in range(2000))
    assert set(letters) == set("ABCD")
    assert all(abs(count - 500) < 90 for count in letters.values())


texts = st.lists(st.text(min_size=1, max_size=4), min_size=2, max_size=6, unique=True)


@given(texts, st.data())
def test_taking_a_wrong_option_away_does_not_reorder_the_others(found, data):
    answer, *wrong = (Choice(text, "x") for text in found)
    gone = data.draw(st.sampled_from(wrong))
    order = [o.text for o in lettered(answer, wrong, Key("k"))]
    rest = [o.text for o in lettered(answer, [w for w in wrong if w is not gone], Key("k"))]
    assert rest == [text for text in order if text != gone.text]


@given(texts)
def test_the_order_in_which_options_were_found_does_not_matter(found):
    answer, *wrong = (Choice(text, "x") for text in found)
    assert lettered(answer, wrong, Key("k")) == lettered(answer, wrong[::-1], Key("k"))


@pytest.mark.parametrize(
    ("value", "letter"),
    [
        pytest.param({"yes": True}, "A", id="yes"),
        pytest.param({"yes": False}, "B", id="no"),
        pytest.param({"same": True, "targets": []}, "A", id="same"),
        pytest.param({"same": False, "targets": []}, "B", id="not-the-same"),
    ],
)
def test_yes_and_no_stay_in_their_order(value, letter):
    options = yes_no(None, Truth({}, value, ()), {}, Key("k"))
    assert [(o.key, o.text) for o in options] == [("A", "Yes"), ("B", "No")]
    assert [o.key for o in options if o.is_answer] == [letter]
    assert [o.kind for o in options if not o.is_answer] == ["opposite"]


# -- sets of classes ------------------------------------------------------------------------------

CLASSES = [t for t in load_templates() if t.id == "surgstu.classes"]
NAMES = {term.display: label for label, term in vocabulary("instruments").items()}


def as_set(text: str) -> frozenset[str]:
    return frozenset() if text == "none" else frozenset(NAMES[name] for name in text.split(", "))


def set_items():
    for seed in SEEDS:
        windows = windows_over(made_up(seed))
        for item in ask(evaluator(seed).facts.view, CLASSES, "42").items:
            yield item, plain(seed)[windows.index(item.window)]


def test_sets_are_four_different_ones_and_the_right_one_is_the_answer():
    items = list(set_items())
    assert len(items) > 50
    for item, _ in items:
        sets = [as_set(option.text) for option in item.options]
        assert len(set(sets)) == 4
        (right,) = (option for option in item.options if option.is_answer)
        assert as_set(right.text) == frozenset(item.answer_value["labels"])
        assert item.answer == f"{right.key}) {right.text}"


def test_each_wrong_set_is_what_its_reason_says():
    reasons = Counter()
    for item, p in set_items():
        answer = frozenset(item.answer_value["labels"])
        seen = {frozenset(s.label for s in p.in_view(t).values()) for t in p.instants}
        for option in item.options:
            found = as_set(option.text)
            reasons[option.kind] += 1
            if option.kind == "other_instant":
                assert found in seen
            elif option.kind == "one_added":
                assert answer < found
                assert len(found - answer) == 1
            elif option.kind == "one_dropped":
                assert found < answer
                assert len(answer - found) == 1
            elif option.kind == "one_swapped":
                assert len(found - answer) == len(answer - found) == 1
            else:
                assert option.is_answer
    assert {"other_instant", "one_swapped", "answer"} <= set(reasons)


def test_sets_of_other_instants_come_before_edited_ones():
    for item, p in set_items():
        answer = frozenset(item.answer_value["labels"])
        seen = {frozenset(s.label for s in p.in_view(t).values()) for t in p.instants}
        edited = [o for o in item.options if o.kind.startswith("one_")]
        if edited:
            assert seen - {answer} <= {as_set(o.text) for o in item.options}
