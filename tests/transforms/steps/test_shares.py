"""Shares that templates promise: which they are, and what is left out for them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import orjson
import pytest

from surgqa.ontology.keys import digest
from surgqa.transforms.language import load_programs
from surgqa.transforms.steps import shares
from surgqa.transforms.steps.shares import FEW, Promise, over_shares, promise_of
from surgqa.transforms.steps.thin import HALF
from surgqa.transforms.steps.write import Parts
from tests.transforms.questions.made import program
from tests.transforms.steps.laid_out import laid_out

TRUTH, LABEL = {"there": {"type": "truth"}}, {"phase": {"type": "label"}}
THERE = Promise("answer", HALF, ("there",), ("kind",))
SOON = Promise("soon", Fraction(7, 10), ("phase",), ())


def row(template: str, k: int, answer, types, **slots) -> dict:
    return {
        "item_id": digest(template, k), "template_id": template, "question": f"Is it at {k}.00 s?",
        "answer_value": orjson.dumps({next(iter(types)): answer}).decode(),
        "slots": orjson.dumps(slots).decode(),
        "rule_args": orjson.dumps({"answer": types}).decode(),
    }  # fmt: skip


def there(template: str, yes: int, no: int, kind: str = "hook", first: int = 0) -> list[dict]:
    return [row(template, first + k, k < yes, TRUTH, kind=kind) for k in range(yes + no)]


@pytest.fixture
def parts(tmp_path):
    def make(*videos: list[dict]) -> Parts:
        return laid_out(tmp_path, {f"p{k}": rows for k, rows in enumerate(videos)})

    return make


def test_what_the_shipped_templates_promise():
    found = {one.id: promise_of(one) for one in load_programs(None)}
    assert found["surgstu.locate"] is None
    assert found["surgstu.existence_global"] == Promise("answer", HALF, ("there",), ("kind",))
    assert found["medstream.alert.bleeding"].yes == Fraction(3, 4)
    assert found["medstream.state_next.phase"].yes == Fraction(7, 10)
    asked = {one.id for one in load_programs(None) if one.form == "yes_no"}
    assert all(found[name].yes == HALF for name in asked)


def test_labels_that_are_drawn_evenly_are_no_promise():
    text = """
unit: clip
let:
  kind: {each: instrument.label}
  there: {exists: instrument, label: kind}
