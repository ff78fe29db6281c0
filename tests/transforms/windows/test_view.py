"""The view against each window looked at by itself, sample by sample."""

import numpy as np
import pytest

from ontology.records import UNKNOWN, Window
from tests.transforms.timeline.videos import S, Seen, box_at, made_up, timeline, windows_over
from transforms.windows import View, cut_clips, view_windows
from transforms.windows.view import ABSENT

SEEDS = range(12)


def plainly(made, window) -> tuple[list[int], list[tuple[int, int, dict[int, int]]]]:
    """The window's instants, and (class, track, instant -> row) of each presence in order."""
    table = made.table
    inside = [t for t in table.instants_us.tolist() if window.start_us <= t < window.end_us]
    rows: dict[int, dict[int, int]] = {}
    for row, sample in enumerate(table.sample.tolist()):
        time = int(table.instants_us[sample])
        if time in inside:
            rows.setdefault(int(made.tracks.of_row[row]), {})[time] = row
    found = [(int(made.tracks.label[track]), track, by_time) for track, by_time in rows.items()]
    # By class, then by first sample; rows of one instant are sorted by box.
    found.sort(key=lambda presence: (presence[0], min(presence[2].values())))
    return inside, found


@pytest.mark.parametrize("seed", SEEDS)
def test_every_window_holds_its_own_presences(seed):
    made = made_up(seed)
    windows = windows_over(made)
    view = view_windows(made, windows)
    for w, window in enumerate(windows):
        instants, presences = plainly(made, window)
        assert view.count[w] == len(instants)
        assert view.time[w][view.inside[w]].tolist() == instants
        numbers = [p[0] for p in presences]
        assert [view.label[p] for p in view.presences[w]] == numbers
        assert [view.track[p] for p in view.presences[w]] == [p[1] for p in presences]
        expected = [numbers[: k + 1].count(code) for k, code in enumerate(numbers)]
        assert [view.instance[p] for p in view.presences[w]] == expected
        for p, (_, _, by_time) in zip(view.presences[w], presences, strict=True):
            padding = view.row.shape[1] - len(instants)
            rows = [by_time.get(time, ABSENT) for time in instants] + [ABSENT] * padding
            assert view.row[p].tolist() == rows


