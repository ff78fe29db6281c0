"""Every condition over many fillings at once against one filling at a time."""

import numpy as np
import pytest

from tests.transforms.questions import plain_conditions
from tests.transforms.questions.tables import (
    SEEDS,
    bound,
    call,
    evaluator,
    plain,
    resolved,
    slots,
    some_rows,
)
from transforms.language.operators import operators
from transforms.language.template import Condition
from transforms.questions.evaluate import lazy_leaf
from transforms.questions.lazy import LAZY

TOOL = {"kind": "instrument"}
BOXED = {"kind": "instrument", "boxed": True}
SPAN = {"kind": "interval", "min_seconds": 0.5}
OF_TOOL = {"kind": "interval", "of": "tool", "boxed": True, "min_seconds": 0.5}
SEEN = {"kind": "interval", "of": "tool", "min_seconds": 0.5}
PAIR = {"kind": "interval", "of": ["tool", "other"], "boxed": True, "min_seconds": 0.5}
MOMENT = {"kind": "instant"}
OTHER = {"kind": "instrument", "boxed": True, "after": "tool"}
AXIS = {"kind": "choice", "from": ["horizontal", "vertical"]}
TRUTH = {"kind": "choice", "from": ["yes", "no"]}
OUTCOME = {"kind": "choice", "from": ["closer", "farther", "maintained"]}
THERE = {"kind": "instrument", "at": "moment", "boxed": True}
VERB = {"kind": "verb", "of": "tool"}
TARGET = {"kind": "target", "of": "tool"}
ANY_TARGET = {"kind": "target", "touched": "either"}
CLASS = {"kind": "instrument_class"}
POINT = {"kind": "point", "at": "moment", "cells": 2}

MOTION = {"tool": BOXED, "span": OF_TOOL}
BOTH_TOOLS = {"tool": BOXED, "other": OTHER, "span": PAIR}
AT = {"moment": MOMENT, "tool": THERE}
DURING = {"tool": "tool", "during": "span"}

CASES = [
    # name, slots, arguments
    ("lasts", {"span": SPAN}, {"span": "span"}),
    ("samples", {"span": SPAN}, {"span": "span"}),
    ("travel", {**MOTION, "axis": AXIS}, {**DURING, "axis": "axis"}),
    ("runs_last", {"moment": MOMENT}, {"at": "moment"}),
    ("off_lines", AT, {"tool": "tool", "at": "moment"}),
    ("nearest_by", {"moment": MOMENT, "point": POINT}, {"point": "point", "at": "moment"}),
    ("overlap", AT, {"tool": "tool", "at": "moment"}),
    (
        "apart_on_axes",
        {**AT, "other": {**THERE, "differs_from": "tool"}},
        {"tool": "tool", "other": "other", "at": "moment"},
    ),
    ("visible_seconds", {"tool": TOOL}, {"tool": "tool"}),
    ("actions", {"tool": TOOL}, {"tool": "tool", "min_seconds": 1.0}),
    ("longest", {"tool": TOOL, "verb": VERB}, {"tool": "tool", "verb": "verb"}),
    ("longest_by", {"tool": TOOL, "verb": VERB}, {"tool": "tool", "verb": "verb"}),
    ("leads_by", {}, {"measure": "active_seconds"}),
    ("leads_by", {}, {"measure": "targets"}),
    ("leads_by", {"tool": TOOL}, {"measure": "verb_seconds", "of": "tool"}),
    ("classes_seen", {}, {}),
    ("classes_during", {"span": SPAN}, {"during": "span"}),
    ("targets_touched", {"tool": TOOL}, {"tool": "tool"}),
    ("continuous", MOTION, DURING),
    ("distinct_extremes", {**MOTION, "axis": AXIS}, {**DURING, "axis": "axis", "by": 0.05}),
    ("distance_change_clear", BOTH_TOOLS, {**DURING, "other": "other", "by": 0.05}),
    (
        "distance_changes",
        {**BOTH_TOOLS, "outcome": OUTCOME},
        {**DURING, "other": "other", "outcome": "outcome"},
    ),
    ("constant_action", {"tool": TOOL, "span": SEEN}, DURING),
    ("constant_action", {"tool": TOOL, "span": SPAN}, DURING),
    ("constant_target", {"tool": TOOL, "span": SEEN}, DURING),
    ("constant_target", {"tool": TOOL, "span": SEEN}, {**DURING, "some": True}),
    ("single_actions", {"tool": TOOL, "span": SEEN}, DURING),
    ("single_actions", {"tool": TOOL}, {"tool": "tool"}),
    ("speed_word_clear", MOTION, DURING),
    ("path_word_clear", MOTION, DURING),
    ("interactions_known", {"moment": MOMENT}, {"at": "moment"}),
    ("interactions_known", {"span": SPAN}, {"during": "span"}),
    ("interactions_known", {}, {}),
    ("boxed", {"moment": MOMENT}, {"at": "moment"}),
    ("boxed", {"span": SPAN}, {"during": "span"}),
    ("boxed", {}, {}),
    ("identified", {"tool": TOOL}, {"tool": "tool"}),
    ("seen_in_window", {"kind": CLASS, "truth": TRUTH}, {"kind": "kind", "truth": "truth"}),
    ("seen_in_window", {"kind": CLASS}, {"kind": "kind"}),
    (
        "seen_at",
        {"moment": MOMENT, "kind": CLASS, "truth": TRUTH},
        {"kind": "kind", "at": "moment", "truth": "truth"},
    ),
    (
        "touched_at",
        {"moment": MOMENT, "target": ANY_TARGET, "truth": TRUTH},
        {"target": "target", "at": "moment", "truth": "truth"},
    ),
    ("touched_in_window", {"target": ANY_TARGET}, {"target": "target"}),
    (
        "touched_during",
        {"target": ANY_TARGET, "span": SPAN},
        {"target": "target", "during": "span"},
    ),
    (
        "only_one_doing",
        {**AT, "verb": {**VERB, "at": "moment"}},
        {"tool": "tool", "at": "moment", "verb": "verb"},
    ),
    (
        "only_one_doing",
        {**AT, "target": {**TARGET, "at": "moment"}},
        {"tool": "tool", "at": "moment", "target": "target"},
    ),
    ("not_idle", {"tool": TOOL, "verb": VERB}, {"verb": "verb"}),
    ("not_none", {"tool": TOOL, "target": TARGET}, {"target": "target"}),
    ("idle_around", AT, {"tool": "tool", "at": "moment", "seconds": 1.0}),
    ("idle_around", AT, {"tool": "tool", "at": "moment", "seconds": 0.3}),
    ("idle_share_clear", {"tool": TOOL}, {"tool": "tool", "by": 0.05}),
    ("inside_window", {"kind": CLASS}, {"kind": "kind", "end": "first"}),
    ("inside_window", {"kind": CLASS}, {"kind": "kind", "end": "last"}),
    ("first_action_inside", {"tool": TOOL}, {"tool": "tool"}),
]
ROWS = 80

