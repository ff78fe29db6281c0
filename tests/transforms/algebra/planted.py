"""Mistakes planted in the engine one by one: each is one comparison, or one thing forgotten."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from types import FunctionType, ModuleType

import pytest

ROOM = "transforms.algebra"


@dataclass(frozen=True)
class Mistake:
    """One change of the source.

    Attributes:
        module: inside the room.
        found: the example of a border that finds it, without ``test_``.
        worlds: random worlds find it as well; else it makes the engine know less, or shows only
            where times coincide, or in labels that are not drawn.
    """

    module: str
    right: str
    wrong: str
    found: str
    worlds: bool = True

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Give the module's functions the code that they have with the mistake."""
        module = importlib.import_module(f"{ROOM}.{self.module}")
        source = inspect.getsource(module)
        assert source.count(self.right) == 1, f"{self.right!r} is not one place of {self.module}"
        changed = ModuleType(module.__name__)
        exec(compile(source.replace(self.right, self.wrong), str(module.__file__), "exec"),
             changed.__dict__)  # fmt: skip
        for name, one in vars(module).items():
            mine = isinstance(one, FunctionType) and one.__module__ == module.__name__
            if mine and hasattr(changed, name):
                monkeypatch.setattr(one, "__code__", getattr(changed, name).__code__)


VALUES, RELATIONS, SELECT = "columns.values", "columns.relations", "columns.select"

