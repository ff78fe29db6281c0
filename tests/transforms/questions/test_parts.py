"""Asking in parts: units a few at a time, and tries of a filling together, change nothing."""

from __future__ import annotations

import pytest

from surgqa.transforms.questions import fill
from surgqa.transforms.questions.ask import TRIED, rounds
from surgqa.transforms.questions.fill import TRIES
from tests.each import cases
from tests.transforms.questions.made import asker, relation
from tests.transforms.questions.shipped import programs
from tests.transforms.timeline.videos import Seen

SEEN = {t: [Seen("grasper" if t % 40 < 20 else "hook")] for t in range(0, 400) if t % 70 > 5}


@pytest.mark.parametrize("name", ["seen_before.instrument", "alert.clip", "targets_touched"])
def test_a_long_recording_is_asked_a_part_at_a_time(monkeypatch, name):
    program = next(one for one in programs() if one.id.endswith(name))
    ask = asker(relation(SEEN)).ask
    whole = ask(program)
    monkeypatch.setattr(fill, "AT_ONCE", 30)
    parts = ask(program)
    assert whole.units == parts.units > 3
    assert (whole.items, whole.declined) == (parts.items, parts.declined)


@cases("fillings", [1, 2, 3, 7, TRIES])
@cases("turns", [1, 5, 15])
def test_every_filling_is_tried_at_every_place_once(fillings, turns):
    tried = [one for some in rounds(fillings, turns) for one in some]
    assert sorted(tried) == [(k, turn) for k in range(fillings) for turn in range(turns)]


def test_a_filling_is_tried_no_later_than_the_next_but_for_its_first_place():
    done: set[tuple[int, int]] = set()
    for some in rounds(TRIES, 5):
        done |= set(some)
        last = max(k for k, _ in some)
        before = min(min(one) for one in TRIED if last in one)
        assert {(k, turn) for k in range(before) for turn in range(5)} <= done
