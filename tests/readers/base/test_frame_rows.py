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
