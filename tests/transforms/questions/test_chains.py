"""Chains: all stages or none, windows that shrink, one event for all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from json import loads
from pathlib import Path

import pytest

from surgqa.ontology.items import Item
from surgqa.ontology.records import Code
from surgqa.transforms.language.load import parse_text
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.row_fields import numbers
from surgqa.transforms.timeline.relation import Relation
from tests.each import cases

from .made import told
from .operations import ask, drawn, operation, program, programs, sample

S = 1_000_000
LONG_AGO = ("hook", "dissect", "gallbladder", 40, 46)


@pytest.fixture(scope="module")
def unified(tmp_path_factory) -> Relation:
    return sample("unified", tmp_path_factory.mktemp("unified"))


@pytest.fixture(scope="module")
def cholect50(tmp_path_factory) -> Relation:
    return sample("cholect50", tmp_path_factory.mktemp("cholect50"))


def chains_of(items: list[Item]) -> Mapping[str, list[Item]]:
    found: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        found[str(item.chain_id)].append(item)
    return found


ASKED = {
    "unified": {"action_ordering.start": 9, "action_ordering.milestone": 3,
                "action_ordering.later": 6, "affordance.event": 9, "affordance.onset": 9,
                "anomaly_onset": 2, "cue_alignment": 9, "micro_transition": 6,
                "reason_of_order": 8},
    "cholect50": {"action_ordering.start": 2, "action_ordering.later": 2, "affordance.event": 2,
                  "affordance.onset": 2},
}  # fmt: skip
"""Of recordings with one change, or one reason, alone nothing is exchanged."""


@pytest.mark.parametrize("data", sorted(ASKED))
@pytest.mark.parametrize("one", programs(), ids=lambda one: one.id)
def test_every_chain_is_whole_and_its_windows_shrink(data, one: Program, request):
    asked = ask(request.getfixturevalue(data), one)
    found = chains_of(asked.items)
    assert len(found) == ASKED[data].get(one.id.removeprefix("surgcot."), 0)
    for items in found.values():
        main, first, second, third = items
        assert [item.stage for item in items] == [0, 1, 2, 3]
        assert [told(one, item)["task"].split("/")[1] for item in items] == [
            "main",
            "q1",
            "q2",
            "q3",
        ]
        assert main.window == first.window
        for inner in (second, third):
            assert first.window.start_us <= inner.window.start_us
            assert inner.window.end_us <= first.window.end_us
        assert third.window.duration_us < second.window.duration_us < first.window.duration_us
        assert main.knowledge is None and main.clue is None
        assert all(item.knowledge and item.clue for item in items[1:])
        assert second.context and third.context
        assert len({item.item_id for item in items}) == 4


@pytest.mark.parametrize("one", programs(), ids=lambda one: one.id)
def test_options_are_typed_and_different_and_four_but_of_few_answers(
    one: Program, unified, cholect50
):
    items = (*ask(unified, one).items, *ask(cholect50, one).items)
    size = Counter(item.block for item in items if item.block)
    for item in items:
        told = {option.kind for option in item.options} in ({"answer", "exchange"},
                                                            {"answer", "cases"})  # fmt: skip
        n = size.get(item.block, len(item.options) if told else 4)
        assert 2 <= n <= 4
        assert [option.key for option in item.options] == list("ABCD"[:n])
        assert [option.is_answer for option in item.options].count(True) == 1
        assert len({option.text.casefold() for option in item.options}) == n
        right = next(option for option in item.options if option.is_answer)
        values = list(item.answer_value.values())
        assert right.value == (values[0] if len(values) == 1 else values)
        assert item.answer == f"{right.key}) {right.text}"


def test_a_row_says_what_it_is(unified):
    one = program("affordance.event")
    rows = [told(one, item) for item in ask(unified, one).items[:4]]
    assert [one["rule"] for one in rows] == ["coalesce", "coalesce", "segment", "each"]
    assert {one["unit"] for one in rows} == {"chain"}
    assert {one["form"] for one in rows} == {"choice"}
    assert {one["certain"] for one in rows} == {"worlds"}
    assert all(one[name] is None for one in rows
               for name in ("query_us", "temporal_mode", "task_mode"))  # fmt: skip
    assert loads(rows[2]["rule_args"])["answer"] == {"answer": {"type": "stretch", "of": ""}}
    assert loads(rows[0]["rule_args"])["pools"] == ["halves"]


def test_the_main_question_joins_right_and_wrong_halves(unified):
    for items in chains_of(ask(unified, program("anomaly_onset")).items).values():
        what, when = items[0].answer_value.values()
        halves = [(a == what, b == when) for a, b in (o.value for o in items[0].options)]
        assert sorted(halves) == [(False, False), (False, True), (True, False), (True, True)]
        assert len({o.text for o in items[0].options}) == 4


def test_the_published_segments_of_an_anomaly(unified):
    """An event of 21.57 to 22.67 s: half seconds fit it better than 70 %, whole ones do not."""
    _, _, second, third = ask(unified, program("anomaly_onset")).items[:4]
    assert second.answer.endswith("21.50 s to 23.00 s")
    row = sorted(option.value if isinstance(option.value, int) else option.value["time_us"]
                 for option in third.options)  # fmt: skip
    (step,) = {b - a for a, b in zip(row, row[1:], strict=False)}
    assert 500_000 <= step < 600_000


def test_the_same_filling_has_the_same_chain_whatever_else_is_there(cholect50):
    one = program("affordance.event")
    alike = ask(cholect50, one).items
    again = ask(cholect50, one).items
    assert alike == again
    other = ask(cholect50, one, seed="1").items
    assert {item.template_id for item in other} == {one.id}


# -- templates with other stages -----------------------------------------------------------------

HEAD = """
schema: question/v1
id: made.chain
version: 1
title: A made-up chain
benchmark: made
task: pauses
unit: {chain: act, every: 60 s}
let:
  act: {each: interaction, subject: hook}
