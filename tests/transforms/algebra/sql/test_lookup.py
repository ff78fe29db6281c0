"""The ontology's files looked up twice: both ways say the same."""

from __future__ import annotations

import random

from surgqa.ontology import knowledge, workflow
from surgqa.ontology.concepts import load_data
from surgqa.ontology.kinds import terms_of
from surgqa.transforms.algebra.sql import lookup
from tests.each import cases

NAMED = [name for file in workflow.workflow_files()
         for name in load_data("workflows", file)["procedures"]]  # fmt: skip
PROCEDURES = (*NAMED, "Laparoscopic cholecystectomy", "pituitary tumour resection", "none", "")
VERBS, TARGETS = terms_of("verb"), ("", *terms_of("target"))


@cases("name", PROCEDURES)
def test_operations(name: str):
    assert lookup.named_in(name) == knowledge.operation(name)
    assert lookup.operation(name) == workflow.operation(name)


@cases("name", PROCEDURES)
def test_what_follows_is_needed_and_closed(name: str):
    mine = {label: (lookup.following(place), any_time, place or {})
            for order, any_time in lookup.orders(name)
            for label, place in order.items()}  # fmt: skip
    known = {kind: one for kind in lookup.ORDERED if (one := workflow.workflow(name, kind))}
    assert set(mine) == {label for one in known.values() for label in one.order}
    for kind, one in known.items():
        for label in one.order:
            then, any_time, place = mine[label]
            wanted = workflow.successors(name, kind, label)
            assert then == (None if wanted is None else list(wanted))
            assert set(any_time) == workflow.any_time(name, kind)
            assert tuple(place.get("needs", ())) == workflow.needs(name, kind, label)
            assert tuple(place.get("closes", ())) == workflow.closes(name, kind, label)


@cases("verb", VERBS)
def test_effects_and_what_instruments_may_do(verb: str):
    for target in TARGETS:
        found = knowledge.effect_of(verb, target)
        assert lookup.effect(verb) == (found.id if found else None)
    for tool in terms_of("instrument"):
        may = {target for target in TARGETS if knowledge.admissible(tool, verb, target)}
        assert {t for v, t in lookup.acts_of(tool) or () if v == verb} == may


@cases("name", PROCEDURES)
def test_rules_of_order(name: str):
    rng = random.Random(name)
    for _ in range(2000):
        first, second = ((rng.choice(VERBS), rng.choice(TARGETS)) for _ in "12")
        found = knowledge.rule_between(name, first, second)
        wanted = None
        if found is not None and found[1]:
            wanted = (found[0].id, found[0].force)
        assert lookup.ordering(name, first, second) == wanted
