"""The page in a real browser: filled in by keyboard, reloaded, saved, loaded, imported."""

import os
import shutil
from dataclasses import replace
from fractions import Fraction

import av
import numpy as np
import pytest

from surgqa.ontology.continuations import DIMENSIONS, TIMES_S, anchors
from surgqa.transforms.exports.surgveo.sheets import order
from surgqa.transforms.exports.surgveo.sheets.page import page
from surgqa.transforms.exports.surgveo.sheets.take_in import take_in
from tests.transforms.exports.surgveo.browser import NAMES, Browser, found
from tests.transforms.exports.surgveo.study import csv_bytes, filled_table, score_of, study
from tests.transforms.view.axe import SOURCE, violations

PROGRAM = found()
NEEDED = "SURGQA_NEED_CHROMIUM"
"""Set where Chromium must be there: a test that is skipped then is a failure."""
pytestmark = pytest.mark.skipif(
    PROGRAM is None and NEEDED not in os.environ,
    reason=f"needs Chromium, which is not installed; set {NEEDED} to have this fail instead",
)
COMMENT = 'tip "jumps", 2nd half;\nsmoke'
STATUS = "document.getElementById('said').textContent"


def write_film(path, shade):
    """Eight seconds at 25 pictures a second."""
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=Fraction(25), options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for k in range(200):
            picture = np.full((48, 64, 3), (shade + k) % 256, np.uint8)
            box.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        box.mux(stream.encode(None))


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """A generated video and a reference."""
    folder = tmp_path_factory.mktemp("films")
    for name, shade in (("generated", 30), ("reference", 90)):
        write_film(folder / f"{name}.mp4", shade)
    return folder


