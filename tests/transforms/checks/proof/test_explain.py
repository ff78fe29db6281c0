"""The query of an item, run by DuckDB alone in the output's folder."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import orjson
import pytest

from ontology.errors import UserError
from tests.transforms.checks.proof.outputs import built, rows_of, shipped
from transforms.checks.proof.explain import _head, script
from transforms.store.folder import OutputFolder

NAMED = ("classes", "counting_distinct", "most_active_instrument", "locate")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> OutputFolder:
    files = [file for file in shipped("surgstu") if file.stem in NAMED]
    return built(tmp_path_factory.mktemp("built"), "cholect50", files)


def run(folder: OutputFolder, item_id: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the last statement of an item's query gives."""
    monkeypatch.chdir(Path(str(folder.path)))
    con, found = duckdb.connect(), []
    for statement in con.extract_statements(script(folder, item_id)):
        done = con.execute(statement)
        if statement.type == duckdb.StatementType.SELECT:
            found = done.fetchall()
    return found


def test_each_option_has_its_reason(folder: OutputFolder, monkeypatch: pytest.MonkeyPatch):
    row = next(row for row in rows_of(folder) if row["template_id"] == "surgstu.classes")
    found = {key: reason for key, _, _, reason in run(folder, row["item_id"], monkeypatch)}
    assert list(found) == [option["key"] for option in row["options"]]
    assert [key for key, reason in found.items() if reason == "the answer"] == [row["answer_key"]]
    wrong = [reason for reason in found.values() if reason != "the answer"]
    assert all(reason.startswith("certainly another value") for reason in wrong)


def test_an_open_question_has_its_answer(folder: OutputFolder, monkeypatch: pytest.MonkeyPatch):
    row = next(r for r in rows_of(folder) if r["template_id"] == "surgstu.locate")
    ((answer,),) = run(folder, row["item_id"], monkeypatch)
    (value,) = orjson.loads(row["answer_value"]).values()
    found = [answer[side] for side in ("x1", "y1", "x2", "y2")]
    assert answer["ok"] and found == pytest.approx(value, abs=1e-9)


def test_an_item_without_its_template_has_no_query(folder: OutputFolder, tmp_path: Path):
    other = tmp_path / "out"
    other.mkdir()
    (other / "data").symlink_to(Path(str(folder.path)) / "data")
    (other / "manifest.json").write_text("{}")
    with pytest.raises(UserError, match="no query can be shown"):
        script(OutputFolder(other), rows_of(folder)[0]["item_id"])


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\x0b", "\u2028"])
def test_a_question_ends_no_remark(end: str):
    asked = SimpleNamespace(row={
        "item_id": "1", "template_id": f"t{end}create table evil(a int);",
        "question": f"What?{end}create table evil(a int);", "answer": f"This{end}select 1;",
    })  # fmt: skip
    con = duckdb.connect()
    for statement in con.extract_statements("\n".join(_head(asked)) + "\nselect 1"):
        con.execute(statement)
    assert con.execute("show tables").fetchall() == []
