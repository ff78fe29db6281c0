"""Boxes corrected on the page, with the pointer and by keyboard, and taken in."""

import cv2
import numpy as np
import orjson
import pytest

from surgqa.ontology.masks import encoded
from surgqa.transforms.labelling.corrections import Corrections
from surgqa.transforms.labelling.export import load
from surgqa.transforms.labelling.matching import match
from surgqa.transforms.view.correct import CorrectApi
from tests.transforms.labelling.test_formats import SHEET
from tests.transforms.view.axe import violations


@pytest.fixture
def folder(tmp_path):
    load("label-studio").write(SHEET, tmp_path)
    (tmp_path / "images").mkdir()
    for frame in SHEET.frames:
        picture = np.full((frame.height, frame.width, 3), 90, np.uint8)
        cv2.imwrite(str(tmp_path / "images" / frame.file), picture)
    return tmp_path


@pytest.mark.parametrize("body", [
    b"{", b"[]", b"{}", b'{"file": "x", "done": true, "boxes": []}',
    b'{"file": "aaaa_00000007.png", "done": 1, "boxes": []}',
    b'{"file": "aaaa_00000007.png", "done": true, "boxes": [{"id": 3, "label": "a", "box": []}]}',
])  # fmt: skip
def test_what_the_page_does_not_send_is_refused(folder, body):
    before = (folder / "tasks.json").read_bytes()
    api = CorrectApi(Corrections(folder))
    assert api.take("api/frame", body).status == 400
    assert api.take("api/review", body).status == 404
    assert api.answer("picture", {"file": ["../tasks.json"]}).status == 404
    assert (folder / "tasks.json").read_bytes() == before
    (folder / "tasks.json").unlink()
    reply = api.answer("api/round", {})
    assert reply.status == 409 and str(folder).encode() not in reply.body


def test_masks_are_told_as_outlines(folder):
    mask = np.zeros((48, 64), bool)
    mask[12:24, 16:32] = True
    tasks = orjson.loads((folder / "tasks.json").read_bytes())
    tasks[0]["data"] |= {"masks": {"a" * 16: encoded(mask), "b" * 16: "junk"}, "asked": "hook"}
    (folder / "tasks.json").write_bytes(orjson.dumps(tasks))
    reply = CorrectApi(Corrections(folder)).answer("api/round", {})
    frame = orjson.loads(reply.body)["frames"][0]
    assert frame["outlines"]["a" * 16].startswith("M250 250L250 479")
    assert frame["outlines"]["b" * 16] == "" and frame["asked"] == ["hook"]
    assert "masks" not in frame


@pytest.fixture
def page(folder, serve, browser):
    browser.go(serve(CorrectApi(Corrections(folder))).address)
    browser.until("Boolean(document.querySelector('.drawn rect'))")
    browser.until("document.querySelector('.picture img').naturalWidth > 0")
    return browser


def drag(page, start, end):
    """Press, move and let go, at parts of the picture."""
    area = page.eval("(() => { const b = document.querySelector('.drawn').getBoundingClientRect();"
                     "return [b.left, b.top, b.width, b.height]; })()")  # fmt: skip

    def act(kind, place):
        page.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1,
                  x=area[0] + place[0] * area[2], y=area[1] + place[1] * area[3])  # fmt: skip

    act("mousePressed", start)
    act("mouseMoved", end)
    act("mouseReleased", end)


@pytest.fixture
def asking(folder):
    """The first picture asks for two labels, and its grasper has a mask."""
    mask = np.zeros((480, 854), bool)
    mask[100:240, 90:280] = True
    tasks = orjson.loads((folder / "tasks.json").read_bytes())
    tasks[0]["predictions"][0]["result"].pop(1)
    tasks[0]["predictions"][0]["result"].pop(1)
    tasks[0]["data"] |= {"masks": {"a" * 16: encoded(mask)}, "asked": "cystic_duct, hook"}
    (folder / "tasks.json").write_bytes(orjson.dumps(tasks))


