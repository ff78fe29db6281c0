"""Asking in parts: units a few at a time, and tries of a filling together, change nothing."""

from __future__ import annotations

import pytest

from surgqa.transforms.questions import fill
from surgqa.transforms.questions.ask import COUNTS, TRIED, rounds
from surgqa.transforms.questions.fill import TRIES
from tests.each import cases
from tests.transforms.questions.made import asker, relation
from tests.transforms.questions.shipped import programs
from tests.transforms.timeline.videos import Seen, box_at

SEEN = {t: [Seen("grasper" if t % 40 < 20 else "hook")] for t in range(0, 400) if t % 70 > 5}


SLOW = {t: [Seen("grasper", box_at(0.2 + 0.011 * (t % 20), 0.5))] for t in range(61)}
"""Only one of 171 stretches of a clip is long enough to show that the grasper moves."""

CLIPS = (0, 0, 20), (0, 20, 40), (0, 40, 60)


@pytest.mark.parametrize(("name", "seen"), [
    ("seen_before.instrument", SEEN), ("alert.clip", SEEN), ("targets_touched", SEEN),
    ("surgstu.trajectory", SLOW),
])  # fmt: skip
def test_a_long_recording_is_asked_a_part_at_a_time(monkeypatch, name, seen):
    program = next(one for one in programs() if one.id.endswith(name))
    ask = asker(relation(seen), *CLIPS).ask
    whole = ask(program)
    monkeypatch.setattr(fill, "AT_ONCE", 30)
    monkeypatch.setattr(fill, "DRAWN_AT_ONCE", 30)
    parts = ask(program)
    assert whole.units == parts.units >= 3
    assert (whole.items, whole.declined) == (parts.items, parts.declined)


def test_the_fillings_evaluated_together_do_not_grow_with_the_rate_of_the_labels(monkeypatch):
    program = next(one for one in programs() if one.id == "surgstu.trajectory")
    monkeypatch.setattr(fill, "AT_ONCE", 30)
    monkeypatch.setattr(fill, "DRAWN_AT_ONCE", 30)
    finished, many = fill.Filling.finished, []

    def counted(self, drawn, rows=None):
        many.append(drawn.rows.n if rows is None else len(rows))
        return finished(self, drawn, rows)

    monkeypatch.setattr(fill.Filling, "finished", counted)
    assert asker(relation(SLOW), *CLIPS).ask(program).items
    assert max(many) <= max(COUNTS)


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
