"""Evidence written as unified JSON is read back as the same moments."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.moments import Moment, moment_order
from surgqa.ontology.records import Media, MediaKind, VideoEvidence
from surgqa.transforms.exports.evidence import evidence_tables
from surgqa.transforms.exports.unified import write
from surgqa.transforms.exports.unified.tree import Tables, file_of, frame_at, lines, pixels, rate_of
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.timeline import build_timeline


def tables(evidence: VideoEvidence) -> Tables:
    """The rows that a build writes of a video."""
    found = evidence_tables(evidence, build_timeline(evidence), ())
    rows = {kind: table.to_pylist() for kind, table in found.items()}
    return Tables(rows["videos"][0], rows["moments"], rows["events"], rows["segments"],
                  rows["labels"])  # fmt: skip


def again(evidence: VideoEvidence, folder: Path) -> VideoEvidence:
    """Written and read."""
    tree, left = file_of(tables(evidence))
    assert not left
    folder.mkdir(exist_ok=True)
    (folder / f"{evidence.video.video_id}.json").write_bytes(lines(tree))
    return load_reader("unified")(folder).read(evidence.video.video_id)


def sample(name: str, root: Path) -> list[VideoEvidence]:
    """What the sample of a dataset holds."""
    load_sample(name)(root)
    reader = load_reader(name)(root)
    return [reader.read(video) for video in reader.videos()]


def plain(moments: tuple[Moment, ...]) -> list[Moment]:
    """Without where they stand, which is another file."""
    return sorted((replace(one, source="", pointer="") for one in moments), key=moment_order)


@pytest.mark.parametrize("name", ["unified", "observed"])
def test_every_moment_of_a_sample_comes_back(name: str, tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    for evidence in sample(name, root):
        found = again(evidence, tmp_path / "files")
        assert plain(found.moments) == plain(evidence.moments)
        assert found.rejected == ()
        assert found.video.duration_us == evidence.video.duration_us
        assert found.video.procedure == evidence.video.procedure


def test_tracks_phases_and_the_surgeon_come_back_too(tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    evidence = sample("unified", root)[0]
    found = again(evidence, tmp_path / "files")
    old, new = evidence.instruments, found.instruments
    assert old is not None and new is not None
    assert new.instants_us.tolist() == old.instants_us.tolist()
    assert new.box_xyxy.tolist() == old.box_xyxy.tolist()
    assert [(s.label, s.start_us, s.end_us) for s in found.spans] == [
        (s.label, s.start_us, s.end_us) for s in evidence.spans
    ]
    assert [one.label for one in found.labels] == ["expert"]


share = st.floats(0, 1).map(lambda value: round(value, 6)) | st.floats(0.001, 1)


@given(x=st.tuples(share, share), y=st.tuples(share, share),
       size=st.sampled_from([(1280, 720), (1920, 1080), (1000, 1000), (853, 479)]))  # fmt: skip
def test_pixels_lead_back_to_exactly_the_same_corners(x, y, size) -> None:
    from surgqa.transforms.readers.base.unified.entries import ListEntry
    from surgqa.transforms.readers.base.unified.header import UnifiedHeader

    (x1, x2), (y1, y2) = sorted(x), sorted(y)
    if min(x2 - x1, y2 - y1) < 1e-9 or min(x1, y1) and min(x1, y1) < 1e-9:
        return
    box = pixels({"x1": x1, "y1": y1, "x2": x2, "y2": y2}, size)
    from decimal import Decimal

    told = json.loads(orjson.dumps({"bbox": box}), parse_float=Decimal)
    noted: list[Any] = []
    header = UnifiedHeader(Fraction(30), size, 10**6, {})
    entry = ListEntry(told, "f", "p", header, lambda code, why: noted.append(why))
    assert entry.box() == (x1, y1, x2, y2)
    assert not noted


def test_whole_pixels_are_written_as_such() -> None:
    row = {"x1": 100 / 1920, "y1": 7 / 1080, "x2": 303 / 1920, "y2": 1.0}
    assert pixels(row, (1920, 1080)) == [100, 7, 203, 1073]
    assert pixels({"x1": None}, (1920, 1080)) is None


def test_key_frames_tell_the_rate_where_labels_count_seconds() -> None:
    video = {"fps_num": 1, "fps_den": 1}
    assert rate_of(video, []) == 1
    assert rate_of(video, [(647, 21_566_667)]) == 30
    assert rate_of(video, [(647, 21_588_233)]) == Fraction(30000, 1001)
    assert rate_of(video, [(647, 1)]) == 1
    assert frame_at(21_566_667, Fraction(30)) == 647
    assert frame_at(21_566_660, Fraction(30)) is None


def odd(evidence: VideoEvidence) -> VideoEvidence:
    """A state of nothing, an anomaly without a place."""
    lost = (
        Moment("anomaly", "bleeding", 1_000_000, 2_000_000, 1, "f", "p", group="x"),
        Moment("state", "clipped", 1_000_000, 2_000_000, 1, "f", "q"),
    )
    moments = sorted((*evidence.moments, *lost), key=moment_order)
    return replace(evidence, moments=tuple(moments))


def test_what_the_shape_has_no_place_for_is_counted(tmp_path: Path) -> None:
    evidence = odd(sample("unified", tmp_path)[0])
    tree, left = file_of(tables(evidence))
    assert left == {"anomaly": 1, "state": 1}
    assert len(tree["anomaly_evidence"]["anomalies"]) == 1


def test_a_size_that_is_not_known_is_a_grid(tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    evidence = sample("unified", root)[0]
    bare = replace(evidence, video=replace(evidence.video, media=Media(MediaKind.ABSENT)))
    tree, _ = file_of(tables(bare))
    assert (tree["video_metadata"]["width"], tree["video_metadata"]["height"]) == (1000, 1000)
    assert plain(again(bare, tmp_path / "files").moments) == plain(evidence.moments)


def test_an_empty_list_of_channels_stays_one(tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    evidence = sample("unified", root)[1]
    kept = tuple(one for one in evidence.moments if one.kind != "watched")
    found = again(replace(evidence, moments=kept), tmp_path / "files")
    assert plain(found.moments) == plain(kept)


class Folder(SimpleNamespace):
    """The tables of two videos, as a finished output gives them."""

    def evidence(self, kind: str) -> Any:
        assert kind == "videos"
        return SimpleNamespace(to_pylist=lambda: [one.video for one in self.videos])

    def evidence_of(self, kind: str, dataset: str, video_id: str) -> list[Any]:
        (one,) = [v for v in self.videos if v.video["video_id"] == video_id]
        return getattr(one, kind)


def test_a_folder_has_a_file_for_each_video_and_their_digests(tmp_path: Path) -> None:
    evidence = sample("unified", tmp_path)[:2]
    first, second = (tables(one) for one in evidence)
    still = Tables({**second.video, "clock": "order"}, second.moments)
    to = tmp_path / "out"
    to.mkdir()
    told = write(Folder(videos=[first, still], manifest={"digest": "d"}), to, {})
    assert told == [
        ["dataset", "videos", "moments", "left out"],
        ["unified", 1, len(first.moments), len(second.moments)],
    ]
    manifest = json.loads((to / "export.json").read_text())
    assert list(manifest["files"]) == ["unified/case_01.json"]
    assert manifest["left_out"] == {"unified": {"of videos without a clock": len(second.moments)}}
    assert load_reader("unified")(to / "unified").videos() == ["case_01"]
