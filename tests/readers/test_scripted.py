"""The notation of sample.yaml: what each form writes, and what a mistake in it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import openpyxl
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.keys import bytes_digest
from surgqa.pipeline.cli.contract import broken_promises
from surgqa.transforms import registry
from surgqa.transforms.samples.scripted import summary, write, write_files


@pytest.mark.parametrize(
    ("name", "content", "written"),
    [
        ("a.txt", "one\ntwo\n", "one\ntwo\n"),
        ("a.json", {"json": {"a": [1, 2.0]}}, '{"a": [1, 2.0]}'),
        ("a.json", {"json": {"a": [1]}, "compact": True, "end": "\n"}, '{"a":[1]}\n'),
        ("a.json", {"json": [1], "indent": 1}, "[\n 1\n]"),
        ("a.json", {"json": [{"id": 1}], "break": '{"id"'}, '[\n{"id": 1}]'),
        (
            "a.json",
            {"json": {"of": {"keys": ["x", "y"], "rows": [[1, 2], [3, 4]]}}},
            '{"of": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]}',
        ),
        ("a.json", {"json": {"keys": ["x"], "rows": {"f": [[1]]}}}, '{"f": [{"x": 1}]}'),
        ("a.json", {"json": {"keys": ["x"], "each": {"f": [1]}}}, '{"f": {"x": 1}}'),
        ("a.csv", {"runs": ["2 a", "1 0*2 b"], "gap": ","}, "0,a\n1,a\n2,0,0,b\n"),
        ("a.csv", {"head": "n\tx", "runs": ["2 a"], "first": 25, "step": 25},
         "n\tx\n25\ta\n50\ta\n"),
        ("a.csv", {"runs": ["2 a"], "first": 91499, "rate": 25},
         "01:00:59.96\ta\n01:01:00.00\ta\n"),
        ("a.csv", {"runs": ["1 a", "+3", "1 b"]}, "0\ta\n4\tb\n"),
        ("a.json", {"json": {"keys": ["f", "box"], "rows": "1 2 3; 4 5 6"}},
         '[{"f": 1, "box": [2, 3]}, {"f": 4, "box": [5, 6]}]'),
        ("a.json", {"json": [{"count": 2, "of": [7, [{"from": 1, "step": 0.5}, "a"]]}, 8]},
         '[7, [1.0, "a"], 7, [1.5, "a"], 8]'),
        ("a.json", {"json": {"a": 1, "b": [{"c": {"d": [2]}}, {}], "e": {"f": 3}}, "lines": True},
         '{"a": 1,\n"b": [\n{"c": {"d": [2]}},\n{}],\n"e": {"f": 3}}'),
        ("a.bin", {"hex": "414243"}, "ABC"),
    ],
)  # fmt: skip
def test_texts(tmp_path: Path, name: str, content: Any, written: str) -> None:
    write_files(tmp_path, {name: content})
    assert (tmp_path / name).read_bytes() == written.encode()


def test_folders_same_files_and_forms(tmp_path: Path) -> None:
    forms = {"page": {"json": {"name": "$name", "rows": ["$rows"]}}}
    files = {
        "a/b/": {"1.json": {"form": "page", "name": "one", "rows": {"x": 1}}},
        "2.json": {"same": "a/b/1.json"},
    }
    write_files(tmp_path, files, forms)
    for name in ("a/b/1.json", "2.json"):
        assert (tmp_path / name).read_text() == '{"name": "one", "rows": [{"x": 1}]}'


def test_pictures_masks_films_and_workbooks(tmp_path: Path) -> None:
    files = {
        "grey.png": {"paint": [[7, 1, 2, 3, 4]], "size": [8, 5], "ground": 1},
        "colour.png": {"paint": [[[1, 2, 3], 0, 0, 1, 1]], "ground": [9, 9, 9]},
        "picture.jpg": {"picture": 8, "boxes": [[0, 0.5, 0.5, 1.0, 1.0]]},
        "film.avi": {"film": 3, "rate": 5},
        "sheet.xlsx": {"sheet": [["a"], [2.5]]},
        "table.parquet": {"parquet": {"a": [1, 2], "b": ["x", None]}},
        "rows.parquet": {"parquet": {"keys": ["a", "b"], "rows": [[1, "x"], [2, None]]}},
        "digest.json": {"json": {"grey": {"digest_of": "grey.png"}}},
    }
    write_files(tmp_path, files)
    grey = cv2.imread(str(tmp_path / "grey.png"), cv2.IMREAD_UNCHANGED)
    expected = np.ones((5, 8), dtype=np.uint8)
    expected[2:4, 1:3] = 7
    assert (grey == expected).all()
    colour = cv2.imread(str(tmp_path / "colour.png"))
    assert colour.shape == (48, 64, 3)
    assert colour[0, 0].tolist() == [3, 2, 1] and colour[0, 1].tolist() == [9, 9, 9]
    shown = cv2.imread(str(tmp_path / "picture.jpg"))
    assert shown.shape == (48, 64, 3) and not np.array_equal(shown[40, 60], shown[40, 4])
    film = cv2.VideoCapture(str(tmp_path / "film.avi"))
    assert (film.get(cv2.CAP_PROP_FRAME_COUNT), film.get(cv2.CAP_PROP_FPS)) == (3, 5)
    sheet = openpyxl.load_workbook(tmp_path / "sheet.xlsx").active
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [["a"], [2.5]]
    for name in ("table.parquet", "rows.parquet"):
        assert pq.read_table(tmp_path / name).to_pydict() == {"a": [1, 2], "b": ["x", None]}
    digest = bytes_digest((tmp_path / "grey.png").read_bytes())
    assert (tmp_path / "digest.json").read_text() == f'{{"grey": "{digest}"}}'


def test_a_form_that_does_not_exist_is_named_with_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        write_files(tmp_path, {"labels/a.png": {"pant": []}})
    assert "labels/a.png" in error.value.summary
    assert error.value.found == "pant" and "paint" in str(error.value.expected)


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ({"files": {}}, "add holds"),
        ({"files": {}, "holds": {}, "hold": {}}, "remove the other keys"),
        (
            {"files": {"a.json": {"form": "page"}}, "holds": {}},
            "define it under 'forms' in this file",
        ),
    ],
)
def test_a_script_that_is_not_whole_says_what_to_do(
    tmp_path: Path, script: dict[str, Any], found: str
) -> None:
    with pytest.raises(UserError) as error:
        write(script, tmp_path)
    assert error.value.fix == found


def test_moments_are_summed_up_with_their_times(tmp_path: Path) -> None:
    registry.load_sample("unified")(tmp_path)
    evidence = registry.load_reader("unified")(tmp_path).read("case_01")
    told = summary(evidence)
    moments = [(moment.start_us / 1e6, moment.kind) for moment in evidence.moments]
    assert moments
    for start, kind in moments:
        assert any(start in [one[0] for one in times] for name, times in told.items()
                   if name.split(" ")[0] == kind and isinstance(times, list))  # fmt: skip


def test_what_a_sample_holds_is_compared_with_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("right", "wrong"):
        (tmp_path / folder).mkdir()
    assert broken_promises("cataract101", tmp_path / "right") == []
    holds = registry.load_sample("cataract101")(tmp_path / "right")
    held = {**holds["269"], "phase rhexis": [[0.0, 1.0]], "event stumble": [[0.0, 1.0]]}
    files = {"annotations.csv": (tmp_path / "right/annotations.csv").read_text(),
             "phases.csv": (tmp_path / "right/phases.csv").read_text(),
             "videos.csv": (tmp_path / "right/videos.csv").read_text()}  # fmt: skip
    script = {"files": files, "holds": {**holds, "269": held}}
    monkeypatch.setattr(
        "surgqa.pipeline.cli.contract.load_sample", lambda name: lambda root: write(script, root)
    )
    wrong = broken_promises("cataract101", tmp_path / "wrong")
    assert wrong == [
        "269: event stumble is None, but the sample holds [[0.0, 1.0]]",
        "269: phase rhexis is [[14.4, 29.6]], but the sample holds [[0.0, 1.0]]",
    ]
