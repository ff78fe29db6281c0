"""Options by exchange: each is right once in its block, and no recording changes another's."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from surgqa.ontology.items import Item
from surgqa.ontology.records import Code, Span, VideoEvidence
from surgqa.transforms.algebra.columns.typed import text_of
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.ask import Asked, Asker
from surgqa.transforms.questions.units import clips
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.each import cases
from tests.transforms.questions import made
from tests.transforms.questions.operations import ask, drawn, operation
from tests.transforms.questions.operations import program as chain
from tests.transforms.timeline.videos import S, Seen
from tests.transforms.timeline.videos import video as video_of

PHASES = ("preparation", "clipping_and_cutting", "gallbladder_dissection", "gallbladder_packaging",
          "cleaning_and_coagulation")  # fmt: skip
UNIT = "unit: {now: any, see: 10 s, every: 10 s}\n"
PHASE = (
    UNIT
    + """
let:
  here: {only: phase, at: now}
answer: here.label
wrong: [{exchange: answer}%s]
say: "{{ here.label | name }}"
"""
)
NUMBER = """
unit: clip
let:
  moment: {each: instant}
  number: {count: instrument.label, at: moment}
answer: number
wrong: [{exchange: answer}]
say: "{{ number | whole }}"
"""


def phases(*names: str) -> VideoEvidence:
    """A film in which each phase lasts ten seconds."""
    video = replace(video_of(S, "v" + "".join(name[0] for name in names)),
                    duration_us=10 * len(names) * S)  # fmt: skip
    spans = tuple(Span("phase", name, k * 10 * S, (k + 1) * 10 * S, "made", "made")
                  for k, name in enumerate(names))  # fmt: skip
    return VideoEvidence(video, None, spans)


@cache
def phase(more: str = "") -> Program:
    return made.program("phase", PHASE % more, "Which phase is this?")


def asked(program: Program, *films: VideoEvidence) -> Asked:
    relation = relation_of([(one, None) for one in films])
    return Asker(relation, clips([]), "0").ask(program)


def values(item: Item) -> frozenset[str]:
    """Everything that an item offers."""
    return frozenset(text_of(one.value) for one in item.options)


def right(item: Item) -> str:
    return next(text_of(one.value) for one in item.options if one.is_answer)


def blocks(items: Sequence[Item]) -> dict[str, list[Item]]:
    out = defaultdict(list)
    for one in items:
        if one.block is not None:
            out[one.block].append(one)
    return out


def hold(items: Sequence[Item]) -> None:
    """All of a block offer its answers, and each of them is right once."""
    for block in blocks(items).values():
        assert {values(one) for one in block} == {frozenset(map(right, block))}
        assert len(set(map(right, block))) == len(block)
        assert all(o.is_answer or o.kind == "exchange" for one in block for o in one.options)


def test_every_answer_of_a_block_is_right_once():
    items = asked(phase(), phases(*PHASES[:4])).items
    assert len(items) == 4 and len(blocks(items)) == 1
    hold(items)
    assert all(len(one.options) == 4 for one in items)


def test_a_label_that_finds_no_other_is_refused():
    """Were it asked, the frequent answer would be right more often than wrong."""
    found = asked(phase(), phases(*PHASES[:2], *PHASES[:1] * 3))
    assert len(found.items) == 2 and len(blocks(found.items)) == 1
    hold(found.items)
    assert [one.code for one in found.declined] == [Code.UNPAIRED] * 3


def test_of_one_answer_alone_the_next_pool_offers_others():
    film = phases(*PHASES[:1] * 3)
    found = asked(phase(), film)
    assert not found.items and {one.code for one in found.declined} == {Code.UNPAIRED}
    items = asked(phase(", {labels: phase}"), film).items
    assert len(items) == 3
    assert {o.kind for one in items for o in one.options} == {"answer", "labels"}
    assert {one.block for one in items} == {None}


def numbers(*many: int) -> Asked:
    """What is asked of clips with so many instruments each."""
    tools = ("grasper", "hook", "clipper", "scissors", "bipolar")
    seen = {t + 20 * k: [Seen(name) for name in tools[:n]] for k, n in enumerate(many)
            for t in range(20)}  # fmt: skip
    bounds = [(0, 20 * k, 20 * k + 19) for k in range(len(many))]
    program = made.program("number", NUMBER, "How many are there at {{ moment | clock }}?")
    return made.asker(made.relation(seen), *bounds).ask(program)


def test_a_number_that_finds_no_other_is_refused():
    found = numbers(1, 1, 1, 2, 3, 1)
    assert sorted(next(iter(one.answer_value.values())) for one in found.items) == [1, 2, 3]
    hold(found.items)
    assert [one.code for one in found.declined] == [Code.UNPAIRED] * 3
    assert all("another answer" in one.reason for one in found.declined)


def test_no_rule_on_numbers_is_better_than_chance():
    rng = random.Random(1)
    items = numbers(*rng.choices([1, 2, 3, 4, 5], [9, 5, 2, 1, 1], k=60)).items
    assert len(items) > 30
    hold(items)
    for take in (min, max, lambda many: sorted(many)[len(many) // 2]):
        hits = Counter(take([o.value for o in one.options]) == next(iter(one.answer_value.values()))
                       for one in items)  # fmt: skip
        assert hits[True] == len(blocks(items))


def test_a_unit_left_alone_is_asked_with_another_answer():
    """The second clip has two instruments at half of its instants."""
    tools = ("grasper", "hook")
    seen = {t: [Seen(name) for name in tools[: 2 if t > 30 else 1]] for t in range(60)}
    program = made.program("number", NUMBER, "How many are there at {{ moment | clock }}?")
    for seed in range(12):
        bounds = ((0, 0, 19), (0, 20, 39))
        items = made.asker(made.relation(seen), *bounds, seed=str(seed)).ask(program).items
        assert sorted(next(iter(one.answer_value.values())) for one in items) == [1, 2]


def test_another_recording_changes_nothing():
    one, two = phases(*PHASES, *PHASES[1:3]), phases(*PHASES[3:], *PHASES[:2])
    alone = {item.item_id: item for item in asked(phase(), one).items}
    both = {item.item_id: item for item in asked(phase(), one, two).items}
    assert alone and alone.items() < both.items()


SUBJECT = """
unit: {now: any, see: 10 s, every: 10 s}
let:
  tool: {each: instrument.label}
  act: {only: interaction, at: now}
