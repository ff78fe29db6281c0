"""Each format gives rows of plain values."""

from __future__ import annotations

import io
import re
from pathlib import Path

import cv2
import numpy as np
import openpyxl
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.transforms.checks.sources.claims import LabelFiles
from surgqa.transforms.checks.sources.compare import BOOK, Spot, spot_of
from surgqa.transforms.checks.sources.formats import CELLS, mask_box, rows_of
from surgqa.transforms.checks.sources.spec import Input, SourceReading, words
from surgqa.transforms.places import place
from tests.each import cases

PICTURE = np.zeros((6, 8), np.uint8)
PICTURE[1:3, 1:4] = 20
PICTURE[4, 6] = 20
PICTURE[3, 2:5] = 40


def _png(pixels: np.ndarray) -> bytes:
    return cv2.imencode(".png", pixels)[1].tobytes()


@cases(
    ("how", "expected"),
    [
        ("values", [(0, 0, 0, 0, 8, 6, 38, 1), (20, 1, 1, 1, 7, 5, 7, 2),
                    (40, 2, 2, 3, 5, 4, 3, 1)]),
        ("values by 40", [(0, 0, 0, 0, 8, 6, 38, 1), (1, 1, 1, 1, 7, 5, 10, 2)]),
        ("values within 3x2 at 1,1 of 8x6", [(20, 0, 0, 0, 3, 2, 6, 1)]),
    ],
)  # fmt: skip
def test_a_picture_gives_box_size_and_pieces_of_each_value(how: str, expected: list):
    rows = list(rows_of(_png(PICTURE), "picture", how))
    assert [row[:8] for row in rows] == expected


def test_parts_are_counted_as_one_reads_and_know_their_size():
    white = (PICTURE == 20).astype(np.uint8) * 255
    rows = list(rows_of(_png(white), "picture", "parts"))
    assert [(row[1], row[6]) for row in rows] == [(0, 6), (1, 1)]


def test_colours_are_numbers():
    pixels = np.zeros((2, 2, 3), np.uint8)
    pixels[0, 0] = (3, 2, 1)  # blue, green, red
    assert {row[0] for row in rows_of(_png(pixels), "picture", "colour")} == {0, 0x010203}


def test_what_is_no_picture_is_an_error():
    with pytest.raises(ValueError, match="not a readable image"):
        list(rows_of(b"words", "picture", "values"))


def test_parquet_gives_rows_by_number():
    file = io.BytesIO()
    pq.write_table(pa.table({"a": [1, None]}), file)
    found = list(rows_of(file.getvalue(), "parquet", "*"))
    assert [(k, orjson.loads(v)) for k, v in found] == [(["0"], {"a": 1}), (["1"], {"a": None})]


def test_a_star_passes_what_has_no_members():
    tree = orjson.dumps({"a": {"x": [1]}, "b": 3, "c": "word"})
    assert list(rows_of(tree, "json", "*.*.*")) == [(["a", "x", "0"], "1")]


@pytest.mark.parametrize("counts", [[4, 2, 10], "42:"])
def test_run_lengths_go_down_the_columns(counts: object):
    told = orjson.dumps({"size": [4, 4], "counts": counts}).decode()
    assert mask_box(told) == [1.0, 0.0, 1.0, 2.0]


def test_pictures_beside_the_tables_are_those_of_the_recording_and_place(tmp_path: Path):
    for name in ("one/a-1.png", "one/a-2.png", "two/b-1.png"):
        (tmp_path / "all" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / name).write_bytes(_png(PICTURE))
    pattern = re.compile(r"all/\w+/(?P<video>\w)-(?P<place>\d)\.png")
    one = Input("stills", pattern, "beside", "all/*,nowhere")
    files = LabelFiles(place(str(tmp_path)), [], "a")
    assert files.table(one, {1}).to_pylist() == [
        {"file": "all/one/a-1.png", "g": ["a", "1"], "width": 8, "height": 6}
    ]
    assert files.table(one, None).num_rows == 2


def test_a_film_is_not_read_for_its_name(tmp_path: Path):
    one = Input("films", re.compile(r"(\w+)/.*"), "name", "path")
    files = LabelFiles(place(str(tmp_path)), ["polyps/1.avi"])
    assert files.table(one, None).to_pylist() == [{"file": "polyps/1.avi", "g": ["polyps"]}]


@cases(
    ("text", "spot"),
    [
        ("line 7", Spot(7, 7, None)),
        ("book 2 line 7", Spot(2 * BOOK + 7, 2 * BOOK + 7, None)),
        ("book 1 line 7 to book 2 line 3", Spot(BOOK + 7, 2 * BOOK + 3, None)),
        ("all", Spot(0, 0, None)),
        ("nothing", None),
    ],
)
def test_places_of_the_next_file_follow(text: str, spot: Spot | None):
    pattern = re.compile(
        r"(?:book (?P<book>\d) )?line (?P<place>\d+)"
        r"(?: to (?:book (?P<tobook>\d) )?line (?P<to>\d+))?|all"
    )
    assert spot_of(SourceReading({}, pattern, (), ""), text) == spot


