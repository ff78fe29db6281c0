"""The reader on real CholecT50 files: the challenge validation clips VID68, VID73, VID74.

The counts were taken from the files with plain loops, not with the reader.
"""

from __future__ import annotations

import itertools
import json
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.records import IDLE, Code, MediaKind, VideoEvidence
from surgqa.transforms.readers.cholect50.reader import Reader

VIDEOS = ("VID68", "VID73", "VID74")


@pytest.fixture(scope="module")
def root(real_dataset) -> Path:
    return real_dataset("cholect50-challenge-val")


@pytest.fixture(scope="module")
def evidence(root: Path) -> dict[str, VideoEvidence]:
    reader = Reader(root)
    return {video: reader.read(video) for video in reader.videos()}


def test_the_three_videos_are_found(evidence: dict[str, VideoEvidence], root: Path) -> None:
    assert tuple(evidence) == VIDEOS
    assert len(Reader(root).missing()) == 47


@pytest.mark.parametrize(
    ("video", "instants", "rows", "duration_s", "size", "cut"),
    [
        ("VID68", 243, 296, 1952, (774, 434), ["1011", "1069"]),
        ("VID73", 160, 178, 1355, (586, 328), []),
        ("VID74", 441, 522, 1633, (None, None), []),
    ],
)
def test_counts(evidence, video, instants, rows, duration_s, size, cut) -> None:
    found = evidence[video]
    assert found.instruments.instants_us.size == instants
    assert found.instruments.sample.size == rows
    assert [(b.read, b.kept, b.rejected) for b in found.books] == [(rows, rows, 0)]
    assert found.video.duration_us == duration_s * 1_000_000
    assert (found.video.media.width, found.video.media.height) == size
    assert found.video.media.kind == (MediaKind.FRAMES if size[0] else MediaKind.ABSENT)
    assert [(e.code, e.outcome, e.where) for e in found.rejected] == [
        (Code.BAD_BOX, "repaired", f'labels/{video}.json annotations["{frame}"][0]')
        for frame in cut
    ]


def test_every_instance_is_the_row_that_it_points_to(evidence, root: Path) -> None:
    for video, found in evidence.items():
        whole = json.loads((root / "labels" / f"{video}.json").read_text())
        names, table = whole["categories"], found.instruments
        assert [int(frame) for frame in whole["annotations"]] == table.frames.tolist()
        for i in range(table.sample.size):
            frame = int(table.frames[table.sample[i]])
            row = whole["annotations"][str(frame)][table.row[i]]
            assert table.instants_us[table.sample[i]] == frame * 1_000_000
            assert table.labels[table.label[i]] == names["instrument"][str(row[1])]
            pair = (names["verb"][str(row[7])], names["target"][str(row[8])])
            assert table.pair_sets[table.pairs[i]] == (pair,)
            x, y, width, height = row[3:7]
            box = [x, y, min(x + width, 1.0), min(y + height, 1.0)]
            assert table.box_xyxy[i].tolist() == box


def test_instruments_and_idling_are_as_often_as_in_the_files(evidence, root: Path) -> None:
    for video, found in evidence.items():
        whole = json.loads((root / "labels" / f"{video}.json").read_text())
        rows = list(itertools.chain.from_iterable(whole["annotations"].values()))
        table = found.instruments
        labels = Counter(table.labels[code] for code in table.label)
        assert labels == Counter(whole["categories"]["instrument"][str(row[1])] for row in rows)
        idle = sum(table.pair_sets[code] == (IDLE,) for code in table.pairs)
        assert idle == sum(row[7] == 9 for row in rows)
        assert table.box_origin == "manual"
        assert np.isfinite(table.box_xyxy).all()


def test_phases_cover_every_annotated_second_once(evidence, root: Path) -> None:
    for video, found in evidence.items():
        whole = json.loads((root / "labels" / f"{video}.json").read_text())
        covered = []
        for span in found.spans:
            seconds = range(span.start_us // 1_000_000, span.end_us // 1_000_000)
            covered += [(second, span.label) for second in seconds]
        said = [
            (int(frame), whole["categories"]["phase"][str(rows[0][14])])
            for frame, rows in whole["annotations"].items()
        ]
        spelt = [(second, label.replace("carlot", "calot").replace("-", "_"))
                 for second, label in said]  # fmt: skip
        assert covered == spelt


def test_only_vid74_has_runs_of_twenty_seconds(evidence) -> None:
    runs = {}
    for video, found in evidence.items():
        breaks = np.flatnonzero(np.diff(found.instruments.frames) > 1)
        sizes = np.diff([-1, *breaks, found.instruments.frames.size - 1])
        runs[video] = sorted((int(size) for size in sizes if size >= 20), reverse=True)
    assert runs == {"VID68": [], "VID73": [], "VID74": [35, 34, 28, 26, 21]}


def test_the_same_surgeries_share_a_group_and_evidence_pickles(evidence) -> None:
    assert [e.video.split_group for e in evidence.values()] == [
        "cholec/68", "cholec/73", "cholec/74",
    ]  # fmt: skip
    for found in evidence.values():
        assert pickle.loads(pickle.dumps(found)) == found
