"""The real SAM2 video predictor on the CPU: small models, real prompts, memory, propagation."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.observed import MASKS
from surgqa.transforms.evidence.segment import (
    Extractor,
    MaskPrompt,
    Sam2Predictor,
    SegmentSettings,
    boxes_from_masks,
    plan_windows,
    prompts,
    stitch,
)

pytest.importorskip("torch")
pytest.importorskip("sam2")
pytestmark = pytest.mark.torch

from benchmarks import train_mini_sam2 as mini  # noqa: E402  sets threads before torch

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "segment"
SECOND_US = 1_000_000


@pytest.fixture(scope="module")
def untrained(tmp_path_factory) -> Path:
    """Random weights of the small model; seeds 1 and 4 say that there is an object."""
    path = tmp_path_factory.mktemp("sam2") / "random.pt"
    mini.save(mini.build(1), path)
    return path


@pytest.fixture
def limits(untrained) -> SegmentSettings:
    return SegmentSettings(weights=untrained, device="cpu", window=6, overlap=2, least_area=0.0)


def boxed(number, offset, since, until, box=(0.2, 0.2, 0.6, 0.6)):
    return MaskPrompt(number, "grasper", offset, box, None, since, until)


def pictures(seed=3, frames=6):
    return list(mini.render(seed, frames, 96, 160).pictures)


def told(limits, images, asked):
    return {
        (f.offset, f.object): (f.mask.tobytes(), f.score)
        for f in Sam2Predictor(limits).track(images, asked)
    }


def test_every_object_is_told_where_it_is_looked_for_and_once(limits):
    asked = [
        boxed(2, 0, 0, 6), boxed(5, 3, 1, 5, (0.5, 0.1, 0.9, 0.5)), boxed(5, 4, 1, 5),
        boxed(9, 2, 2, 3),
    ]  # fmt: skip
    found = list(Sam2Predictor(limits).track(pictures(), asked))
    keys = [(f.object, f.offset) for f in found]
    assert sorted(keys) == [*((2, n) for n in range(6)), *((5, n) for n in range(1, 5)), (9, 2)]
    assert all(f.mask.shape == (96, 160) and f.mask.dtype == bool for f in found)
    assert all(0 <= f.score <= 1 for f in found)
    seen = [f for f in found if f.mask.any()]
    assert len(seen) > len(found) / 2  # a model that sees nothing would test nothing
    assert any(not f.mask.all() for f in seen)


def test_the_same_bits_again_and_whatever_else_is_tracked(limits):
    asked = [
        boxed(2, 0, 0, 6), boxed(5, 3, 0, 6, (0.5, 0.1, 0.9, 0.5)),
        boxed(7, 2, 1, 4, (0.1, 0.5, 0.4, 0.9)), boxed(7, 3, 1, 4), boxed(8, 1, 0, 2),
    ]  # fmt: skip
    together = told(limits, pictures(), asked)
    assert together == told(limits, pictures(), asked)
    for number in (2, 5, 7, 8):
        alone = told(limits, pictures(), [p for p in asked if p.object == number])
        assert alone == {k: v for k, v in together.items() if k[1] == number}


def test_a_window_knows_nothing_of_what_lies_outside_it(limits, world_kit):
    """The same window, asked for by itself or after another, gives the same table."""
    clip = mini.render(3, 10, 96, 160)
    at = world_kit.World(10, []).at
    boxes = world_kit.box_table(
        [world_kit.boxed(s, 4, np.array(mini.tight_box(clip.masks[s, 0])) / ([160, 96] * 2))
         for s in range(10)]
    )  # fmt: skip

    def table(window):
        part = slice(window.first, window.last)
        asked = prompts(window, boxes, at, limits).prompts
        return Extractor(limits).segment(
            window, clip.pictures[part], at.times_us[part], at.frames[part],
            np.ones(window.last - window.first, bool), asked,
        )  # fmt: skip

    windows = plan_windows(10, limits)
    forth = [table(w) for w in windows]
    back = [table(w) for w in windows[::-1]]
    assert all(len(t) for t in forth)
    assert [t.equals(b) for t, b in zip(forth, back[::-1], strict=True)] == [True] * len(windows)
    assert stitch(forth, limits).equals(stitch(back, limits))


def test_points_boxes_and_both_are_different_prompts(limits):
    box, point = (0.2, 0.2, 0.6, 0.6), (0.3, 0.4)
    kinds = [(box, None), (None, point), (box, point)]
    found = [
        told(limits, pictures(frames=2), [MaskPrompt(1, "hook", 0, *kind, 0, 2)]) for kind in kinds
    ]
    assert len({f[0, 1] for f in found}) == 3


def test_reduced_precision_is_a_setting(limits):
    asked = [boxed(2, 0, 0, 3)]
    full, half = (told(replace(limits, precision=p), pictures(frames=3), asked)
                  for p in ("fp32", "bf16"))  # fmt: skip
    assert full.keys() == half.keys()
    assert full != half


def test_reading_modes_are_not_left_switched_on(limits):
    import torch

    steps = Sam2Predictor(limits).track(pictures(), [boxed(2, 0, 0, 6)])
    next(steps)
    assert not torch.is_inference_mode_enabled()
    steps.close()
    assert torch.get_num_threads() == 1


def clips(count, frames):
    source = mini.examples(mini.UNSEEN, frames)
    return [next(source) for _ in range(count)]


def overlap(one, other):
    either = (one | other).sum()
    return (one & other).sum() / either if either else 1.0


@pytest.fixture(scope="module")
def trained() -> SegmentSettings:
    return SegmentSettings(weights=FIXTURES / "mini.pt", device="cpu", window=8, overlap=2)


def test_trained_weights_follow_things_through_unseen_clips(trained, world_kit):
    """Boxes in the first frame only; overlap with the drawn truth in all eight."""
    ours, filled = [], []
    for images, truth, box in clips(12, 8):
        row = world_kit.boxed(0, 0, box / mini.SIZE)
        at = world_kit.World(8, []).at
        (window,) = plan_windows(8, trained)
        limits = replace(trained, reach_us=8 * SECOND_US)
        table = Extractor(limits).segment(
            window, images, at.times_us, at.frames, np.ones(8, bool),
            prompts(window, world_kit.box_table([row]), at, limits).prompts,
        )  # fmt: skip
        whole = stitch([table], limits)
        assert whole.schema == MASKS
        found = {r["frame"] // 25: r for r in whole.to_pylist()}
        still = np.zeros_like(truth[0])
        still[int(box[1]) : int(box[3]), int(box[0]) : int(box[2])] = True
        for sample in range(8):
            ours.append(overlap(mask_of(found.get(sample), truth[0].shape), truth[sample]))
            filled.append(overlap(still, truth[sample]))
    assert np.mean(ours) > 0.4
    assert np.mean(ours) > np.mean(filled) + 0.1


def mask_of(row, shape):
    from surgqa.transforms.evidence.segment.masks import decode

    if row is None:
        return np.zeros(shape, bool)
    return decode(np.array(row["counts"]), row["height"], row["width"])


def test_windows_and_stitching_with_trained_weights(trained, world_kit):
    """Two things, 14 samples, three windows; boxes from masks against the drawn boxes."""
    limits = replace(trained, window=6)
    clip = mini.render(mini.UNSEEN + 77, 14)
    at = world_kit.World(14, []).at
    rows = [
        world_kit.boxed(s, k, mini.tight_box(mask) / mini.SIZE)
        for s in range(14) for k, mask in enumerate(clip.masks[s]) if mask.sum() > 100
    ]  # fmt: skip
    boxes, tables = world_kit.box_table(rows), []
    for window in plan_windows(14, limits):
        part = slice(window.first, window.last)
        tables.append(Extractor(limits).segment(
            window, clip.pictures[part], at.times_us[part], at.frames[part],
            np.ones(window.last - window.first, bool), prompts(window, boxes, at, limits).prompts,
        ))  # fmt: skip
    whole = stitch(tables, limits)
    assert whole.equals(stitch(tables[::-1], limits))
    assert boxes_from_masks(whole).num_rows == whole.num_rows
    marks = [
        overlap(mask_of(r, (mini.SIZE, mini.SIZE)), clip.masks[r["frame"] // 25, r["object"]])
        for r in whole.to_pylist()
    ]
    assert len(marks) >= 0.9 * len(rows)
    assert np.mean(marks) > 0.4


def test_the_smallest_published_model_runs(tmp_path):
    """Random weights of the real architecture at 256 pixels, three frames, two objects."""
    import torch
    from sam2.build_sam import build_sam2_video_predictor

    torch.manual_seed(1)
    model = build_sam2_video_predictor(mini.CONFIG, device="cpu", apply_postprocessing=False)
    path = tmp_path / "public.pt"
    torch.save({"model": model.state_dict()}, path)
    del model
    limits = SegmentSettings(weights=path, image_size=256, device="cpu")
    found = told(limits, pictures(frames=3), [boxed(1, 0, 0, 3), boxed(2, 1, 0, 3)])
    assert len(found) == 6
    assert all(len(mask) == 96 * 160 for mask, _ in found.values())


def test_files_that_are_no_sam2_weights_are_refused_in_words(tmp_path, limits):
    import torch

    asked, images = [boxed(1, 0, 0, 1)], pictures(frames=1)
    for name, content in {"noise": b"junk", "empty": b"", "zip": b"PK\x03\x04junk"}.items():
        path = tmp_path / f"{name}.pt"
        path.write_bytes(content)
        with pytest.raises(UserError, match="not a SAM2 checkpoint"):
            told(replace(limits, weights=path), images, asked)
    path = tmp_path / "other.pt"
    for content in ({"weights": {}}, [1, 2], {"model": 3}):
        torch.save(content, path)
        with pytest.raises(UserError, match="not a SAM2 checkpoint"):
            told(replace(limits, weights=path), images, asked)
    torch.save({"model": {"a": torch.zeros(1)}}, path)
    with pytest.raises(UserError, match="no published SAM2 model"):
        told(replace(limits, weights=path), images, asked)


def test_weights_that_do_not_fit_their_configuration_are_refused(tmp_path, untrained, limits):
    asked, images = [boxed(1, 0, 0, 1)], pictures(frames=1)
    path = tmp_path / "moved.pt"
    path.write_bytes(untrained.read_bytes())
    told_beside = orjson.loads(untrained.with_suffix(".json").read_bytes())
    for change, message in (
        ({"memory_attention.num_layers": 2}, "do not fit"),
        ({"image_encoder.neck.no_such_setting": 2}, "cannot use moved.json"),
        ({"image_size": 100}, "multiple of 32"),
    ):
        beside = told_beside | {"overrides": told_beside["overrides"] | change}
        path.with_suffix(".json").write_bytes(orjson.dumps(beside))
        with pytest.raises(UserError, match=message):
            told(replace(limits, weights=path), images, asked)
    with pytest.raises(UserError, match="no SAM2 configuration"):
        told(replace(limits, config="configs/sam2.1/sam2.1_hiera_xl.yaml"), images, asked)
    with pytest.raises(UserError, match="no device"):
        told(replace(limits, device="cuda:99"), images, asked)