def test_words_of_the_ontology_are_synonyms_names_and_ids():
    known = words("instrument")
    assert known["lens injector"] == known["implant injector"] == known["implant_injector"]
    assert words("effect")["verb retract"] == "exposed"


def shade(*values: int) -> bytes:
    """A grey picture of one row."""
    return _png(np.array([values], np.uint8))


@cases(
    ("how", "wanted"),
    [
        ("values", [0, 1, 40, 41, 80, 81, 127, 128]),
        ("values by 40", [0, 1, 2, 3, 4]),
        ("values by 41", [0, 1, 2, 4]),
        ("values by 1", [0, 1, 40, 41, 80, 81, 127, 128]),
    ],
)
def test_values_are_taken_together_from_the_next_on(how: str, wanted: list[int]):
    rows = rows_of(shade(0, 1, 40, 41, 80, 81, 127, 128), "picture", how)
    assert [row[0] for row in rows] == wanted


@pytest.mark.parametrize(("value", "parts"), [(127, 0), (128, 1), (255, 1)])
@pytest.mark.parametrize("channel", [0, 1, 2])
def test_parts_are_white_in_any_channel(value: int, parts: int, channel: int):
    pixels = np.zeros((2, 3, 3), np.uint8)
    pixels[1, 2, channel] = value
    found = list(rows_of(_png(pixels), "picture", "parts"))
    assert len(found) == parts
    assert all(row[1:] == (0, 2, 1, 3, 2, 1, 1, 3, 2) for row in found)


def test_each_value_knows_how_large_the_picture_is():
    assert {row[8:] for row in rows_of(_png(PICTURE), "picture", "values")} == {(8, 6)}


@cases(
    ("how", "size"),
    [
        ("values within 3x2 at 1,1 of 8x6", (3, 2)),
        ("values within 3x2 at 5,4 of 8x6", (3, 2)),
        ("values within 3x2 at 1,1 of 6x8", (8, 6)),
        ("values within 3x2 at 1,1 of 8x7", (8, 6)),
        ("values within 3x2 at 1,1 of 9x6", (8, 6)),
    ],
)
def test_a_part_of_pictures_of_one_size(how: str, size: tuple[int, int]):
    assert {row[8:] for row in rows_of(_png(PICTURE), "picture", how)} == {size}


def test_a_part_begins_at_its_corner():
    rows = list(rows_of(_png(PICTURE), "picture", "values within 2x1 at 6,4 of 8x6"))
    assert [row[0] for row in rows] == [20, 0] and rows[0][2:6] == (0, 0, 1, 1)


@cases(
    ("form", "text", "wanted"),
    [
        ("comma", "a, b\r\n\r\n,\nc,\"d,e\"\n", [(1, ["a", "b"]), (4, ["c", "d,e"])]),
        ("blanks", "a  b\n \nc\td\r\n", [(1, ["a", "b"]), (3, ["c", "d"])]),
        ("comma", "\ufeffa\n", [(1, ["a"])]),
    ],
)  # fmt: skip
def test_lines_of_cells_have_their_numbers(form: str, text: str, wanted: list):
    names = {"comma": ",", "blanks": None}
    how = next(name for name, between in CELLS.items() if between == names[form])
    assert [(k, list(cells)) for k, cells in rows_of(text.encode(), "cells", how)] == wanted


def test_a_sheet_has_the_numbers_of_its_lines():
    book, file = openpyxl.Workbook(), io.BytesIO()
    for cells in (["a", 1], [None, None], [" b ", 2.5]):
        book.active.append(cells)
    book.create_sheet().append(["other"])
    book.save(file)
    rows = list(rows_of(file.getvalue(), "sheet", ""))
    assert rows == [(1, ["a", "1"]), (2, [None, None]), (3, ["b", "2.5"])]


def test_members_of_json_by_name_and_number():
    tree = orjson.dumps({"a": [{"x": 1}, {"x": None}, {"y": 3}], "b": {"x": 4}})
    assert list(rows_of(tree, "json", "a.*.x")) == [(["0"], "1"), (["1"], "null")]
    assert list(rows_of(b"\xef\xbb\xbf" + tree, "json", "b.x")) == [([], "4")]
    assert list(rows_of(tree, "json", "b.z")) == []
    assert [keys for keys, _ in rows_of(tree, "json", "*")] == [["a"], ["b"]]
