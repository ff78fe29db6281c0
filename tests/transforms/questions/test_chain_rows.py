"""What a chain shows and tells gives none of its times away, in any setting."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pytest

from surgqa.ontology.items import Item
from surgqa.ontology.units import CHAIN
from surgqa.transforms.blind import COLUMNS
from surgqa.transforms.blind.report import guess_template
from surgqa.transforms.inference.chains import (
    ChainSetting,
    EarlierAnswers,
    Setting,
    reference_texts,
)

from .made import told
from .operations import S, ask, drawn, programs
from .test_chains import chains_of

CLOCK = re.compile(r"(\d+\.\d\d) s")
TIMED = (2, 3)
Chain = Sequence[Item]


def row(item: Item, recording: str) -> dict[str, Any]:
    """What a model is asked, and what the guesser reads."""
    (program,) = (one for one in programs() if one.id == item.template_id)
    known = told(program, item)
    said = {"clue": item.clue, "context": item.context, "knowledge": item.knowledge}
    return dict.fromkeys(COLUMNS) | said | {
        "item_id": item.item_id, "template_id": item.template_id, "task": known["task"],
        "unit": CHAIN, "dataset": "made", "video_id": recording, "split_group": recording,
        "start_us": item.window.start_us, "end_us": item.window.end_us,
        "question": item.question, "answer": item.answer,
        "options": [asdict(one) for one in item.options], "chain_id": item.chain_id,
        "stage": item.stage, "rule_args": known["rule_args"],
    }  # fmt: skip


@pytest.fixture(scope="module")
def chains() -> list[Chain]:
    """Of one long operation, labelled once a second."""
    known = drawn(4, 900)
    items = [item for one in programs() for item in ask(known, one).items]
    return list(chains_of(items).values())


def stages(chains: Sequence[Chain], numbers: Sequence[int]) -> Iterator[Item]:
    return (chain[k] for chain in chains for k in numbers)


def times(item: Item) -> list[tuple[float, ...]]:
    """The printed times of each option, the right one's first."""
    ordered = sorted(item.options, key=lambda one: not one.is_answer)
    return [tuple(map(float, CLOCK.findall(one.text))) for one in ordered]


def test_times_stand_in_rows_that_show_nothing_of_which_is_right(chains):
    """All are equally far from the next and end in the same decimals."""
    for item in stages(chains, TIMED):
        starts = sorted(one[0] for one in times(item))
        assert len({round(b - a, 2) for a, b in zip(starts, starts[1:], strict=False)}) == 1
        assert len({round(one % 1, 2) for one in starts}) == 1
        assert len({round(one[-1] - one[0], 2) for one in times(item)}) == 1


def test_the_right_time_is_at_each_place_about_equally_often(chains):
    for stage in TIMED:
        found = [times(item) for item in stages(chains, [stage])]
        places = Counter(sorted(some).index(some[0]) for some in found)
        assert len(found) > 40
        assert all(abs(places[k] / len(found) - 0.25) < 0.2 for k in range(4)), places


def test_a_window_reaches_equally_far_beyond_what_is_offered_whichever_is_right(chains):
    """Its length follows from the options alone."""
    lengths = defaultdict(set)
    for item in stages(chains, TIMED):
        starts = [one[0] for one in times(item)]
        row_s = round(max(starts) - min(starts), 2)
        lengths[item.stage, row_s].add(item.window.duration_us)
    assert len(lengths) > 1
    assert all(len(found) == 1 for found in lengths.values())


@pytest.mark.parametrize("setting", list(Setting))
def test_what_is_told_names_no_time_but_the_windows(chains, setting):
    """And that holds all options, so that none stands out as the one inside."""
    telling = ChainSetting(setting, None if setting == Setting.BL else EarlierAnswers.GOLD)
    for chain in chains:
        rows = tuple(row(item, "v") for item in chain)
        for stage, item in enumerate(chain):
            told = " ".join(text for text in reference_texts(rows, stage, telling).values() if text)
            low, high = item.window.start_us / S, item.window.end_us / S
            for one in map(float, CLOCK.findall(told)):
                assert min(abs(one - low), abs(one - high)) < 0.006
            assert all(low <= t <= high for one in times(item) for t in one)


def test_knowledge_of_the_first_question_does_not_say_which_action_comes_first(chains):
    """It is about either, as drawn."""
    told = Counter()
    for first in stages(chains, [1]):
        if "one" in first.slots and not first.template_id.endswith("later"):
            targets = [first.slots[name]["target"] for name in ("first", "second", "one")]
            if len(set(targets[:2])) == 2 and all(targets):
                told[targets[2] == targets[0]] += 1
    assert min(told[True], told[False]) > 2


@pytest.mark.nightly
def test_the_guesser_finds_nothing_in_times():
    """In each setting, of many operations."""
    rows = defaultdict(list)
    for seed in range(12):
        known = drawn(seed, 1500)
        for one in programs():
            rows[one.id] += [row(item, f"v{seed}") for item in ask(known, one).items]
    given = [(name, [rows[name]]) for name in sorted(rows) if rows[name]]
    found = [one for name, recordings in given for one in guess_template(name, recordings)]
    timed = [one for one in found if one.stage in ("q2", "q3")]
    assert len(timed) > 20
    assert [one.line() for one in timed if one.guess.sure] == []