names = [name for name, _, _ in CASES]
ids = [f"{name}-{names[:k].count(name) + 1}" for k, name in enumerate(names)]


def results(name, needs, arguments):
    """(plain, measured or passed by the engine, by plain loops) of many fillings."""
    limit = {"at_least": 0.0} if operators("condition")[name].bound else {}
    spec = call("condition", name, **arguments, **limit)
    params = operators("condition")[name].params
    for seed in SEEDS:
        engine = evaluator(seed)
        table, key = engine.table(slots(**needs))
        for row in some_rows(table, ROWS):
            p = plain(seed)[table.window[row]]
            given = resolved(spec, params, bound(table, row))
            if name in plain_conditions.MEASURES:
                found = engine.verdict(table, key, spec).measured[row]
                yield found, plain_conditions.MEASURES[name](p, **given)
            elif name in LAZY:
                passed, _, _ = lazy_leaf(table, engine.facts, spec, row)
                yield passed, plain_conditions.TESTS[name](p, **given)
            else:
                passed = engine.verdict(table, key, spec).passed[row]
                yield bool(passed), plain_conditions.TESTS[name](p, **given)


@pytest.mark.parametrize(("name", "needs", "arguments"), CASES, ids=ids)
def test_condition(name, needs, arguments):
    found, expected = zip(*results(name, needs, arguments), strict=True)
    if name in plain_conditions.MEASURES:
        assert list(found) == pytest.approx(expected, abs=1e-12)
        assert len(set(expected)) >= 3, "the videos do not vary what is measured"
    else:
        assert list(found) == list(expected)
        if arguments and (name, needs) != ("seen_in_window", {"kind": CLASS}):
            assert set(expected) == {True, False}, "the videos show one outcome only"


def test_every_condition_has_a_case():
    assert set(names) == set(operators("condition"))


MEASURED = [
    pytest.param("continuous", MOTION, DURING, id="largest-step-speed"),
    pytest.param(
        "distance_change_clear", BOTH_TOOLS, {**DURING, "other": "other"}, id="distance-from-0.30"
    ),
    pytest.param("speed_word_clear", MOTION, DURING, id="margin-of-speed"),
    pytest.param("path_word_clear", MOTION, DURING, id="margin-of-path"),
    pytest.param("idle_share_clear", {"tool": TOOL}, {"tool": "tool"}, id="margin-of-idle-share"),
    pytest.param(
        "inside_window", {"kind": CLASS}, {"kind": "kind", "end": "first"}, id="seconds-inside"
    ),
]


