"""What a person pointed at is followed to both sides: how far, under which number, which masks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from surgqa.transforms.evidence.segment import (
    Extractor,
    Followed,
    follow,
    merged,
    plan_followed,
    plan_windows,
    prompts,
    stitch,
)
from surgqa.transforms.evidence.segment.follow import Pointed
from surgqa.transforms.evidence.segment.masks import decode, tight_box
from surgqa.transforms.evidence.segment.prompts import WINDOW_MASKS
from surgqa.transforms.media import FrameBatch

SAMPLES = 60
TIMES = np.arange(SAMPLES) * 1_000_000
BOX = (0.1, 0.2, 0.3, 0.4)
FAR = (0.6, 0.6, 0.9, 0.9)
CLICKS = pa.schema([("time_us", pa.int64()), ("kind", pa.string()), ("label", pa.string()),
                    ("x1", pa.float64()), ("y1", pa.float64())])  # fmt: skip


def click(sample, label="liver", kind="tissue", at=(0.5, 0.6)):
    return {"time_us": sample * 1_000_000, "kind": kind, "label": label, "x1": at[0], "y1": at[1]}


@pytest.fixture
def plan(settings, world_kit):
    """``plan(boxes, clicks, settled, cuts)``: rows (sample, track, corners), clicks, samples."""

    def call(boxes=(), clicks=(), settled=(), cuts=(), **changed):
        rows = [world_kit.boxed(*one[:3], **({"label": "liver", "origin": "manual"} | one[3]))
                for one in boxes]  # fmt: skip
        return plan_followed(
            world_kit.box_table(rows), pa.Table.from_pylist(list(clicks), CLICKS),
            [s * 1_000_000 for s in settled], TIMES, [s * 1_000_000 for s in cuts],
            replace(settings, **changed),
        )  # fmt: skip

    return call


def spans(found):
    return [(one.object, one.first, one.last, [p.sample for p in one.pointed]) for one in found]


def test_a_click_is_looked_for_to_both_sides_within_its_clip(plan):
    assert spans(plan(clicks=[click(30)], follow_us=10_000_000)) == [(-1, 20, 41, [30])]
    assert spans(plan(clicks=[click(30)], cuts=(25, 33))) == [(-1, 25, 33, [30])]
    assert spans(plan(clicks=[click(30)])) == [(-1, 0, 60, [30])]
    (one,) = plan(clicks=[click(30)])
    assert one.pointed[0].point == (0.5, 0.6) and one.pointed[0].box is None


def test_an_instrument_is_looked_for_as_long_as_any(plan):
    found = plan(clicks=[click(30, "hook", "instrument")], reach_us=2_000_000)
    assert spans(found) == [(-1, 28, 33, [30])]


def test_a_tissue_that_was_drawn_goes_under_its_track_and_instruments_do_not(plan):
    drawn = (30, 4, BOX, {})
    tool, seen = (30, 5, BOX, {"label": "hook"}), (10, 6, FAR, {"origin": "detector"})
    (one,) = plan([drawn, tool, seen])
    assert (one.object, one.label, one.pointed) == (4, "liver", (Pointed(30, BOX),))


def test_it_is_not_looked_for_beyond_a_reviewed_instant_that_does_not_show_it(plan):
    assert spans(plan(clicks=[click(30)], settled=(12, 41, 50))) == [(-1, 13, 41, [30])]
    found = plan([(20, 4, BOX, {}), (40, 4, BOX, {})], settled=(20, 30, 40))
    assert spans(found) == [(4, 0, 30, [20]), (4, 31, 60, [40])]


def test_marks_of_one_label_in_one_clip_are_one_object(plan, world_kit):
    rows = [(20, 4, BOX, {}), (40, 7, FAR, {})]
    (one,) = plan(rows, [click(50)])
    assert (one.tracks, [p.sample for p in one.pointed]) == ((4, 7), [20, 40, 50])
    assert [o.tracks for o in plan(rows, cuts=(30,))] == [(4,), (7,)]
    table = world_kit.box_table([world_kit.boxed(*r[:3], label="liver") for r in rows])
    assert merged(table, [one])["track"].to_pylist() == [4, 4]
    assert merged(table, []) is table


def test_two_that_are_seen_side_by_side_are_two(plan, world_kit):
    rows = [(20, 4, BOX, {}), (20, 7, FAR, {}), (40, 4, BOX, {})]
    found = plan(rows)
    assert spans(found) == [(4, 0, 60, [20, 40]), (7, 0, 40, [20])]
    table = world_kit.box_table([world_kit.boxed(*r[:3], label="liver") for r in rows])
    assert merged(table, [replace(found[0], tracks=(4, 7))])["track"].to_pylist() == [4, 7, 4]
    side = [(10, 4, BOX, {}), (40, 7, FAR, {}), (15, 4, BOX, {"origin": "detector"}),
            (15, 7, FAR, {"origin": "detector"})]  # fmt: skip
    assert spans(plan(side)) == [(4, 0, 40, [10]), (7, 40, 60, [40])]


def test_marks_that_are_no_samples_do_not_count(plan):
    odd = click(30) | {"time_us": 30_500_000}
    assert plan(clicks=[odd]) == []


def look(world, trusted=None):
    good = np.ones(world.samples, bool) if trusted is None else trusted

    def call(first, last):
        pictures = np.stack([world.picture(s) for s in range(first, last)])
        at = world.at
        return FrameBatch(0, last - first, at.times_us[first:last], at.frames[first:last], pictures,
                          good[first:last])  # fmt: skip

    return call


@pytest.fixture
def liver(world_kit):
    """A liver that drifts, with a grasper that crosses in front of it, for 40 samples."""
    kit = world_kit
    return kit.World(40, [
        kit.Thing(3, "liver", (150, 60, 50), 14, kit.straight(30, 50, 0.8, -0.2), round=False),
        kit.Thing(0, "grasper", (200, 200, 210), 5, kit.straight(90, 40, -2, 0)),
    ])  # fmt: skip


def pointed_at(world, sample, track=3):
    """A point inside of what is seen of a thing."""
    mask = world.masks(sample)[track]
    y, x = np.argwhere(mask)[mask.sum() // 3]
    return (float(x) + 0.5) / mask.shape[1], (float(y) + 0.5) / mask.shape[0]


def masks_of(table):
    rows = table.to_pylist()
    masks = (decode(np.array(row["counts"]), row["height"], row["width"]) for row in rows)
    return dict(zip((row["time_us"] // 1_000_000 for row in rows), masks, strict=True))


@pytest.mark.parametrize("sample", [0, 5, 17, 39])
def test_the_masks_are_the_truth_wherever_it_was_clicked(liver, settings, world_kit, sample):
    predictor = world_kit.ColourPredictor()
    one = Followed("liver", (), 0, 40, (Pointed(sample, None, pointed_at(liver, sample)),))
    table = follow(Extractor(settings, predictor), one, 9, look(liver))
    assert table.schema == WINDOW_MASKS
    found = masks_of(table)
    assert list(found) == list(range(40))
    for s, mask in found.items():
        np.testing.assert_array_equal(mask, liver.masks(s)[3])
    assert max(predictor.seen) <= settings.window
    assert set(table["window"].to_pylist()) == {9}
    assert table["from_prompt_us"].to_pylist() == [abs(s - sample) * 1_000_000 for s in range(40)]


def test_a_later_mark_corrects_and_finds_again(settings, world_kit):
    kit = world_kit
    gone = lambda s: None if 14 <= s < 25 else (40.0, 40.0)  # noqa: E731
    world = kit.World(40, [kit.Thing(3, "liver", (150, 60, 50), 12, gone)])
    first, later = (Pointed(s, None, pointed_at(world, s)) for s in (5, 30))
    alone = Followed("liver", (), 0, 40, (first,))
    alone = follow(Extractor(settings, kit.ColourPredictor()), alone, 9, look(world))
    assert list(masks_of(alone)) == list(range(14))
    both = Followed("liver", (), 0, 40, (first, later))
    found = follow(Extractor(settings, kit.ColourPredictor()), both, 9, look(world))
    assert list(masks_of(found)) == [*range(14), *range(30, 40)]


def test_pictures_that_are_not_trusted_are_passed_over(liver, settings, world_kit):
    trusted = np.ones(40, bool)
    trusted[[3, 10, 11, 17, 18, 39]] = False
    one = Followed("liver", (), 0, 40, (Pointed(12, None, pointed_at(liver, 12)),))
    extractor = Extractor(settings, world_kit.ColourPredictor())
    found = masks_of(follow(extractor, one, 9, look(liver, trusted)))
    assert list(found) == np.flatnonzero(trusted).tolist()
    trusted[12] = False
    assert len(follow(extractor, one, 9, look(liver, trusted))) == 0


def test_what_is_followed_and_what_is_linked_are_stitched_into_one_video(
    liver, settings, world_kit
):
    kit = world_kit
    drawn = kit.boxed(17, 6, tight_box(liver.masks(17)[3]), "liver", 1.0, "manual")
    tools = [row for row in liver.boxes().to_pylist() if row["kind"] == "instrument"]
    boxes = kit.box_table([*tools, drawn])
    extractor, tables = Extractor(settings, kit.ColourPredictor()), []
    for window in plan_windows(40, settings):
        asked = prompts(window, boxes, liver.at, settings).prompts
        part = look(liver)(window.first, window.last)
        tables.append(extractor.segment(window, part.pictures, part.times_us, part.frames,
                                        part.trusted, asked))  # fmt: skip
    times = liver.at.times_us
    (one,) = plan_followed(boxes, CLICKS.empty_table(), [17_000_000], times, [], settings)
    tables.append(follow(extractor, one, len(tables), look(liver)))
    whole = stitch(tables, settings, 7)
    assert stitch(tables[::-1], settings, 7).equals(whole)
    livers = whole.filter(pa.compute.equal(whole["label"], "liver"))
    assert set(livers["object"].to_pylist()) == {6}
    found = masks_of(livers)
    assert all(np.array_equal(found[s], liver.masks(s)[3]) for s in range(40))
    assert set(whole["object"].to_pylist()) == {0, 6}


def test_a_click_has_a_number_of_its_own(liver, settings, world_kit):
    point = pointed_at(liver, 8)
    one = Followed("liver", (), 0, 40, (Pointed(8, None, point),))
    table = follow(Extractor(settings, world_kit.ColourPredictor()), one, 4, look(liver))
    assert set(stitch([table], settings, 12)["object"].to_pylist()) == {12}
