"""The measures on pictures whose values are known, and their limits on real frames."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from surgqa.ontology.observed import FRAMES
from surgqa.transforms.evidence.curate import CurateSettings
from surgqa.transforms.evidence.quality import Extractor, QualitySettings
from surgqa.transforms.evidence.quality import measures as m

LIMITS = CurateSettings()


def half_and_half() -> np.ndarray:
    picture = np.zeros((360, 640, 3), np.uint8)
    picture[:, 320:] = 255
    return picture


def column(table, name):
    return np.array([np.nan if v is None else v for v in table[name].to_pylist()], dtype=float)


def test_known_pictures_have_the_values_that_follow_from_them(batch):
    rows = Extractor().look(batch([half_and_half(), np.full((360, 640, 3), 255, np.uint8)]))
    assert rows.schema == FRAMES
    assert rows["luma"].to_pylist() == [0.5, 1.0]
    assert rows["contrast"].to_pylist() == [0.5, 0.0]
    assert rows["dark_share"].to_pylist() == [0.5, 0.0]
    # 180 of 57600 pixels on each side of the edge have a Laplacian of +255 and -255.
    assert rows["sharpness"].to_pylist() == [round(2 * 180 * 255**2 / 57600, 2), 0.0]
    assert rows["luma_step"].null_count == rows["colour_step"].null_count == 2


def test_a_picture_that_is_not_trusted_has_no_measure(batch):
    pictures = [half_and_half()] * 2
    row = Extractor().look(batch(pictures, [False, True])).to_pylist()[0]
    assert row["trusted"] is False
    assert {name for name, value in row.items() if value is not None} == {
        "time_us", "frame", "trusted"}  # fmt: skip


def test_histogram_and_thumbnail_have_the_layout_later_rules_read(batch):
    red = np.zeros((90, 160, 3), np.uint8)
    red[..., 0] = 200
    row = Extractor().look(batch([red])).to_pylist()[0]
    counts = np.frombuffer(row["histogram"], "<u2").reshape(16, 16)
    assert counts[0, 15] == counts.sum() == 65_535  # hue 0, full saturation
    assert np.frombuffer(row["thumb"], np.uint8).reshape(36, 64).std() == 0


def test_histogram_sums_to_the_unit_on_real_frames(real_frames):
    for picture in real_frames[:12]:
        small = m.shrink(picture, QualitySettings())
        assert int(np.frombuffer(m.histogram(small.hsv), "<u2").astype(int).sum()) == 65_535


def test_dhash_bits_are_comparisons_of_neighbours_from_the_top_left():
    ramp = np.tile(np.linspace(255, 0, 320).astype(np.uint8), (180, 1))
    assert m.difference_hash(ramp) == 2**64 - 1
    assert m.difference_hash(ramp[:, ::-1].copy()) == 0
    top = ramp.copy()
    top[23:] = 0  # 180 // 8 = 22.5 rows a cell: only the first row of cells has a slope
    top[22] = 0
    assert m.difference_hash(top) == 0xFF << 56


def test_limits_part_real_frames_from_blurred_ones(real_frames, batch):
    sharp = column(Extractor().look(batch(real_frames)), "sharpness")
    blurred = [cv2.GaussianBlur(p, (0, 0), 3) for p in real_frames]
    soft = column(Extractor().look(batch(blurred)), "sharpness")
    assert sharp.min() > LIMITS.blurred > 2 * soft.max()


def test_limits_part_dark_pictures_from_real_frames(real_frames, batch):
    real = column(Extractor().look(batch(real_frames)), "dark_share")
    night = [(p // 20).astype(np.uint8) for p in real_frames[:4]]
    dark = column(Extractor().look(batch(night)), "dark_share")
    assert real.max() < 0.9 and dark.min() >= LIMITS.dark


def test_inside_of_a_body_is_told_from_outside(real_frames, outside_frames, batch):
    inside = column(Extractor().look(batch(real_frames)), "inside")
    outside = column(Extractor().look(batch(outside_frames)), "inside")
    assert np.mean(inside < LIMITS.outside) <= 0.02
    assert np.mean(outside >= LIMITS.outside) == 0


def test_drapes_and_black_are_outside(batch):
    drape = np.full((360, 640, 3), (40, 120, 140), np.uint8)
    rows = Extractor().look(batch([drape, np.zeros_like(drape)]))
    assert rows["inside"].to_pylist() == [0.0, 0.0]


def test_the_same_pictures_give_the_same_bytes(real_frames, batch):
    first = Extractor().look(batch(real_frames[:8]))
    cv2.setNumThreads(2)
    assert Extractor().look(batch(real_frames[:8])).equals(first)
    # All but the overlays, for which the batch is the unit, do not know of other pictures.
    alone = Extractor().look(batch(real_frames[3:4])).drop_columns(["overlay_share", "time_us"])
    together = first.slice(3, 1).drop_columns(["overlay_share", "time_us"])
    assert alone.drop_columns(["frame"]).equals(together.drop_columns(["frame"]))


def test_identity_holds_the_settings():
    assert Extractor().digest == Extractor(QualitySettings()).digest
    assert Extractor(QualitySettings(dark_value=20)).digest != Extractor().digest


def drawn(picture: np.ndarray) -> np.ndarray:
    out = picture.copy()
    cv2.putText(out, "SMITH 1961", (14, 26), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 2)
    return out


def test_overlays_that_stand_still_are_found_and_nothing_else(real_frames, batch):
    plain = Extractor().look(batch(real_frames[:16]))["overlay_share"]
    label = Extractor().look(batch([drawn(p) for p in real_frames[:16]]))["overlay_share"]
    assert set(plain.to_pylist()) == {0.0}
    (share,) = set(label.to_pylist())
    assert 0.003 < share < 0.02


@pytest.mark.parametrize("count", [1, 3])
def test_too_few_pictures_say_nothing_of_overlays(real_frames, batch, count):
    rows = Extractor().look(batch(real_frames[:count]))
    assert rows["overlay_share"].null_count == count


def test_a_still_scene_says_nothing_of_overlays(real_frames, batch):
    rows = Extractor().look(batch([drawn(real_frames[0])] * 8))
    assert rows["overlay_share"].null_count == 8