MISTAKES = (
    Mistake(
        VALUES,
        "return (a.hi < b.lo) & ~_same",
        "return (a.hi <= b.lo) & ~_same",
        "what_is_at_most_equal_is_not_less",
    ),
    Mistake(
        VALUES,
        "return (a.lo < b.hi) & ~_same",
        "return (a.lo <= b.hi) & ~_same",
        "a_fact_holds_from_its_start_to_before_its_end",
        worlds=False,
    ),
    Mistake(
        VALUES,
        "return (a.lo < b.hi) & ~_same",
        "return (a.at < b.at) & ~_same",
        "short_spans_exist_though_no_instant_is_certain",
    ),
    Mistake(
        VALUES,
        "return (a.hi <= b.lo) | _same",
        "return (a.hi < b.lo) | _same",
        "a_fact_holds_from_its_start_to_before_its_end",
        worlds=False,
    ),
    Mistake(
        VALUES,
        "return (a.hi <= b.lo) | _same",
        "return (a.at <= b.at) | _same",
        "slack_leaves_both_ends_open",
    ),
    Mistake(
        RELATIONS,
        "is_at_most(ref.start, fact.reach_start) & lies_before(fact.start, ref.end)",
        "is_at_most(ref.start, fact.start) & lies_before(fact.start, ref.end)",
        "what_may_be_one_fact_need_not_begin_or_end_here",
    ),
    Mistake(
        RELATIONS,
        "lies_before(fact.reach_end, ref.end)",
        "lies_before(fact.end, ref.end)",
        "what_may_be_one_fact_need_not_begin_or_end_here",
    ),
    Mistake(
        RELATIONS,
        "return is_at_most(fact.reach_end, ref.start)",
        "return is_at_most(fact.end, ref.start)",
        "what_may_be_one_fact_need_not_begin_or_end_here",
    ),
    Mistake(
        RELATIONS,
        "return sure, may_lie_before(ref.start, fact.end) & may_lie_before(fact.end, ref.end)",
        "return sure, may_be_at_most(ref.start, fact.end) & may_lie_before(fact.end, ref.end)",
        "what_ends_where_a_stretch_begins_does_not_end_in_it",
        worlds=False,
    ),
    Mistake(
        "operators.exists.columns",
        "~may & ~found.unlooked",
        "~may",
        "a_clip_of_n_labels_has_no_n_th_second",
    ),
    Mistake(
        "operators.only.columns",
        " & ~found.unlooked[found.filling]",
        "",
        "nothing_is_alone_beside_a_hole",
    ),
    Mistake(
        "columns.arguments",
        "rivals = best <= bound",
        "rivals = best < bound",
        "a_segment_holds_the_thing_in_every_world",
        worlds=False,
    ),
    Mistake(
        "columns.arguments",
        "edge <= bound[found.hole_filling]",
        "edge < bound[found.hole_filling] - 1",
        "one_may_begin_at_the_very_start_of_a_hole",
        worlds=False,
    ),
    Mistake(
        "operators.count.columns",
        "np.unique(group[found.sure], axis=0)",
        "group[found.sure]",
        "both_sides_of_a_hole_may_be_one_fact",
    ),
    Mistake(
        "operators.count.columns",
        "most[found.unlooked] = np.inf",
        "pass",
        "a_count_of_values_skips_no_hole",
    ),
    Mistake(
        "operators.total.columns",
        'begin = np.concatenate([facts["x0"], found.hole_u0])',
        'begin = np.concatenate([facts["x0"], found.hole_u1])',
        "a_total_counts_what_a_hole_may_hide",
    ),
    Mistake(
        "columns.best", "(top_low > rest_high)", "(top_low >= rest_high)", "a_tie_has_no_longest"
    ),
    Mistake(
        "columns.elements",
        "found.sure, found.ok & ~found.unlooked)",
        "found.sure, found.ok)",
        "the_longest_may_be_one_that_nobody_listed",
    ),
    Mistake(
        SELECT,
        'shortest = np.maximum(columns["e0"] - columns["s1"], 1)',
        'shortest = columns["e"] - columns["s"]',
        "a_length_is_known_no_better_than_its_ends",
    ),
    Mistake(
        SELECT,
        "long_enough = found.hole_floor > pattern.at_least",
        "long_enough = found.hole_floor >= pattern.at_least",
        "recall_has_a_length",
        worlds=False,
    ),
    Mistake(
        SELECT,
        "out |= mine & (code >= 0)",
        "out &= mine & (code >= 0)",
        "what_nobody_looked_for_is_never_absent",
        worlds=False,
    ),
    Mistake(
        "operators.sequence.columns",
        "(first[1:] <= latest)",
        "(first[1:] < latest)",
        "an_order_needs_starts_that_cannot_meet",
        worlds=False,
    ),
    Mistake(
        "operators.set.columns",
        "found.ok & same & ~found.unlooked",
        "found.ok & ~found.unlooked",
        "a_set_has_only_members_that_are_certain",
    ),
    Mistake(
        "operators.word.columns",
        "ok = value.ok & (low == high)",
        "ok = value.ok",
        "a_word_holds_the_whole_range",
    ),
    Mistake(
        "operators.peak.columns",
        "most[found.unlooked] = np.inf",
        "pass",
        "the_most_at_once_counts_what_a_hole_may_hide",
    ),
    Mistake(
        "operators.all.columns",
        "np.all(ok, axis=0))",
        "np.all(ok | no, axis=0))",
        "false_and_undefined_is_undefined",
    ),
    Mistake(
        "operators.total.columns",
        'facts["s1"][held], facts["e0"][held]',
        'facts["s"][held], facts["e"][held]',
        "a_total_counts_what_a_hole_may_hide",
    ),
    Mistake(
        "columns.boxes",
        "found & (at.lo == at.hi)",
        "found",
        "a_box_is_known_at_the_instant_of_its_label",
        worlds=False,
    ),
    Mistake(
        "operators.motion.columns",
        "& (count == wanted)",
        "",
        "a_path_is_known_where_every_instant_has_its_box",
    ),
    Mistake(
        "operators.segment.columns",
        "(int(grid.low) >= _slack(held))",
        "True",
        "a_segment_holds_the_thing_in_every_world",
        worlds=False,
    ),
    Mistake(
        "operators.segment.columns",
        "first, last = held.start.lo - base, held.end.hi - base",
        "first, last = held.start.at - base, held.end.at - base",
        "a_segment_holds_the_thing_in_every_world",
    ),
    Mistake(
        "operators.compare.columns",
        "lies_before(a, b) if strict else is_at_most(a, b)",
        "is_at_most(a, b)",
        "what_is_at_most_equal_is_not_less",
    ),
    Mistake(
        RELATIONS,
        "sure = one | ((start.hi - end.lo <= within)",
        "sure = one | ((start.lo - end.hi <= within)",
        "facts_meet_if_no_world_holds_them_apart",
    ),
)
