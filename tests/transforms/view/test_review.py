"""A sheet filled in on the page: blinded, checked, written, and taken in as a layer."""

import http.client
import json
from dataclasses import replace

import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.review import record_of, sample_of, take_in, write_sheets
from surgqa.transforms.review.sheets import read_sheet
from surgqa.transforms.review.terms import PHRASES
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view.api import error_reply
from surgqa.transforms.view.review import ReviewApi
from tests.transforms.view.axe import violations
from tests.transforms.view.made import S, ident, write


@pytest.fixture
def sheets(output, tmp_path):
    folder = OutputFolder(output)
    write_sheets(folder, sample_of(folder, "1", "0", ["A", "B"]), tmp_path / "sheets", ["csv"])
    return tmp_path / "sheets"


@pytest.fixture
def api(output, root, sheets):
    return ReviewApi(OutputFolder(output), [sheets / "A.csv"], {"films": root})


def said(number, **told):
    base = {
        "rater": "A",
        "item_id": ident(number),
        "answer": "",
        "valid": "",
        "wrong": [],
        "comment": "",
    }
    return orjson.dumps(base | told)


def entry(sheets, number, rater="A"):
    (one,) = [one for one in read_sheet(sheets / f"{rater}.csv") if one.item_id == ident(number)]
    return one


def others(entries):
    """All rows but that of item 1, without the lines they stand on."""
    return [replace(one, where="") for one in entries if one.item_id != ident(1)]


def test_nothing_tells_the_right_option(api):
    found = api.review("A")
    assert len(found["questions"]) == 8
    for one in found["questions"]:
        assert not {"answer_key", "answer_value", "evidence", "is_answer"} & set(one)
    (closed,) = [one for one in found["questions"] if one["item_id"] == ident(1)]
    assert closed["options"] == (("A", "15.00 s"), ("B", "12.00 s")) and closed["proposed"] == ""
    for path in ("api/item", "api/items", "api/timeline", "api/facets"):
        assert api.answer(path, {"id": [ident(1)]}).status == 404


def test_what_is_said_is_written_and_all_else_stays(api, sheets):
    before = read_sheet(sheets / "A.csv")
    every = list(PHRASES.values())
    told = said(1, answer="B", valid="no", wrong=every,
                comment='=1+1; "x",\nnew line')  # fmt: skip
    assert api.take("api/review", told).status == 200
    one = entry(sheets, 1)
    assert (one.answer, one.valid) == ("B", "no")
    assert one.wrong == tuple(every)
    assert one.comment == '=1+1; "x",\nnew line'
    assert others(read_sheet(sheets / "A.csv")) == others(before)
    (again,) = [q for q in api.review("A")["questions"] if q["item_id"] == ident(1)]
    assert again["said"]["wrong"] == every
    assert entry(sheets, 1, "B").answer == ""


@pytest.mark.parametrize("body", [
    b"{", b"[]", b"{}", said(1, answer="C"), said(1, valid="maybe"), said(1, wrong=["rude"]),
    said(9), said(1, rater="B"), said(1, rater=[]), said(1, comment="x" * 5000),
    said(1, answer=3), said(1, wrong=None),
])  # fmt: skip
def test_what_no_rater_can_say_is_refused(api, sheets, body):
    before = (sheets / "A.csv").read_bytes()
    assert api.take("api/review", body).status == 400
    assert (sheets / "A.csv").read_bytes() == before


def test_pictures_end_where_the_question_does(api):
    def status(number, time_us):
        return api.answer("frame", {"id": [ident(number)], "t": [str(time_us)]}).status

    assert (status(3, 15 * S), status(3, 16 * S)) == (200, 404)
    assert (status(2, 20 * S), status(2, 21 * S)) == (200, 404)  # a stream is watched whole