@pytest.mark.parametrize("seed", SEEDS)
def test_derived_matrices_follow_from_the_rows(seed):
    made = made_up(seed)
    view = view_windows(made, windows_over(made))
    table = made.table
    for p, s in np.ndindex(*view.row.shape):
        row = view.row[p, s]
        here = row != ABSENT
        box = bool(here and not np.isnan(table.box_xyxy[row, 0]))
        assert view.present[p, s] == here
        assert view.boxed[p, s] == box
        assert view.pairs[p, s] == (table.pairs[row] if here else UNKNOWN)
        assert view.idle[p, s] == bool(here and made.idle[row])
        if box:
            assert view.centre[p, s].tolist() == made.centre[row].tolist()
        else:
            assert np.isnan(view.centre[p, s]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_runs_and_steps_between_neighbouring_samples(seed):
    made = made_up(seed)
    view = view_windows(made, windows_over(made))
    limit = max(700_000, 1.5 * made.video.period_us)
    for p, w in enumerate(view.window):
        for s in range(1, int(view.count[w])):
            dt = int(view.time[w, s] - view.time[w, s - 1])
            both = view.present[p, s] and view.present[p, s - 1]
            same = view.seen_breaks[p, s] == view.seen_breaks[p, s - 1]
            assert same == (both and dt <= limit)
            boxes = view.boxed[p, s] and view.boxed[p, s - 1]
            assert (view.boxed_breaks[p, s] == view.boxed_breaks[p, s - 1]) == (
                boxes and dt <= limit
            )
            if boxes:
                dx, dy = view.centre[p, s] - view.centre[p, s - 1]
                assert view.step[p, s] == (dx * dx + dy * dy) ** 0.5
                assert view.step_speed[p, s] == view.step[p, s] / (dt / 1e6)
            else:
                assert view.step[p, s] == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_said_of_a_window_counts_its_presences(seed):
    made = made_up(seed)
    view = view_windows(made, windows_over(made))
    for w, s in np.ndindex(len(view.windows), view.row.shape[1]):
        seen = [p for p in view.presences[w] if view.present[p, s]]
        classes = {int(view.label[p]) for p in seen}
        assert set(np.flatnonzero(view.class_present[w, :, s]).tolist()) == classes
        assert view.all_boxed[w, s] == all(view.boxed[p, s] for p in seen)
        assert view.pairs_known[w, s] == all(view.pairs[p, s] != UNKNOWN for p in seen)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_window_shows_the_same_beside_any_others(seed):
    made = made_up(seed)
    windows = windows_over(made)
    together = view_windows(made, windows)
    for w, window in enumerate(windows):
        alone = view_windows(made, (window,))
        rows = together.row[together.window == w, : int(together.count[w])]
        assert alone.row.tolist() == rows.tolist()
        assert alone.instance.tolist() == together.instance[together.window == w].tolist()
        steps = together.path[together.window == w, : int(together.count[w])]
        assert alone.path.tolist() == steps.tolist(), "to the last bit"


def test_overlapping_and_equal_windows_are_laid_out_each_for_itself():
    made = made_up(1)
    window = windows_over(made)[0]
    view = view_windows(made, (window, window))
    half = len(view.window) // 2
    assert view.row[:half].tolist() == view.row[half:].tolist()
    assert view.window.tolist() == [0] * half + [1] * half


def seen_in_two_halves() -> View:
    """Two hooks; the second is the only one left in the second window."""
    low, high = box_at(0.2, 0.2), box_at(0.8, 0.8)
    instants = {t * S: [Seen("hook", low, track=1), Seen("hook", high, track=2)] for t in range(4)}
    instants |= {t * S: [Seen("hook", high, track=2)] for t in range(4, 8)}
    halves = (Window("clip", "a", 0, 4 * S), Window("clip", "b", 4 * S, 8 * S))
    return view_windows(timeline(instants), halves)


def test_instances_are_numbered_anew_in_every_window():
    view = seen_in_two_halves()
    assert view.track.tolist() == [0, 1, 1]
    assert view.instance.tolist() == [1, 2, 1]


def test_instances_seen_first_at_one_instant_are_numbered_by_box():
    left, right = box_at(0.2, 0.5), box_at(0.8, 0.5)
    made = timeline({0: [Seen("hook", right, track=1), Seen("hook", left, track=2)]})
    view = view_windows(made, (Window("clip", "a", 0, S),))
    boxes = [made.table.box_xyxy[row, 0] for row in view.row[:, 0]]
    assert boxes == sorted(boxes)
    assert view.instance.tolist() == [1, 2]


def test_the_grid_has_one_instant_a_second():
    made = timeline({k * S // 4: [Seen("hook", box_at(0.5, 0.5), track=1)] for k in range(12)})
    view = view_windows(made, (Window("clip", "a", S // 2, 3 * S),))
    assert view.time[0][view.grid[0]].tolist() == [S // 2, 3 * S // 2, 5 * S // 2]


@pytest.mark.parametrize("start", [0, 30 * S, 100 * S], ids=["before", "between", "after-all"])
def test_a_window_without_an_instant_shows_nothing(start):
    """Labels once in 35 s leave clips of 20-30 s without any."""
    made = timeline({35 * S: [Seen("hook")], 70 * S: [Seen("hook")]}, 35 * S)
    windows = (Window("clip", "a", start, start + 4 * S), Window("clip", "b", 35 * S, 36 * S))
    view = view_windows(made, windows)
    assert view.count.tolist() == [0, 1]
    assert not view.inside[0].any()
    assert not view.grid[0].any()
    assert list(view.presences[0]) == []
    assert view.time.shape == (2, 1)


def test_clips_of_sparse_labels_can_be_laid_out():
    made = timeline({k * 35 * S: [Seen("hook")] for k in range(4)}, 35 * S)
    cut = cut_clips(made.video, made.table.instants_us)
    view = view_windows(made, cut.windows)
    assert 0 in view.count
    assert view.inside.sum() == 4
    assert view.time.shape == (len(cut.windows), 1)


def test_no_windows_at_all():
    view = view_windows(made_up(0), ())
    assert (len(view.window), len(view.row)) == (0, 0)
    assert view.presences == []


def test_only_windows_without_an_instant():
    made = timeline({0: [Seen("hook")], 70 * S: [Seen("hook")]}, 35 * S)
    view = view_windows(made, (Window("clip", "a", 36 * S, 60 * S),))
    assert view.time.shape == (1, 1)
    assert not view.inside.any()
    assert len(view.window) == 0
