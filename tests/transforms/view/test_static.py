"""The page as files: what it holds, that it is the same each time, and that a browser shows it."""

import json
import os

import pytest

from ontology.errors import UserError
from tests.transforms.exports.surgveo.browser import NAMES, Browser, found
from tests.transforms.view.axe import violations
from tests.transforms.view.made import HOSTILE, S, ident
from transforms.view.one import item_of
from transforms.view.report import PICTURES, drawn, instants, write_static

PROGRAM = found()
NEEDED = "SURGQA_NEED_CHROMIUM"


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


@pytest.mark.skipif(
    PROGRAM is None and NEEDED not in os.environ,
    reason=f"needs Chromium, which is not installed; set {NEEDED} to have this fail instead",
)
def test_the_files_are_a_page(folder, tmp_path):
    assert PROGRAM, f"{NEEDED} is set and no program {', '.join(NAMES)} is on the path"
    page = Browser(PROGRAM, tmp_path)
    try:
        page.open(folder / "index.html")
        page.until("document.querySelectorAll('.plot').length >= 3")
        assert violations(page) == []
        page.press("i")
        page.until("document.querySelectorAll('#list li').length === 8")
        page.until("Boolean(document.querySelector('.film img').naturalWidth)")
        page.until("Boolean(document.querySelector('.timeline svg'))")
        page.press(".")
        assert page.eval("film.on.time") > 12 * S
        page.eval("location.hash = '#mark=bad:wrong'")
        page.until("document.querySelectorAll('#list li').length === 1")
        page.eval(f"location.hash = '#id={ident(6)}'")
        page.until(f"document.querySelector('main h2').textContent === {json.dumps(HOSTILE)}")
        assert page.eval("window.ran === undefined")
        for view in (ident(1), ident(2)):
            page.eval(f"location.hash = '#id={view}'")
            page.until("Boolean(document.querySelector('.timeline svg'))")
            assert violations(page) == []
        asked = [one["params"]["request"]["url"] for one in page.events
                 if one["method"] == "Network.requestWillBeSent"]  # fmt: skip
        assert asked and all(url.startswith(folder.as_uri()) for url in asked)
    finally:
        page.close()