def test_what_is_asked_for_is_pointed_at(folder, asking, page):
    assert page.eval("document.querySelectorAll('.drawn path.mask').length") == 1
    asked = (
        "[...document.querySelectorAll('[id^=asked-]')].map((b) => [b.textContent, b.ariaPressed])"
    )
    assert page.eval(asked) == [["cystic duct", "true"], ["hook", "false"]]
    drag(page, (0.6, 0.7), (0.6, 0.7))
    assert page.eval(BOXES) == [["grasper", 10, 20, 33, 50], ["cystic_duct", 60, 70, 60, 70]]
    assert page.eval(asked) == [["cystic duct ✓", "false"], ["hook", "true"]]
    assert violations(page) == []
    page.press("Escape")  # the hook is not in view
    drag(page, (0.8, 0.8), (0.8, 0.8))
    assert page.eval("frame().boxes.length") == 2
    drag(page, (0.6, 0.7), (0.5, 0.6))  # the point itself
    assert page.eval(BOXES)[1] == ["cystic_duct", 50, 60, 50, 60]
    page.eval("byId('asked-1').click()")
    page.press("p")
    page.press("ArrowRight")
    assert page.eval(BOXES)[2] == ["hook", 50, 50, 50, 50]
    assert page.eval("isPoint(frame().boxes[2].box)")
    page.press("Enter")
    page.until("desk.saver.unsaved.size === 0")
    taken = match(SHEET, load("label-studio").read(folder / "tasks.json"))
    assert (taken.boxes.clicked, taken.boxes.confirmed, taken.frames.imported) == (2, 1, 1)


BOXES = "frame().boxes.map((one) => [one.label, ...one.box.map((side) => Math.round(side * 100))])"


def test_a_round_is_corrected_reloaded_and_taken_in(folder, page):
    assert page.eval("byId('progress').textContent") == "Picture 1 of 3, 0 done"
    page.press("2")  # the hook, which covers the picture
    page.press("Backspace")
    assert page.eval(BOXES) == [["grasper", 10, 20, 33, 50], ["cystic_duct", 33, 29, 100, 99]]
    drag(page, (0.2, 0.25), (0.3, 0.35))
    assert page.eval(BOXES)[0] == ["grasper", 20, 30, 43, 60]
    drag(page, (0.2, 0.3), (0.25, 0.4))  # its upper left corner
    assert page.eval(BOXES)[0] == ["grasper", 25, 40, 43, 60]
    page.press("ArrowLeft")
    assert page.eval("Math.round(frame().boxes[0].box[0] * 1000)") == 246
    drag(page, (0.02, 0.05), (0.2, 0.2))
    assert page.eval(BOXES)[-1] == ["grasper", 2, 5, 20, 20]
    page.eval("(() => { byId('label').value = 'hook';"
              "byId('label').dispatchEvent(new Event('change')); })()")  # fmt: skip
    page.until("desk.saver.unsaved.size === 0")
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=width < 500)  # fmt: skip
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip
        page.until("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
    page.press("Enter")
    page.until("byId('progress').textContent === 'Picture 2 of 3, 1 done'")
    page.press("n")
    page.until("desk.saver.unsaved.size === 0")
    page.reload()
    page.until("byId('progress').textContent === 'Picture 2 of 3, 1 done'")
    assert page.eval("frame().boxes.length") == 1
    reading = load("label-studio").read(folder / "tasks.json")
    taken = match(SHEET, reading)
    assert (taken.frames.imported, taken.frames.not_reviewed) == (1, 2)
    books = taken.boxes
    assert (books.moved, books.confirmed, books.added, books.deleted) == (1, 1, 1, 1)
    tasks = orjson.loads((folder / "tasks.json").read_bytes())
    assert tasks[1]["annotations"][0]["was_cancelled"] is True
