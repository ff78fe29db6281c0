"""The query of an item is shown, run apart from everything, and ended where it does not end."""

import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.view import Api, Database, proof
from tests.transforms.checks.proof.outputs import built, rows_of, shipped
from tests.transforms.view.made import ident


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    files = [file for file in shipped("surgstu") if file.stem == "classes"]
    return built(tmp_path_factory.mktemp("built"), "cholect50", files)


def test_an_item_is_proved_once_more(folder):
    api = Api(Database(folder))
    row = next(iter(rows_of(folder)))
    reply = api.answer("api/proof", {"id": [row["item_id"]], "run": ["1"]})
    *_, answer, options = orjson.loads(reply.body)["results"]
    (value,) = orjson.loads(row["answer_value"]).values()
    assert answer["rows"][0][0] == {"value": value, "ok": True}
    told = [dict(zip(options["columns"], one, strict=True)) for one in options["rows"]]
    right = [one["key"] for one in told if one["reason"] == "the answer"]
    assert right == [row["answer_key"]]
    query = api.answer("api/proof", {"id": [row["item_id"]]})
    assert "create or replace temp table proved" in orjson.loads(query.body)["sql"]


def test_an_item_without_a_template_has_no_query(api):
    reply = api.answer("api/proof", {"id": [ident(1)], "run": ["1"]})
    assert (reply.status, b"no query" in reply.body) == (404, True)
    assert api.answer("api/proof", {"id": ["x"]}).status == 404


def run(db, monkeypatch, sql):
    monkeypatch.setattr(proof, "script", lambda folder, item_id: sql)
    return proof.proof_of(db, ident(1), run=True)


@pytest.mark.parametrize("sql", [
    "COPY (SELECT 1) TO '{0}/new.csv';", "SELECT * FROM read_csv('{0}/secret.csv');",
    "SELECT * FROM '{0}/secret.csv';", "ATTACH '{0}/new.db';", "INSTALL httpfs;", "LOAD httpfs;",
    "SET enable_external_access=true;", "SELECT * FROM read_text('/etc/passwd');",
    "SELECT getenv('HOME');", "EXPORT DATABASE '{0}/all';", "no sql at all;",
])  # fmt: skip
def test_a_query_reaches_no_file(db, monkeypatch, tmp_path, sql):
    (tmp_path / "secret.csv").write_text("a\n1")
    with pytest.raises(UserError, match="cannot be run"):
        run(db, monkeypatch, sql.format(tmp_path))
    assert [one.name for one in tmp_path.iterdir()] == ["secret.csv"]


def test_remarks_are_not_run(db, monkeypatch):
    sql = "-- What?\rSELECT 'remark';\nSELECT 1 AS one;\n-- last"
    assert run(db, monkeypatch, sql) == {"results": [{"columns": ["one"], "rows": [[1]]}]}


def test_a_query_sees_the_recording_alone(db, monkeypatch):
    sql = "SELECT count(*) AS n FROM read_parquet('evidence/facts.parquet');"
    assert run(db, monkeypatch, sql)["results"][0]["rows"] == [[4]]


def test_a_query_that_does_not_end_is_ended(db, monkeypatch):
    monkeypatch.setattr(proof, "PATIENCE_S", 0.1)
    sql = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7;"
    with pytest.raises(UserError, match="cannot be run"):
        run(db, monkeypatch, sql)


def test_the_proof_is_run_on_the_page(folder, serve, browser):
    browser.go(serve(Api(Database(folder))).address)
    browser.until("Boolean(document.querySelector('#proof-run'))")
    browser.eval("document.querySelector('#proof-run').click()")
    browser.until("document.querySelector('.proved').textContent.includes('the answer')")
    browser.eval("document.querySelector('#proof-run').nextElementSibling.click()")
    browser.until("document.querySelector('.proved pre') !== null")
