"""Quirks of CVC-ClinicDB's folders and masks, one test each."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.records import Clock, Code, MediaKind, VideoEvidence
from surgqa.transforms import registry

Reader = registry.load_reader("cvc_clinicdb")

SHAPE = (288, 384)
TABLE = "frame_id,sequence_id,png_image_path\n"


def mask(*corners: tuple[int, int, int, int], value: int = 255) -> np.ndarray:
    pixels = np.zeros(SHAPE, np.uint8)
    for x1, y1, x2, y2 in corners:
        pixels[y1:y2, x1:x2] = value
    return pixels


def put(root: Path, name: str, pixels: np.ndarray) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    good, data = cv2.imencode(path.suffix, pixels)
    assert good
    path.write_bytes(data.tobytes())
    return root


def read(root: Path, still: str) -> VideoEvidence:
    evidence = Reader(root).read(still)
    assert all(books.balanced for books in evidence.books)
    return evidence


@pytest.mark.parametrize(
    "name",
    [
        "PNG/Ground Truth/3.png",
        "Ground Truth/3.png",
        "TIF/Ground Truth/3.tif",
        "Ground Truth/3.tif",
    ],
)
def test_every_layout_is_read(tmp_path: Path, name: str) -> None:
    put(tmp_path, name, mask((96, 72, 192, 144)))
    put(tmp_path, name.replace("Ground Truth", "Original"), mask())
    assert Reader(tmp_path).videos() == ["3"]
    found = read(tmp_path, "3")
    assert found.regions["finding"].box_xyxy.tolist() == [[0.25, 0.25, 0.5, 0.5]]
    assert found.regions["finding"].attributes[0].values.tolist() == [0.0625]
    media = found.video.media
    assert (media.kind, media.width, media.height) == (MediaKind.IMAGE, 384, 288)
    assert media.path == name.replace("Ground Truth", "Original")
    assert found.video.clock == Clock.WHOLE


def test_regions_that_touch_at_a_corner_are_one(tmp_path: Path) -> None:
    put(tmp_path, "PNG/Ground Truth/3.png", mask((0, 0, 96, 72), (96, 72, 192, 144)))
    assert read(tmp_path, "3").regions["finding"].sample.size == 1


def test_masks_in_colour_and_grey_edges_are_cut_at_128(tmp_path: Path) -> None:
    pixels = np.maximum(mask((90, 70, 200, 150), value=127), mask((96, 72, 192, 144), value=128))
    put(tmp_path, "PNG/Ground Truth/3.png", np.stack([pixels] * 3, axis=2))
    boxes = read(tmp_path, "3").regions["finding"].box_xyxy.tolist()
    assert boxes == [[0.25, 0.25, 0.5, 0.5]]


def test_an_empty_mask_is_noted(tmp_path: Path) -> None:
    found = read(put(tmp_path, "PNG/Ground Truth/3.png", mask()), "3")
    assert [e.code for e in found.rejected] == [Code.BAD_MASK]
    assert (found.books[0].read, found.books[0].kept) == (1, 0)


def test_a_still_without_a_mask_is_not_read(tmp_path: Path) -> None:
    put(tmp_path, "PNG/Original/3.png", mask())
    assert Reader(tmp_path).found() == []
    with pytest.raises(SourceMissing, match=r"PNG/Ground Truth/3\.png is missing"):
        read(tmp_path, "3")


@pytest.mark.parametrize(
    ("still", "sequence"),
    [("1", "01"), ("25", "01"), ("26", "02"), ("205", "10"), ("206", "11"), ("591", "28"),
     ("592", "29"), ("612", "29")],
)  # fmt: skip
def test_without_a_table_the_number_tells_the_sequence(
    tmp_path: Path, still: str, sequence: str
) -> None:
    put(tmp_path, f"PNG/Ground Truth/{still}.png", mask((96, 72, 192, 144)))
    group = read(tmp_path, still).video.split_group
    assert group == f"cvc_clinicdb/sequence{sequence}"


def test_the_table_goes_before_the_numbers(tmp_path: Path) -> None:
    put(tmp_path, "PNG/Ground Truth/26.png", mask((96, 72, 192, 144)))
    (tmp_path / "metadata.csv").write_text(TABLE + "26,7,PNG/Original/26.png\n")
    found = read(tmp_path, "26").video
    assert found.split_group == "cvc_clinicdb/sequence07"
    assert [source.path for source in found.sources] == ["PNG/Ground Truth/26.png", "metadata.csv"]


def test_a_row_without_a_still_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, "PNG/Ground Truth/26.png", mask((96, 72, 192, 144)))
    (tmp_path / "metadata.csv").write_text(TABLE + "26,7,somewhere\n")
    with pytest.raises(SourceBroken, match="table of videos"):
        read(tmp_path, "26")
