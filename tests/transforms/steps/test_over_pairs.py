"""Only pairs stay: both items, or whole chains; and what rules answer too often goes."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.transforms.steps.blind import left_out, over_blind
from surgqa.transforms.steps.partners import over_pairs
from surgqa.transforms.steps.write import Parts
from tests.transforms.blind.test_report import row_of
from tests.transforms.blind.worlds import labels, second_smallest, world
from tests.transforms.steps.laid_out import laid_out


@pytest.fixture
def parts(tmp_path):
    def make(*videos: list[dict]) -> Parts:
        return laid_out(tmp_path, {f"p{k}": rows for k, rows in enumerate(videos)})

    return make


def item(name: str, pair: str | None, chain: str | None = None) -> dict:
    return {"item_id": name, "template_id": "t", "chain_id": chain, "pair": pair}


def test_only_pairs_stay(parts):
    made = parts([item("a", "p"), item("b", "p"), item("c", "q"), item("d", "q"), item("e", None)],
                 [item("f", "r"), item("g", None)])  # fmt: skip
    entries = over_pairs(made, frozenset({"c"}))
    assert [one["key"] for one in entries] == ["d", "e", "f", "g"]
    assert {(one["code"], one["where"], one["dataset"]) for one in entries} == {
        ("no_pair", "t", "set")}  # fmt: skip


def test_a_chain_stays_or_goes_as_a_whole(parts):
    made = parts([item("a", "p", "x"), item("b", None, "x"), item("c", "p", "y"),
                  item("d", None, "y"), item("e", None, "z"), item("f", None, "z")])  # fmt: skip
    assert [one["key"] for one in over_pairs(made)] == ["e", "f"]


@given(st.lists(st.sets(st.sampled_from("rst")), max_size=60), st.sampled_from([0.25, 0.5]))
def test_every_rule_gets_no_more_than_chance(drawn, chance):
    marks = {f"{k:03}": tuple(sorted(one)) for k, one in enumerate(drawn) if one}
    gone = dict(left_out(list("rst"), marks, len(drawn), chance))
    assert set(gone) <= set(marks)
    left = len(drawn) - len(gone)
    first = sum("r" in marks[item] for item in marks if item not in gone)
    assert first <= chance * left + 1
    hit = sum("r" in names for names in marks.values())
    too_many = max(0, ceil((hit - chance * len(drawn)) / (1 - chance) - 1e-9))
    assert sum(rule == "r" for rule in gone.values()) == too_many


def test_nothing_goes_where_rules_are_no_better_than_chance():
    marks = {str(k): ("r",) for k in range(5)}
    assert left_out(["r"], marks, 20, 0.25) == []
    assert left_out(["r"], marks, 10, 0.5) == []


def test_what_a_shortcut_answers_goes_until_it_gets_chance(parts):
    short = [row_of(ask, "easy") for ask in world(second_smallest)]
    fair = [row_of(ask, "fair") for ask in world(labels)]
    rows = [one | {"item_id": f"{one['template_id'][0]}{one['item_id'][1:]}"}
            for one in short + fair]  # fmt: skip
    entries = over_blind(parts(rows[::2], rows[1::2]))
    gone = {one["key"] for one in entries}
    assert {one["code"] for one in entries} == {"not_blind"}
    assert {one["where"] for one in entries} == {"easy"}
    assert len(gone) == len(entries) > len(short) / 2
    assert not over_blind(parts(fair))