def measured_plainly(name, p, given):
    if name == "continuous":
        return max(step / s for step, s in p.steps(given["tool"], *given["during"]))
    if name == "distance_change_clear":
        tools = given["tool"], given["other"]
        return abs(abs(plain_conditions.change_of_distance(p, *tools, given["during"])) - 0.30)
    if name == "idle_share_clear":
        return plain_conditions.idle_margin(p, given["tool"])
    if name == "inside_window":
        seen = p.seen(given["kind"])
        return (seen[0] - p.window.start_us) / 1e6 if seen else None
    path = p.path(given["tool"], *given["during"])
    speed = path / plain_conditions.lasts(p, given["during"])
    word = {"speed_word_clear": ("speed", speed), "path_word_clear": ("path", path)}[name]
    return plain_conditions.word_margin(*word)


@pytest.mark.parametrize(("name", "needs", "arguments"), MEASURED)
def test_what_a_test_measured_is_stored_with_the_item(name, needs, arguments):
    spec = call("condition", name, **arguments)
    params = operators("condition")[name].params
    for seed in SEEDS[:6]:
        engine = evaluator(seed)
        table, key = engine.table(slots(**needs))
        rows = some_rows(table, ROWS)
        checks = engine.verdict(table, key, spec).checks(np.array(rows, int))
        for row, check in zip(rows, checks, strict=True):
            given = resolved(spec, params, bound(table, row))
            expected = measured_plainly(name, plain(seed)[table.window[row]], given)
            if expected is not None:
                assert check.measured == pytest.approx(expected, abs=1e-12)
            assert check.name == name


@pytest.mark.parametrize(
    ("bounds", "passes"),
    [
        pytest.param({"at_least": 2}, lambda v: v >= 2, id="at-least"),
        pytest.param({"at_most": 2}, lambda v: v <= 2, id="at-most"),
        pytest.param({"above": 2}, lambda v: v > 2, id="above"),
        pytest.param({"below": 2}, lambda v: v < 2, id="below"),
        pytest.param({"at_least": 1, "below": 3}, lambda v: 1 <= v < 3, id="between"),
    ],
)
def test_limits_of_a_measure(bounds, passes):
    spec = call("condition", "samples", span="span", **bounds)
    engine = evaluator(0)
    table, key = engine.table(slots(span={"kind": "interval", "min_seconds": 0}))
    verdict = engine.verdict(table, key, spec)
    assert verdict.passed.tolist() == [passes(v) for v in verdict.measured.tolist()]
    assert all(str(limit) in verdict.limit for limit in bounds.values())


def leaf(name, **arguments):
    return Condition("leaf", f"where > {name}", leaf=call("condition", name, **arguments))


A = leaf("seen_in_window", kind="kind")
B = leaf("inside_window", kind="kind", end="first")
C = leaf("inside_window", kind="kind", end="last")


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        pytest.param(Condition("all", "w", (A, B, C)), lambda a, b, c: a and b and c, id="all"),
        pytest.param(Condition("any", "w", (B, C)), lambda a, b, c: b or c, id="any"),
        pytest.param(Condition("not", "w", (B,)), lambda a, b, c: not b, id="not"),
        pytest.param(
            Condition("all", "w", (A, Condition("not", "w", (Condition("any", "w", (B, C)),)))),
            lambda a, b, c: a and not (b or c),
            id="nested",
        ),
    ],
)
def test_trees_of_conditions(tree, expected):
    outcomes = set()
    for seed in SEEDS:
        engine = evaluator(seed)
        table, key = engine.table(slots(kind=CLASS))
        a, b, c = (engine.mask(table, key, node).tolist() for node in (A, B, C))
        found = engine.mask(table, key, tree).tolist()
        assert found == [expected(*each) for each in zip(a, b, c, strict=True)]
        outcomes |= set(found)
    assert outcomes == {True, False}


def test_a_lazy_test_can_be_part_of_a_tree():
    lazy = leaf("distinct_extremes", **DURING, axis="axis", by=0.05)
    engine = evaluator(0)
    table, key = engine.table(slots(**MOTION, axis=AXIS))
    plainly = [lazy_leaf(table, engine.facts, lazy.leaf, row)[0] for row in range(len(table))]
    inside = engine.mask(table, key, Condition("not", "w", (lazy,))).tolist()
    assert inside == [not passed for passed in plainly]
