"""A store whose detector nobody measured: what is asked of it, and what is said of that."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.fitness import FILE
from surgqa.ontology.records import Code
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.label_said import unused as unused_lines
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.store import OutputFolder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The sample of a store, with a measure."""
    load_sample("observed")(tmp_path / "store")
    return tmp_path / "store"


def denies(row: dict) -> bool:
    """Whether the answer says that something is not there, or how many there are."""
    words = row["answer"].lower().removeprefix("a) ").removeprefix("b) ")
    return words.startswith(("no", "0", "none")) or row["task"].startswith("counting")


def test_a_store_that_was_not_measured_gives_positive_questions_and_says_so(root, tmp_path, capsys):
    (root / FILE).unlink()
    out = tmp_path / "out"
    assert run(["build", "--dataset", "observed", "--root", str(root), "--benchmark",
                "surgstu,medstream", "--out", str(out)]) == 0  # fmt: skip
    printed = capsys.readouterr()
    rows = list(OutputFolder(out).rows())
    assert rows
    assert not [row["question"] for row in rows if denies(row)]
    assert "surgqa label evaluate" in printed.err and "unmeasured" in printed.out
    if "SURGQA_LONG" in os.environ:  # by day what a store gives is checked in test_questions
        assert run(["check", str(out)]) == 0


def known(root: Path) -> tuple[int, int]:
    """Instants at which the hook is known to be absent, and classes that are not measured."""
    read = load_reader("observed")(root).read("case_01")
    assert read.instruments is not None and read.instruments.absence is not None
    absence = read.instruments.absence
    gone = absence.gone[:, absence.labels.index("hook")].sum()
    assert all(one.balanced for one in read.books)
    return int(gone), sum(one.code == Code.UNMEASURED for one in read.rejected)


def test_corrections_that_were_not_observed_are_counted(root):
    record = root / "videos" / "case_01" / "video.json"
    facts = json.loads(record.read_text())
    facts["medium"]["sha256"] = "0" * 64
    record.write_text(json.dumps(facts))
    layer = root / "layers" / "001-01" / "layer.json"
    layer.parent.mkdir(parents=True)
    for medium, unused in (("0" * 64, [2]), ("1" * 64, [])):
        reviewed = {"case_01": {"times_us": [0, 1], "frames": [0, 1], "medium": medium}}
        layer.write_text(json.dumps({"reviewed": reviewed}))
        read = load_reader("observed")(root).read("case_01")
        assert [one.count for one in read.rejected if one.code == Code.UNAPPLIED] == unused
    assert "corrections of 2 frames are not used" in unused_lines({"read/unapplied/rejected": 2})[0]


def test_a_measure_holds_of_what_was_measured_and_of_nothing_else(root):
    gone, unmeasured = known(root)
    assert gone > 0 and unmeasured == 0
    (root / FILE).write_bytes((root / FILE).read_bytes().replace(b'"made_by":"', b'"made_by":"x'))
    assert known(root) == (0, 2)
    (root / FILE).unlink()
    assert known(root) == (0, 2)


def test_boxes_of_a_class_that_is_not_believed_are_left_out_and_counted(root):
    told = (root / FILE).read_bytes().replace(b'"believed":true', b'"believed":false', 1)
    (root / FILE).write_bytes(told)
    read = load_reader("observed")(root).read("case_01")
    assert read.instruments is not None and read.instruments.labels == ("hook",)
    (boxes,) = (one for one in read.books if one.unit == "boxes")
    assert boxes.rejected > 0 and boxes.balanced
    assert [one.count for one in read.rejected if one.where == "boxes"] == [boxes.rejected]


@pytest.mark.parametrize("text", [b"[]", b'{"classes": 3}', b"{"])
def test_a_damaged_measure_is_an_error_in_words(root, text):
    (root / FILE).write_bytes(text)
    with pytest.raises(SourceBroken, match=r"fitness\.json"):
        load_reader("observed")(root).read("case_01")
