"""Copies of a video among others."""

from __future__ import annotations

import cv2
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surgqa.ontology.observed import DECISIONS
from surgqa.transforms.evidence.curate import CurateSettings, decide, near_duplicates, verdict
from surgqa.transforms.evidence.curate.duplicates import copy_of
from surgqa.transforms.evidence.quality import measures as m
from surgqa.transforms.evidence.quality.measures import QualitySettings

LIMITS = CurateSettings()
SHRINK = QualitySettings()


def codes(pictures) -> np.ndarray:
    small = [m.shrink(p, SHRINK).grey for p in pictures]
    return np.array([m.difference_hash(grey) for grey in small], dtype=np.uint64)


def facts(count: int, step_us: int = 1_000_000, **more):
    return {"duration_us": count * step_us} | more


def dropped(table: pa.Table) -> dict[str, str]:
    assert table.schema == DECISIONS
    return dict(copy_of(r["subject"]) for r in table.to_pylist() if r["passed"] is False)


@pytest.fixture(scope="module")
def real(real_dataset) -> dict[str, list[np.ndarray]]:
    """Two stretches of each of two real operations, one picture a second."""
    found = {}
    for name in ("VID68", "VID73"):
        files = sorted((real_dataset("cholect50-challenge-val") / "videos" / name).glob("*.png"))
        pictures = [cv2.cvtColor(cv2.imread(str(f)), cv2.COLOR_BGR2RGB) for f in files[:160]]
        found[f"{name}/1"], found[f"{name}/2"] = pictures[:80], pictures[80:]
    return found


@pytest.fixture(scope="module")
def coded(real) -> dict[str, np.ndarray]:
    """The codes of their pictures."""
    return {name: codes(pictures) for name, pictures in real.items()}


def reencoded(picture: np.ndarray) -> np.ndarray:
    small = cv2.resize(picture, (426, 240), interpolation=cv2.INTER_AREA)
    return cv2.imdecode(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 40])[1], 1)


def cropped(picture: np.ndarray, share: float = 0.03) -> np.ndarray:
    y, x = (int(side * share) for side in picture.shape[:2])
    return picture[y:-y, x:-x]


CHANGES = {
    "re-encoded": lambda p: [reencoded(x) for x in p],
    "trimmed": lambda p: p[15:-15],
    "trimmed and re-encoded": lambda p: [reencoded(x) for x in p[25:]],
    "cropped": lambda p: [cropped(x) for x in p],
    "softened": lambda p: [cv2.GaussianBlur(x, (0, 0), 2) for x in p],
    "every second picture": lambda p: p[1::2],
}


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_real_copies_are_found_and_other_parts_are_not(real, coded, frames, change):
    videos = [(k, frames(len(c), dhash=c), facts(len(c))) for k, c in coded.items()]
    for name, pictures in real.items():
        altered = CHANGES[change](pictures)
        step = 2_000_000 if change.startswith("every") else 1_000_000
        table = frames(len(altered), step_us=step, dhash=codes(altered))
        about = facts(len(altered), step) | {"duration_us": len(altered) * step - 1_500_000}
        videos.append((f"{name}, {change}", table, about))
    found = dropped(near_duplicates(videos, LIMITS))
    assert found == {f"{name}, {change}": name for name in real}


def test_different_operations_and_parts_are_never_copies(coded, frames):
    videos = [(k, frames(len(c), dhash=c), facts(len(c))) for k, c in coded.items()]
    assert dropped(near_duplicates(videos, LIMITS)) == {}