where: [tool = act.subject]
answer: act.target
wrong: [{exchange: answer}]
say: "{{ act.target | name }}"
"""


def test_who_asks_about_the_same_is_exchanged_first():
    program = made.program("subject", SUBJECT, "What does the {{ tool | name }} touch at the end?")
    deeds = [
        ("hook", "dissect", "gallbladder", 0, 9),
        ("grasper", "retract", "liver", 10, 19),
        ("hook", "dissect", "omentum", 20, 29),
        ("grasper", "retract", "gallbladder", 30, 39),
    ]
    items = Asker(operation(deeds, range(40)), clips([]), "0").ask(program).items
    assert len(items) == 4
    for block in blocks(items).values():
        assert len(block) == 2
        assert len({one.slots["tool"] for one in block}) == 1


@cases("seed", range(4))
def test_chains_exchange_what_their_first_question_asks(seed: int):
    items = ask(drawn(seed, 600), chain("micro_transition")).items
    first = [one for one in items if one.stage == 1]
    assert len(first) > 2
    assert all(one.block for one in first)
    assert {one.block for one in items if one.stage != 1} == {None}
    hold(first)


@cases("seed", range(4))
def test_each_answer_is_the_wrong_half_of_one_main_question(seed: int):
    items = ask(drawn(seed, 600), chain("micro_transition")).items
    main = {one.chain_id: one for one in items if one.stage == 0}
    for block in blocks([one for one in items if one.stage == 1]).values():
        halves = [{text_of(o.value[0]) for o in main[one.chain_id].options} for one in block]
        offered = Counter(value for two in halves for value in two)
        assert offered == dict.fromkeys(map(right, block), 2)
