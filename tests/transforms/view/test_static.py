"""The page as files: what it holds, that it is the same each time, and that a browser shows it."""

import json
from urllib.parse import quote

import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.view.items import count, filter_of
from surgqa.transforms.view.one import item_of
from surgqa.transforms.view.report import PICTURES, drawn, instants, write_static
from tests.transforms.view.axe import violations
from tests.transforms.view.made import HOSTILE, S, ident


@pytest.fixture(scope="module")
def folder(api, tmp_path_factory):
    folder = tmp_path_factory.mktemp("static") / "page"
    assert write_static(api, folder, 20) == 8
    return folder


def data(folder):
    text = (folder / "data.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("window.SAMPLE = ").removesuffix(";\n"))


def test_templates_take_turns_and_chains_stay_whole(api):
    assert drawn(api.db, 2) == [ident(0), ident(4), ident(5)]
    assert drawn(api.db, 4) == [ident(0), ident(1), ident(4), ident(5)]


def test_a_sample_holds_no_picture_that_may_not_be_seen(api, folder):
    told = data(folder)
    assert max(told["pictures"][ident(3)]) == 15 * S
    assert told["pictures"][ident(7)] == [] and told["item"][ident(7)]["pictures"] is False
    assert len(list((folder / "pictures").iterdir())) == sum(map(len, told["pictures"].values()))
    assert len(instants(item_of(api.db, ident(0)))) == PICTURES
    assert b"secret" not in b"".join(one.read_bytes() for one in folder.glob("*.html"))


def test_the_same_dataset_gives_the_same_files(api, folder, tmp_path):
    write_static(api, tmp_path / "again", 20)
    for one in sorted(folder.rglob("*")):
        if one.is_file():
            assert (tmp_path / "again" / one.relative_to(folder)).read_bytes() == one.read_bytes()


def test_a_folder_that_holds_something_is_left_alone(api, tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(UserError):
        write_static(api, tmp_path, 1)
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_the_files_are_a_page(api, folder, browser):
    browser.open(folder / "index.html")
    browser.until("document.querySelectorAll('.plot').length >= 3")
    assert violations(browser) == []
    browser.press("i")
    browser.until("document.querySelectorAll('#list li').length === 8")
    browser.until("Boolean(document.querySelector('.film img').naturalWidth)")
    browser.until("Boolean(document.querySelector('.timeline svg'))")
    browser.press(".")
    assert browser.eval("film.on.time") > 12 * S
    browser.eval("location.hash = '#mark=bad:wrong'")
    browser.until("document.querySelectorAll('#list li').length === 1")
    for words in ("scissors", "HOOK", "known", "12.00 s", "onerror", "nowhere"):
        found = count(api.db, filter_of({"q": [words]}))
        browser.eval(f"location.hash = '#q={quote(words)}'")
        browser.until(
            f"listed.key === JSON.stringify({{q: ['{words}']}}) && listed.total === {found}"
        )
    browser.eval(f"location.hash = '#id={ident(6)}'")
    browser.until(f"document.querySelector('main h2').textContent === {json.dumps(HOSTILE)}")
    assert browser.eval("window.ran === undefined")
    for view in (ident(1), ident(2)):
        browser.eval(f"location.hash = '#id={view}'")
        browser.until("Boolean(document.querySelector('.timeline svg'))")
        assert violations(browser) == []
    asked = [one["params"]["request"]["url"] for one in browser.events
             if one["method"] == "Network.requestWillBeSent"]  # fmt: skip
    assert asked and all(url.startswith(folder.as_uri()) for url in asked)
