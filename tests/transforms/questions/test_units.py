"""Units: what one question is about, and what it may see."""

from __future__ import annotations

import numpy as np
import pytest

from surgqa.transforms.language.program import Unit
from surgqa.transforms.questions.units import (
    by_stretch,
    every_time,
    put_at,
    recordings,
    rows_of_windows,
    stretches,
    whole,
)
from surgqa.transforms.timeline.relation import SHIFT, Recording, on_axis
from surgqa.transforms.timeline.relation.draft import RelationDraft
from tests.transforms.questions.made import relation, windows
from tests.transforms.timeline.videos import RETRACT, S, Seen


@pytest.fixture(scope="module")
def known():
    seen = [Seen("hook", None, RETRACT)]
    return relation(dict.fromkeys((0, 1, 2, 3, 7, 8), seen), dict.fromkeys(range(5), seen))


def local(value, rows) -> list[float]:
    base = rows.video.astype(np.int64) << SHIFT
    return ((value - base) / S).tolist()


def test_a_clip_ends_one_microsecond_after_its_last_label(known):
    rows = rows_of_windows(known, windows((0, 0, 3), (0, 1, 6), (1, 2, 9)))
    window = rows.name("window")
    assert local(window.start.at, rows) == [0, 1, 2]
    assert local(window.end.at, rows) == [2.000001, 3.000001, 4.000001]


def test_a_clip_without_labels_is_as_long_as_it_is_said(known):
    rows = rows_of_windows(known, windows((0, 4, 6)))
    assert local(rows.name("window").end.at, rows) == [6]


def test_one_unit_for_each_recording(known):
    units = recordings(known)
    assert units.video.tolist() == [0, 1]
    assert len(set(units.ids)) == 2


def test_a_question_may_be_put_at_every_label(known):
    rows = every_time(whole(known))
    assert local(rows.name("now").at, rows) == [0, 1, 2, 3, 7, 8, 0, 1, 2, 3, 4]
    assert rows.video.tolist() == [0] * 6 + [1] * 5


def test_a_window_is_no_shorter_than_it_is_said_to_be(known):
    unit = Unit("now", see=3 * S, shortest=2 * S, every=60 * S)
    rows = every_time(whole(known))
    put = put_at(rows, rows.name("now"), unit)
    assert local(put.name("now").at, put) == [2, 3, 7, 8, 2, 3, 4]


def test_a_picture_has_no_shortest_window():
    draft = RelationDraft()
    draft.recordings.append(Recording("made/p", S, S, 1, still=True, timed=False))
    rows = every_time(whole(draft.finish()))
    put = put_at(rows, rows.name("now"), Unit("now", see=10 * S, shortest=2 * S, every=60 * S))
    assert local(put.name("window").end.at, put) == [0.000001]


def test_without_labels_of_instants_at_every_second():
    draft = RelationDraft()
    draft.recordings.append(Recording("made/v", 3 * S, S, 1))
    rows = every_time(whole(draft.finish()))
    assert local(rows.name("now").at, rows) == [0, 1, 2]


@pytest.mark.parametrize(("see", "start"), [(None, 0), (2 * S, 1), (20 * S, 0)])
def test_what_is_seen_ends_with_what_is_labelled_now(known, see, start):
    rows = every_time(whole(known))
    unit = Unit("now", now=None, see=see, every=S)
    put = put_at(rows, rows.name("now"), unit)
    window = put.name("window")
    assert local(window.start.at, put)[3] == start
    assert local(window.end.at, put)[3] == 3.000001


def test_times_outside_the_recording_are_no_times(known):
    rows = every_time(whole(known))
    now = rows.name("now")
    far = type(now).exact(now.at - 2 * S)
    assert put_at(rows, far, Unit("now", now=None, see=None, every=S)).n == 4 + 3


def test_stretches_divide_a_recording_and_each_time_has_its_own(known):
    units = stretches(known, 300 * S)
    assert len(set(units.ids)) == len(units.ids) == 2 * 4  # made-up videos last 1,000 s
    rows = every_time(whole(known))
    assert by_stretch(rows, 300 * S).tolist() == [0] * 6 + [4] * 5
    late = rows.inside(np.array([0]), now=type(rows.name("now")).exact(on_axis(0, [650 * S])))
    assert by_stretch(late, 300 * S).tolist() == [2]


def test_a_units_identity_does_not_depend_on_other_recordings(known):
    alone = relation({t: [Seen("hook", None, RETRACT)] for t in range(5)})
    assert set(stretches(alone, 300 * S).ids) < set(stretches(known, 300 * S).ids)
