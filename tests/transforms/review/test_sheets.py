"""Sheets tell raters nothing of the answer, open in a spreadsheet, and come back whole."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.spreadsheets import guarded
from surgqa.transforms.review.label_studio import CONFIG
from surgqa.transforms.review.sample import FORMATS, Sampled, read_record, sample_of, write_sheets
from surgqa.transforms.review.sheets import read_sheet
from surgqa.transforms.review.terms import PHRASES, RECORD
from tests.each import cases
from tests.transforms.review.conftest import (
    STAGES,
    fill,
    fill_tasks,
    row,
    rows_of_sheet,
    world,
    write_output,
)


def files(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir())}


def test_which_option_is_right_changes_no_byte(tmp_path: Path) -> None:
    written = []
    for right in "AC":
        rows = [one for one in world(right) if one["options"]]
        out = write_output(tmp_path / f"out{right}", rows)
        sampled = sample_of(out, "0.1", "42", ["A", "B"])
        write_sheets(out, sampled, tmp_path / right, FORMATS)
        written.append(files(tmp_path / right))
    assert written[0] == written[1]
    assert set(written[0]) == {
        "A.csv",
        "A.tasks.json",
        "B.csv",
        "B.tasks.json",
        "config.xml",
        RECORD,
    }


def test_nothing_says_why_an_option_is_wrong_or_how_the_answer_was_made(sheets) -> None:
    _, folder = sheets
    for name, data in files(folder).items():
        for word in (b"other_order", b"is_answer", b"answer_key", b"answer_value"):
            assert word not in data, name


def test_an_open_question_shows_the_answer_that_is_to_be_judged(sheets) -> None:
    _, folder = sheets
    rows = rows_of_sheet(folder / "A.csv")
    assert {bool(one["proposed"]) for one in rows if one["options"]} == {False}
    assert {one["proposed"][:6] for one in rows if not one["options"]} == {"box of"}


def test_chains_stand_together_in_the_order_of_their_stages(sheets) -> None:
    sampled, folder = sheets
    orders = {}
    for rater in sampled.raters:
        rows = rows_of_sheet(folder / f"{rater}.csv")
        assert len(rows) == len(sampled.items)
        units: dict[str, list[str]] = {}
        for one in rows:
            units.setdefault(one["unit"], []).append(one["kind"])
        assert list(units) == [str(k) for k in range(1, len(sampled.units) + 1)]
        chains = [kinds for kinds in units.values() if len(kinds) > 1]
        assert len(chains) == 6
        assert all([kind.split("/")[1] for kind in kinds] == list(STAGES) for kinds in chains)
        orders[rater] = [one["id"] for one in rows]
    assert len({tuple(order) for order in orders.values()}) == 3
    assert len({frozenset(order) for order in orders.values()}) == 1


def test_what_gives_the_answer_away_stands_after_the_field_for_the_answer(sheets) -> None:
    _, folder = sheets
    columns = list(rows_of_sheet(folder / "A.csv")[0])
    for name in ("context", "knowledge", "clue", "proposed"):
        assert columns.index("answer") < columns.index(name) < columns.index("valid")


def test_times_media_and_options_are_there(sheets) -> None:
    _, folder = sheets
    one = next(cells for cells in rows_of_sheet(folder / "A.csv") if cells["options"])
    assert (one["start_s"], one["end_s"]) == ("12.12", "32.12")
    assert one["media"] == "videos/VID01"
    assert one["options"] == "A) answer a\nB) answer b\nC) answer c\nD) answer d"
    assert [one[name] for name in ("answer", "valid", "wrong", "comment")] == [""] * 4


@cases(
    ("text", "cell"),
    [
        ('=HYPERLINK("x")', '\'=HYPERLINK("x")'),
        ("+1", "'+1"),
        ("-3 to 4", "'-3 to 4"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("  =1", "'  =1"),
        ("\uff1d1", "'\uff1d1"),
        ("plain = text", "plain = text"),
        ("", ""),
        (" ", " "),
    ],
)
def test_no_cell_is_a_formula(text: str, cell: str) -> None:
    assert guarded(text) == cell


def test_formulas_from_the_data_are_guarded_in_every_column(tmp_path: Path) -> None:
    evil = "=1+1"
    rows = [row("x", "surgstu", "=task", "s", question=evil, clue=evil, knowledge=evil,
                context=evil, video_id=evil, dataset=evil,
                media={"path": evil, "kind": "frames"})]  # fmt: skip
    out = write_output(tmp_path / "out", rows)
    write_sheets(out, sample_of(out, "1", "42", ["A"]), tmp_path / "sheets", ["csv"])
    (cells,) = rows_of_sheet(tmp_path / "sheets" / "A.csv")
    assert not [name for name, text in cells.items() if text.startswith("=")]
    assert sum(text == f"'{evil}" for text in cells.values()) == 7


def test_ids_are_no_numbers_to_a_spreadsheet(sheets) -> None:
    _, folder = sheets
    for cells in rows_of_sheet(folder / "A.csv"):
        assert re.fullmatch(r"item [0-9a-f]{32}", cells["id"])
        assert re.fullmatch(r"review-[0-9a-f]{12}-A", cells["sheet"])


def test_a_spreadsheet_knows_the_encoding(sheets) -> None:
    _, folder = sheets
    assert (folder / "A.csv").read_bytes().startswith(b"\xef\xbb\xbfsheet,")


def test_the_same_sample_gives_the_same_bytes(output, sheets, tmp_path: Path) -> None:
    sampled, folder = sheets
    write_sheets(output, sampled, tmp_path / "again", FORMATS)
    assert files(tmp_path / "again") == files(folder)


def test_the_record_comes_back(sheets) -> None:
    sampled, folder = sheets
    assert read_record(folder / RECORD) == sampled


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data | {"schema": "other"},
        lambda data: data | {"seed": "43"},
        lambda data: {key: value for key, value in data.items() if key != "units"},
        lambda data: data | {"units": data["units"][1:]},
    ],
    ids=["schema", "seed", "lacks", "fewer"],
)
def test_a_record_that_was_changed_is_refused(sheets, damage) -> None:
    path = sheets[1] / RECORD
    path.write_text(json.dumps(damage(json.loads(path.read_text()))), encoding="utf-8")
    with pytest.raises(SourceBroken, match="not a record of a sample"):
        read_record(path)


def test_a_record_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing):
        read_record(tmp_path / RECORD)


def test_sheets_are_not_written_over(output, sheets) -> None:
    sampled, folder = sheets
    with pytest.raises(UserError, match="already exists"):
        write_sheets(output, sampled, folder, ["csv"])


def odd(cells: dict[str, str]) -> dict[str, str]:
    """A rater with something to say."""
    letter = "C" if cells["id"] < "item 8" else "B"
    wrong = {"valid": "no", "wrong": "no right option;wrong clue", "comment": "not at all"}
    return {"answer": letter if cells["options"] else "", "valid": "yes"} | (
        wrong if cells["id"] > "item c" else {}
    )


def test_both_formats_say_the_same(sheets) -> None:
    _, folder = sheets
    fill(folder / "A.csv", odd)
    fill_tasks(folder / "A.tasks.json", odd)
    one, other = read_sheet(folder / "A.csv"), read_sheet(folder / "A.tasks.json")
    assert len(one) == len(other) > 10
    for a, b in zip(one, other, strict=True):
        assert (a.sheet, a.item_id, a.valid, a.comment) == (b.sheet, b.item_id, b.valid, b.comment)
        assert a.wrong == b.wrong
        assert a.answer == b.answer[:1]
    assert {entry.valid for entry in one} == {"yes", "no"}


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_what_a_spreadsheet_puts_between_cells(sheets, between: str) -> None:
    _, folder = sheets
    fill(folder / "A.csv", odd)
    expected = read_sheet(folder / "A.csv")
    fill(folder / "B.csv", odd, between)
    found = read_sheet(folder / "B.csv")
    assert {(e.item_id, e.answer, e.wrong) for e in found} == {
        (e.item_id, e.answer, e.wrong) for e in expected
    }


def test_places_are_lines_of_the_file(sheets) -> None:
    _, folder = sheets
    path = folder / "A.csv"
    entries = read_sheet(path)
    lines = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    for entry in entries:
        number = int(entry.where.removeprefix(f"{path}:"))
        assert entry.item_id in lines[number - 1]


def test_empty_rows_and_old_line_ends_are_nothing(sheets) -> None:
    _, folder = sheets
    path = folder / "A.csv"
    expected = [entry.item_id for entry in read_sheet(path)]
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\r") + b",,,,\r\r")
    assert [entry.item_id for entry in read_sheet(path)] == expected


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"a,b\n1,2\n", "not a sheet of a review", id="another table"),
        pytest.param(b"", "not a sheet of a review", id="empty"),
        pytest.param(b'sheet,id,answer,valid,wrong,comment\n"torn,', "as CSV", id="torn"),
        pytest.param(b"sheet,id\n\xff", "not UTF-8", id="encoding"),
    ],
)
def test_a_file_that_is_no_sheet(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "A.csv"
    path.write_bytes(data)
    with pytest.raises(SourceBroken, match=said) as raised:
        read_sheet(path)
    assert "A.csv" in str(raised.value.where)


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '[{"data": {"image": "x"}}]'])
def test_an_export_that_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "A.tasks.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceBroken):
        read_sheet(path)


def test_the_interface_has_a_field_for_everything_that_is_read(sheets) -> None:
    _, folder = sheets
    view = ET.parse(folder / CONFIG).getroot()
    (task, *_) = json.loads((folder / "A.tasks.json").read_text(encoding="utf-8"))
    for tag in view:
        value = tag.get("value", "")
        assert not value.startswith("$") or value[1:] in task["data"]
    choices = {tag.get("name"): [one.get("value") for one in tag] for tag in view.iter("Choices")}
    assert choices["valid"] == ["yes", "no"]
    assert choices["wrong"] == list(PHRASES.values())
    order = [tag.get("name") for tag in view if tag.get("name")]
    assert order.index("answer") < order.index("further") < order.index("valid")


def test_a_sampled_output_is_named_in_every_row(sheets) -> None:
    sampled, folder = sheets
    assert isinstance(sampled, Sampled)
    for rater in sampled.raters:
        marks = {cells["sheet"] for cells in rows_of_sheet(folder / f"{rater}.csv")}
        assert marks == {sampled.sheet(rater)}


@pytest.mark.parametrize("given", [5, True, {"result": []}, "done"])
def test_annotations_that_are_no_list_are_told(tmp_path: Path, given: object) -> None:
    path = tmp_path / "sheet.json"
    task = {"data": {"sheet": "A", "item": "1"}, "annotations": given}
    path.write_text(json.dumps([task]), encoding="utf-8")
    with pytest.raises(SourceBroken, match="annotations of a task are not a list"):
        read_sheet(path)


@pytest.mark.parametrize("value", [5, None, {"a": 1}])
def test_a_value_of_another_shape_is_text(tmp_path: Path, value: object) -> None:
    path = tmp_path / "sheet.json"
    result = [{"from_name": "comment", "value": {"text": value}}]
    task = {"data": {"sheet": "A", "item": "1"}, "annotations": [{"result": result}]}
    path.write_text(json.dumps([task]), encoding="utf-8")
    assert read_sheet(path)[0].comment == str(value)
