"""One example of each operator in SQL, with its answer worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from surgqa.ontology.records import IDLE
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range
from surgqa.transforms.algebra.signature import signatures
from surgqa.transforms.algebra.sql.scope import form_of
from surgqa.transforms.algebra.tree import Amount, Call, Const, FieldTest, Name, Node, Pattern, Read
from surgqa.transforms.algebra.types import BOX, DURATION, INSTANT, NUMBER, STRETCH, TRUTH, Type
from surgqa.transforms.language.resolve import WHOLE_PICTURE
from surgqa.transforms.timeline.relation import Recording
from surgqa.transforms.timeline.relation.draft import RelationDraft
from tests.transforms.algebra.sql.test_borders_sql import ask
from tests.transforms.algebra.test_borders import (
    LENGTH,
    NOW,
    S,
    at_least,
    op,
    pick,
    pictured,
    sampled,
    spans,
    win,
)
from tests.transforms.algebra.test_borders import ask as in_columns

FACT, LABEL, SET = Type("fact"), Type("label"), Type("set")
EVERYWHERE = [(-1, 60)]
TWO = spans([("a", 2, 6), ("b", 8, 11)], EVERYWHERE)
A, B = op("only", pick("a", win(0, 20)), FACT), op("only", pick("b", win(0, 20)), FACT)
NONE = op("only", pick("a", win(30, 40), or_none=True), FACT)


def code(name: str) -> int:
    return TWO.codes.known(name)


def label(fact: Node) -> Read:
    return Read(LABEL, fact, "label")


def compared(left: Node, sign: str, right: Node) -> Call:
    return Call(TRUTH, "compare", (("left", left), ("sign", sign), ("right", right)))


def moved(time: Node, sign: str, us: int) -> Call:
    return Call(INSTANT, "arithmetic",
                (("left", time), ("sign", sign), ("right", Const(DURATION, us))))  # fmt: skip


def test_every_operator_that_has_a_value_has_a_form():
    made_of_the_answer = {"each", "near", "orders", "exchange", "halves"}
    assert all(form_of(name) for name in set(signatures()) - made_of_the_answer)


def test_facts():
    assert ask(TWO, Read(NUMBER, op("facts", pick("", win(0, 20)), FACT), "size")) == (2, 2)


def test_only():
    assert ask(TWO, label(A)) == code("a")
    assert ask(TWO, op("only", pick("", win(0, 20)), FACT)) is None


def test_first_and_last():
    assert ask(TWO, label(op("first", pick("", win(0, 20)), FACT))) == code("a")
    assert ask(TWO, label(op("last", pick("", win(0, 20)), FACT))) == code("b")
    lengths = spans([("a", 2, 16), ("b", 8, 11)], EVERYWHERE)
    assert ask(lengths, label(op("last", pick("", win(0, 20)), FACT))) == lengths.codes.known("a")
    by_start = op("last", pick("", win(0, 20)), FACT, by="start")
    assert ask(lengths, label(by_start)) == lengths.codes.known("b")


def test_argmax_and_argmin():
    assert ask(TWO, label(op("argmax", pick("", win(0, 20)), FACT, by=LENGTH))) == code("a")
    assert ask(TWO, label(op("argmin", pick("", win(0, 20)), FACT, by=LENGTH))) == code("b")
    ahead = Amount("share", 0.3, 0.3)  # 4 s are 25 % more than 3 s
    assert ask(TWO, op("argmax", pick("", win(0, 20)), FACT, by=LENGTH, lead=ahead)) is None


def test_the_best_of_a_list_and_of_a_set():
    it = Name(FACT, "it")
    listed = Call(FACT, "argmax", (("of", (A, B)), ("by", Read(INSTANT, it, "start"))))
    assert ask(TWO, label(listed)) == code("b")
    kinds = op("set", pick("", win(0, 20), field="label"), SET)
    mine = Pattern(FACT, ("tool",), tests=(_is(Name(LABEL, "it")),), reference=win(0, 20))
    best = op("argmax", kinds, LABEL, by=op("total", mine, DURATION))
    assert ask(TWO, best) == code("a")


def _is(node: Node) -> FieldTest:
    return FieldTest("label", (node,))


def test_exists():
    known = sampled(range(10), {"a": range(3)})
    asked = [op("exists", pick(name, win(0, t))) for name, t in (("a", 9), ("b", 9), ("b", 12))]
    assert [ask(known, one) for one in asked] == [True, False, None]


def test_count():
    assert ask(TWO, op("count", pick("", win(0, 20)), NUMBER)) == (2, 2)
    assert ask(TWO, op("count", pick("", win(0, 20), field="label"), NUMBER)) == (2, 2)


def test_total_and_peak():
    both = spans([("a", 2, 6), ("b", 4, 11)], EVERYWHERE)
    assert ask(both, op("total", pick("", win(0, 20)), DURATION)) == (9 * S, 9 * S)
    assert ask(both, op("peak", pick("", win(0, 20)), NUMBER)) == (2, 2)
    assert ask(TWO, op("peak", pick("", win(0, 20)), NUMBER)) == (1, 1)


def test_set_and_labels():
    assert ask(TWO, op("set", pick("", win(0, 20), field="label"), SET)) == (code("a"), code("b"))
    assert ask(TWO, op("labels", Const(LABEL, "tool"), SET)) == (code("a"), code("b"))


def test_sequence():
    order = op("sequence", pick("", win(0, 20)), Type("sequence"))
    assert ask(TWO, order) == (code("a"), code("b"))
    last = op("sequence", pick("", win(0, 20)), Type("sequence"), take=-1)
    assert ask(TWO, last) == (code("b"),)
    listed = Call(Type("sequence"), "sequence", (("of", (B, A)),))
    assert ask(TWO, listed) == (code("a"), code("b"))


def test_word():
    steps = (("short", 0.0), ("long", 3.5 * S))
    words = [op("word", Read(DURATION, one, "length"), Type("word"), scale=steps) for one in (A, B)]
    assert [ask(_with_words(TWO), one) for one in words] == [code("long"), code("short")]


def _with_words(relation):
    for word in ("short", "long", "upper left"):
        relation.codes.code(word)
    return relation


def test_all_any_not_and_cases():
    yes, no = (op("exists", pick(name, win(0, 5))) for name in "ab")
    unknown = op("exists", pick("a", win(50, 70)))
    pairs = [(yes, no), (yes, unknown), (no, unknown)]
    both, either = (
        [Call(TRUTH, name, (("of", pair),)) for pair in pairs] for name in ("all", "any")
    )
    assert [ask(TWO, one) for one in both] == [False, None, False]
    assert [ask(TWO, one) for one in either] == [True, True, None]
    assert [ask(TWO, Call(TRUTH, "not", (("of", one),))) for one in (yes, no)] == [False, True]


def test_cases_number_the_one_that_is_true():
    yes, no = (op("exists", pick(name, win(0, 5))) for name in "ab")
    for word in "01":
        TWO.codes.code(word)
    cases = Call(Type("statement"), "cases", (("of", (("no", no), ("yes", yes))),))
    assert ask(TWO, cases) == code("1")
    both = Call(Type("statement"), "cases", (("of", (("yes", yes), ("again", yes))),))
    assert ask(TWO, both) is None


def test_coalesce():
    first = Call(FACT, "coalesce", (("of", (NONE, B)),))
    assert ask(TWO, label(first)) == code("b")
    maybe = op("only", pick("a", win(50, 70), or_none=True), FACT)
    assert ask(TWO, Call(FACT, "coalesce", (("of", (maybe, B)),))) is None


def test_compare():
    start, end = Read(INSTANT, A, "start"), Read(INSTANT, B, "start")
    signs = ("<", "<=", "=", "!=", ">=", ">")
    assert [ask(TWO, compared(start, sign, end)) for sign in signs] == [
        True, True, False, True, False, False]  # fmt: skip
    assert ask(TWO, compared(A, "=", op("first", pick("", win(0, 20)), FACT))) is True
    assert ask(TWO, compared(NONE, "=", Const(Type("none"), None))) is True
    assert ask(TWO, compared(Read(INSTANT, NONE, "start"), "<", NOW)) is False


def test_arithmetic():
    start, end = Read(INSTANT, A, "start"), Read(INSTANT, B, "end")
    assert ask(TWO, moved(start, "+", S)) == (3 * S, 3 * S)
    between = Call(DURATION, "arithmetic", (("left", end), ("sign", "-"), ("right", start)))
    assert ask(TWO, between) == (9 * S, 9 * S)
    lengths = [Read(DURATION, one, "length") for one in (B, A)]
    share = Call(NUMBER, "arithmetic",
                 (("left", lengths[0]), ("sign", "/"), ("right", lengths[1])))  # fmt: skip
    assert ask(TWO, share) == pytest.approx((0.75, 0.75))


def test_a_drawn_length_is_of_whole_seconds_between_its_bounds():
    length = Const(DURATION, (2 * S, 9 * S))
    drawn = Call(INSTANT, "arithmetic", (("left", NOW), ("sign", "+"), ("right", length)))
    for t in range(5):
        rows = Rows(TWO, np.zeros(1, np.int64), {"now": Range.exact(np.array([t * S], np.int64))})
        wanted = int(evaluate(drawn, rows).lo[0])
        assert ask(TWO, drawn, t) == (wanted, wanted)
        assert wanted - t * S in range(2 * S, 10 * S, S)


def test_box_distance_iou_motion():
    tool = op("only", pick("a", win(3, 4)), FACT)
    box = Call(BOX, "box", (("of", tool), ("at", NOW)))
    assert ask(pictured(), Read(NUMBER, box, "area"), 3) == pytest.approx((0.04, 0.04))
    first = Read(BOX, tool, "box")
    pair = (("of", (first, box)), ("at", NOW))
    assert ask(pictured(), Call(NUMBER, "distance", pair), 3) == pytest.approx((0.1, 0.1))
    assert ask(pictured(), Call(NUMBER, "iou", pair), 3) == pytest.approx((1 / 3, 1 / 3))
    picture = Const(BOX, WHOLE_PICTURE)
    assert ask(pictured(), Read(NUMBER, picture, "area")) == (1, 1)
    middle = Call(NUMBER, "distance", (("of", (first, picture)), ("at", NOW)))
    assert ask(pictured(), middle, 3) == pytest.approx((0.5, 0.5))
    assert in_columns(pictured(), middle, 3) == pytest.approx((0.5, 0.5))
    motion = Call(Type("motion"), "motion", (("of", tool), ("over", win(2, 4))))
    assert ask(pictured(), Read(NUMBER, motion, "mean_speed")) == pytest.approx((0.1, 0.1))
    ninth = Call(Type("word"), "word", (("of", box), ("scale", "ninths")))
    known = _with_words(pictured())
    assert ask(known, ninth, 3) == known.codes.known("upper left")


def test_parts_and_segment():
    parts = Call(Type("stretches"), "parts", (("of", A), ("n", 2)))
    assert ask(TWO, parts) == [[(2 * S, 2 * S), (4 * S, 4 * S)], [(4 * S, 4 * S), (6 * S, 6 * S)]]
    grid = (Amount("us", 5 * S, 5 * S),)
    segment = Call(STRETCH, "segment", (("of", A), ("grid", grid)))
    assert ask(TWO, segment) == [(0, 0), (10 * S, 10 * S)]


def test_what_touches_is_one():
    known = spans([("a", 2, 6), ("a", 6, 9), ("b", 20, 21)], EVERYWHERE)
    merged = op("count", pick("", win(0, 40), merge=("label",)), NUMBER)
    assert ask(known, merged) == (2, 2)
    assert ask(known, op("count", pick("", win(0, 40)), NUMBER)) == (3, 3)
    far = op("count", pick("a", win(0, 40), merge=("label",), gap=20 * S), NUMBER)
    assert ask(spans([("a", 2, 6), ("a", 8, 9)], EVERYWHERE), far) == (1, 1)


def test_a_pattern_of_named_facts_and_a_condition():
    every = op("facts", pick("", win(0, 20)), Type("facts"))
    late = Pattern(FACT, (), source=every, reference=win(7, 20))
    assert ask(TWO, label(op("only", late, FACT))) == code("b")
    long = compared(LENGTH, ">=", Const(DURATION, 4 * S))
    assert ask(TWO, label(op("only", pick("", win(0, 20), where=long), FACT))) == code("a")
    assert ask(TWO, at_least(op("count", pick("", win(0, 20), where=long), NUMBER), 2)) is False


def test_labels_that_stand_beside_one_that_was_seen():
    """What a recording's own labels do not list are those of one file of the vocabulary."""
    draft = RelationDraft()
    draft.recordings.append(Recording("made/v", 60 * S, S, Fraction(1)))
    draft.add_rows("interaction", [{
        "verb": draft.codes.code("dissect"), "target": draft.codes.code("cystic_duct"),
        "s0": S, "s": S, "s1": S, "e0": 2 * S, "e": 2 * S, "e1": 2 * S, "sure": True,
        "proof": int(draft.add_proofs([("made", ())])[0]),
    }])  # fmt: skip
    relation = draft.finish()
    for domain, seen in (("target", "cystic_duct"), ("verb", "dissect")):
        node = op("labels", Const(LABEL, domain), SET)
        by_columns = in_columns(relation, node)
        assert ask(relation, node) == by_columns
        assert len(by_columns) > 1
        assert not {relation.codes.known(one) for one in IDLE} & {*by_columns}
        assert relation.codes.known(seen) in by_columns
