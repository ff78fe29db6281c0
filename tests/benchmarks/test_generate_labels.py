"""The made-up label files are CholecT50 label files, and the same ones every time."""

from __future__ import annotations

import json
from itertools import pairwise
from math import dist

import pytest

from benchmarks.generate_labels import generate, video_numbers

BOX = slice(3, 7)


@pytest.fixture(scope="module")
def files(labels):
    return {p.stem: json.loads(p.read_text()) for p in sorted((labels / "labels").iterdir())}


def rows_of(file):
    return [(int(t), row) for t, rows in file["annotations"].items() for row in rows]


def test_one_file_a_video_with_the_keys_of_the_real_ones(files):
    assert list(files) == ["VID01", "VID02", "VID04"]
    for stem, file in files.items():
        assert set(file) == {
            "info", "licenses", "categories", "video", "fps", "num_frames", "annotations",
        }  # fmt: skip
        assert file["video"] == int(stem.removeprefix("VID"))
        assert file["fps"] == 1
        assert file["num_frames"] == len(file["annotations"]) == 240


def test_categories_are_complete(files):
    sizes = {kind: len(names) for kind, names in files["VID01"]["categories"].items()}
    assert sizes == {"instrument": 6, "verb": 10, "target": 15, "triplet": 100, "phase": 7}


def test_every_row_is_a_valid_triplet_with_a_box_in_the_frame(files):
    names = files["VID01"]["categories"]
    acting = 0
    for file in files.values():
        for _, row in rows_of(file):
            assert len(row) == 15
            assert 0 <= row[14] <= 6
            assert row[10:14] == [-1, -1, -1, -1]
            if row[0] == -1:
                assert row[:14] == [-1] * 14
                continue
            acting += 1
            spelt = ",".join(
                names[kind][str(row[k])]
                for kind, k in (("instrument", 1), ("verb", 7), ("target", 8))
            )
            assert names["triplet"][str(row[0])] == spelt
            x, y, w, h = row[BOX]
            assert w > 0 and h > 0 and x >= 0 and y >= 0
            assert x + w <= 1 + 1e-12 and y + h <= 1 + 1e-12
    assert acting > 500


def test_a_frame_without_instruments_has_one_row_that_gives_the_phase(files):
    empty = [
        rows
        for file in files.values()
        for rows in file["annotations"].values()
        if any(row[0] == -1 for row in rows)
    ]
    assert empty
    assert all(len(rows) == 1 for rows in empty)


def test_phases_come_in_order(files):
    for file in files.values():
        phases = [rows[0][14] for rows in file["annotations"].values()]
        assert phases == sorted(phases)
        assert len(set(phases)) >= 4


def test_annotation_has_gaps_and_ascending_seconds(files):
    steps = []
    for file in files.values():
        seconds = [int(t) for t in file["annotations"]]
        assert seconds == sorted(seconds)
        steps += [b - a for a, b in pairwise(seconds)]
    assert set(steps) != {1}
    assert max(steps) <= 21


def test_boxes_move_smoothly_for_the_most_part(files):
    steps = []
    for file in files.values():
        seen = {}
        for t, row in rows_of(file):
            x, y, w, h = row[BOX]
            hook = row[1] == 2
            if hook and t - 1 in seen:
                steps.append(dist((x + w / 2, y + h / 2), seen[t - 1]))
            if hook:
                seen[t] = (x + w / 2, y + h / 2)
    steps.sort()
    assert 0.02 < steps[len(steps) // 2] < 0.15
    assert sum(step > 0.6 for step in steps) / len(steps) < 0.03


def test_the_mapping_file_agrees_with_the_label_files(files, labels):
    head, *lines = (labels / "label_mapping.txt").read_text().splitlines()
    assert head == "# IVT, I, V, T, IV, IT"
    mapping = {int(a): tuple(map(int, rest)) for a, *rest in (row.split(",") for row in lines)}
    assert len(mapping) == 100
    assert mapping[0] == (0, 2, 1, 2, 1)
    assert mapping[94] == (0, 9, 14, 9, 14)
    for file in files.values():
        for _, row in rows_of(file):
            if row[0] >= 0:
                assert mapping[row[0]][:3] == (row[1], row[7], row[8])


def test_the_same_bytes_come_again_and_a_video_does_not_depend_on_the_others(labels, tmp_path):
    generate(tmp_path, 1, 240, seed=3)
    name = "labels/VID01.json"
    assert (tmp_path / name).read_bytes() == (labels / name).read_bytes()


def test_another_seed_gives_other_labels(labels, tmp_path):
    generate(tmp_path, 1, 240, seed=4)
    name = "labels/VID01.json"
    assert (tmp_path / name).read_bytes() != (labels / name).read_bytes()


def test_video_numbers_stay_distinct_beyond_the_public_ones():
    numbers = video_numbers(1000)
    assert len(set(numbers)) == 1000
    assert numbers[:3] == [1, 2, 4]
    assert video_numbers(51)[-1] == 112
