"""The query of an item, run by DuckDB alone in the output's folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.algebra.sql.bank import BANK
from surgqa.transforms.checks.proof.explain import _head, _options, literal, script
from surgqa.transforms.checks.proof.prove import programs_of
from surgqa.transforms.store.folder import OutputFolder
from tests.each import cases
from tests.transforms.checks.proof.made import CLIP, asked, clip_row
from tests.transforms.checks.proof.opened import connect
from tests.transforms.checks.proof.outputs import TEMPLATES, built, rows_of


@pytest.fixture(scope="module")
def folder(of_cholect50) -> OutputFolder:
    return of_cholect50("surgstu/classes", "surgstu/locate")


def run(
    folder: OutputFolder, item_id: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[duckdb.DuckDBPyConnection, list[Any]]:
    """The database after an item's query, and what its last statement gives."""
    monkeypatch.chdir(Path(str(folder.path)))
    con, found = duckdb.connect(), []
    for statement in con.extract_statements(script(folder, item_id)):
        done = con.execute(statement)
        if statement.type == duckdb.StatementType.SELECT:
            found = done.fetchall()
    return con, found


def test_each_option_has_its_reason(folder: OutputFolder, monkeypatch: pytest.MonkeyPatch):
    row = next(row for row in rows_of(folder) if row["template_id"] == "surgstu.classes")
    found = {key: reason for key, _, _, reason in run(folder, row["item_id"], monkeypatch)[1]}
    assert list(found) == [option["key"] for option in row["options"]]
    assert [key for key, reason in found.items() if reason == "the answer"] == [row["answer_key"]]
    wrong = [reason for reason in found.values() if reason != "the answer"]
    assert all(reason.startswith("certainly another value") for reason in wrong)


def test_an_open_question_has_its_answer(folder: OutputFolder, monkeypatch: pytest.MonkeyPatch):
    row = next(r for r in rows_of(folder) if r["template_id"] == "surgstu.locate")
    ((answer,),) = run(folder, row["item_id"], monkeypatch)[1]
    (value,) = orjson.loads(row["answer_value"]).values()
    found = [answer[side] for side in ("x1", "y1", "x2", "y2")]
    assert answer["ok"] and found == pytest.approx(value, abs=1e-9)


KNOWING = {
    "cholect50": ("surgcot/affordance", "surgcot/action_ordering", "surgstu/next_action"),
    "multibypass140": ("medstream/alert", "medstream/state_next"),
}
"""Dataset -> templates that ask the bank of knowledge."""


@pytest.fixture(scope="module", params=KNOWING)
def knowing(request: pytest.FixtureRequest, of_cholect50, tmp_path_factory) -> OutputFolder:
    names = KNOWING[request.param]
    if request.param == "cholect50":
        return of_cholect50(*names)
    files = [TEMPLATES / f"{name}.yaml" for name in names]
    return built(tmp_path_factory.mktemp("built"), request.param, files)


def knowledge(con: duckdb.DuckDBPyConnection, video: str, kinds: Sequence[str]) -> list[Any]:
    """All that is known of some kinds for a recording, without how rows are numbered."""
    out = []
    for table, left_out in (("facts", "exclude (grp)"), ("holes", ""), ("looked", "")):
        query = f"select * {left_out} from {table} where video = ? and list_contains(?, kind)"
        out.append(con.execute(f"{query} order by all", [video, kinds]).fetchall())
    return out


def test_a_query_holds_the_knowledge_that_the_proof_has(
    knowing: OutputFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    proof, programs = connect(knowing, tmp_path), programs_of(knowing)
    first = {row["template_id"]: row for row in reversed(list(rows_of(knowing)))}
    kinds_asked = set()
    for template, row in first.items():
        con, last = run(knowing, row["item_id"], monkeypatch)
        kinds = sorted(set(programs[template].kinds) & set(BANK))
        video = f"{row['dataset']}/{row['video_id']}"
        assert knowledge(con, video, kinds) == knowledge(proof, video, kinds)
        others = sorted(set(BANK) - set(kinds))
        assert knowledge(con, video, others) == [[], [], []]
        kinds_asked.update(kinds)
        reasons = [reason for *_, reason in last] if row["options"] else ["the answer"]
        assert reasons.count("the answer") == 1
        assert all(one.startswith(("the answer", "certainly another value", "false in at least"))
                   for one in reasons)  # fmt: skip
    assert kinds_asked, "no template asks the bank"


@cases("value, written", [
    (None, "NULL"), (3, "3"), (-1, "-1"), (0.5, "0.5"), (True, "True"), ("it's", "'it''s'"),
    ([], "[]"), (["a", None], "['a', NULL]"),
])  # fmt: skip
def test_what_a_literal_says_is_read_again(value: Any, written: str):
    assert literal(value) == written
    assert duckdb.sql(f"select {written}").fetchall() == [(value,)]


def test_an_item_without_its_template_has_no_query(folder: OutputFolder, tmp_path: Path):
    other = tmp_path / "out"
    other.mkdir()
    (other / "data").symlink_to(Path(str(folder.path)) / "data")
    (other / "manifest.json").write_text("{}")
    with pytest.raises(UserError, match="no query can be shown"):
        script(OutputFolder(other), rows_of(folder)[0]["item_id"])


@cases("end", ["\r", "\n", "\r\n", "\x0b", "\u2028"])
def test_a_question_ends_no_remark(end: str):
    shown = SimpleNamespace(row={
        "item_id": "1", "template_id": f"t{end}create table evil(a int);",
        "question": f"What?{end}create table evil(a int);", "answer": f"This{end}select 1;",
    })  # fmt: skip
    con = duckdb.connect()
    for statement in con.extract_statements("\n".join(_head(shown)) + "\nselect 1"):
        con.execute(statement)
    assert con.execute("show tables").fetchall() == []


@cases(
    ("differs", "excluded", "reason"),
    [
        (None, True, "false in at least one of its parts"),
        (None, False, "false in at least one of its parts"),
        (True, True, "certainly another value, from exchange"),
        (True, False, "not certainly false: the pool's condition may hold"),
        (False, True, "not certainly another value"),
        (False, False, "not certainly another value"),
    ],
)
def test_why_a_wrong_option_is_wrong(differs: bool | None, excluded: bool, reason: str):
    con = duckdb.connect()
    for statement in _options(asked(CLIP, clip_row())):
        if statement.startswith("create or replace temp table pool_0"):
            con.execute("create temp table pool_0 as select o, $1::boolean as differs, "
                        "$2::boolean as excluded from options where not is_answer",
                        [differs, excluded])  # fmt: skip
        elif not statement.startswith("--"):
            found = con.execute(statement).fetchall()
    right = next(one["key"] for one in clip_row()["options"] if one["is_answer"])
    assert {key: why for key, _, _, why in found} == {
        key: "the answer" if key == right else reason for key in "ABCD"
    }
