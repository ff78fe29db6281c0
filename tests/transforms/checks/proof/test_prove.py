"""A real output has no finding; what is wrong in all its words is found in all of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import duckdb
import pyarrow as pa
import pytest

from surgqa.ontology.rows import ITEM
from surgqa.transforms.checks.proof import evidence, prove
from surgqa.transforms.checks.proof.evidence import opened, some_at_a_time
from surgqa.transforms.checks.proof.prove import (
    Proof,
    RowsToProve,
    batches,
    copied,
    in_halves,
    kept_templates,
    problems,
)
from surgqa.transforms.checks.proof.rows import ProofRow, read_row
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.store.folder import OutputFolder
from tests.transforms.checks.proof.opened import Output, Row

ASKED = tuple(f"surgstu/{name}" for name in (
    "rel_pos", "locate", "classes", "counting_distinct", "first_action", "segment",
    "next_action", "existence_local_inst", "window", "velocity"))  # fmt: skip


@pytest.fixture(scope="module")
def folder(of_cholect50) -> OutputFolder:
    return of_cholect50(*ASKED)


def found(output: Output, change: Callable[[Row], None] | None = None) -> dict[str, set]:
    """Item -> codes of what is wrong with it, after a change of each row."""
    rows = [dict(row) for row in output.rows]
    for row in rows if change is not None else ():
        change(row)
    out: dict[str, set] = {row["item_id"]: set() for row in rows}
    for item, code, _ in output.problems(rows):
        out[item].add(code)
    return out


def test_what_was_built_is_proved(output: Output):
    assert len(output.rows) > 35
    assert not any(found(output).values())


TOOLS = (r"grasper( on the (left|right))?|hook|scissors|clip applier|bipolar forceps|"
         r"suction irrigator")  # fmt: skip


def _hook(row: Row) -> None:
    row["question"] = re.sub(
        TOOLS, lambda m: "grasper" if m[0] == "hook" else "hook", row["question"]
    )


def _late(row: Row) -> None:
    row["question"] = re.sub(r"(\d+)\.(\d\d) s", lambda m: f"{int(m[1]) + 1}.{m[2]} s",
                             row["question"])  # fmt: skip


def _banana(row: Row) -> None:
    row["question"] = "Which banana?"


@pytest.mark.parametrize("change", [_hook, _late, _banana])
def test_a_build_with_other_words_is_found_out(output: Output, change: Callable):
    changed = {row["item_id"] for row in output.rows if _changed(row, change)}
    assert len(changed) > 20
    assert {item for item, codes in found(output, change).items() if codes} == changed


def _changed(row: Row, change: Callable) -> bool:
    copy = dict(row)
    change(copy)
    return bool(copy["question"] != row["question"])


def test_sides_are_told_from_the_boxes(output: Output):
    sided = [row for row in output.rows if " on the left" in row["question"]]
    assert sided

    def swap(row: Row) -> None:
        other = {"left": "right", "right": "left"}
        row["question"] = re.sub(r"on the (left|right)", lambda m: f"on the {other[m[1]]}",
                                 row["question"])  # fmt: skip

    assert {row["item_id"] for row in sided} <= {k for k, v in found(output, swap).items() if v}


def asked_of(output: Output, name: str) -> list[ProofRow]:
    """The rows of one template, spread over three recordings."""
    mine = (row for row in output.rows if row["template_id"] == name)
    rows = [row | {"video_id": f"v{k % 3}"} for k, row in enumerate(mine)]
    return [
        one for row in rows if isinstance(one := read_row(output.programs[name], row), ProofRow)
    ]


def test_halves_hold_whole_recordings(output: Output):
    asked = asked_of(output, "surgstu.rel_pos")
    left, right = in_halves(asked)
    assert {one.row["video_id"] for one in left} == {"v0"}
    assert {one.row["video_id"] for one in right} == {"v1", "v2"}
    assert {one.id for one in (*left, *right)} == {one.id for one in asked}
    assert in_halves(left) == [left]
    other = [replace(one, row={**one.row, "dataset": "other"}) for one in left]
    assert in_halves([*left, *other]) == [left, other]


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_where_memory_does_not_do_fewer_recordings_are_proved_at_a_time(
    output: Output, monkeypatch: pytest.MonkeyPatch, most: int
):
    """Of too few even for one recording, each item is told."""
    asked, tried = asked_of(output, "surgstu.rel_pos"), []

    def proved(con: Any, program: Any, asked: Any, **_: Any) -> Iterator[tuple[str, str, str]]:
        videos = sorted({one.row["video_id"] for one in asked})
        tried.append(videos)
        yield from ((one.id, "answer_differs", "") for one in asked)
        if len(videos) > most:
            raise duckdb.OutOfMemoryException("too much")

    monkeypatch.setattr(prove, "problems", proved)
    findings, recomputed = Findings(), Counter()
    proof = Proof(Mock(manifest={}), findings, recomputed)
    proof._batch(output.con, asked[0].program, [dict(one.row) for one in asked])
    found = [(one.code, one.item_id) for one in findings.listed()]
    wanted = "answer_differs" if most else "rule_missing"
    assert sorted(found) == sorted((wanted, one.id) for one in asked)
    assert sum(recomputed.values()) == (len(asked) if most else 0)
    whole = [["v0", "v1", "v2"]]
    assert tried == whole + ([] if most == 3 else [["v0"], ["v1", "v2"]]) + (
        [] if most >= 2 else [["v1"], ["v2"]]
    )


def test_memory_that_does_not_do_is_never_taken_for_nothing_found(
    output: Output, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: Any) -> Any:
        raise duckdb.OutOfMemoryException("too much")

    asked = asked_of(output, "surgstu.rel_pos")
    for name in ("proved", "drawn_problems"):
        with monkeypatch.context() as patch, pytest.raises(duckdb.OutOfMemoryException):
            patch.setattr(prove, name, full)
            list(problems(output.con, asked[0].program, asked))


def rows_in(scratch: Path, rows: list[Row]) -> RowsToProve:
    """Rows as a check collects them."""
    out = RowsToProve(scratch, ITEM)
    for batch in pa.Table.from_pylist(rows, ITEM).to_batches():
        out.add(batch)
    return out


FEW = ("surgstu.classes", "surgstu.first_action", "surgstu.rel_pos")


@pytest.mark.parametrize("change", [{}, {"answer": "a banana"}], ids=["right", "wrong"])
def test_recordings_one_by_one_are_proved_as_all_together(
    folder: OutputFolder, output: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    change: Row,
):  # fmt: skip
    outcomes = []
    for most in (300_000, 1):
        monkeypatch.setattr(evidence, "AT_ONCE", most)
        scratch = tmp_path / f"{most}"
        scratch.mkdir()
        some = [row for row in output.rows if row["template_id"] in FEW]
        rows = rows_in(scratch, [row | change for row in some])
        findings, recomputed = Findings(), Counter()
        Proof(folder, findings, recomputed).rows(rows, kept_templates(folder), scratch)
        outcomes.append((findings.listed(), recomputed))
    assert outcomes[0] == outcomes[1]
    assert bool(outcomes[0][0]) == bool(change)


def test_sorted_rows_take_no_memory_from_the_queries(
    folder: OutputFolder, output: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rows = rows_in(tmp_path, output.rows)
    rows.close()
    monkeypatch.setattr(prove, "BATCH", 7)
    with opened(folder, tmp_path) as con:
        rows.view(con)
        (some,) = some_at_a_time(con, "programmed")
        taken, seen = set(), []
        for template, batch in batches(copied(con, some, tmp_path)):
            seen += [(template, row["item_id"]) for row in batch]
            held = con.execute("select sum(memory_usage_bytes) from duckdb_memory() "
                               "where tag = 'ORDER_BY'").fetchall()  # fmt: skip
            taken.update(size for (size,) in held)
    assert taken == {0}
    assert sorted(seen) == sorted((row["template_id"], row["item_id"]) for row in output.rows)
