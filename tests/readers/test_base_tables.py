"""Tables as text and as workbooks: found by name, placed by line, refused in words."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Code, Source, Span
from surgqa.transforms.readers.base import (
    BLANKS,
    Claimed,
    Ledger,
    checked_spans,
    number,
    parsed_once,
    read_delimited,
    read_sheet,
    whole_number,
)
from tests.each import cases

TEXT = b'Video ID,Start_s,label\nv1, 1.5 ,a\n\nv2,2\nv3,3,c,d\nv4,4,"x,y"\n'


@cases("data", [TEXT, TEXT.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + TEXT, TEXT + b"\n \n"])
def test_columns_are_found_by_name_and_lines_are_counted(data: bytes) -> None:
    table = read_delimited(data, "f.csv", ["video_id", "START S", "label"])
    assert [(r.line, r["videoid"], r["starts"], r["label"]) for r in table.rows] == [
        (2, "v1", "1.5", "a"), (6, "v4", "4", "x,y"),
    ]  # fmt: skip
    assert [line for line, _ in table.bad] == [4, 5]
    assert table.read == 4
    ledger = Ledger("d/v", "rows")
    table.reject_bad(ledger)
    assert [(e.code, e.where) for e in ledger.entries()] == [
        (Code.BAD_ROW, "f.csv:4"), (Code.BAD_ROW, "f.csv:5"),
    ]  # fmt: skip
    with pytest.raises(SourceBroken) as error:
        table.refuse_bad()
    assert error.value.where == "f.csv:4"


def test_other_spellings_and_tables_without_names() -> None:
    table = read_delimited(b"Frame\tPhase\n3\tx\n", "f", ["number", "phase"], delimiter="\t",
                           aliases={"frame": "number"})  # fmt: skip
    assert table.rows[0]["number"] == "3"
    table = read_delimited(b"40 89  G12 \n\n90\t180 G13\n", "f", ["a"], delimiter=BLANKS,
                           header=["a", "b", "c"])  # fmt: skip
    assert [(r.line, r["c"]) for r in table.rows] == [(1, "G12"), (3, "G13")]


@cases(("data", "found"), [(b"", "empty"), (b"a,b\n1,2\n", "lacks"), (b"\xff\n", "UTF-8")])
def test_a_table_that_cannot_be_read_says_where(data: bytes, found: str) -> None:
    with pytest.raises(SourceBroken) as error:
        read_delimited(data, "f.csv", ["wanted"])
    assert found in error.value.summary
    assert (error.value.where or "").startswith("f.csv")


def workbook(rows: list[list[object]]) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def test_a_sheet_is_a_table_too() -> None:
    data = workbook([["Video", "Initial Minute"], [2.0, 20.5], [None, None], ["x", None]])
    table = read_sheet(data, "f.xlsx", ["video", "initial_minute"])
    assert [(r.line, r["video"], r["initialminute"]) for r in table.rows] == [
        (2, "2", "20.5"), (4, "x", ""),
    ]  # fmt: skip


def test_what_is_no_workbook_says_so() -> None:
    whole = workbook([["a"], [1]])
    for data in (b"", b"PK", whole[: len(whole) // 2], b"a,b\n1,2\n"):
        with pytest.raises(SourceBroken) as error:
            read_sheet(data, "f.xlsx", ["a"])
        assert (error.value.where or "").startswith("f.xlsx")
    with pytest.raises(SourceBroken, match="lacks a column"):
        read_sheet(whole, "f.xlsx", ["b"])


@given(st.integers(-(10**15) + 1, 10**15 - 1))
def test_whole_numbers_are_read_as_they_are_written(value: int) -> None:
    assert whole_number(str(value)) == whole_number(f" {value}.0 ") == value


@cases("text", ["", "1.5", "1e3", "nan", "0x1", "1 2", "9" * 16, "²"])
def test_what_is_no_whole_number(text: str) -> None:
    assert whole_number(text) is None


@cases("text", ["", "nan", "inf", "1e999", "1,5", "--1", "."])
def test_what_is_no_number(text: str) -> None:
    assert number(text) is None


@given(st.floats(-1e12, 1e12).map(lambda value: round(value, 6)))
def test_numbers_are_read_as_they_are_written(value: float) -> None:
    assert number(repr(value)) == value


def test_impossible_intervals_go_and_overlong_ones_are_cut() -> None:
    spans = [(5, 9), (3, 3), (-1, 2), (4, 2), (8, 20), (30, 40), (0, 5)]
    claimed = [
        Claimed(Span("phase", "a", start, end, "f", str(n)), (n,), f"f:{n}")
        for n, (start, end) in enumerate(spans)
    ]
    ledger = Ledger("d/v", "spans")
    kept = checked_spans(claimed, ledger, 10)
    assert [(s.start_us, s.end_us) for s in kept] == [(0, 5), (5, 9), (8, 10)]
    assert [(e.where, e.outcome) for e in ledger.entries()] == [
        ("f:1", "rejected"), ("f:2", "rejected"), ("f:3", "rejected"), ("f:4", "repaired"),
        ("f:5", "rejected"),
    ]  # fmt: skip
    assert ledger.books(len(spans), len(kept)).balanced


def parse(data: bytes, name: str) -> list[str]:
    calls.append(name)
    return data.decode().split()


calls: list[str] = []


def test_a_shared_table_is_parsed_once_and_again_when_it_changes() -> None:
    calls.clear()
    first, second = Source("f", "digest-1"), Source("f", "digest-2")
    assert parsed_once(b"a b", first, parse) is parsed_once(b"a b", first, parse)
    assert parsed_once(b"c", second, parse) == ["c"]
    assert calls == ["f", "f"]
