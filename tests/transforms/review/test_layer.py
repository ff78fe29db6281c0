"""The layer: what it says, what its order means, and how two of them join."""

from __future__ import annotations

import json
from pathlib import Path

import orjson
import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.transforms.review.layer import read_layer
from surgqa.transforms.review.take_in import take_in
from surgqa.transforms.review.terms import RECORD
from tests.transforms.review.conftest import DATE, agree, fill, line


def objecting(raters: set[str], cells: dict[str, str], rater: str) -> dict[str, str]:
    """Those raters want the last question of every chain out."""
    if rater in raters and "urology" in cells["question"] and "/q3" in cells["kind"]:
        return {"answer": "A", "valid": "no", "wrong": "no right option"}
    return agree(cells)


@pytest.fixture
def filled(sheets):
    """Sheets of three raters; A and B want the third stage of urology's chains out."""
    _, folder = sheets
    for rater in "ABC":
        fill(folder / f"{rater}.csv", lambda cells, r=rater: objecting({"A", "B"}, cells, r))
    return {f"Dr {rater}": folder / f"{rater}.csv" for rater in "ABC"}, folder / RECORD


def test_lines_are_canonical_sorted_and_say_who_and_when(output, filled) -> None:
    sheets, record = filled
    lines = take_in(output, record, sheets, DATE, False).layer.splitlines()
    found = [orjson.loads(line) for line in lines]
    assert lines == [orjson.dumps(one, option=orjson.OPT_SORT_KEYS) for one in found]
    assert [one["item_id"] for one in found] == sorted(one["item_id"] for one in found)
    for one in found:
        assert (one["date"], one["output"]) == (DATE, "d")
        assert one["reviewers"] == [vote["reviewer"] for vote in one["votes"]]
        assert one["reviewers"] == ["Dr A", "Dr B", "Dr C"]
    dropped = [one for one in found if one["decision"] == "drop"]
    assert {one["task"] for one in dropped} == {
        "affordance_mapping/q3", "anomaly_onset_tracking/q3"
    }  # fmt: skip
    assert {one["reason"] for one in dropped} == {
        "no right option (2 of 3); 2 of 3 answer A, which is not the reference"
    }
    assert all(one["chain_id"] and one["specialty"] == "urology" for one in dropped)


def test_the_account_balances(output, filled) -> None:
    sheets, record = filled
    report = take_in(output, record, sheets, DATE, False).report
    units, items = report["units"], report["items"]
    assert units["reviewed"] == units["kept"] + units["dropped"] == 12
    assert (units["dropped"], items["dropped"]) == (2, 2)
    assert items["contested"] == len(report["contested"]) == 2
    assert (units["untouched"], units["share_untouched"]) == (10, 10 / 12)
    assert report["wrong"] == {"none_right": 4}
    assert report["accuracy"]["affordance_mapping/q3"] == {
        "n": 3,
        "reviewers": {
            "Dr A": {"right": 2, "share": 2 / 3},
            "Dr B": {"right": 2, "share": 2 / 3},
            "Dr C": {"right": 3, "share": 1.0},
        },
    }
    kappa = report["agreement"]["valid"]["affordance_mapping/q3"]
    assert [pair["kappa"] for pair in kappa["pairs"]] == [1.0, 0.0, 0.0]
    assert "grounding/locate" not in report["agreement"]["answer"]
    assert report["agreement"]["valid"]["grounding/locate"]["mean"] is None
    assert report["agreement"]["answer"]["stage 3"]["n"] == 6


def test_the_order_of_the_sheets_does_not_show(output, filled) -> None:
    sheets, record = filled
    backwards = dict(reversed(sheets.items()))
    one, other = (take_in(output, record, given, DATE, False) for given in (sheets, backwards))
    assert one.layer == other.layer
    assert one.report == other.report


def test_contested_questions_are_left_out_on_request(output, sheets) -> None:
    _, folder = sheets
    for rater in "ABC":
        fill(folder / f"{rater}.csv", lambda cells: agree(cells) | (
            {"answer": "D"} if cells["kind"] == "counting/distinct" else {}))  # fmt: skip
    by = {f"Dr {rater}": folder / f"{rater}.csv" for rater in "ABC"}
    kept = take_in(output, folder / RECORD, by, DATE, False)
    gone = take_in(output, folder / RECORD, by, DATE, True)
    assert kept.report["items"]["contested"] == gone.report["items"]["contested"] == 3
    assert (kept.report["items"]["dropped"], gone.report["items"]["dropped"]) == (0, 3)
    assert gone.layer.count(b"3 of 3 answer D, which is not the reference") == 3


def test_what_is_written_is_read(output, filled, tmp_path: Path) -> None:
    sheets, record = filled
    path = tmp_path / "layer.jsonl"
    path.write_bytes(take_in(output, record, sheets, DATE, False).layer)
    review = read_layer(path)
    assert len(review.decisions) == 30
    dropped = [one for one in review.decisions if not one.keep]
    assert len(dropped) == 2
    assert dropped[0].sentence == (
        "left out by Dr A, Dr B and Dr C on 2026-11-21: no right option (2 of 3); "
        "2 of 3 answer A, which is not the reference"
    )


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ([line("x", "drop"), line("x", "keep", "2026-11-22")], True),
        ([line("x", "keep"), line("x", "drop", "2026-11-22")], False),
        ([line("x", "keep"), line("x", "drop")], False),
        ([line("x", "keep"), line("x", "keep")], True),
    ],
)
def test_joined_layers(tmp_path: Path, lines: list[bytes], kept: bool) -> None:
    for order in (lines, lines[::-1]):
        path = tmp_path / "layer.jsonl"
        path.write_bytes(b"".join([*order, line("y", "drop")]))
        x, y = read_layer(path).decisions
        assert (x.item_id, x.keep, y.keep) == ("x", kept, False)


@pytest.mark.parametrize(
    "broken",
    [
        b"{\n",
        b"[]\n",
        json.dumps({"schema": "surgqa/review-v1"}).encode() + b"\n",
        line("x", "perhaps"),
        line("x", "keep").replace(b"review-v1", b"review-v0"),
        line("x", "keep").replace(b'["X"]', b"[]"),
        line("x", "keep").replace(b'"x"', b"7"),
    ],
)
def test_a_line_that_is_no_decision(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "layer.jsonl"
    path.write_bytes(line("a", "keep") + broken)
    with pytest.raises(SourceBroken, match="not a decision") as raised:
        read_layer(path)
    assert raised.value.where == f"{path}:2"


def test_a_layer_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing):
        read_layer(tmp_path / "layer.jsonl")
