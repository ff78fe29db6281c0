"""The whole way against a drawn truth: masks, boxes, identities over windows."""

import itertools
import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

from surgqa.ontology.boxes import iou
from surgqa.ontology.errors import SourceMissing
from surgqa.ontology.observed import BOXES, MASKS
from surgqa.transforms.evidence.base.fetched import loaded
from surgqa.transforms.evidence.segment import (
    Extractor,
    MaskWindow,
    SegmentSettings,
    boxes_from_masks,
    plan_windows,
    prompts,
    stitch,
)
from surgqa.transforms.evidence.segment.masks import decode
from surgqa.transforms.evidence.segment.prompts import WINDOW_MASKS


def by_key(table):
    """Masks by (sample, object)."""
    return {
        (row["time_us"] // 1_000_000, row["object"]): decode(
            np.array(row["counts"]), row["height"], row["width"]
        )
        for row in table.to_pylist()
    }


def test_masks_are_the_truth_wherever_a_thing_is_seen(crossing, settings, world_kit):
    tables, whole = world_kit.run(crossing, settings, world_kit.ColourPredictor())
    assert all(table.schema == WINDOW_MASKS for table in tables)
    assert whole.schema == MASKS
    truth = {(s, t): m for s in range(20) for t, m in crossing.masks(s).items()}
    found = by_key(whole)
    assert found.keys() == truth.keys()  # gone, crossing and coming back included
    for key, mask in truth.items():
        np.testing.assert_array_equal(found[key], mask, err_msg=str(key))
    keys = list(zip(whole["time_us"].to_pylist(), whole["object"].to_pylist(), strict=True))
    assert keys == sorted(set(keys))
    assert whole["frame"].to_pylist() == [25 * (t // 1_000_000) for t, _ in keys]
    assert set(whole["score"].to_pylist()) == {0.8765}
    assert whole["area"].to_pylist() == [truth[t // 1_000_000, k].mean() for t, k in keys]


def test_things_that_cross_keep_their_numbers(crossing, settings, world_kit):
    _, whole = world_kit.run(crossing, settings, world_kit.ColourPredictor())
    found = by_key(whole)
    left, right = (np.argwhere(found[s, 0]).mean(0)[1] for s in (0, 19))
    assert left < 20 and right > 80
    assert {k for s, k in found if s in (7, 8, 9)} == {0, 1, 3}  # the hook is away
    assert {k for s, k in found if s >= 13} == {0, 1, 2, 3}


def test_noise_is_cleaned_and_boxes_stay_tight(crossing, settings, world_kit):
    limits = replace(settings, hole_px=8, speck_px=8, tolerance_px=1.0, least_area=0.0002)
    _, whole = world_kit.run(crossing, limits, world_kit.ColourPredictor(noise=True))
    boxes = boxes_from_masks(whole)
    assert boxes.schema == BOXES
    told = {(r["time_us"], r["track"]): r for r in boxes.to_pylist()}
    truth = {(r["time_us"], r["track"]): r for r in crossing.boxes().to_pylist()}
    assert told.keys() <= truth.keys()
    assert len(told) >= len(truth) - 2  # slivers behind something else
    corners = ("x1", "y1", "x2", "y2")
    overlaps = [
        float(iou(*(np.array([row[c] for c in corners]) for row in (told[k], truth[k]))))
        for k in told
    ]
    assert np.mean(overlaps) > 0.95
    assert {r["origin"] for r in told.values()} == {"mask"}
    assert all((r["kind"], r["label"]) == (truth[k]["kind"], truth[k]["label"])
               for k, r in told.items())  # fmt: skip
    order = [(r["time_us"], r["kind"], r["label"], *(r[c] for c in corners))
             for r in boxes.to_pylist()]  # fmt: skip
    assert order == sorted(order)


def test_boxes_of_clean_masks_are_the_truth(crossing, settings, world_kit):
    _, whole = world_kit.run(crossing, settings, world_kit.ColourPredictor())
    told, truth = boxes_from_masks(whole), crossing.boxes()
    columns = ["time_us", "frame", "kind", "label", "x1", "y1", "x2", "y2", "track"]
    order = [(c, "ascending") for c in columns]
    assert told.select(columns).sort_by(order).equals(truth.select(columns).sort_by(order))


def test_windows_may_come_in_any_order(crossing, settings, world_kit):
    tables, whole = world_kit.run(crossing, settings, world_kit.ColourPredictor())
    assert len(tables) == 4
    for order in itertools.permutations(range(4)):
        assert stitch([tables[i] for i in order], settings).equals(whole)
    loose, joined = world_kit.run(
        crossing, settings, world_kit.ColourPredictor(), boxes=crossing.boxes(tracked=False)
    )
    for order in itertools.permutations(range(4)):
        assert stitch([loose[i] for i in order], settings).equals(joined)


def test_without_tracks_windows_are_joined_by_overlap(settings, world_kit):
    kit = world_kit
    world = kit.World(20, [
        kit.Thing(0, "grasper", (200, 200, 210), 7, kit.straight(10, 20, 3, 0)),
        kit.Thing(1, "grasper", (60, 90, 220), 6, kit.straight(80, 50, -3, 0)),
    ])  # fmt: skip
    tables, whole = kit.run(world, settings, kit.ColourPredictor(), world.boxes(tracked=False))
    assert all(max(t["object"].to_pylist()) < 0 for t in tables)
    found = by_key(whole)
    assert {k for _, k in found} == {0, 1}
    for sample in range(20):
        for number, mask in world.masks(sample).items():
            np.testing.assert_array_equal(found[sample, number], mask)
    assert {k for _, k in by_key(stitch(tables, settings, first_free=40))} == {40, 41}


def test_a_track_that_breaks_off_goes_on_with_what_overlaps_it(settings, world_kit):
    kit = world_kit
    world = kit.World(18, [kit.Thing(5, "hook", (200, 200, 10), 7, kit.straight(10, 30, 3, 0))])
    rows = world.boxes().to_pylist()
    for row in rows:
        if row["time_us"] > 4_000_000:  # window 0 is of the track, window 1 and 2 are not
            row["track"] = None
    limits = replace(settings, reach_us=9_000_000)
    _, whole = kit.run(world, limits, kit.ColourPredictor(), kit.box_table(rows))
    assert set(by_key(whole)) == {(s, 5) for s in range(18)}


def row_of(kit, sample, number, window, away, mask, label="grasper"):
    from surgqa.transforms.evidence.segment.masks import encode, outline, tight_box

    return dict(zip(WINDOW_MASKS.names, (
        sample * kit.SECOND_US, sample, number, label, 0.5, *mask.shape, encode(mask).tolist(),
        outline(mask, 0), float(mask.mean()), *tight_box(mask), window, away,
    ), strict=True))  # fmt: skip


def square(x, y, side=10):
    mask = np.zeros((40, 40), bool)
    mask[y : y + side, x : x + side] = True
    return mask


def tables_of(*rows):
    import pyarrow as pa

    return [pa.Table.from_pylist([row], schema=WINDOW_MASKS) for row in rows]


def test_the_mask_nearer_to_its_prompt_is_taken_then_the_earlier_window(settings, world_kit):
    def kept(away, away_later):
        rows = (row_of(world_kit, 3, 1, 0, away, square(0, 0)),
                row_of(world_kit, 3, 1, 1, away_later, square(9, 9)))  # fmt: skip
        told = [stitch(tables_of(*order), settings)["x1"] for order in (rows, rows[::-1])]
        (left,) = {column.to_pylist()[0] for column in told}
        return left * 40

    assert kept(5, 2) == 9
    assert kept(2, 5) == 0
    assert kept(2, 2) == 0


@pytest.mark.parametrize(
    ("later", "numbers"),
    [
        ((-1, square(2, 0), "grasper"), [0, 0]),  # IoU 0.67
        ((-1, square(5, 0), "grasper"), [0, 1]),  # IoU 0.33
        ((-1, square(2, 0), "hook"), [0, 1]),  # another label
        ((7, square(2, 0), "grasper"), [7, 7]),  # takes the track's number
    ],
)
def test_overlap_decides_for_what_has_no_track(settings, world_kit, later, numbers):
    number, mask, label = later
    own = square(0, 0), square(20, 20)
    rows = [
        row_of(world_kit, 3, -1, 0, 0, own[0]), row_of(world_kit, 4, -1, 0, 0, own[1]),
        row_of(world_kit, 3, number, 1, 9, mask, label),
        row_of(world_kit, 5, number, 1, 0, own[1], label),
    ]  # fmt: skip
    first = 8 if number > 0 else 0
    told = stitch(tables_of(*rows), settings, first_free=first)
    assert [n for t, n in zip(told["time_us"].to_pylist(), told["object"].to_pylist(), strict=True)
            if t > 3_000_000] == numbers  # fmt: skip


def test_two_tracks_are_never_joined_through_a_third(settings, world_kit):
    same = square(0, 0)
    rows = [
        row_of(world_kit, 3, 2, 0, 0, same), row_of(world_kit, 3, -1, 1, 0, same),
        row_of(world_kit, 8, -1, 1, 0, same), row_of(world_kit, 8, 4, 2, 0, same),
        row_of(world_kit, 9, 4, 2, 0, same),
    ]  # fmt: skip
    for order in itertools.permutations(rows):
        told = stitch(tables_of(*order), settings)
        numbers = list(zip(told["time_us"].to_pylist(), told["object"].to_pylist(), strict=True))
        assert numbers == [(3_000_000, 2), (8_000_000, 2), (8_000_000, 4), (9_000_000, 4)]


def test_one_object_is_joined_with_one_of_the_next_window_at_most(settings, world_kit):
    rows = [
        row_of(world_kit, 3, -1, 0, 0, square(0, 0)),
        row_of(world_kit, 3, -1, 1, 0, square(1, 0)), row_of(world_kit, 3, -2, 1, 0, square(0, 0)),
    ]  # fmt: skip
    told = stitch(tables_of(*rows), settings)
    assert told["object"].to_pylist() == [0, 1]
    assert told["x1"].to_pylist() == [0, 1 / 40]


def test_nothing_found_gives_an_empty_table(settings):
    assert stitch([], settings).equals(MASKS.empty_table())
    assert boxes_from_masks(MASKS.empty_table()).equals(BOXES.empty_table())


def test_no_more_than_a_window_of_pictures_is_asked_for(crossing, settings, world_kit):
    predictor = world_kit.ColourPredictor()
    world_kit.run(crossing, settings, predictor)
    assert predictor.seen == [w.last - w.first for w in plan_windows(20, settings)]
    assert max(predictor.seen) <= settings.window


def test_a_window_without_prompts_runs_no_model(crossing, settings, world_kit):
    predictor = world_kit.ColourPredictor()
    table = Extractor(settings, predictor).segment(
        MaskWindow(0, 0, 2), [crossing.picture(0)] * 2, np.array([0, 1]), np.array([0, 1]),
        np.ones(2, bool), (),
    )  # fmt: skip
    assert table.equals(WINDOW_MASKS.empty_table())
    assert predictor.seen == []


def test_pictures_that_are_not_trusted_are_not_seen_and_give_no_row(crossing, settings, world_kit):
    trusted = np.ones(20, bool)
    trusted[[0, 3, 9, 10, 19]] = False
    predictor = world_kit.ColourPredictor()
    boxes = world_kit.box_table(
        [r for r in crossing.boxes().to_pylist() if trusted[r["time_us"] // 1_000_000]]
    )
    _, whole = world_kit.run(crossing, settings, predictor, boxes=boxes, trusted=trusted)
    windows = plan_windows(20, settings)
    assert predictor.seen == [int(trusted[w.first : w.last].sum()) for w in windows]
    found = by_key(whole)
    truth = {(s, t): m for s in np.flatnonzero(trusted) for t, m in crossing.masks(s).items()}
    assert found.keys() == truth.keys()
    for key, mask in truth.items():
        np.testing.assert_array_equal(found[key], mask)


def test_a_prompt_at_a_picture_that_is_not_trusted_is_dropped(crossing, settings, world_kit):
    window, at = MaskWindow(0, 0, 6), crossing.at
    asked = prompts(window, crossing.boxes(), at, settings).prompts
    assert {p.offset for p in asked} == {0}
    trusted = np.array([False] + [True] * 5)
    predictor = world_kit.ColourPredictor()
    table = Extractor(settings, predictor).segment(
        window, [crossing.picture(s) for s in range(6)], at.times_us[:6], at.frames[:6], trusted,
        asked,
    )  # fmt: skip
    assert len(table) == 0 and predictor.seen == []


def test_the_rendered_scene_gives_its_own_masks_back(settings, world_kit):
    """The scenes that detection and linking are tested on, with their truth as predictor."""
    import importlib.util
    from pathlib import Path

    from surgqa.transforms.evidence.segment.predictor import PredictedMask
    from surgqa.transforms.media import Samples

    path = Path(__file__).resolve().parents[3] / "fixtures" / "scenes" / "scenes.py"
    spec = importlib.util.spec_from_file_location("segment_scenes", path)
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    scene = module.Scene(5, seconds=6, fps=5, targets=("liver",), busy=0.8)
    at = Samples(scene.times_us(), np.arange(scene.frames))
    limits = replace(settings, again_us=0)

    class Truth:
        first = 0

        def track(self, pictures, prompts):
            for p in prompts:
                for offset in range(p.since, p.until):
                    yield PredictedMask(
                        offset, p.object, scene.mask(self.first + offset, p.object), 1.0
                    )

    rows = [row | {"origin": "detector"} for row in scene.boxes().to_pylist()]
    truth, boxes, tables = Truth(), world_kit.box_table(rows), []
    for window in plan_windows(scene.frames, limits):
        truth.first, part = window.first, slice(window.first, window.last)
        asked = prompts(window, boxes, at, limits).prompts
        tables.append(Extractor(limits, truth).segment(
            window, [scene.picture(f) for f in range(window.first, window.last)],
            at.times_us[part], at.frames[part], np.ones(window.last - window.first, bool), asked,
        ))  # fmt: skip
    whole = stitch(tables, limits)
    assert len(set(whole["object"].to_pylist())) >= 4
    for row in whole.to_pylist():
        mask = decode(np.array(row["counts"]), row["height"], row["width"])
        np.testing.assert_array_equal(mask, scene.mask(row["frame"], row["object"]))
    told = {(r["frame"], r["track"]) for r in boxes.to_pylist()}
    assert told <= set(zip(whole["frame"].to_pylist(), whole["object"].to_pylist(), strict=True))


def test_identity_says_what_the_evidence_depends_on(settings, monkeypatch):
    from surgqa.transforms.evidence.segment import extractor

    monkeypatch.setattr(extractor, "version", lambda library: f"1.0-{library}")
    before = loaded()
    base = Extractor(settings).digest
    assert loaded() == before
    assert Extractor(replace(settings, device="cuda:0")).digest == base
    moved = settings.weights.rename(settings.weights.with_name("other.pt"))
    assert Extractor(replace(settings, weights=moved)).digest == base
    others = {
        "config": "configs/sam2.1/sam2.1_hiera_t.yaml", "image_size": 512, "precision": "bf16",
        "window": 10, "overlap": 2, "prompt": "point", "prompt_score": 0.7, "again_us": 1,
        "reach_us": 1, "follow_us": 1, "most_objects": 3, "hole_px": 1, "speck_px": 1,
        "least_area": 0.1, "tolerance_px": 2.0, "same_iou": 0.7,
    }  # fmt: skip
    apart = {"weights", "device", "sha256"}  # where it lies and runs; what it must be
    assert others.keys() == {f.name for f in fields(SegmentSettings)} - apart
    moved_settings = replace(settings, weights=moved)
    digests = {Extractor(replace(moved_settings, **{k: v})).digest for k, v in others.items()}
    assert len(digests | {base}) == len(others) + 1
    moved.with_suffix(".json").write_text('{"overrides": {"image_size": 128}}')
    assert Extractor(moved_settings).digest != base
    moved.with_suffix(".json").unlink()
    moved.write_bytes(b"other weights")
    assert Extractor(moved_settings).digest != base


def test_missing_weights_are_told_before_any_work(settings):
    settings.weights.unlink()
    with pytest.raises(SourceMissing, match="downloads nothing"):
        _ = Extractor(settings).identity


def test_an_extractor_travels_to_workers(settings):
    again = pickle.loads(pickle.dumps(Extractor(settings)))
    assert again.settings == settings