stages:
"""
STAGE = """
  {name}:
    {window}
    answer: {answer}
    wrong: [{wrong}]
    ask: ["When is it, at {name}?", "Which is it, at {name}?", "Tell it, at {name}.", "{name}?"]
    say: "{say}"
    {more}
"""
WHAT = STAGE.format(name="what", window="window: {around: act, at_least: 20 s, room: 10 s}",
                    answer="act.target", wrong="{labels: target}", say="{{ act.target | the }}",
                    more="")  # fmt: skip
WHEN = STAGE.format(
    name="when", window="window: {around: options, at_least: 6 s, room: 1 s, inside: what}",
    answer="act.start", say="{{ act.start | clock }}",
    wrong="{near: answer, apart: 1 s, unless: {exists: interaction, subject: hook, starts_in: "
    "[it - 0.5 s, it + 0.5 s]}}",
    more='context: "It is {{ what.answer | text }}."')  # fmt: skip
BOTH = STAGE.format(name="both", window="see: what", answer="[act.target, act.start]",
                    wrong="{halves: [what, when]}",
                    say="{{ act.target | the }} of the {{ act.subject | name }}, at "
                    "{{ act.start | clock }}", more="")  # fmt: skip


def made(*stages: str) -> Program:
    found, findings = parse_text(HEAD + "".join(stages), "made/chain.yaml")
    assert found, findings
    return found[0]


OTHERS = [("grasper", "retract", "liver", 70, 72), ("grasper", "retract", "omentum", 75, 77),
          ("clipper", "clip", "cystic_duct", 80, 81)]  # fmt: skip
ALONE = operation([LONG_AGO, *OTHERS], range(90))


@cases(
    ("stages", "order"),
    [((WHAT, WHEN), [1, 0]), ((BOTH, WHAT, WHEN), [0, 1, 2]), ((WHAT,), [0]),
     ((WHAT, WHEN, BOTH), [1, 2, 0])],
)  # fmt: skip
def test_a_chain_has_as_many_stages_as_it_says(stages, order):
    asked = ask(ALONE, made(*stages))
    assert [item.stage for item in asked.items] == order
    assert len({item.chain_id for item in asked.items}) == 1


def test_names_that_are_not_asked_for_are_printed_as_they_are():
    main = ask(ALONE, made(BOTH, WHAT, WHEN)).items[0]
    assert all(" of the hook, at " in option.text for option in main.options)
    assert len({option.text.split(" of the ")[0] for option in main.options}) == 2


def test_later_stages_know_the_words_of_earlier_answers():
    _, when = ask(ALONE, made(WHAT, WHEN)).items
    assert when.context == "It is the gallbladder."


def test_a_chain_of_which_one_stage_cannot_be_asked_is_not_asked():
    twice = [LONG_AGO, *OTHERS, ("grasper", "retract", "gallbladder", 47, 60)]
    alone = "    where: [{only: interaction, overlaps: window}]\n"
    assert ask(operation([LONG_AGO, *OTHERS], range(90)), made(WHAT + alone, WHEN)).items
    asked = ask(operation(twice, range(90)), made(WHAT + alone, WHEN))
    assert not asked.items
    assert [one.where for one in asked.declined if "count" in one.where]


def test_without_knowledge_there_is_no_chain():
    known = made(WHAT + "    knowledge: {verb: act.verb}\n", WHEN)
    assert {item.knowledge for item in ask(ALONE, known).items} != {None}
    unknown = made(WHAT, WHEN + "    knowledge: {anomaly: act.subject}\n")
    asked = ask(ALONE, unknown)
    assert not asked.items
    assert Code.NO_KNOWLEDGE in {one.code for one in asked.declined}


def test_the_main_stage_is_called_so_or_sees_another_window():
    assert numbers(made(WHAT, WHEN, BOTH)) == {"what": 1, "when": 2, "both": 0}
    assert numbers(program("affordance.event")) == {"main": 0, "q1": 1, "q2": 2, "q3": 3}


# -- what went wrong once ------------------------------------------------------------------------

TWO = [("hook", "dissect", "gallbladder", 40, 46), ("hook", "coagulate", "liver", 60, 64)]


CHANGES = [("hook", verb, target, start, start + 5) for k, (one, other, target) in enumerate((
    ("dissect", "coagulate", "gallbladder"), ("dissect", "coagulate", "liver"),
    ("coagulate", "dissect", "cystic_duct"), ("dissect", "coagulate", "cystic_plate"),
)) for verb, start in ((one, 70 * k + 30), (other, 70 * k + 36))]  # fmt: skip


def test_a_change_is_asked_for_where_no_phase_is_labelled():
    """The phase only chooses among statements of the bank, and nothing asks for it."""
    asked = [ask(operation(CHANGES, range(300), phase=phase), program("micro_transition")).items
             for phase in ("preparation", "")]  # fmt: skip
    assert [item.answer_value for item in asked[1]] == [item.answer_value for item in asked[0]]
    assert len(asked[1]) == 4 * len(CHANGES) // 2


def stage_items(known: Relation, name: str, stage: int) -> list[Item]:
    return [item for item in ask(known, program(name)).items if item.stage == stage]


def test_no_onset_is_asked_across_a_hole():
    """The second before the first label of the action is not labelled: it may begin there."""
    whole = stage_items(operation(TWO, range(100)), "affordance.event", 3)
    assert [item.answer_value["act.start"]["time_us"] for item in whole] != []
    holed = [t for t in range(100) if t not in (38, 39, 58, 59)]
    assert not stage_items(operation(TWO, holed), "affordance.event", 3)


@cases("hole", [31, 36, 38, 39, 41, 46, 47, 52, 59])
def test_no_wrong_time_lies_where_nobody_looked(hole):
    """One second without labels, anywhere near the action; of what lasts two seconds, two."""
    cases = [(name, 1) for name in ("affordance.event", "action_ordering.start",
                                    "action_ordering.later", "micro_transition")]  # fmt: skip
    for name, seconds in (*cases, ("affordance.onset", 2)):
        missing = range(hole, hole + seconds)
        known = operation(TWO, [t for t in range(100) if t not in missing])
        low, high = (hole - 1) * S, (hole + seconds) * S
        for item in ask(known, program(name)).items:
            for option in item.options:
                times = option.value if isinstance(option.value, list) else [option.value]
                for time in times:
                    if isinstance(time, int):
                        assert not low < time < high
                    elif isinstance(time, dict) and "start" in time and not option.is_answer:
                        assert time["end"] <= low or time["start"] >= high


@pytest.mark.parametrize("seed", range(2))
def test_no_wrong_segment_holds_the_change(seed):
    """A segment that ends where the right one begins lies outside all that the start may be."""
    for one in programs():
        for item in ask(drawn(seed), one).items:
            if item.stage != 2:
                continue
            names = ("act", "after", "asked", "first")
            start = next(item.slots[name] for name in names if name in item.slots)
            low, high = start["start_us"] - S // 2, start["start_us"] + S // 2
            right = next(option.value for option in item.options if option.is_answer)
            assert right["start"] <= low and high <= right["end"]
            for option in item.options:
                if not option.is_answer:
                    assert option.value["end"] <= low or option.value["start"] >= high


def test_sparse_labels_of_real_operations_are_asked_about_where_somebody_looked(
    real_dataset: Callable[[str], Path],
):
    """Labels at some seconds only: first windows lie in what was looked at, however short."""
    from surgqa.transforms.registry import load_reader
    from surgqa.transforms.timeline import build_timeline
    from surgqa.transforms.timeline.relation.gather import relation_of

    reader = load_reader("cholect50")(real_dataset("cholect50-challenge-val"), False, None)
    read = [reader.read(name) for name in ("VID68", "VID73", "VID74")]
    known = relation_of([(one, build_timeline(one)) for one in read])
    found = {}
    for one in programs():
        asked = ask(known, one)
        found[one.id.removeprefix("surgcot.")] = len(chains_of(asked.items))
        assert len(asked.declined) == 84 - len(chains_of(asked.items))
        assert all(9 * S <= i.window.duration_us <= 22 * S for i in asked.items if i.stage == 1)
    assert {name: n for name, n in found.items() if n} == REAL


REAL = {"action_ordering.later": 2, "affordance.onset": 3, "micro_transition": 2}
