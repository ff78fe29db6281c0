"""One example for each border that is easy to get wrong: random worlds miss some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np
import pytest

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range, Stretch
from surgqa.transforms.algebra.tree import (
    Amount,
    Between,
    Call,
    Const,
    FieldTest,
    Name,
    Node,
    Pattern,
    Read,
)
from surgqa.transforms.algebra.types import DURATION, INSTANT, NUMBER, STRETCH, TRUTH, Type
from surgqa.transforms.algebra.worlds.force import claim
from surgqa.transforms.timeline.relation import Recording, Relation
from surgqa.transforms.timeline.relation.draft import RelationDraft
from surgqa.transforms.timeline.relation.instants import KindInstants, runs_of

S = 1_000_000
NOW, FACT = Name(INSTANT, "now"), Type("fact")
LABELS = ("a", "b")


def sampled(
    seconds: Iterable[int], on: Mapping[str, Iterable[int]], kind: str = "tool"
) -> Relation:
    """Labels a and b of whole seconds: where each is seen, where somebody looked."""
    draft = RelationDraft()
    draft.recordings.append(Recording("made/v", 60 * S, S, Fraction(1)))
    times = sorted(seconds)
    grid = KindInstants(np.array(times, np.int64) * S, S)
    pairs = [(LABELS.index(name), times.index(t)) for name, at in on.items() for t in at]
    key, at = (np.array([p[i] for p in pairs], np.int64) for i in (0, 1))
    runs = runs_of(grid, key, at)
    codes = np.array([draft.codes.code(name) for name in LABELS], np.int32)
    draft.add_runs(kind, runs, draft.new_gaps(len(grid.t) + 1), label=codes[runs.key],
                   proof=draft.add_proofs([("made", ())] * len(runs.key)))  # fmt: skip
    draft.add_holes(kind, grid.looked())
    draft.looked_for[0, kind] = {"label": frozenset(LABELS)}
    return draft.finish()


def touching(on: Mapping[str, Iterable[int]], again: Iterable[int]) -> Relation:
    """The same in seconds 0 to 5, with another instance of a, which may be the first one."""
    draft = RelationDraft()
    draft.recordings.append(Recording("made/v", 60 * S, S, Fraction(1)))
    grid = KindInstants(np.arange(6, dtype=np.int64) * S, S)
    pairs = [(LABELS.index(name), t) for name, at in on.items() for t in at]
    pairs += [(2, t) for t in again]
    key, at = (np.array([p[i] for p in pairs], np.int64) for i in (0, 1))
    runs = runs_of(grid, key, at)
    codes = np.array([draft.codes.code(name) for name in (*LABELS, "a")], np.int32)
    tracks = np.array([draft.codes.code(f"t{k}") for k in range(3)], np.int32)
    draft.add_runs("tool", runs, draft.new_gaps(len(grid.t) + 1), label=codes[runs.key],
                   subject=codes[runs.key], track=tracks[runs.key],
                   proof=draft.add_proofs([("made", ())] * len(runs.key)))  # fmt: skip
    draft.add_holes("tool", np.array([(-60 * S, 60 * S)], np.int64))
    return draft.finish()


def spans(
    rows: Iterable[tuple[str, int, int]], looked: Iterable[tuple[int, int]], slack: int = 0,
    floor: int | None = None, sure: bool = True,
) -> Relation:  # fmt: skip
    """Labelled intervals in seconds, with slack on every border."""
    draft = RelationDraft()
    draft.recordings.append(Recording("made/v", 60 * S, S, Fraction(1)))
    draft.add_rows("tool", [
        {"label": draft.codes.code(name), "s0": a * S - slack, "s": a * S, "s1": a * S + slack,
         "e0": b * S - slack, "e": b * S, "e1": b * S + slack, "sure": sure,
         "proof": int(draft.add_proofs([("made", ())])[0])}
        for name, a, b in rows
    ])  # fmt: skip
    draft.add_holes("tool", np.array([(a * S, b * S) for a, b in looked], np.int64).reshape(-1, 2))
    if floor is not None:
        code = draft.codes.code("tool")
        draft.holes.append((0, code, -1, -1, -S, 60 * S, floor))
    draft.looked_for[0, "tool"] = {"label": frozenset(LABELS)}
    return draft.finish()


def ask(relation: Relation, node: Node, now: int = 0):
    """What is certain of a program at a time: a value, a range in seconds, or None."""
    at = np.array([now * S], np.int64)
    rows = Rows(relation, np.zeros(1, np.int64), {
        "now": Range.exact(at), "window": Stretch(Range.exact(at), Range.exact(at + 1)),
    })  # fmt: skip
    found = claim(evaluate(node, rows), 0, relation)
    return found[1] if found else None


def win(a: float, b: float) -> Node:
    """The stretch [a, b) in seconds."""
    start, end = (
        Call(INSTANT, "arithmetic",
             (("left", NOW), ("sign", "+"), ("right", Const(DURATION, int(t * S)))))
        for t in (a, b)
    )  # fmt: skip
    return Between(STRETCH, start, end)


def pick(label: str = "", ref: Node | None = None, relation: str = "overlaps", **more) -> Pattern:
    """Facts of the made-up kind."""
    tests = (FieldTest("label", (Const(Type("label"), label),)),) if label else ()
    return Pattern(FACT, ("tool",), tests=tests, relation=relation, reference=ref, **more)


def op(name: str, of: Node, type_: Type = TRUTH, **more) -> Call:
    """An operator over a pattern."""
    return Call(type_, name, (("of", of), *more.items()))


def at_least(number: Node, least: float) -> Call:
    """number >= least."""
    return Call(
        TRUTH, "compare", (("left", number), ("sign", ">="), ("right", Const(NUMBER, least)))
    )


def test_onset_is_an_interval():
    known = sampled(range(10), {"a": range(4, 8)})
    first = op("first", pick("a", win(0, 9), "starts_in"), FACT)
    assert ask(known, Read(INSTANT, first, "start")) == (3 * S + 1, 4 * S)


def test_onset_after_a_hole_is_unknown():
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [5, 6]})
    first = op("first", pick("a", win(0, 7), "starts_in"), FACT)
    assert (
        ask(known, Read(INSTANT, first, "start")) is None
    )  # it may have come and gone in the hole
    assert ask(known, op("exists", pick("a", win(0, 7)))) is True


def test_both_sides_of_a_hole_may_be_one_fact():
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [1, 2, 5, 6]})
    count = op("count", pick("a", win(0, 7)), NUMBER)
    assert ask(known, at_least(count, 1)) is True
    assert ask(known, at_least(count, 2)) is None


def test_a_fact_may_be_longest_through_a_hole():
    known = sampled([0, 1, 2, 3, *range(5, 21)], {"a": [0, 1, 2, 3, 5, 6], "b": range(12, 19)})
    length = Read(DURATION, Name(FACT, "it"), "length")
    longest = op("argmax", pick("", win(0, 20), cut=win(0, 20)), FACT, by=length)
    assert ask(known, Read(Type("label"), longest, "label")) is None  # b 6 s, a 7 s if it is one
    longest = op("argmax", pick("", win(7.5, 20), cut=win(7.5, 20)), FACT, by=length)
    assert ask(known, Read(Type("label"), longest, "label")) == known.codes.known("b")


def test_a_clip_of_n_labels_has_no_n_th_second():
    known = sampled(range(10), {"a": range(3)})
    assert ask(known, op("exists", pick("b", win(0, 10)))) is None  # (9, 10) was not looked at
    assert ask(known, op("exists", pick("b", win(0, 9.000001)))) is False


def test_an_end_may_lie_on_the_first_label_after_a_hole():
    known = sampled([0, 3, 4], {})
    assert ask(known, op("exists", pick("a", win(2.999999, 3.000001), "ends_in"))) is None
    assert ask(known, op("exists", pick("a", win(3, 3.000001), "starts_in"))) is False


def test_what_ends_where_a_stretch_begins_does_not_end_in_it():
    known = spans([("a", 0, 5)], [(0, 20)])
    assert ask(known, op("exists", pick("a", win(5, 9), "ends_in"))) is False
    assert ask(known, op("exists", pick("a", win(4.999999, 9), "ends_in"))) is True
    assert ask(known, op("exists", pick("a", win(2, 5), "ends_in"))) is False
    assert ask(known, op("exists", pick("b", win(0, 9), "ends_in"))) is False  # the hole ends at 0


def test_short_spans_exist_though_no_instant_is_certain():
    known = spans([("a", 5, 6)], [(0, 20)], slack=S)
    assert ask(known, op("count", pick("a", win(2, 15)), NUMBER)) == (1, 1)
    assert all(ask(known, op("exists", pick("a", NOW, "at")), t) is None for t in (4, 5, 6))


def test_recall_has_a_length():
    known = spans([("a", 5, 12)], [(-1, 60)], floor=2 * S)  # shorter than 2 s may be missed
    assert ask(known, op("exists", pick("b", win(0, 20)))) is None
    assert ask(known, op("exists", pick("b", win(0, 20), at_least=2 * S))) is False
    assert ask(known, op("count", pick("a", win(0, 20), at_least=2 * S), NUMBER)) == (1, 1)


def test_a_hole_hides_nothing_that_is_longer():
    known = spans([("a", 2, 6)], [(-1, 9), (11, 60)])  # nobody looked for 2 s
    assert ask(known, op("exists", pick("b", win(0, 20), at_least=2 * S))) is None
    assert ask(known, op("exists", pick("b", win(0, 20), at_least=2 * S + 1))) is False
    assert ask(known, op("count", pick("a", win(0, 20), at_least=3 * S), NUMBER)) == (1, 1)
    assert ask(known, op("count", pick("a", win(0, 20)), NUMBER)) != (1, 1)


def test_a_hole_hides_no_more_than_is_left_of_it_by_a_cut():
    known = spans([("a", 2, 6)], [(0, 9), (12, 20)])  # nothing is known before 0 and after 20
    assert ask(known, op("exists", pick("b", win(0, 20), at_least=4 * S))) is False
    assert ask(known, op("exists", pick("b", win(0, 22), at_least=4 * S))) is None
    assert ask(known, op("exists", pick("b", win(0, 22), at_least=4 * S, cut=win(0, 22)))) is False
    assert ask(known, op("exists", pick("b", win(0, 22), at_least=3 * S, cut=win(0, 22)))) is None


def test_false_and_undefined_is_undefined():
    known = sampled(range(10), {"a": range(3)})
    never = op("first", pick("b", win(0, 9)), FACT)
    late = Call(
        TRUTH, "compare", (("left", Read(INSTANT, never, "start")), ("sign", ">"), ("right", NOW))
    )
    both = Call(TRUTH, "all", (("of", (op("exists", pick("b", win(0, 9))), late)),))
    assert ask(known, both) is None


def test_two_that_begin_together_have_no_first():
    known = sampled(range(10), {"a": range(4, 8), "b": range(4, 6)})
    assert ask(known, op("first", pick("", win(0, 9), "starts_in"), FACT)) is None


def test_a_detection_may_be_a_mistake():
    known = spans([("a", 5, 12)], [(-1, 60)], sure=False)
    assert ask(known, op("exists", pick("a", win(0, 20)))) is None
    assert ask(known, op("exists", pick("b", win(0, 20)))) is False


def test_the_same_border_is_one_instant():
    known = sampled(range(10), {"a": range(4, 8)})
    end = Read(INSTANT, op("first", pick("a", win(0, 9), "starts_in"), FACT), "end")
    same = Call(DURATION, "arithmetic", (("left", end), ("sign", "-"), ("right", end)))
    assert ask(known, same) == (-999_999, 999_999)  # no mark: two readings of one range
    meets = pick("a", end, "ends_in")
    assert ask(known, op("exists", meets)) is None


def test_what_nobody_looked_for_is_never_absent():
    known = sampled(range(10), {"a": range(3)})
    assert ask(known, op("exists", pick("c", win(0, 9)))) is None


def test_a_count_of_values_skips_no_hole():
    known = sampled([0, 1, 2, 5, 6], {"a": [1, 2], "b": [5]})
    kinds = op("count", pick("", win(0, 6), field="label"), NUMBER)
    assert ask(known, kinds)[0] == 2
    assert np.isinf(ask(known, kinds)[1])
    kinds = op("count", pick("", win(0, 2), field="label"), NUMBER)
    assert ask(known, kinds) == (1, 1)


def test_a_total_is_of_the_union():
    known = spans([("a", 2, 6), ("b", 4, 8)], [(-1, 60)])
    assert ask(known, op("total", pick("", win(0, 20)), DURATION)) == (6 * S, 6 * S)
    assert ask(known, op("total", pick("", win(5, 20)), DURATION)) == (3 * S, 3 * S)


def test_a_fact_holds_from_its_start_to_before_its_end():
    known = spans([("a", 5, 12)], [(-1, 60)])
    held = [ask(known, op("exists", pick("a", NOW, "at")), t) for t in (4, 5, 11, 12)]
    assert held == [False, True, True, False]
    assert ask(known, op("exists", pick("a", win(2, 5)))) is False
    assert ask(known, op("exists", pick("a", win(12, 20)))) is False
    assert ask(known, op("exists", pick("a", win(5, 12), "throughout"))) is True
    assert ask(known, op("exists", pick("a", win(5, 12.000001), "throughout"))) is False


def test_slack_leaves_both_ends_open():
    known = spans([("a", 5, 12)], [(-1, 60)], slack=S)
    assert ask(known, op("exists", pick("a", win(5, 12), "throughout"))) is None
    assert ask(known, op("exists", pick("a", win(6, 11), "throughout"))) is True
    assert ask(known, op("exists", pick("a", win(2, 5)))) is None
    assert ask(known, op("exists", pick("a", win(2, 4)))) is False


def test_what_may_be_one_fact_need_not_begin_or_end_here():
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [1, 2, 5, 6]})
    assert ask(known, op("exists", pick("a", win(2, 7), "starts_in"))) is None
    assert ask(known, op("exists", pick("a", win(0, 5.5), "ends_in"))) is None
    assert ask(known, op("exists", pick("a", win(5.5, 7), "before"))) is None


def test_nothing_is_alone_beside_a_hole():
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [1]})
    assert ask(known, op("only", pick("a", win(0, 7)), FACT)) is None
    assert ask(known, op("only", pick("a", win(0, 2)), FACT)) is not None


def test_one_may_begin_at_the_very_start_of_a_hole():
    known = spans([("a", 5, 12)], [(-1, 5), (6, 60)])
    first = op("first", pick("", win(0, 20), "starts_in"), FACT)
    assert ask(known, Read(INSTANT, first, "start")) is None


def test_a_total_counts_what_a_hole_may_hide():
    known = spans([("a", 2, 6)], [(-1, 20)], slack=S // 2)
    assert ask(known, op("total", pick("a", win(0, 15)), DURATION)) == (3 * S, 5 * S)
    assert ask(known, op("total", pick("a", win(0, 25)), DURATION)) == (3 * S, 10 * S)


LENGTH = Read(DURATION, Name(FACT, "it"), "length")


def test_a_tie_has_no_longest():
    known = spans([("a", 2, 6), ("b", 8, 12)], [(-1, 60)])
    assert ask(known, op("argmax", pick("", win(0, 20)), FACT, by=LENGTH)) is None
    assert ask(known, op("argmax", pick("", win(0, 7)), FACT, by=LENGTH)) is not None


def test_the_longest_may_be_one_that_nobody_listed():
    known = spans([("a", 2, 6)], [(-1, 20)])
    assert ask(known, op("argmax", pick("", win(0, 30)), FACT, by=LENGTH)) is None


def test_a_length_is_known_no_better_than_its_ends():
    known = spans([("a", 5, 7)], [(-1, 60)], slack=S // 2)
    assert ask(known, op("exists", pick("a", win(0, 20), at_least=2 * S))) is None
    assert ask(known, op("exists", pick("a", win(0, 20), at_least=1 * S))) is True


def test_an_order_needs_starts_that_cannot_meet():
    known = spans([("a", 2, 6), ("b", 3, 9)], [(-1, 60)], slack=S // 2)
    order = op("sequence", pick("", win(0, 20)), Type("sequence"))
    assert ask(known, order) is None
    known = spans([("a", 2, 6), ("b", 4, 9)], [(-1, 60)], slack=S // 2)
    assert ask(known, order) == tuple(known.codes.known(name) for name in LABELS)


def test_a_set_has_only_members_that_are_certain():
    known = spans([("a", 5, 12)], [(-1, 60)], sure=False)
    assert ask(known, op("set", pick("", win(0, 20), field="label"), Type("set"))) is None


def test_a_word_holds_the_whole_range():
    known = spans([("a", 2, 6)], [(-1, 60)], slack=S // 2)
    total = op("total", pick("a", win(0, 20)), DURATION)

    def word(border: int) -> Node:
        return op("word", total, Type("word"), scale=(("short", 0.0), ("long", float(border * S))))

    assert ask(known, word(4)) is None
    assert ask(known, word(3)) == known.codes.known("long")
    assert ask(known, word(6)) == known.codes.known("short")


def test_the_most_at_once_counts_what_a_hole_may_hide():
    known = spans([("a", 2, 6), ("b", 6, 8)], [(-1, 20)])
    assert ask(known, op("peak", pick("", win(0, 15)), NUMBER)) == (1, 1)
    assert ask(known, op("peak", pick("", win(0, 25)), NUMBER)) == (1, np.inf)


def test_facts_meet_if_no_world_holds_them_apart():
    known = spans([("a", 2, 6)], [(-1, 60)], slack=S // 2)
    assert ask(known, op("exists", pick("a", win(6, 7), "meets", within=S // 2))) is True
    assert ask(known, op("exists", pick("a", win(6.25, 7), "meets", within=S // 2))) is None
    assert ask(known, op("exists", pick("a", win(8, 9), "meets", within=S // 2))) is False


def test_what_is_at_most_equal_is_not_less():
    known = spans([("a", 2, 6)], [(-1, 60)])
    total = op("total", pick("a", win(0, 20)), DURATION)
    four = Const(DURATION, 4 * S)
    signs = ("<", "<=", ">", ">=")
    asked = [Call(TRUTH, "compare", (("left", total), ("sign", s), ("right", four))) for s in signs]
    assert [ask(known, one) for one in asked] == [False, True, False, True]


def pictured(slack: int = 0) -> Relation:
    """Tool a in view in seconds 2 to 6, with a box at each."""
    draft = RelationDraft()
    draft.recordings.append(Recording("made/v", 60 * S, S, Fraction(1)))
    code = draft.codes.code
    fact = {"label": code("a"), "subject": code("a"), "track": code("t"), "s0": 2 * S - slack,
            "s": 2 * S, "s1": 2 * S, "e0": 6 * S + 1, "e": 6 * S + 1, "e1": 6 * S + 1 + slack,
            "proof": int(draft.add_proofs([("made", ())])[0])}  # fmt: skip
    draft.add_rows("tool", [fact])
    draft.add_holes("tool", np.array([(-S, 60 * S)], np.int64))
    times = np.arange(2, 7, dtype=np.int64) * S
    boxes = np.array([(0.1 * k, 0.1, 0.1 * k + 0.2, 0.3) for k in range(5)])
    draft.samples.append((np.full(5, code("t"), np.int32), times, boxes))
    draft.instants[0] = np.arange(10, dtype=np.int64) * S
    return draft.finish()


def test_a_box_is_known_at_the_instant_of_its_label():
    tool = op("only", pick("a", win(3, 4)), FACT)
    box = Read(NUMBER, Call(Type("box"), "box", (("of", tool), ("at", NOW))), "x")
    assert ask(pictured(), box, 3) == pytest.approx((0.2, 0.2))
    assert ask(pictured(), box, 8) is None
    assert ask(pictured(), Read(NUMBER, Read(Type("box"), tool, "box"), "x")) == pytest.approx(
        (0.1, 0.1)
    )
    assert ask(pictured(slack=S // 2), Read(NUMBER, Read(Type("box"), tool, "box"), "x")) is None


def test_a_path_is_known_where_every_instant_has_its_box():
    tool = op("only", pick("a", win(3, 4)), FACT)

    def path(over: Node) -> Node:
        return Read(NUMBER, Call(Type("motion"), "motion", (("of", tool), ("over", over))), "path")

    assert ask(pictured(), path(win(2, 6))) == pytest.approx((0.4, 0.4))
    assert ask(pictured(), path(tool)) == pytest.approx((0.4, 0.4))
    assert ask(pictured(), path(win(2, 7))) is None
    assert ask(pictured(slack=S), path(tool)) is None


def test_a_segment_holds_the_thing_in_every_world():
    def segment(grid: float) -> Node:
        thing = op("first", pick("a", win(0, 30), "starts_in"), FACT)
        lengths = (Amount("us", grid * S, grid * S),)
        return Call(STRETCH, "segment", (("of", thing), ("grid", lengths)))

    known = spans([("a", 5, 8)], [(-1, 60)], slack=S // 2)
    assert ask(known, segment(1)) == [(4 * S, 4 * S), (9 * S, 9 * S)]
    assert ask(known, segment(0.5)) is None  # finer than the borders are known
    exact = spans([("a", 5, 8)], [(-1, 60)])
    assert ask(exact, segment(0.5)) == [(5 * S, 5 * S), (8 * S, 8 * S)]


def test_parts_are_as_long_as_one_another():
    parts = Call(Type("stretches"), "parts", (("of", win(1, 10)), ("n", 3)))
    known = spans([], [(-1, 60)])
    borders = [(1, 4), (4, 7), (7, 10)]
    assert ask(known, parts) == [[(a * S, a * S), (b * S, b * S)] for a, b in borders]


def test_an_instant_that_is_not_known_exactly_is_no_empty_stretch():
    known = spans([("a", 2, 9), ("b", 5, 6)], [(-1, 60)], slack=S)
    start = Read(INSTANT, op("only", pick("b", win(4, 7)), FACT), "start")
    assert ask(known, op("exists", pick("a", start, "at"))) is True
    brief = op("only", pick("b", win(4, 7)), FACT)  # its bounds cross, and still it is there
    assert ask(known, op("exists", pick("a", brief, "throughout"))) is True


def test_the_last_to_begin_may_be_one_that_began_before():
    known = touching({"a": [0, 1, 2], "b": [2, 3, 4, 5]}, [3, 4, 5])
    last = op("last", pick("", win(-1, 5), "overlaps"), FACT, by="start")
    assert ask(known, last) is None  # the second a may be the first one, and then b began later
    assert ask(known, op("last", pick("b", win(-1, 5)), FACT, by="start")) is not None


def test_the_first_to_end_may_go_on_as_one_that_ends_later():
    known = touching({"a": [0, 1, 2], "b": [1, 2, 3]}, [3, 4, 5])
    first = op("first", pick("", win(0, 5)), FACT, by="end")
    assert ask(known, first) is None
    known = spans([("a", 2, 9), ("b", 4, 6)], [(-1, 60)])
    first = op("first", pick("", win(0, 20)), FACT, by="end")
    assert ask(known, Read(Type("label"), first, "label")) == known.codes.known("b")


def test_the_first_is_known_though_it_may_go_on_behind_a_hole():
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [1, 2, 5, 6]})
    first = op("first", pick("", win(0, 9), "starts_in"), FACT)
    assert ask(known, Read(INSTANT, first, "start")) == (1, S)
    assert ask(known, Read(INSTANT, first, "end")) == (2 * S + 1, 7 * S)
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [1, 2, 5, 6], "b": [1]})
    assert ask(known, first) is None


def test_the_last_is_known_though_it_may_have_begun_before_a_hole():
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [1, 2, 5, 6]})
    last = op("last", pick("", win(8, 9), "before"), FACT)
    assert ask(known, last) is None  # something may have come after the last label
    known = sampled([0, 1, 2, *range(5, 11)], {"a": [1, 2, 5, 6]})
    assert ask(known, Read(INSTANT, last, "end")) == (6 * S + 1, 7 * S)
    assert ask(known, Read(INSTANT, last, "start")) == (1, 5 * S)
    assert ask(known, op("last", pick("", win(8, 9), "before"), FACT, by="start")) is None


def test_the_first_and_the_last_of_merged_cut_and_named_facts_may_go_on_behind_a_hole():
    known = sampled([*range(12)[:3], *range(5, 12)], {"a": [1, 2, 5, 6]})
    named = op("facts", pick("", win(0, 9)), Type("facts", "fact"))
    looks = {"merge": ("label",)}, {"cut": win(0, 9)}, {"merge": ("label",), "cut": win(0, 9)}
    every = [lambda *of, how=how: pick("", *of, **how) for how in looks]
    every.append(lambda *of: Pattern(FACT, (), source=named, relation=of[1], reference=of[0]))
    for some in every:
        first = op("first", some(win(0, 9), "starts_in"), FACT)
        assert ask(known, Read(INSTANT, first, "start")) == (1, S)
        last = op("last", some(win(8, 9), "before"), FACT)
        assert ask(known, Read(INSTANT, last, "end")) == (6 * S + 1, 7 * S)


def test_a_part_behind_a_hole_that_a_cut_lets_begin_as_early_is_another():
    known = sampled([0, 1, 2, 5, 6, 7, 8], {"a": [1, 2, 5, 6]})
    first = op("first", pick("", win(0, 9), cut=win(6, 9)), FACT)
    assert ask(known, Read(INSTANT, first, "start")) == (6 * S, 6 * S)
    first = op("first", pick("", win(0, 9), cut=win(2, 9)), FACT)
    assert ask(known, Read(INSTANT, first, "start")) == (2 * S, 2 * S)
    first = op("first", pick("", win(0, 9), cut=win(3, 9)), FACT)
    assert ask(known, first) is None  # whether the first label lasts until then is not known


def test_a_named_fact_reaches_beyond_itself_only_for_parts_that_have_no_name():
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [1, 2, 5, 6]})
    for ref, count in ((win(0, 9), (1, 1)), (win(6, 9), (0, 1))):
        named = op("facts", pick("", ref), Type("facts", "fact"))
        early = Pattern(FACT, (), source=named, reference=win(0, 2))
        assert ask(known, op("count", early, NUMBER)) == count


def test_two_instances_of_a_class_may_be_one():
    known = touching({"a": [0, 1], "b": [2, 3]}, [4, 5])
    count = op("count", pick("", win(0, 5), field="track"), NUMBER)
    assert ask(known, count) == (2, 3)


def holds(known: Relation, ref: Node, relation: str, label: str = "a", **more):
    """Whether a fact of the label lies so to a reference."""
    return ask(known, op("exists", pick(label, ref, relation, **more)))


def test_each_relation_has_slack_at_both_of_its_borders():
    known = spans([("a", 5, 12)], [(-2_000_000, 2_000_000)], slack=S)
    told = {
        "throughout": {(6, 11): True, (6, 12): None, (5, 11): None, (3, 11): False},
        "inside": {(4, 13): True, (5, 13): None, (4, 12): None, (7, 13): False},
        "starts_in": {(4, 6.000001): True, (4, 6): None, (5, 7): None, (1, 4): False},
        "ends_in": {
            (10.999999, 13.000001): True,
            (11, 13.000001): None,
            (10, 13): None,
            (12, 14): None,
            (8, 11): False,
        },
        "before": {(13, 14): True, (12, 14): None, (10, 14): False},
        "after": {(2, 4): True, (2, 5): None, (2, 6.5): False},
    }
    for relation, cases in told.items():
        found = {bounds: holds(known, win(*bounds), relation) for bounds in cases}
        assert found == cases, relation


def test_what_may_be_one_fact_may_lie_where_neither_part_does():
    known = sampled([0, 1, 2, 5, 6, 7], {"a": [1, 2, 5, 6]})
    assert holds(known, win(1.5, 6), "throughout") is None
    assert holds(known, win(4.5, 7), "inside") is None
    assert holds(known, win(2.5, 4.5), "after") is None
    assert holds(known, win(0, 7), "overlaps", at_least=int(5.5 * S)) is None


def brief_hole(a: float, b: float) -> tuple[Relation, Node]:
    """b from 10 to 12, each border half a second wide; nobody looked from a to b."""
    known = spans([("b", 10, 12)], [(-2_000_000, a), (b, 2_000_000)], slack=S // 2)  # type: ignore[list-item]
    return known, op("only", pick("b", win(10.6, 11.4)), FACT)


def test_a_hole_matters_up_to_where_the_reference_may_begin_or_end():
    known, ref = brief_hole(9.7, 9.9)
    assert holds(known, ref, "before") is None
    known, ref = brief_hole(12.1, 12.3)
    assert holds(known, ref, "after") is None
    known, _ = brief_hole(5.7, 5.9)
    assert holds(known, win(6, 7), "meets", within=S // 2) is None
    assert holds(known, win(7, 8), "meets", within=S // 2) is False


def test_an_unlisted_fact_may_fill_a_hole_to_both_of_its_ends():
    known = spans([], [(-1, 20), (25, 60)])
    assert holds(known, win(20, 25), "throughout") is None
    assert holds(known, win(19.999999, 25), "throughout") is False
    assert holds(known, win(20, 25.000001), "throughout") is False


def test_a_fact_is_no_longer_than_its_borders_allow():
    known = spans([("a", 5, 7)], [(-1, 60)], slack=S // 2)
    found = [holds(known, win(0, 20), "overlaps", at_most=int(t * S)) for t in (0.9, 1, 2.9, 3)]
    assert found == [False, None, None, True]


def test_what_may_be_cut_away_is_not_certainly_there():
    known = spans([("a", 5, 9)], [(-1, 60)], slack=S)
    found = [holds(known, win(0, 20), "overlaps", cut=win(t, 20)) for t in (4, 8.5, 10)]
    assert found == [True, None, False]


def test_of_a_kind_that_nobody_looked_at_nothing_is_absent():
    known = spans([("a", 5, 6)], [(-1, 60)])
    other = Pattern(FACT, ("phase",), relation="overlaps", reference=win(10, 20))
    assert ask(known, op("exists", other)) is None
    noted = Pattern(FACT, ("affordance",), relation="overlaps", reference=win(10, 20))
    assert ask(known, op("exists", noted)) is False


def test_none_is_certain_only_where_somebody_looked():
    known = spans([], [(-1, 10)])

    def is_none(a: float, b: float) -> Node:
        first = op("first", pick("a", win(a, b), or_none=True), FACT)
        nothing = Const(Type("none"), None)
        return Call(TRUTH, "compare", (("left", first), ("sign", "="), ("right", nothing)))

    assert ask(known, is_none(2, 8)) is True
    assert ask(known, is_none(2, 15)) is None


def test_another_instance_of_a_class_may_be_the_same():
    known = touching({"a": [0, 1], "b": [2, 3]}, [4, 5])
    seen = op("only", pick("a", win(0, 1)), FACT)
    mine = FieldTest("track", (Read(Type("track"), seen, "track"),))
    other = FieldTest("track", mine.values, negated=True)
    for test in (mine, other):
        later = Pattern(FACT, ("tool",), tests=(test,), reference=win(4, 5))
        assert ask(known, op("exists", later)) is None


def test_a_union_counts_what_lies_within_another_once():
    known = spans([("a", 2, 10), ("b", 3, 4), ("b", 6, 7)], [(-1, 60)])
    assert ask(known, op("total", pick("", win(0, 20)), DURATION)) == (8 * S, 8 * S)


def test_a_lead_is_reached_where_it_is_just_as_long():
    known = spans([("a", 2, 6), ("b", 8, 10)], [(-1, 60)])
    for lead, fine in ((2 * S, True), (2 * S + 1, False)):
        best = op("argmax", pick("", win(0, 20)), FACT, by=LENGTH, lead=Amount("us", lead, lead))
        assert (ask(known, best) is not None) == fine


def test_an_instance_that_may_be_another_began_with_it():
    known = touching({"a": [1, 2], "b": [0]}, [3, 4])
    assert holds(known, win(1.5, 5), "inside") is None
    assert holds(known, win(1, 2), "after") is None
    assert holds(known, win(0, 5), "overlaps", at_least=int(3.5 * S)) is None
    assert holds(known, win(0, 5), "overlaps", at_least=int(5.5 * S)) is False
