"""Cells that spreadsheets leave alone, and rows that know their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.errors import SourceBroken, UserError, together
from surgqa.ontology.spreadsheets import csv_rows, guarded, unguarded

AWKWARD = st.text(st.sampled_from("'=+-@ \t\uff1dab"), max_size=6) | st.text(max_size=12)


@given(AWKWARD)
def test_a_guard_can_be_taken_off_again(text: str) -> None:
    assert unguarded(guarded(text)) == text


@given(AWKWARD)
def test_a_guarded_cell_begins_with_no_formula(text: str) -> None:
    assert not guarded(text).lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\uff1d"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_rows_tell_the_line_they_begin_on(tmp_path: Path, end: str, between: str) -> None:
    lines = [between.join("ab"), between.join(['"1\n2"', "x"]), "", between.join("cd")]
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + end.join(lines).encode())
    assert list(csv_rows(path)) == [(1, ["a", "b"]), (2, ["1\n2", "x"]), (4, []), (5, ["c", "d"])]


def test_what_is_no_csv_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text('a,b\n1,"never closed', encoding="utf-8")
    with pytest.raises(SourceBroken) as caught:
        list(csv_rows(path))
    assert caught.value.where == f"{path}:2"


def test_many_problems_are_one_error_and_one_stays_itself() -> None:
    problems = [UserError(f"bad {k}", expected="a", found="b", where=f"f:{k}") for k in range(25)]
    assert together(problems[:1], "here", "mend") is problems[0]
    error = together(problems, "here", "mend")
    assert error.summary == "25 problems here"
    assert (error.where, error.fix) == ("f:0", "mend")
    assert error.found and error.found.count("bad") == 20
    assert "and 5 more" in error.found