def made_up(number: int, count: int = 60) -> np.ndarray:
    """Codes of a made-up video: 64 pseudo-random bits from a mixed counter."""
    values = np.arange(count, dtype=np.uint64) + np.uint64(number * 1_000_003)
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
        values = (values ^ (values >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return values ^ (values >> np.uint64(32))


@given(st.permutations(range(6)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_videos_does_not_matter(frames, order):
    videos = [(f"v{n}", frames(60, dhash=made_up(n)), facts(60)) for n in range(4)]
    videos += [("v0 cut", frames(40, dhash=made_up(0)[10:50]), facts(40))]
    videos += [("v0 again", frames(60, dhash=made_up(0)), facts(60))]
    table = near_duplicates([videos[n] for n in order], LIMITS)
    assert dropped(table) == {"v0 cut": "v0", "v0 again": "v0"}
    assert table.equals(near_duplicates(videos, LIMITS))


def test_the_longer_then_the_larger_then_the_first_is_kept(frames):
    def video(key, length_us, width):
        medium = {"sha256": key, "width": width, "height": 9 * width // 16}
        return key, frames(60, dhash=made_up(1)), {"duration_us": length_us, "medium": medium}

    assert dropped(near_duplicates([video("a", 60_000_000, 640), video("b", 62_000_000, 320)],
                                   LIMITS)) == {"a": "b"}  # fmt: skip
    assert dropped(near_duplicates([video("a", 60_000_000, 640), video("b", 60_000_000, 1280)],
                                   LIMITS)) == {"a": "b"}  # fmt: skip
    assert dropped(near_duplicates([video("b", 60_000_000, 640), video("a", 60_000_000, 640)],
                                   LIMITS)) == {"b": "a"}  # fmt: skip


@given(st.sets(st.sampled_from("abc")))
@settings(max_examples=8, deadline=None)
def test_of_copies_one_is_kept_whatever_other_rules_drop(frames, unfit):
    lengths = {"a": 61, "b": 62, "c": 63}
    videos = [(v, frames(60, dhash=made_up(1)), facts(s)) for v, s in lengths.items()]
    gone = dropped(near_duplicates(videos, LIMITS, unfit))
    fit = sorted(lengths.keys() - unfit)
    assert set(gone.values()) <= set(fit[-1:])
    assert [v for v in fit if v not in gone] == fit[-1:]


def test_a_chain_of_copies_loses_no_part_of_a_recording(frames):
    film = made_up(3, 120)
    videos = [
        ("start", frames(70, dhash=film[:70]), facts(70)),
        ("middle", frames(60, dhash=film[35:95]), facts(60)),
        ("end", frames(50, dhash=film[70:]), facts(50)),
    ]
    table = near_duplicates(videos, LIMITS)
    assert dropped(table) == {"middle": "start"}
    assert "is dropped" in {r["subject"]: r for r in table.to_pylist()}["end copies middle"][
        "reason"]  # fmt: skip


def test_the_same_file_is_a_copy_without_looking(frames):
    dark = frames(20, dark_share=np.ones(20))
    medium = {"medium": {"sha256": "f" * 64, "width": 640, "height": 360}}
    table = near_duplicates([("a", dark, facts(20, **medium)), ("b", dark, facts(20, **medium))],
                            LIMITS)  # fmt: skip
    assert dropped(table) == {"b": "a"} and table["reason"].to_pylist() == ["the same file"]


def test_dark_pictures_and_pictures_without_contrast_match_nothing(frames):
    flat = frames(60, dhash=np.zeros(60, np.uint64), contrast=np.full(60, 0.01))
    night = frames(60, dhash=np.zeros(60, np.uint64), dark_share=np.ones(60))
    videos = [(key, t, facts(60)) for key, t in
              (("a", flat), ("b", flat), ("c", night), ("d", night))]  # fmt: skip
    assert near_duplicates(videos, LIMITS).num_rows == 0


def test_title_and_length_make_two_videos_worth_comparing(frames):
    near = made_up(5) ^ np.uint64(0x0000_0400_0020_0001)  # 3 bits, one in each piece
    videos = [
        ("a", frames(60, dhash=made_up(5)), facts(60)),
        ("b", frames(60, dhash=near), facts(60)),
    ]
    assert near_duplicates(videos, LIMITS).num_rows == 0
    titled = [(k, t, f | {"metadata": {"title": "Lap  Chole 7"}}) for k, t, f in videos]
    assert dropped(near_duplicates(titled, LIMITS)) == {"b": "a"}


def test_a_verdict_names_the_kept_copy_and_can_be_switched_off(frames):
    table = near_duplicates(
        [("a", frames(60, dhash=made_up(1)), facts(60)),
         ("b", frames(60, dhash=made_up(1)), facts(60))], LIMITS)  # fmt: skip
    none = decide({}, {}, LIMITS)
    assert verdict(none, LIMITS, "a", table).keep
    told = verdict(none, LIMITS, "b", table)
    assert not told.keep and told.reasons[0].startswith("near_duplicate: copy of a")
    off = CurateSettings(drops=tuple(r for r in LIMITS.drops if r != "near_duplicate"))
    assert verdict(none, off, "b", table).keep


def test_nothing_to_compare(frames):
    assert near_duplicates([], LIMITS).num_rows == 0
    assert near_duplicates([("a", frames(0), {})], LIMITS).num_rows == 0
