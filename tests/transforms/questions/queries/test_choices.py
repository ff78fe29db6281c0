"""Wrong options: certainly wrong, from the dataset's own labels, drawn by digest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.concepts import vocabulary
from transforms.questions.queries.choices import (
    labels_of,
    listed,
    mapped_labels,
    near_numbers,
    other_labels,
    other_sets,
)
from transforms.questions.queries.found import Named

from .scenes import query, scene, search


def of(dataset="cholec80"):
    return search(scene(dataset=dataset), query("state_now.phase"))


PHASES = mapped_labels("cholec80", "phase")


def test_labels_come_from_the_datasets_map_in_its_order():
    assert PHASES[:2] == ("preparation", "calot_triangle_dissection")
    assert labels_of(of(), "phase", "preparation") == PHASES
    assert "no_such" not in mapped_labels("avos", "action")
    assert all(isinstance(label, str) for label in mapped_labels("avos", "action"))


def test_data_without_a_map_take_the_labels_beside():
    assert mapped_labels("my_own", "phase") == ()
    beside = labels_of(of("my_own"), "phase", "preparation")
    assert "preparation" in beside
    assert len(beside) > 3


@given(st.sampled_from(PHASES), st.sets(st.sampled_from(PHASES)), st.integers(1, 9),
       st.integers(0, 99))  # fmt: skip
def test_wrong_labels_do_not_hold(right, true, most, time):
    named = Named("phase", right)
    wrong = [c.text for c in other_labels(of(), named, true, most, time)]
    held = {vocabulary("phases")[label].display for label in {right, *true}}
    assert not held & set(wrong)
    assert len(wrong) == len(set(wrong)) == min(most, len(PHASES) - len({right, *true}))
    assert wrong == [c.text for c in other_labels(of(), named, true, most, time)]


@given(st.integers(0, 200), st.integers(1, 7))
def test_numbers_next_to_the_answer(number, wrong):
    texts = [int(choice.text) for choice in near_numbers(number, wrong)]
    assert len(set(texts)) == len(texts) == wrong
    assert number not in texts
    assert min(texts) >= 0
    assert sorted(texts, key=lambda n: abs(n - number)) == texts


TOOLS = ("bipolar", "clipper", "grasper", "hook", "scissors")
SETS = st.frozensets(st.sampled_from(TOOLS), min_size=1)


@given(SETS, st.lists(SETS | st.just(frozenset()), max_size=5))
def test_wrong_sets_differ_from_the_answer(answer, earlier):
    wrong = other_sets(of(), "instrument", answer, earlier, TOOLS, 7)
    texts = [choice.text for choice in wrong]
    assert len(set(texts)) == len(texts) == 3
    assert listed("instrument", answer) not in texts
    assert "" not in texts
    others = {listed("instrument", one) for one in earlier if one and one != answer}
    first = [c.text for c in wrong if c.why == "other_instant"]
    assert set(first) <= others
    assert len(first) == min(3, len(others)), "those of other instants come first"


@pytest.mark.parametrize("labels", [{"hook"}, {"hook", "grasper"}])
def test_sets_are_listed_by_name(labels):
    assert listed("instrument", labels) == ", ".join(sorted(labels))
