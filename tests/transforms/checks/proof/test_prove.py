"""A real output has no finding; what is wrong in all its words is found in all of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.transforms.checks.proof.outputs import built, rows_of, shipped
from transforms.checks.proof.evidence import connect
from transforms.checks.proof.prove import problems, programs_of
from transforms.checks.proof.rows import Asked, read_row
from transforms.language.program import Program

NAMED = ("rel_pos", "locate", "classes", "counting_distinct", "first_action", "segment",
         "next_action", "existence_local_inst", "window", "velocity")  # fmt: skip

Output = tuple[duckdb.DuckDBPyConnection, dict[str, Program], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Output:
    files = [file for file in shipped("surgstu") if file.stem in NAMED]
    folder = built(tmp_path_factory.mktemp("built"), "cholect50", files)
    scratch: Path = tmp_path_factory.mktemp("scratch")
    return connect(folder, scratch), programs_of(folder), rows_of(folder)


def found(output: Output, change: Callable[[dict[str, Any]], None] | None = None) -> dict[str, set]:
    """Item -> codes of what is wrong with it, after a change of each row."""
    con, programs, rows = output
    out: dict[str, set] = {}
    for name, program in programs.items():
        asked = []
        for row in (dict(row) for row in rows if row["template_id"] == name):
            if change is not None:
                change(row)
            one = read_row(program, row)
            assert isinstance(one, Asked)
            asked.append(one)
            out[one.id] = set()
        for item, code, _ in problems(con, program, asked):
            out[item].add(code)
    return out


def test_what_was_built_is_proved(output: Output):
    assert len(output[2]) > 35
    assert not any(found(output).values())


TOOLS = (r"grasper( on the (left|right))?|hook|scissors|clip applier|bipolar forceps|"
         r"suction irrigator")  # fmt: skip


def _hook(row: dict[str, Any]) -> None:
    row["question"] = re.sub(
        TOOLS, lambda m: "grasper" if m[0] == "hook" else "hook", row["question"]
    )


def _late(row: dict[str, Any]) -> None:
    row["question"] = re.sub(r"(\d+)\.(\d\d) s", lambda m: f"{int(m[1]) + 1}.{m[2]} s",
                             row["question"])  # fmt: skip


def _banana(row: dict[str, Any]) -> None:
    row["question"] = "Which banana?"


@pytest.mark.parametrize("change", [_hook, _late, _banana])
def test_a_build_with_other_words_is_found_out(output: Output, change: Callable):
    changed = {row["item_id"] for row in output[2] if _changed(row, change)}
    assert len(changed) > 20
    assert {item for item, codes in found(output, change).items() if codes} == changed


def _changed(row: dict[str, Any], change: Callable) -> bool:
    copy = dict(row)
    change(copy)
    return bool(copy["question"] != row["question"])


def test_sides_are_told_from_the_boxes(output: Output):
    sided = [row for row in output[2] if " on the left" in row["question"]]
    assert sided

    def swap(row: dict[str, Any]) -> None:
        other = {"left": "right", "right": "left"}
        row["question"] = re.sub(r"on the (left|right)", lambda m: f"on the {other[m[1]]}",
                                 row["question"])  # fmt: skip

    assert {row["item_id"] for row in sided} <= {k for k, v in found(output, swap).items() if v}
