"""Promised shares counted again: each number told one more or one less, at each limit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from surgqa.transforms.algebra.tree import Name, Read
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.shares import FEW, Counted, _problems, promised, share_problems
from surgqa.transforms.store.folder import OutputFolder
from tests.each import cases
from tests.transforms.checks.proof.made import CHAIN, ask, program

EVEN = program("even", """
unit: {now: any, see: 5 s, every: 60 s}
let:
  label: {each: instrument.label}
  there: {exists: instrument, label: label, at: now}
draw: {even: [answer]}
answer: there
""" + ask("Is {{ label | a }} in view?"))  # fmt: skip
SOME = program("some", """
unit: {now: any, see: 5 s, every: 60 s}
let:
  label: {each: instrument.label}
  comes: {exists: instrument, label: label, at: now}
draw: {shares: {comes: {yes: 0.75, no: 0.25}}}
answer: label
say: "{{ label | name }}"
""" + ask("Which instrument, if {{ label | a }} is in view?"))  # fmt: skip
PLAIN = program("plain", """
unit: {now: any, see: 5 s, every: 60 s}
let:
  here: {only: phase, at: now}
answer: here.label
wrong: [{labels: phase}]
say: "{{ here.label | name }}"
""" + ask("Which phase is this?"))  # fmt: skip
PROGRAMS = {one.id: one for one in (EVEN, SOME, PLAIN, CHAIN)}
TYPES = ("dataset", "template_id", "item_id", "chain_id", "slots", "answer_value")


def rows(of: Any, yes: int, no: int, dataset: str = "d", chain: bool = False) -> list[dict]:
    """Items of which so many are yes and no; of a chain two items each."""
    out = []
    for k in range(yes + no):
        side = k < yes
        for part in range(1 + chain):
            slots = {"comes": side} if of is SOME else {"here": 3}
            value = {"there": side} if of is EVEN else {"label": "x"}
            out.append(dict(zip(TYPES, (
                dataset, of.id, f"{of.id}{dataset}{k}-{part}", f"c{k}" if chain else None,
                json.dumps(slots), json.dumps(value)), strict=True)))  # fmt: skip
    return out


def entry(program: Any, made: Sequence[int], kept: Sequence[int], **more: Any) -> dict[str, Any]:
    """What the manifest tells of a template with enough items."""
    promise = promised(program) or (None, None)
    return {"dataset": "d", "template": program.id, "of": promise[0], "wanted": promise[1],
            "made": list(made), "kept": list(kept), "answer": None, "few": False,
            "options": [], **more}  # fmt: skip


def found(root: Path, there: list[dict], told: list[dict], gone: Sequence[tuple] = (),
          balance: str | None = None, **settings: Any) -> list[str]:  # fmt: skip
    """What is told wrongly; ``gone`` are (template, code) of items that were left out."""
    manifest = {"shares": told, "settings": {"balance": balance, **settings}}
    (root / "manifest.json").write_text(json.dumps(manifest))
    (root / "rejected").mkdir()
    lines = [json.dumps({"stage": "choose", "dataset": "d", "video_id": None, "key": "i",
                         "reason": "", "where": of.id,
                         "code": code, "count": 1, "outcome": "rejected"})
             for of, code in gone]  # fmt: skip
    (root / "rejected" / "choose.jsonl").write_text("\n".join(lines))
    con = duckdb.connect()
    table = pa.Table.from_pylist(there, pa.schema([(name, pa.string()) for name in TYPES]))
    con.register("given", table)
    con.execute("create table programmed as from given")
    folder = OutputFolder(str(root))
    return [one.split(": ", 1)[1] for one in share_problems(folder, PROGRAMS, con)]


def test_what_templates_promise():
    assert promised(EVEN) == ("answer", 0.5) and promised(SOME) == ("comes", 0.75)
    assert promised(PLAIN) is None and promised(CHAIN) is None


ENOUGH = rows(EVEN, 6, 5)
OVER = [(EVEN, "over_share")] * 2


@pytest.mark.parametrize(
    ("there", "told", "gone", "wrong"),
    [
        ([], [], [], []),
        (ENOUGH, [entry(EVEN, (6, 5), (6, 5))], [], []),
        (ENOUGH, [entry(EVEN, (8, 5), (6, 5))], OVER, []),
        (ENOUGH, [entry(EVEN, (7, 5), (6, 5))], OVER, ["12 made and 11 kept, but 2 were dropped"]),
        (ENOUGH, [entry(EVEN, (9, 5), (6, 5))], OVER, ["14 made and 11 kept, but 2 were dropped"]),
        (ENOUGH, [entry(EVEN, (8, 5), (5, 6))], OVER,
         ["[5, 6] kept of [8, 5]", "[5, 6] kept, [6, 5] found"]),
        (ENOUGH, [entry(EVEN, (6, 5), (6, 5), of="comes")], [], ["of 'comes', found 'answer'"]),
        (ENOUGH, [entry(EVEN, (6, 5), (6, 5), wanted=0.6)], [], ["wanted 0.6, found 0.5"]),
        (ENOUGH, [entry(EVEN, (6, 5), (6, 5), few=True)], [], ["few True, found False"]),
        (ENOUGH, [entry(EVEN, (6, 5), (6, 5), answer="yes")], [], ["answer 'yes', found None"]),
        (ENOUGH, [entry(EVEN, (6, 5), (6, 5), options=["a"])], [], ["options ['a'], found []"]),
        (ENOUGH, [entry(EVEN, (6, 5), (6, 5), blocks=True)], [],
         ["has blocks, but the template has no pool 'exchange'"]),
        (ENOUGH, [entry(EVEN, (6,), (6,))], [], ["[6] kept, [6, 5] found"]),
        (ENOUGH, [], [], ["the manifest has no entry for 'answer'"]),
        # others leave out some of them later
        (ENOUGH, [entry(EVEN, (7, 6), (7, 6))], [(EVEN, "over_mix")] * 2, []),
        (ENOUGH, [entry(EVEN, (8, 5), (8, 5))], [(EVEN, "over_mix")] * 2, []),
        (ENOUGH, [entry(EVEN, (9, 5), (9, 5))], [(EVEN, "over_mix")] * 2,
         ["[9, 5] kept, [6, 5] found"]),
        (ENOUGH, [entry(EVEN, (6, 4), (6, 4))], [(EVEN, "over_mix")] * 2,
         ["[6, 4] kept, [6, 5] found"]),
        # at the limit of what is thinned out
        (rows(EVEN, 5, FEW - 6), [entry(EVEN, (5, FEW - 6), (5, FEW - 6), few=True)], [], []),
        (rows(EVEN, 5, FEW - 5), [entry(EVEN, (5, FEW - 5), (5, FEW - 5))], [], []),
        (rows(EVEN, 4, 4), [entry(EVEN, (6, 4), (4, 4))], OVER, []),
        (rows(EVEN, 4, 3), [entry(EVEN, (6, 3), (4, 3), few=True)], OVER, []),
        (rows(EVEN, 5, FEW - 6), [entry(EVEN, (5, 4), (5, 4))], [(EVEN, "over_mix")], []),
        # a single answer
        (rows(EVEN, 12, 0), [entry(EVEN, (12, 0), (12, 0), answer="yes")], [], []),
        (rows(EVEN, 0, 12), [entry(EVEN, (0, 12), (0, 12), answer="no")], [], []),
        (rows(EVEN, 12, 0), [entry(EVEN, (12, 0), (12, 0))], [], ["answer None, found 'yes'"]),
        (rows(EVEN, 3, 0), [entry(EVEN, (3, 0), (3, 0), few=True)], [], []),
        (rows(SOME, 9, 3), [entry(SOME, (9, 3), (9, 3))], [], []),
        (rows(SOME, 9, 3), [entry(SOME, (3, 9), (3, 9))], [], ["[3, 9] kept, [9, 3] found"]),
        # without a promise
        (rows(PLAIN, 12, 0), [], [], []),
        (rows(PLAIN, 12, 0), [entry(PLAIN, (12,), (12,), answer="x")], [], []),
        (rows(PLAIN, 12, 0), [entry(PLAIN, (12,), (12,), answer="x", few=True)], [],
         ["few True, found False"]),
        (rows(PLAIN, 12, 0), [entry(PLAIN, (13,), (13,), answer="x")], [],
         ["[13] kept, [12] found"]),
        (rows(PLAIN, 12, 0), [entry(PLAIN, (20,), (20,), answer="x", options=["x", "y"])], [], []),
        ([], [entry(PLAIN, (12,), (0,), answer="x")], [(PLAIN, "one_answer")] * 12, []),
        ([], [entry(PLAIN, (12,), (12,), answer="x")], [], ["the manifest has items, found none"]),
        # chains count once
        (rows(CHAIN, 11, 0, chain=True), [entry(CHAIN, (11,), (11,), answer="x")], [], []),
        (rows(CHAIN, 11, 0, chain=True), [entry(CHAIN, (12,), (11,), answer="x")],
         [(CHAIN, "one_answer")] * len(CHAIN.stages), []),
        (rows(CHAIN, 11, 0, chain=True), [entry(CHAIN, (13,), (11,), answer="x")],
         [(CHAIN, "one_answer")] * 2 * len(CHAIN.stages), []),
    ],
)  # fmt: skip
def test_what_is_told(tmp_path: Path, there: Any, told: Any, gone: Any, wrong: list[str]):
    problems = found(tmp_path, there, told, gone)
    assert len(problems) == len(wrong)
    assert all(one.startswith(start) for one, start in zip(problems, wrong, strict=True))


@cases(
    ("yes", "made", "answer"),
    [
        (0.5, (12, 0), "yes"), (0.5, (0, 12), "no"), (0.5, (6, 6), None), (0.0, (0, 12), None),
        (1.0, (12, 0), None),
    ],
)  # fmt: skip
def test_a_single_answer_where_both_are_promised(yes: float, made: Any, answer: str | None):
    told = [{**entry(SOME, made, made), "wanted": yes, "answer": answer}]
    counted = Counted(12, *made)
    assert list(_problems(("d", SOME.id), told, ("comes", yes), counted, (0, 0))) == []


def test_one_of_several_lists_without_an_item(tmp_path: Path):
    lists = [entry(PLAIN, (12,), (kept,), answer="x", options=[str(kept)]) for kept in (0, 12)]
    gone = [(PLAIN, "one_answer")] * 12
    assert found(tmp_path, [], lists, gone) == ["the manifest has items, found none"]


def drawing(even: Sequence[Any] = (), shares: Sequence[Any] = ()) -> Any:
    """A template that draws so; its step ``comes`` is a truth, ``label`` is none."""
    steps = {name: SimpleNamespace(node=Name(Type(of), name))
             for name, of in (("comes", "truth"), ("label", "label"))}  # fmt: skip
    return SimpleNamespace(draw=SimpleNamespace(even=even, shares=shares), step=steps.get)


@cases(
    ("even", "shares", "wanted"),
    [
        ((), (), None),
        ((Name(Type("truth"), "comes"),), (), ("comes", 0.5)),
        ((Name(Type("label"), "label"),), (), None),
        ((Read(Type("truth"), Name(Type("fact"), "one"), "there"),), (), None),
        ((Name(Type("label"), "label"), Name(Type("truth"), "comes")), (), ("comes", 0.5)),
        ((), (("comes", {"yes": 0.75, "no": 0.25}),), ("comes", 0.75)),
        ((), (("comes", {"no": 1.0}),), ("comes", 0.0)),
        ((), (("label", {"yes": 0.5}),), None),
        ((), (("nobody", {"yes": 0.5}),), None),
        ((), (("nobody", {"yes": 0.5}), ("comes", {"yes": 1.0})), ("comes", 1.0)),
    ],
)
def test_only_truths_are_promised(even: Any, shares: Any, wanted: Any):
    assert promised(drawing(even, shares)) == wanted


def test_each_dataset_by_itself(tmp_path: Path):
    there = [*rows(EVEN, 6, 5), *rows(EVEN, 5, 5, "e")]
    told = [entry(EVEN, (6, 5), (6, 5)), entry(EVEN, (5, 5), (5, 5), dataset="e")]
    assert found(tmp_path, there, told) == []


@pytest.mark.parametrize(("balance", "told"), [(None, 1), ("shares", 1), ("none", 0), ("pairs", 0)])
def test_without_a_balance_by_shares_nothing_is_told(tmp_path: Path, balance: Any, told: int):
    assert len(found(tmp_path, ENOUGH, [], balance=balance)) == told


def test_sides_that_rows_do_not_tell(tmp_path: Path):
    odd = rows(EVEN, 6, 5)
    odd[0]["answer_value"] = '{"other":true}'
    odd[1]["answer_value"] = '{"there":"true"}'
    assert found(tmp_path, odd, [entry(EVEN, (4, 5), (4, 5))]) == []


@pytest.mark.parametrize("text", ["no json", "", "[1]", "3", "null"])
@pytest.mark.parametrize("column", ["slots", "answer_value"])
def test_rows_of_another_form_end_nothing(tmp_path: Path, column: str, text: str):
    for of in (EVEN, SOME):
        odd = [{**one, column: text} for one in rows(of, 1, 0)]
        folder = tmp_path / of.id
        folder.mkdir()
        assert len(found(folder, odd, [])) <= 1


def test_an_entry_of_another_form_is_told(tmp_path: Path):
    bare = {"dataset": "d", "template": EVEN.id, "made": [6, 5, 1], "kept": [6, 5]}
    told = found(tmp_path, ENOUGH, [bare])
    assert "[6, 5] kept of [6, 5, 1]" in told and "of None, found 'answer'" in told