def test_a_sheet_of_another_output_is_refused(sheets, root, tmp_path):
    other = write(tmp_path / "other")
    text = (sheets / "A.csv").read_text(encoding="utf-8").replace(ident(1), "f" * 32)
    (sheets / "A.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="items that the output lacks"):
        ReviewApi(OutputFolder(other), [sheets / "A.csv"], {})


@pytest.mark.parametrize(("headers", "status"), [
    ({}, 200),
    ({"Origin": "http://evil.example"}, 403), ({"Origin": ""}, 403), ({"Origin": "null"}, 403),
    ({"Content-Type": "text/plain"}, 403), ({"Host": "evil.example"}, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Content-Length": "99999999"}, 413),
    ({"Content-Length": "-5"}, 413),
])  # fmt: skip
def test_only_the_page_itself_can_write(api, sheets, serve, headers, status):
    server = serve(api)
    before = (sheets / "A.csv").read_bytes()
    line = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    home = f"http://127.0.0.1:{server.server_port}"
    told = {"Origin": home, "Content-Type": "application/json"} | headers
    line.request("POST", f"/{server.token}/api/review", said(1, answer="A"), told)
    assert line.getresponse().status == status
    line.close()
    assert ((sheets / "A.csv").read_bytes() == before) == (status != 200)


QUESTION = "(document.querySelector('main h2') || {textContent: ''}).textContent"


def fill(page, answer):
    """Answer everything by keyboard."""
    for k in range(8):
        page.until(
            f"document.querySelector('#progress').textContent.startsWith('Question {k + 1} ')"
        )
        hidden = page.eval("Boolean(document.querySelector('.choices #answer-A')) "
                           "&& !document.querySelector('#valid-yes')")  # fmt: skip
        assert hidden == bool(page.eval("current().options.length"))
        if hidden:
            page.press("a" if page.eval("current().options.length") == 1 else answer)
        page.press("y")
        page.until("rating.saver.unsaved.size === 0")
        if k < 7:
            page.press("j")
    page.until("document.querySelector('#progress').textContent.endsWith('8 done')")
    page.reload()
    page.until("document.querySelector('#progress').textContent.endsWith('8 done')")


def test_answers_reach_the_sheet_in_their_order_and_after_a_failure(api, sheets, serve, browser):
    server = serve(api)
    browser.go(server.address)
    browser.until(f"{QUESTION} !== ''")
    number = browser.eval(f"rating.all.findIndex((one) => one.item_id === '{ident(1)}')")
    browser.eval(f"rating.at = {number}; move(0)")
    server.api.take, take = lambda path, body: error_reply("busy", 503), server.api.take
    browser.press("a")
    browser.until("document.querySelector('#said').textContent.startsWith('Not saved yet (1)')")
    server.api.take = take
    browser.eval("say({answer: 'B'}); say({answer: 'A'}); say({answer: 'B', comment: 'last'})")
    browser.until("rating.saver.unsaved.size === 0")
    browser.until("document.querySelector('#said').textContent.startsWith('Saved')")
    assert (entry(sheets, 1).answer, entry(sheets, 1).comment) == ("B", "last")


def test_two_raters_fill_in_their_sheets_and_see_how_far_they_agree(
    output, root, sheets, serve, browser
):
    folder = OutputFolder(output)
    files = {rater: sheets / f"{rater}.csv" for rater in "AB"}
    server = serve(ReviewApi(folder, list(files.values()), {"films": root}))
    for number, (rater, answer) in enumerate((("A", "b"), ("B", "a"))):
        browser.go(server.address)
        browser.until(f"document.querySelectorAll('.raters li').length === 2 && {QUESTION} !== ''")
        assert violations(browser) == [] and not browser.eval("Boolean(byId('agreement'))")
        browser.eval(f"document.querySelectorAll('.raters a')[{number}].click()")
        browser.until(f"document.querySelector('h1').textContent === 'Review: {rater}'")
        fill(browser, answer)
        assert browser.eval("window.ran === undefined") and violations(browser) == []
    browser.eval("location.hash = ''")
    browser.until("document.querySelectorAll('#agreement table').length >= 3")
    assert "undefined" in browser.eval("document.querySelector('#agreement').textContent")
    assert violations(browser) == []
    browser.eval("document.querySelector('#date').value = '2026-11-21'")
    browser.eval("document.querySelector('#write').click()")
    browser.until("document.querySelector('#said').textContent.startsWith('Written')")
    layer = (sheets / "review.jsonl").read_bytes()
    assert layer == take_in(folder, record_of([], sheets), files, "2026-11-21", False).layer
    lines = [json.loads(line) for line in layer.splitlines()]
    assert len(lines) == 8 and {line["decision"] for line in lines} == {"keep"}
    (closed,) = [line for line in lines if line["item_id"] == ident(1)]
    assert [vote["answer"] for vote in closed["votes"]] == ["B", "A"]
    browser.eval("document.querySelector('#date').value = '2026-11-22'")
    browser.eval("document.querySelector('#write').click()")
    browser.until("document.querySelector('#said').textContent.startsWith('Not written')")


def test_agreement_is_told_when_all_are_done(output, sheets):
    one = ReviewApi(OutputFolder(output), [sheets / "A.csv", sheets / "B.csv"], {})
    assert one.answer("api/agreement", {"date": ["2026-11-21"]}).status == 409
    assert one.take("api/layer", b'{"date": "2026-11-21"}').status == 409
    assert one.take("api/layer", b"{}").status == 400
    assert one.answer("api/review", {"rater": ["../A"]}).status == 404
    assert [told["done"] for told in one.raters()] == [0, 0]
    assert not (sheets / "review.jsonl").exists()
    with pytest.raises(UserError, match="one name"):
        ReviewApi(OutputFolder(output), [sheets / "A.csv", sheets / "A.csv"], {})
