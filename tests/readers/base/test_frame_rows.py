"""Rows of frames in a text file: cells between commas, and which lines are rows."""

from __future__ import annotations

from surgqa.ontology.records import Code
from surgqa.transforms.readers.base import Ledger
from surgqa.transforms.readers.base.frame_rows import read_frame_rows


def read(text: str):
    ledger = Ledger("made/one", "label rows")
    return read_frame_rows(text.encode(), "f.txt", ledger), ledger


def test_a_line_of_commas_is_a_row_of_empty_cells_and_a_blank_line_is_none():
    found, ledger = read("Frame,A\n0,hook\n,\n \n2,\n")
    assert found.frames.tolist() == [0, 2]
    assert [found.words[0][code] for code in found.codes[0].tolist()] == ["hook", ""]
    assert found.lines.tolist() == [2, 5]
    assert found.read == 3
    (reject,) = ledger.entries()
    assert (reject.code, reject.where) == (Code.BAD_FRAME, "f.txt:3")


def test_a_word_without_a_concept_is_rejected_once_with_its_first_line_and_how_often():
    found, ledger = read("Frame,A\n0,hook\n1,saw\n2,hook\n3,saw\n4,axe\n")
    known = {"hook": "hook", "saw": (Code.UNKNOWN_LABEL, "saw is no instrument"),
             "axe": (Code.UNKNOWN_LABEL, "axe is no instrument")}  # fmt: skip
    labels, index = found.concepts(0, known.__getitem__, ledger)
    assert labels == ("hook",) and index.tolist() == [0, -1, 0, -1, -1]
    assert [(one.reason, one.where, one.count) for one in ledger.entries()] == [
        ("saw is no instrument", "f.txt:3", 2), ("axe is no instrument", "f.txt:6", 1)
    ]  # fmt: skip