draw: {even: [kind]}
answer: there
"""
    assert promise_of(program("even", text, "Is {{ kind | any }} in view?")) is None


def test_each_class_has_its_share_over_all_videos(parts):
    made = parts(there("t", 9, 1), there("t", 2, 3, first=10),
                 there("t", 1, 9, kind="clipper", first=20))  # fmt: skip
    entries, (told,) = over_shares(made, {"t": THERE}, False)
    assert told == {"dataset": "set", "template": "t", "of": "answer", "wanted": 0.5,
                    "made": [12, 13], "kept": [5, 5], "answer": None, "few": False,
                    "options": []}  # fmt: skip
    assert [one["key"] for one in entries] == sorted({one["key"] for one in entries})
    assert {one["code"] for one in entries} == {"over_share"}
    clippers = {digest("t", k) for k in range(20, 30)}
    assert len(clippers - {one["key"] for one in entries}) == 2


def test_a_name_of_the_template_may_be_what_is_promised(parts):
    rows = [row("t", k, "a" if k % 2 else "unanswerable", LABEL, soon=bool(k % 2))
            for k in range(40)]  # fmt: skip
    entries, (told,) = over_shares(parts(rows), {"t": SOON}, False)
    assert told["kept"] == [19, 8] and len(entries) == 13


def test_items_that_are_one_anothers_options_go_block_by_block(parts):
    rows = [row("t", k, "a" if k % 2 else "unanswerable", LABEL, soon=bool(k % 2))
            | {"block": digest("pair", k // 2)} for k in range(40)]  # fmt: skip
    rows += [row("t", k, "b", LABEL, soon=True) | {"block": digest("b", k // 2)}
             for k in range(40, 100)]  # fmt: skip
    entries, (told,) = over_shares(parts(rows), {"t": replace(SOON, blocks=True)}, False)
    assert told["made"] == [80, 20] and told["kept"] == [52, 20] and told["blocks"]
    gone = {one["key"] for one in entries}
    assert len(gone) == 28
    assert all((digest("t", k) in gone) == (digest("t", k + 1) in gone) for k in range(0, 100, 2))
    alike = over_shares(parts(rows[:40]), {"t": replace(SOON, blocks=True)}, False)
    assert alike[0] == [] and alike[1][0]["kept"] == [20, 20]


@pytest.mark.parametrize("allowed", [False, True])
def test_a_promise_with_one_side_is_told_and_asks_nothing_unless_allowed(parts, allowed):
    entries, (told,) = over_shares(parts(there("t", 0, FEW)), {"t": THERE}, allowed)
    assert told["answer"] == "no" and told["kept"] == [0, FEW if allowed else 0]
    assert [one["code"] for one in entries] == ["one_answer"] * (0 if allowed else FEW)


@pytest.mark.parametrize("allowed", [False, True])
def test_so_does_any_template_with_one_answer(parts, allowed):
    rows = [row("t", k, "dissection", LABEL) for k in range(FEW)]
    entries, (told,) = over_shares(parts(rows[:4], rows[4:]), {}, allowed)
    assert told["answer"] == '{"phase":"dissection"}' and told["made"] == [FEW]
    assert told["kept"] == [FEW if allowed else 0] and len(entries) == (0 if allowed else FEW)
    assert over_shares(parts(rows, [row("t", 99, "other", LABEL)]), {}, False) == ([], [])


@pytest.mark.parametrize("allowed", [False, True])
def test_a_list_of_options_with_one_answer_is_told_and_asks_nothing_unless_allowed(parts, allowed):
    scales = {"plate": ("low", "high"), "view": ("poor", "good")}
    rows = [row("t", k, "poor" if k < FEW else ("low", "high")[k % 2], LABEL)
            | {"options": [{"text": text} for text in scales["view" if k < FEW else "plate"]]}
            for k in range(2 * FEW)]  # fmt: skip
    entries, (told,) = over_shares(parts(rows[::2], rows[1::2]), {}, allowed)
    assert told["options"] == ["good", "poor"] and told["made"] == [FEW]
    assert told["answer"] == '{"phase":"poor"}'
    gone = set() if allowed else {digest("t", k) for k in range(FEW)}
    assert {one["key"] for one in entries} == gone
    in_blocks = [one | {"block": digest("block")} for one in rows]
    assert over_shares(parts(in_blocks), {}, allowed) == ([], [])


def test_templates_that_do_not_fit_into_memory_together(parts, monkeypatch):
    rows = [there("a", 30, 10), there("b", 10, 30), [row("c", k, "x", LABEL) for k in range(FEW)]]
    made = parts([one[0] for one in rows], [x for one in rows for x in one[1:]])
    promised = {"a": THERE, "b": THERE}
    together = over_shares(made, promised, False)
    assert [one["template"] for one in together[1]] == ["a", "b", "c"]
    monkeypatch.setattr(shares, "AT_ONCE", 79)
    assert shares._groups(made, promised.keys()) == [{"a", "c"}, {"b"}]
    assert over_shares(made, promised, False) == together
    monkeypatch.setattr(shares, "AT_ONCE", 80)
    assert shares._groups(made, promised.keys()) == [{"a", "b", "c"}]


def test_few_items_stay_and_are_told(parts):
    entries, (told,) = over_shares(parts(there("t", FEW - 1, 0)), {"t": THERE}, False)
    assert entries == [] and told["few"] and told["kept"] == [FEW - 1, 0]
    assert over_shares(parts([row("t", 1, "a", LABEL)]), {}, False) == ([], [])


def test_a_chain_goes_as_a_whole(parts):
    rows = []
    for k in range(14):
        for stage in range(2):
            one = row("t", 2 * k + stage, "a", LABEL, soon=k < 4)
            rows.append(one | {"chain_id": digest("chain", k), "stage": stage})
    promise = Promise("soon", HALF, ("phase",), ())
    entries, (told,) = over_shares(parts(rows), {"t": promise}, False)
    assert told["made"] == [4, 10] and told["kept"] == [4, 4]
    gone = {one["key"] for one in entries}
    assert len(gone) == 12
    assert all(len({digest("t", 2 * k + s) for s in (0, 1)} & gone) in (0, 2) for k in range(14))