@pytest.fixture
def pilot(tmp_path, films):
    """A folder as raters get it: two pages, and the videos beside them."""
    pilot = study(2, 0, {"laparoscopic": ("Ada", "Bo")})
    folder = tmp_path / "study"
    (folder / "videos").mkdir(parents=True)
    for clip in pilot.clips:
        shutil.copy(films / "generated.mp4", folder / clip.generated)
        shutil.copy(films / "reference.mp4", folder / clip.reference)
    (folder / "Ada.html").write_bytes(page(pilot, "Ada"))
    (folder / "Bo.csv").write_bytes(csv_bytes(filled_table(pilot, "Bo")))
    return pilot, folder


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    assert PROGRAM, f"{NEEDED} is set and no program {', '.join(NAMES)} is on the path"
    one = Browser(PROGRAM, tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


@pytest.fixture
def browser(chromium):
    """A browser that has seen nothing yet: pages of files share what they keep."""
    chromium.events.clear()
    yield chromium
    chromium.eval("localStorage.clear()")


def score_video(browser, clip):
    for time_s in TIMES_S:
        for dimension in DIMENSIONS:
            browser.press(str(score_of("Ada", clip, time_s, dimension)))


def fill(browser, pilot):
    """All videos by keyboard alone; the page is loaded anew in the middle of the second."""
    clips = order(pilot, "Ada")
    for k, clip in enumerate(clips):
        assert f"Video {k + 1} of {len(clips)}" in browser.eval("document.body.textContent")
        score_video(browser, clip)
        if k == 1:
            browser.press("w")
            browser.press("y")
            browser.press("w")
            browser.press("c")
            browser.type(COMMENT)
            browser.press("5")  # is text here, no score
            browser.press("Escape")
            browser.reload()
            assert "kept in this browser" in browser.eval(STATUS)
            assert browser.eval("document.getElementById('comment').value") == COMMENT + "5"
        browser.press("Enter")
    assert "last video" in browser.eval(STATUS)
    assert "4 of 4 videos, 48 of 48 scores" in browser.eval("document.body.textContent")


def plain(rows):
    """Rows without the place they were read from."""
    return [replace(row, where="") for row in rows]


def test_a_sheet_is_filled_in_saved_loaded_and_imported(browser, pilot):
    pilot, folder = pilot
    browser.open(folder / "Ada.html")
    fill(browser, pilot)
    browser.press("s", control=True)
    saved = browser.download()
    assert saved.name == "pilot-Ada.json"
    rows = take_in(pilot, [saved, folder / "Bo.csv"])
    clips = {(one.sample_id, one.prompt): one for one in pilot.clips}
    assert len(rows) == 96
    for row in rows:
        clip = clips[row.sample_id, row.prompt]
        assert row.score == score_of(row.rater_id, clip, row.time_s, row.dimension)
    second = order(pilot, "Ada")[1]
    (marked,) = [row for row in rows if row.rater_id == "Ada" and row.error_types]
    assert (marked.sample_id, marked.prompt) == (second.sample_id, second.prompt)
    assert (marked.error_types, marked.comment) == (("intent",), COMMENT + "5")

    # Another browser, or this one after its memory was cleared: the saved file is loaded.
    browser.eval("localStorage.clear()")
    browser.reload()
    assert "0 of 48 scores" in browser.eval("document.body.textContent")
    browser.give_file("#load", saved)
    browser.until("document.body.textContent.includes('48 of 48 scores')")
    assert "Loaded pilot-Ada.json" in browser.eval(STATUS)
    browser.eval("document.getElementById('save-csv').click()")
    table = browser.download()
    assert table.name == "pilot-Ada.csv"
    assert plain(take_in(pilot, [table, folder / "Bo.csv"])) == plain(rows)
    asked = [one["params"]["request"]["url"] for one in browser.events
             if one["method"] == "Network.requestWillBeSent"]  # fmt: skip
    assert asked
    assert all(url.startswith((f"file://{folder}/", "blob:", "data:")) for url in asked)


def test_videos_play_side_by_side_and_go_to_the_marks(browser, pilot):
    _, folder = pilot
    browser.open(folder / "Ada.html")
    browser.until("films.every((one) => one.readyState >= 1)")
    assert browser.eval("films.map((one) => one.duration)") == pytest.approx([8, 8], abs=0.05)
    boxes = browser.eval("films.map((one) => { const b = one.getBoundingClientRect(); "
                         "return [b.left, b.right, b.top]; })")  # fmt: skip
    assert boxes[0][1] <= boxes[1][0]
    assert boxes[0][2] == boxes[1][2]
    for key, second in ((".", 1), (".", 3), (".", 8), (",", 3), ("0", 0)):
        browser.press(key)
        times = browser.until(
            "films.every((one) => !one.seeking) && films.map((one) => one.currentTime)"
        )
        assert times == pytest.approx([second, second], abs=0.05)
    browser.press(" ")
    browser.until("films.every((one) => !one.paused && one.currentTime > 0.3)")
    apart = browser.eval("Math.abs(films[0].currentTime - films[1].currentTime)")
    assert apart < 0.5
    browser.press(" ")
    browser.until("films.every((one) => one.paused)")


def test_fields_are_moved_between_cleared_and_counted(browser, pilot):
    _, folder = pilot
    browser.open(folder / "Ada.html")
    browser.press("ArrowUp")
    browser.press("ArrowLeft")
    browser.press("4")
    assert browser.eval("document.getElementById('cell-2-3').textContent") == "4"
    assert browser.eval("document.getElementById('progress').value") == 1
    browser.press("Backspace")
    assert browser.eval("document.getElementById('cell-2-3').textContent") == ""
    browser.eval("byId('values').children[2].click()")
    assert browser.eval("document.getElementById('cell-2-3').textContent") == "3"
    browser.eval("byId('values').lastChild.click()")
    browser.press("6")
    browser.press("0")
    assert browser.eval("document.getElementById('progress').value") == 0
    browser.press("u")
    assert "Video 2 of 4" in browser.eval("document.body.textContent")
    browser.press("PageUp")
    browser.press("PageUp")
    assert "first video" in browser.eval(STATUS)


def test_the_scale_is_shown_and_that_of_the_marked_field_stands_out(browser, pilot):
    _, folder = pilot
    browser.open(folder / "Ada.html")
    rows = browser.eval(
        "[...byId('scale').rows].map((row) => [...row.cells].map((c) => c.innerText))"
    )
    assert rows[0] == ["", *DIMENSIONS.values()]
    shown = {int(row[0]): row[1:] for row in rows[1:]}
    assert shown == {score: [anchors()[name][score] for name in DIMENSIONS]
                     for score in (5, 4, 3, 2, 1)}  # fmt: skip
    assert browser.eval("byId('scale').getBoundingClientRect().height") > 0
    marked = "[...new Set([...document.querySelectorAll('#scale .now')].map((c) => c.cellIndex))]"
    for key, column in (("ArrowRight", 2), ("4", 3), ("ArrowLeft", 2), ("ArrowLeft", 1)):
        browser.press(key)
        assert browser.eval(marked) == [column]


def test_a_file_of_another_sheet_or_out_of_range_is_not_loaded(browser, pilot, tmp_path):
    _, folder = pilot
    browser.open(folder / "Ada.html")
    browser.press("5")
    head = '{"format": "surgqa/surgveo-sheet-v1", "sheet": "%s", "videos": %s}'
    code = browser.eval("sheet.videos[0].code")
    bad = '{"%s": {"scores": {"1": {"visual": %s}}, "errors": [], "comment": ""}}'
    for name, text, words in (
        ("a", "{", "was not loaded"),
        ("b", "{}", "no saved score sheet"),
        ("c", head % ("pilot-Bo", "{}"), "of sheet pilot-Bo"),
        ("d", head % ("pilot-Ada", bad % ("v1", 3)), "not on this sheet"),
        ("e", head % ("pilot-Ada", bad % (code, 6)), "6 is not from 1 to 5"),
    ):
        path = tmp_path / f"{name}.json"
        path.write_text(text)
        browser.give_file("#load", path)
        browser.until(f"{STATUS}.startsWith('{name}.json')")
        assert words in browser.eval(STATUS)
        assert browser.eval("document.getElementById('progress').value") == 1


def test_the_page_can_be_read_by_all(browser, pilot):
    _, folder = pilot
    browser.open(folder / "Ada.html")
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                         deviceScaleFactor=1, mobile=width < 500)  # fmt: skip
            told = [{"name": "prefers-color-scheme", "value": scheme},
                    {"name": "prefers-reduced-motion", "value": "reduce"}]  # fmt: skip
            browser.call("Emulation.setEmulatedMedia", features=told)
            browser.until("document.documentElement.scrollWidth <= innerWidth")
            assert violations(browser, SOURCE) == []
    browser.call("Emulation.clearDeviceMetricsOverride")


def test_a_video_that_is_not_there_is_told(browser, pilot):
    pilot, folder = pilot
    (folder / order(pilot, "Ada")[0].reference).unlink()
    browser.open(folder / "Ada.html")
    browser.until(f"{STATUS}.includes('cannot be shown')")
