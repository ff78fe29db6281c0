"""Drawing: even among values, by shares, and by nothing but a unit's own content."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from surgqa.transforms.language.load import load_programs
from surgqa.transforms.questions import ask
from surgqa.transforms.questions.draw import SPARE, is_ranked_early, leading, ranked
from surgqa.transforms.questions.fill import Filled, among
from surgqa.transforms.questions.units import rows_of_windows
from tests.transforms.questions.made import asker, program, relation, windows
from tests.transforms.questions.test_shipped import EVERY
from tests.transforms.questions.test_shipped import asker as shipped_asker
from tests.transforms.timeline.videos import RETRACT, Seen, box_at

LEFT = box_at(0.3, 0.5)
MANY = 240

EVEN = """
unit: clip
let:
  kind: {each: instrument.label}
  moment: {each: instant}
  there: {exists: instrument, label: kind, at: moment}
draw: {even: [kind]}
answer: there
"""
ASK = "Is {{ kind | any }} in view at {{ moment | clock }}?"


@pytest.fixture(scope="module")
def known():
    """Many short clips: the hook is there all the time, the grasper in one second of five."""
    seconds = {}
    for t in range(MANY * 5):
        seconds[t] = [Seen("hook", LEFT, RETRACT)]
        if t % 5 == 2:
            seconds[t].append(Seen("grasper", box_at(0.7, 0.5), RETRACT))
    return relation(seconds)


def clips_of(n: int) -> list[tuple[int, int, int]]:
    return [(0, 5 * k, 5 * k + 5) for k in range(n)]


def test_values_are_equally_likely_however_often_they_can_be_asked(known):
    items = asker(known, *clips_of(MANY)).ask(program("even", EVEN, ASK)).items
    kinds = Counter(item.slots["kind"] for item in items)
    assert sum(kinds.values()) == MANY
    assert 0.4 * MANY < kinds["hook"] < 0.6 * MANY


def test_a_wanted_side_is_drawn_where_both_are_there(known):
    text = EVEN.replace("even: [kind]", "even: [answer]")
    got = asker(known, *clips_of(MANY)).ask(program("side", text, ASK))
    sides = Counter(item.answer_value["there"] for item in got.items)
    assert 0.4 * MANY < sides[True] < 0.6 * MANY
    assert sides[True] + sides[False] == MANY


@pytest.mark.parametrize("draw", ["even: [answer]", "shares: {there: {yes: 0.25, no: 0.75}}"])
def test_a_unit_without_the_wanted_side_is_asked_about_the_other(known, draw):
    text = EVEN.replace("{each: instrument.label}", "{each: [hook]}").replace("even: [kind]", draw)
    got = asker(known, *clips_of(MANY)).ask(program("one_side", text, ASK))
    assert all(item.answer_value["there"] for item in got.items)
    assert len(got.items) == MANY
    assert got.declined == []


def test_shares_are_kept(known):
    text = EVEN.replace("even: [kind]", "shares: {there: {yes: 0.75, no: 0.25}}")
    items = asker(known, *clips_of(MANY)).ask(program("shares", text, ASK)).items
    yes = sum(item.answer_value["there"] for item in items)
    assert 0.65 * MANY < yes < 0.85 * MANY


def test_what_is_preferred_is_drawn_where_it_can_be(known):
    text = EVEN.replace("draw: {even: [kind]}", "draw: {prefer: [there]}")
    items = asker(known, *clips_of(20)).ask(program("prefer", text, ASK)).items
    assert all(item.answer_value["there"] for item in items)


def test_an_item_does_not_depend_on_other_clips_or_their_order(known):
    some = program("alone", EVEN, ASK)
    all_of = {i.item_id: i for i in asker(known, *clips_of(30)).ask(some).items}
    for bounds in (clips_of(30)[::-1], clips_of(30)[7:9]):
        for item in asker(known, *bounds).ask(some).items:
            assert all_of[item.item_id].question == item.question


def test_another_seed_draws_another_filling(known):
    some = program("seed", EVEN, ASK)
    a, b = (asker(known, *clips_of(40), seed=seed).ask(some).items for seed in ("0", "1"))
    assert [i.question for i in a] != [i.question for i in b]


def test_a_name_of_a_template_may_be_unit(known):
    named = EVEN.replace("there", "unit")
    ask = asker(known, *clips_of(20)).ask
    items, same = (ask(program("even", body, ASK)).items for body in (EVEN, named))
    assert items and [one.answer for one in same] == [one.answer for one in items]


def test_an_instance_that_can_be_told_is_found_among_many_that_cannot():
    crowd = [Seen("grasper", box_at(0.5, 0.4 + 0.01 * k), RETRACT, k) for k in range(20)]
    known = relation({t: [*crowd, Seen("hook", LEFT, RETRACT)] for t in range(5)})
    body = """
unit: clip
let:
  tool: {each: instrument}
  moment: {each: instant}
  box: {box: tool, at: moment}
answer: box
"""
    one = program("named", body, "Where is {{ tool | the }} at {{ moment | clock }}?")
    for seed in "0123456789":
        (item,) = asker(known, (0, 0, 5), seed=seed).ask(one).items
        assert "hook" in item.question


@pytest.mark.parametrize("name", ["cholect50", "multibypass140",
                                  pytest.param("unified", marks=pytest.mark.nightly)])  # fmt: skip
def test_the_first_fillings_alone_give_what_all_of_them_give(name, tmp_path, monkeypatch):
    """By day of every ninth template as :mod:`test_shipped` asks them, with SURGQA_LONG of all."""
    programs = [one for one in load_programs() if is_ranked_early(one)][::EVERY]
    known = shipped_asker(name, tmp_path)
    first = [known.ask(one) for one in programs]
    monkeypatch.setattr(ask, "is_ranked_early", lambda _: False)
    assert first == [known.ask(one) for one in programs]
    assert len(programs) * EVERY > 40 and sum(len(one.items) for one in first) * EVERY > 10


PAIRS = """
unit: clip
let:
  kind: {each: instrument.label}
  a, b: {each: instant}
draw: {prefer: []}
answer: {exists: instrument, label: kind, at: a}
"""


@pytest.mark.parametrize("even", ["", "draw: {even: [kind]}"])
@pytest.mark.parametrize("count", [1, 3, 16, 10_000])
def test_the_first_of_each_unit_are_those_of_the_whole_order(known, count, even):
    """Units with thousands of fillings and with few, by keys alone and by what comes before."""
    text = PAIRS.replace("draw: {prefer: []}", even)
    one = program(
        "pairs", text, "Is {{ kind | any }} in view at {{ a | clock }}, before {{ b | clock }}?"
    )
    bounds = [(0, 0, 60), (0, 60, 62), (0, 100, 240), (0, 240, 241)]
    found = _filled(known, one, bounds)
    assert np.bincount(found.unit).max() > 16 * SPARE
    order = ranked(one, "s", found)
    wanted = np.sort(order[among(found.unit[order]) < count])
    every = np.ones(len(bounds), bool)
    assert np.array_equal(leading(one, "s", found, count, every), wanted)


def _filled(known, one, bounds) -> Filled:
    """Every filling of some clips, before anything is tested."""
    units = windows(*bounds)
    found = Filled(one, rows_of_windows(known, units), units)
    for step in one.let:
        found.steps([step])
    return found
