"""Mistakes planted in the engine one by one: each is one comparison, or one thing forgotten."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from types import FunctionType, ModuleType

import pytest

ROOM = "surgqa.transforms.algebra"


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
    Mistake(VALUES, "return (a.hi < b.lo) & ~_same", "return (a.hi <= b.lo) & ~_same",
            "what_is_at_most_equal_is_not_less"),
    Mistake(VALUES, "return (a.lo < b.hi) & ~_same", "return (a.lo <= b.hi) & ~_same",
            "a_fact_holds_from_its_start_to_before_its_end", worlds=False),
    Mistake(VALUES, "return (a.lo < b.hi) & ~_same", "return (a.at < b.at) & ~_same",
            "short_spans_exist_though_no_instant_is_certain"),
    Mistake(VALUES, "return (a.hi <= b.lo) | _same", "return (a.hi < b.lo) | _same",
            "a_fact_holds_from_its_start_to_before_its_end", worlds=False),
    Mistake(VALUES, "return (a.hi <= b.lo) | _same", "return (a.at <= b.at) | _same",
            "slack_leaves_both_ends_open"),
    Mistake(RELATIONS, "is_at_most(ref.start, fact.reach_start) & lies_before(fact.start, ref.end)",
            "is_at_most(ref.start, fact.start) & lies_before(fact.start, ref.end)",
            "what_may_be_one_fact_need_not_begin_or_end_here"),
    Mistake(RELATIONS, "lies_before(fact.reach_end, ref.end)", "lies_before(fact.end, ref.end)",
            "what_may_be_one_fact_need_not_begin_or_end_here"),
    Mistake(RELATIONS, "return is_at_most(fact.reach_end, ref.start)",
            "return is_at_most(fact.end, ref.start)",
            "what_may_be_one_fact_need_not_begin_or_end_here"),
    Mistake(RELATIONS,
            "return sure, may_lie_before(ref.start, fact.end) & may_lie_before(fact.end, ref.end)",
            "return sure, may_be_at_most(ref.start, fact.end) & may_lie_before(fact.end, ref.end)",
            "what_ends_where_a_stretch_begins_does_not_end_in_it", worlds=False),
    Mistake("operators.measures.columns", "~may & ~found.unlooked", "~may",
            "a_clip_of_n_labels_has_no_n_th_second"),
    Mistake("operators.picks.columns", " & ~found.unlooked[found.filling]", "",
            "nothing_is_alone_beside_a_hole"),
    Mistake("columns.arguments", "rivals = best <= bound", "rivals = best < bound",
            "a_segment_holds_the_thing_in_every_world", worlds=False),
    Mistake("columns.arguments", "edge <= bound[found.hole_filling]",
            "edge < bound[found.hole_filling] - 1", "one_may_begin_at_the_very_start_of_a_hole",
            worlds=False),
    Mistake("operators.measures.columns", "np.unique(found.filling[found.sure] * many + group)",
            "found.filling[found.sure] * many + group", "both_sides_of_a_hole_may_be_one_fact"),
    Mistake(VALUES, "np.where(found.unlooked, np.inf, possible)", "1.0 * possible",
            "a_count_of_values_skips_no_hole"),
    Mistake("operators.measures.columns", 'begin = np.concatenate([facts["x0"], found.hole_u0])',
            'begin = np.concatenate([facts["x0"], found.hole_u1])',
            "a_total_counts_what_a_hole_may_hide"),
    Mistake("columns.best", "(top_low > rest_high)", "(top_low >= rest_high)",
            "a_tie_has_no_longest"),
    Mistake("columns.elements", "found.sure, found.ok & ~found.unlooked)", "found.sure, found.ok)",
            "the_longest_may_be_one_that_nobody_listed"),
    Mistake(SELECT, 'shortest = np.maximum(columns["e0"] - columns["s1"], 1)',
            'shortest = columns["e"] - columns["s"]', "a_length_is_known_no_better_than_its_ends"),
    Mistake(SELECT, "long_enough = found.hole_floor > pattern.at_least",
            "long_enough = found.hole_floor >= pattern.at_least", "recall_has_a_length",
            worlds=False),
    Mistake(SELECT, "out |= mine & (code >= 0)", "out &= mine & (code >= 0)",
            "what_nobody_looked_for_is_never_absent", worlds=False),
    Mistake("operators.collections.columns", "(first[1:] <= latest)", "(first[1:] < latest)",
            "an_order_needs_starts_that_cannot_meet", worlds=False),
    Mistake("operators.collections.columns", "found.ok & same & ~found.unlooked",
            "found.ok & ~found.unlooked", "a_set_has_only_members_that_are_certain"),
    Mistake("operators.values.columns", "ok = value.ok & (low == high)", "ok = value.ok",
            "a_word_holds_the_whole_range"),
    Mistake(VALUES, "np.where(found.unlooked, np.inf, possible)", "1.0 * possible",
            "the_most_at_once_counts_what_a_hole_may_hide"),
    Mistake("operators.conditions.columns", "no.any(0), ok.all(0))", "no.any(0), (ok | no).all(0))",
            "false_and_undefined_is_undefined"),
    Mistake("operators.measures.columns",
            'low = union_length(found.filling[held], facts["s1"][held], facts["e0"][held]',
            'low = union_length(found.filling[held], facts["s"][held], facts["e"][held]',
            "a_total_counts_what_a_hole_may_hide"),
    Mistake("columns.boxes", "found & (at.lo == at.hi)", "found",
            "a_box_is_known_at_the_instant_of_its_label", worlds=False),
    Mistake("operators.picture.columns", "& (count == wanted)", "",
            "a_path_is_known_where_every_instant_has_its_box", worlds=False),
    Mistake("operators.values.columns", "(int(grid.low) >= _uncertainty(held))", "True",
            "a_segment_holds_the_thing_in_every_world", worlds=False),
    Mistake("operators.values.columns", "first, last = held.start.lo - base, held.end.hi - base",
            "first, last = held.start.at - base, held.end.at - base",
            "a_segment_holds_the_thing_in_every_world"),
    Mistake("operators.conditions.columns", "lies_before(a, b) if strict else is_at_most(a, b)",
            "is_at_most(a, b)", "what_is_at_most_equal_is_not_less"),
    Mistake(RELATIONS, "sure = one | ((start.hi - end.lo <= within)",
            "sure = one | ((start.lo - end.hi <= within)",
            "facts_meet_if_no_world_holds_them_apart"),
    Mistake(RELATIONS, "sure = is_at_most(fact.start, ref.start) & is_at_most(ref.end, fact.end)",
            "sure = is_at_most(fact.start, ref.start) & lies_before(ref.start, fact.end)",
            "each_relation_has_slack_at_both_of_its_borders", worlds=False),
    Mistake(RELATIONS,
            "may = may_be_at_most(fact.reach_start, ref.start) & may_be_at_most(ref.end, "
            "fact.reach_end)",
            "may = may_be_at_most(fact.start, ref.start) & may_be_at_most(ref.end, fact.end)",
            "what_may_be_one_fact_may_lie_where_neither_part_does", worlds=False),
    Mistake(RELATIONS,
            "sure = is_at_most(ref.start, fact.reach_start) & is_at_most(fact.reach_end, ref.end)",
            "sure = is_at_most(ref.start, fact.start) & is_at_most(fact.end, ref.end)",
            "an_instance_that_may_be_another_began_with_it", worlds=False),
    Mistake(RELATIONS, "return is_at_most(ref.end, fact.reach_start), may",
            "return is_at_most(ref.end, fact.start), may",
            "an_instance_that_may_be_another_began_with_it", worlds=False),
    Mistake(RELATIONS, "return is_at_most(ref.end, fact.reach_start), may",
            "return lies_before(ref.end, fact.reach_start), may",
            "each_relation_has_slack_at_both_of_its_borders", worlds=False),
    Mistake(RELATIONS, "return np.full(n, -far), a1", "return np.full(n, -far), a0",
            "a_hole_matters_up_to_where_the_reference_may_begin_or_end", worlds=False),
    Mistake(RELATIONS, "return a0 - within - 1, a1 + within + 1", "return a0, a1",
            "a_hole_matters_up_to_where_the_reference_may_begin_or_end", worlds=False),
    Mistake(RELATIONS, "return ref.end.lo, np.full(n, far)", "return ref.end.hi, np.full(n, far)",
            "a_hole_matters_up_to_where_the_reference_may_begin_or_end", worlds=False),
    Mistake(RELATIONS, "return (u0 <= ref.start.hi) & (u1 >= ref.end.lo)",
            "return (u0 < ref.start.lo) & (u1 > ref.end.hi)",
            "an_unlisted_fact_may_fill_a_hole_to_both_of_its_ends", worlds=False),
    Mistake(SELECT, "held, may = ~may, ~held", "held, may = ~held, ~may",
            "another_instance_of_a_class_may_be_the_same", worlds=False),
    Mistake(SELECT, 'longest = columns["x1"] - columns["x0"]',
            'longest = columns["e1"] - columns["s0"]',
            "an_instance_that_may_be_another_began_with_it", worlds=False),
    Mistake(SELECT, "may &= shortest <= pattern.at_most", "may &= longest <= pattern.at_most",
            "a_fact_is_no_longer_than_its_borders_allow", worlds=False),
    Mistake(SELECT, "held &= longest <= pattern.at_most", "held &= shortest <= pattern.at_most",
            "a_fact_is_no_longer_than_its_borders_allow", worlds=False),
    Mistake(SELECT, 'held = columns["s1"] < columns["e0"]', 'held = columns["s0"] < columns["e1"]',
            "what_may_be_cut_away_is_not_certainly_there", worlds=False),
    Mistake(SELECT, "keep |= (of == -1) | (of == code)", "keep |= of == code",
            "a_clip_of_n_labels_has_no_n_th_second", worlds=False),
    Mistake("columns.near", 'and described(name).labelled != "noted"', "and False",
            "of_a_kind_that_nobody_looked_at_nothing_is_absent", worlds=False),
    Mistake("columns.arguments", "& ~found.unlooked & found.ok", "& found.ok",
            "none_is_certain_only_where_somebody_looked", worlds=False),
    Mistake("columns.arguments", '(np.minimum(at["s0"], at["x0"]), at["s1"])',
            '(at["s0"], at["s1"])', "the_last_to_begin_may_be_one_that_began_before", worlds=False),
    Mistake("columns.arguments", 'np.maximum(at["e1"], at["x1"])', 'at["e1"]',
            "the_first_to_end_may_go_on_as_one_that_ends_later", worlds=False),
    Mistake("columns.identity",
            'may = same | ((columns["subject"] == wanted["subject"]) & ~(apart & known))',
            "may = same", "another_instance_of_a_class_may_be_the_same", worlds=False),
    Mistake("columns.measure", "np.maximum.accumulate(last)", "last",
            "a_union_counts_what_lies_within_another_once", worlds=False),
    Mistake("columns.measure", "np.lexsort((change, when, who))",
            "np.lexsort((-change, when, who))", "the_most_at_once_counts_what_a_hole_may_hide",
            worlds=False),
    Mistake("columns.best", "return gap >= (lead.low", "return gap > (lead.low",
            "a_lead_is_reached_where_it_is_just_as_long", worlds=False),
    Mistake("operators.measures.columns", 'if field == "track":', "if False:",
            "two_instances_of_a_class_may_be_one", worlds=False),
)  # fmt: skip
