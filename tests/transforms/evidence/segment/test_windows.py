"""Windows and prompts: what is asked, of which pictures."""

import pytest

from surgqa.transforms.evidence.segment import MaskWindow, SegmentSettings, plan_windows, prompts
from surgqa.transforms.media import Samples

SQUARE = (0.1, 0.2, 0.3, 0.4)
WINDOW = MaskWindow(1, 5, 15)


@pytest.mark.parametrize("samples", [1, 2, 7, 8, 9, 12, 13, 14, 100, 103])
def test_windows_cover_every_sample_and_share_what_is_set(settings, samples):
    windows = plan_windows(samples, settings)
    assert [w.number for w in windows] == list(range(len(windows)))
    assert windows[0].first == 0 and windows[-1].last == samples
    for one, other in zip(windows, windows[1:], strict=False):
        assert one.last - other.first == settings.overlap
        assert one.last < other.last
    held = [sum(w.first <= s < w.last for w in windows) for s in range(samples)]
    assert min(held) == 1 and max(held) <= 2
    assert all(w.last - w.first <= settings.window for w in windows)


def test_no_samples_no_windows(settings):
    assert plan_windows(0, settings) == []


@pytest.mark.parametrize(("window", "overlap"), [(1, 1), (8, 0), (8, 5)])
def test_windows_that_could_not_be_stitched_are_refused(tmp_path, window, overlap):
    with pytest.raises(ValueError, match="sample"):
        SegmentSettings(weights=tmp_path / "w.pt", window=window, overlap=overlap)


@pytest.fixture
def ask(settings, world_kit):
    """Prompts of samples 5 to 14 of 30 for rows of boxes."""
    from dataclasses import replace

    at = world_kit.World(30, []).at

    def call(*rows, window=WINDOW, **changed):
        table = world_kit.box_table([world_kit.boxed(*r[:3], **r[3]) for r in rows])
        return prompts(window, table, at, replace(settings, **changed))

    return call


def test_an_object_is_prompted_at_its_first_good_box(ask):
    told = ask(
        (6, 4, SQUARE, {"score": 0.3}), (8, 4, (0.2, 0.2, 0.5, 0.5), {"score": 0.6}),
        (9, 4, SQUARE, {"score": 0.99}), (20, 7, SQUARE, {}),
    )  # fmt: skip
    (prompt,) = told.prompts
    assert (prompt.object, prompt.label, prompt.offset) == (4, "grasper", 3)
    assert prompt.box == (0.2, 0.2, 0.5, 0.5) and prompt.point is None
    assert (prompt.since, prompt.until) == (0, 7)  # two seconds beyond its boxes, in the window


def test_a_tissue_that_a_person_drew_is_not_prompted_in_windows(ask):
    assert ask((10, 4, SQUARE, {"label": "liver", "origin": "manual"})).prompts == ()
    (tool,) = ask((10, 4, SQUARE, {"origin": "manual"})).prompts
    assert (tool.since, tool.until) == (3, 8)


def test_without_a_good_box_the_best_one_prompts(ask):
    told = ask((6, 4, SQUARE, {"score": 0.3}), (7, 4, SQUARE, {"score": 0.5}),
               (9, 4, SQUARE, {"score": 0.5}))  # fmt: skip
    assert [p.offset for p in told.prompts] == [2]


def test_interpolated_boxes_say_how_long_but_do_not_prompt(ask):
    told = ask((6, 4, SQUARE, {"origin": "interpolated"}), (8, 4, SQUARE, {}),
               (11, 4, SQUARE, {"origin": "interpolated"}), reach_us=0)  # fmt: skip
    assert [(p.offset, p.since, p.until) for p in told.prompts] == [(3, 1, 7)]
    assert ask((6, 4, SQUARE, {"origin": "interpolated"})).prompts == ()


def test_an_object_is_prompted_again_after_a_while(ask):
    rows = [(s, 4, SQUARE, {}) for s in (5, 7, 9, 10, 14)]
    assert [p.offset for p in ask(*rows, again_us=4_000_000).prompts] == [0, 4, 9]
    assert [p.offset for p in ask(*rows, again_us=0).prompts] == [0]


def test_a_track_has_the_label_of_most_score(ask):
    told = ask((5, 4, SQUARE, {"label": "hook", "score": 0.9}),
               (6, 4, SQUARE, {"label": "grasper", "score": 0.7}),
               (7, 4, SQUARE, {"label": "grasper", "score": 0.7}))  # fmt: skip
    assert [p.label for p in told.prompts] == ["grasper"]


def test_a_window_takes_the_objects_of_most_score_and_names_the_others(ask):
    rows = [(s, track, SQUARE, {}) for track in (2, 5, 9) for s in range(5, 6 + track)]
    told = ask(*rows, most_objects=2, again_us=0)
    assert [p.object for p in told.prompts] == [5, 9]
    assert told.left_out == (2,)


def test_boxes_without_a_track_are_objects_at_their_labels_first_sample(ask):
    told = ask(
        (6, None, (0.5, 0.1, 0.6, 0.2), {}), (6, None, SQUARE, {}), (7, None, SQUARE, {}),
        (9, None, SQUARE, {"label": "liver"}), (8, None, SQUARE, {"label": "liver", "score": 0.2}),
    )  # fmt: skip
    assert [(p.object, p.label, p.offset) for p in told.prompts] == [
        (-3, "liver", 4), (-2, "grasper", 1), (-1, "grasper", 1)
    ]  # fmt: skip
    assert told.prompts[2].box == SQUARE
    assert {p.until for p in told.prompts} == {10}


def test_where_boxes_are_linked_those_without_a_track_do_not_count(ask):
    rows = [(6, None, (0.5, 0.1, 0.6, 0.2), {}), (8, 3, SQUARE, {})]
    assert [p.object for p in ask(*rows).prompts] == [3]


def test_prompts_by_point_take_the_middle(ask):
    (prompt,) = ask((5, 6, SQUARE, {}), prompt="point").prompts
    assert prompt.box is None and prompt.point == pytest.approx((0.2, 0.3))


def test_boxes_between_samples_and_outside_the_window_do_not_count(ask, settings, world_kit):
    assert ask((4, 1, SQUARE, {}), (15, 2, SQUARE, {})).prompts == ()
    row = world_kit.boxed(6, 1, SQUARE) | {"time_us": 6_500_000}
    at = world_kit.World(30, []).at
    assert prompts(WINDOW, world_kit.box_table([row]), at, settings).prompts == ()


def test_the_order_of_rows_does_not_matter(settings, world_kit, crossing):
    boxes = crossing.boxes()
    at: Samples = crossing.at
    for window in plan_windows(crossing.samples, settings):
        straight = prompts(window, boxes, at, settings)
        assert straight.prompts
        assert straight == prompts(window, boxes.take(list(range(len(boxes)))[::-1]), at, settings)
