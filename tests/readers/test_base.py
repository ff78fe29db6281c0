"""The helpers that readers build on."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import UNKNOWN, Code
from surgqa.ontology.times import frame_to_us
from surgqa.transforms.readers.base import (
    Ledger,
    image_size,
    instants_of,
    spans_of,
    split_group,
    triplet_ids,
)
from surgqa.transforms.samples.pictures import jpeg, picture, png
from tests.each import cases
from tests.readers.made.scene import FULL_SECONDS, seconds_of

# ---- times, tables, intervals

RATES = [Fraction(text) for text in ("1", "25", "30000/1001", "29.97", "59.94", "1/7", "1000")]


@given(
    st.lists(st.integers(0, 10_000_000), max_size=20),
    st.sampled_from([*RATES, Fraction(10**15 + 1, 10**14), Fraction(2**80, 2**77 + 1)]),
)
def test_instants_are_exact(frames: list[int], fps: Fraction) -> None:
    found = instants_of(np.array(frames, dtype=np.int64), fps)
    assert found.dtype == np.int64
    assert found.tolist() == [frame_to_us(frame, fps) for frame in frames]


@pytest.mark.parametrize(
    ("seconds", "codes", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param([3], [0], [("a", 3, 4)], id="one-instant-is-one-period"),
        pytest.param([3, 4, 5], [0, 0, 0], [("a", 3, 6)], id="merged"),
        pytest.param([3, 4.5, 5.5], [0, 0, 0], [("a", 3, 6.5)], id="gap-of-1.5-periods"),
        pytest.param([3, 4.6], [0, 0], [("a", 3, 4), ("a", 4.6, 5.6)], id="longer-gap"),
        pytest.param([3, 4, 5], [0, 1, 0], [("a", 3, 4), ("b", 4, 5), ("a", 5, 6)], id="change"),
        pytest.param([3, 4, 5], [0, UNKNOWN, 0], [("a", 3, 4), ("a", 5, 6)], id="unknown-between"),
        pytest.param([3, 3.9], [0, 1], [("a", 3, 3.9), ("b", 3.9, 4.9)], id="never-overlapping"),
        pytest.param([1, 2], [UNKNOWN, UNKNOWN], [], id="all-unknown"),
    ],
)
def test_intervals_of_consecutive_instants(seconds, codes, expected) -> None:
    instants = np.array([round(s * 1_000_000) for s in seconds], dtype=np.int64)
    spans = spans_of("phase", instants, np.array(codes), ("a", "b"), 1_000_000, "f",
                     lambda first, last: f"{first}-{last}")  # fmt: skip
    found = [(span.label, span.start_us / 1e6, span.end_us / 1e6) for span in spans]
    assert found == expected
    assert all(span.source == "f" and "-" in span.pointer for span in spans)


# ---- pictures


@pytest.mark.parametrize("kind", ["png", "jpg"])
def test_the_samples_pictures_are_pictures(kind: str, tmp_path: Path) -> None:
    image = picture(1207, [(0.5, 0.5, 1.0, 1.0)], [2])
    path = tmp_path / f"a.{kind}"
    path.write_bytes(png(image) if kind == "png" else jpeg(image))
    decoded = cv2.imread(str(path))[:, :, ::-1]
    assert image_size(path, "a") == (64, 48)
    if kind == "png":
        assert np.array_equal(decoded, image)
    means = [array.reshape(6, 8, 8, 8, 3).mean(axis=(1, 3)) for array in (decoded, image)]
    assert np.abs(means[0] - means[1]).max() < 3
    assert image[40, 50].tolist() == [90, 210, 90]
    assert image[2:7, 2:17].max() == 255


# ---- the rest


@cases(
    ("dataset", "video_id", "group"),
    [
        ("cholect50", "VID07", "cholec/07"),
        ("cholect45", "VID07", "cholec/07"),
        ("cholec80", "video07", "cholec/07"),
        ("cholec80-cvs", "7", "cholec/07"),
        ("cholectrack20", "VID111", "cholec/111"),
        ("prostatd", "psiv14", "psi-ava/14"),
        ("psi-ava", "CASE014", "psi-ava/14"),
        ("grasp", "CASE014", "psi-ava/14"),
        ("prostatd", "esad2", "prostatd/esad2"),
        ("m2cai16", "workflow_video_07", "m2cai16/workflow_video_07"),
        ("autolaparo", "07", "autolaparo/07"),
        ("multibypass140", "BBP07", "bern-bypass/07"),
        ("bern_bypass70", "BBP07", "bern-bypass/07"),
        ("multibypass140", "SBP07", "multibypass140/SBP07"),
        ("heichole", "Hei-Chole1", "heichole/01"),
        ("endovis2019", "Hei-Chole1", "heichole/01"),
    ],
)
def test_one_surgery_has_one_group(dataset: str, video_id: str, group: str) -> None:
    assert split_group(dataset, video_id) == group


def test_the_ledger_sorts_and_counts() -> None:
    ledger = Ledger("d/v", "label rows")
    ledger.reject((2, 0), Code.BAD_ROW, "later", "f:2", count=3)
    ledger.repair((1, 0), Code.BAD_BOX, "sooner", "f:1")
    assert [entry.reason for entry in ledger.entries()] == ["sooner", "later"]
    assert ledger.books(10, 7).balanced
    assert not ledger.books(10, 8).balanced


@cases("line", ["1,2", "a,1,2,3", "0,1,2,3", "1,-1,2,3", "1,2.0,3,4", "²,1,2,3"])
def test_a_bad_row_of_the_triplet_map_is_named(line: str) -> None:
    text = f"# IVT, I, V, T\n0,0,2,1,2,1\n\n{line}\n"
    with pytest.raises(SourceBroken) as error:
        triplet_ids(text, "label_mapping.txt")
    assert error.value.where == "label_mapping.txt:4"


@cases("name", [f"VID{number:02d}" for number in range(12)])
def test_the_scene_moves_smoothly_inside_the_picture(name: str) -> None:
    happens = seconds_of(name)
    assert len(happens) == FULL_SECONDS
    assert happens[51].number - happens[0].number == 51
    for second in happens[:52]:
        for seen in second.seen:
            x, y, width, height = seen.box_xywh
            assert x >= 0 and y >= 0 and x + width <= 1 and y + height <= 1
    counts = [[seen.instrument for seen in second.seen] for second in happens]
    assert any(names.count("grasper") == 2 for names in counts)
    assert any(not names for names in counts)
    assert len({name for names in counts for name in names}) == 6
