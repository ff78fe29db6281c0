"""Statements of the bank: of each question only the most specific ones are let pass."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import product
from types import SimpleNamespace
from typing import Any

from surgqa.ontology.knowledge import statement_for
from surgqa.transforms.algebra.tree import Name
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.knowledge import ORDER, _statements, knowledge_problems
from surgqa.transforms.checks.proof.reading import RowValues
from tests.each import cases

TASKS = ("causal_action_ordering", "cue_action_alignment", "affordance_mapping",
         "micro_transition_localization", "anomaly_onset_tracking", "own_task")  # fmt: skip
OPERATIONS = ("laparoscopic cholecystectomy", "cataract surgery", "something else")
KEYS = [
    {"verb": "dissect", "target": "gallbladder"}, {"verb": "clip", "target": "cystic_duct"},
    {"verb": "cut", "target": None}, {"verb": "retract"}, {"target": "liver"},
    {"anomaly": "bleeding", "target": "liver"}, {"anomaly": "bleeding"},
    {"verb": "grasp", "target": "gut", "phase": "preparation"},
    {"phase": "calot_triangle_dissection"}, {},
]  # fmt: skip
EVERY = 1 if os.environ.get("SURGQA_LONG") else 4
CASES = list(product(TASKS, (0, 1, 2, 3, 4), range(len(KEYS)), OPERATIONS))[::EVERY]


def asked(task: str, number: int, keys: Mapping[str, Any], procedure: str, text: Any) -> Any:
    """A stage of a chain with a statement."""
    stages = [SimpleNamespace(name=f"q{k}", see=None, knowledge=(), ask=()) for k in range(5)]
    stages[0].name = "main"
    stage = stages[number]
    stage.knowledge = [(key, [Name(Type("label", key), key)]) for key in keys] or [("none", [])]
    program: Any = SimpleNamespace(core_task=task, stages=stages)
    row = {"knowledge": text, "procedure": procedure}
    return SimpleNamespace(stage=stage, program=program, row=row,
                           known=lambda given: RowValues(program, dict(keys)))  # fmt: skip


def fine(*case: Any) -> bool:
    problems = [code for code, _ in knowledge_problems(asked(*case), {})]
    assert problems in ([], ["knowledge_differs"])
    return not problems


@cases("task", TASKS[:-1])
def test_what_the_bank_says_passes_and_nothing_less_specific(task: str):
    seen = 0
    for _, number, k, procedure in (case for case in CASES if case[0] == task):
        keys = KEYS[k] or {"phase": None}
        text = statement_for(task, min(max(number, 1), 3), {**keys, "procedure": procedure})
        if not text:
            continue
        seen += 1
        assert fine(task, number, keys, procedure, text)
        place = min(ORDER.index(tuple(one.about)) for one in _statements()[text]
                    if task in one.tasks and one.stage == min(max(number, 1), 3))  # fmt: skip
        for other, many in _statements().items():
            passes = fine(task, number, keys, procedure, other)
            mine = [one for one in many if task in one.tasks
                    and one.stage == min(max(number, 1), 3)
                    and ORDER.index(tuple(one.about)) == place
                    and all(name == "procedure" or keys.get(name) == value
                            for name, value in one.about.items())]  # fmt: skip
            assert passes <= bool(mine), (other, number, keys, procedure)
    assert seen * EVERY > 20


def test_statements_of_other_operations_and_stages():
    keys = {"verb": "dissect", "target": "gallbladder"}
    for number in (1, 2, 3):
        right = statement_for(TASKS[0], number, {**keys, "procedure": OPERATIONS[0]})
        passes = [n for n in (1, 2, 3) if fine(TASKS[0], n, keys, OPERATIONS[0], right)]
        assert passes == [number]


def test_a_task_of_one_s_own_may_be_told_any_statement_of_its_stage():
    keys = {"verb": "dissect", "target": "gallbladder"}
    places = {ORDER.index(tuple(one.about)) for text, many in _statements().items()
              if fine("own_task", 1, keys, OPERATIONS[0], text) for one in many}  # fmt: skip
    assert places and max(places) <= ORDER.index(("target",))


@cases(("text", "keys"), [(None, True), ("", True), ("The liver is soft.", False)])
def test_a_statement_is_there_where_the_template_looks_one_up(text: Any, keys: bool):
    one = asked(TASKS[0], 1, {"verb": "cut"}, OPERATIONS[0], text)
    one.stage.knowledge = one.stage.knowledge if keys else ()
    assert [code for code, _ in knowledge_problems(one, {})] == ["stage_texts"]
    one.row["knowledge"], one.stage.knowledge = None, ()
    assert list(knowledge_problems(one, {})) == []


RULED = {"rule": [{"verb": "clip", "target": "cystic_duct"},
                  {"verb": "cut", "target": "cystic_duct"}]}  # fmt: skip


def ruled(acts: Any, text: str, procedure: str = OPERATIONS[0]) -> list[str]:
    one = asked(TASKS[0], 1, {}, procedure, text)
    names = [Name(Type("act"), f"act{k}") for k in range(len(acts))]
    one.stage.knowledge = [("rule", names)]
    one.known = lambda given: RowValues(one.program, {f"act{k}": act for k, act in enumerate(acts)})
    return [detail for _, detail in knowledge_problems(one, {})]


def test_a_rule_of_order_comes_first():
    (told_,) = ruled(RULED["rule"], "The liver is soft.")
    assert "expected the ordering rule" in told_
    reason = told_.split("ordering rule ")[1].strip("'\"")
    assert ruled(RULED["rule"], reason) == []
    general = statement_for(TASKS[0], 1, {"procedure": "something"})
    for acts in (RULED["rule"][::-1], RULED["rule"][:1], RULED["rule"] * 2):
        assert not any("ordering rule" in one for one in ruled(acts, general))
        assert ruled(acts, reason)
