"""The page in a real browser: searched, filtered, walked by keyboard, played; nothing runs."""

import json
import os
from urllib.parse import quote

import pytest

from tests.transforms.view.axe import violations
from tests.transforms.view.made import HOSTILE, ident

QUESTION = "(document.querySelector('main h2') || {textContent: ''}).textContent"
LISTED = "document.querySelectorAll('#list li').length"
READY = "document.querySelector('#list li') && document.querySelector('.timeline svg')"


@pytest.fixture(scope="module")
def server(api, serve):
    return serve(api)


def look(page, width, scheme):
    """Have the page as wide, and light or dark."""
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
              mobile=width < 500)  # fmt: skip
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    page.call("Emulation.setEmulatedMedia", features=features)


@pytest.fixture
def visit(browser, server):
    """Opens the page with a width, and waits until an expression holds."""

    def _visit(hash_="", until=READY, width=1280):
        look(browser, width, "light")
        browser.go("about:blank")
        browser.events.clear()
        browser.go(f"{server.address}{hash_}")
        browser.until(f"Boolean({until})")
        return browser

    return _visit


def test_items_are_searched_filtered_and_walked_by_keyboard(visit):
    page = visit()
    page.until(f"{LISTED} === 8")
    assert page.eval("location.hash") == f"#id={ident(0)}"
    page.press("j")
    page.until(f"{QUESTION} === 'When does the hook appear?'")
    assert page.eval("document.querySelector('.options .right').textContent").startswith("B12.00 s")
    page.press("k")
    page.until(f"{QUESTION} === 'What is seen?'")
    page.press("/")
    page.type("SCISSORS")
    page.press("Enter")
    page.until(f"{LISTED} === 1")
    page.until(f"{QUESTION}.startsWith('Tell me when')")
    assert "q=SCISSORS" in page.eval("location.hash")
    assert page.eval("document.querySelectorAll('.rounds li').length") == 3
    page.eval("document.querySelector('.clear').click()")
    page.until(f"{LISTED} === 8")
    page.press("/")
    page.type("scissors")
    page.press("Enter")
    page.until(f"{LISTED} === 1")
    page.press("/")
    page.type("?")
    page.press("Escape")
    assert page.eval("document.querySelector('#q').value") == "scissors"  # as the list
    page.eval("q.value = ''; q.dispatchEvent(new Event('input'))")
    page.until(f"{LISTED} === 8")
    form = "[...document.querySelectorAll('#facets a')].find((a) => a.textContent === 'choice1')"
    page.until(f"Boolean({form})")
    page.eval(f"{form}.click()")
    page.until(f"{LISTED} === 1")
    address = page.eval("location.hash")
    visit(address, until=f"{LISTED} === 1")
    page.until("document.querySelector('#total').textContent === '1 item'")


def test_an_address_leads_to_an_item_and_its_chain(visit):
    page = visit(f"#id={ident(5)}", until=f"document.querySelector('main h2') && {READY}")
    assert page.eval(QUESTION) == "And then?"
    assert page.eval("document.querySelectorAll('.stages li').length") == 2
    assert "labels/a.json" in page.eval("document.querySelector('main').textContent")


def test_what_was_refused_stands_beside_an_item(visit):
    page = visit(f"#id={ident(0)}")
    page.eval("document.querySelector('#refused').open = true")
    page.until("document.querySelectorAll('#refused tbody tr').length === 3")
    assert page.eval("window.ran === undefined")


PICTURE = "document.querySelector('.film img')"
SHOWN = f"Boolean({PICTURE} && {PICTURE}.complete && {PICTURE}.naturalWidth)"
TIME = "film.on.time"


def test_pictures_follow_the_timeline_and_end_where_the_question_does(visit):
    page = visit(f"#id={ident(3)}", until=SHOWN)
    assert page.eval(TIME) == 12_000_000
    assert page.eval("document.querySelectorAll('.boxes rect').length") == 1
    page.press("b")
    assert page.eval("document.querySelectorAll('.boxes rect').length") == 0
    page.press("b")
    page.press(".")
    assert page.eval(TIME) == 13_000_000
    page.until("Boolean(document.querySelector('.timeline svg'))")
    click = """(() => {
      const picture = document.querySelector('.timeline svg');
      const box = picture.getBoundingClientRect();
      const gutter = Number(picture.dataset.gutter);
      const x = box.left + gutter + PART * (box.width - gutter - 8);
      picture.dispatchEvent(new MouseEvent('click', {clientX: x, clientY: 30, bubbles: true}));
      return film.on.time / 1e6;
    })()"""
    assert page.eval(click.replace("PART", "0.4")) == pytest.approx(13, abs=0.2)
    assert page.eval(click.replace("PART", "0.95")) == 15  # asked at 15 s: later is not shown
    cover = "document.querySelector('.film .cover').hidden"
    assert not page.eval(cover) and not page.eval("document.querySelector('.later').hidden")
    page.press(",")
    assert page.eval(cover) and page.eval(TIME) == 14_000_000
    page.eval("film.on.seek(13.5e6)")
    page.until("location.hash.endsWith('&t=13.500')")
    page.press(" ")
    page.until("film.on.playing === 0 && film.on.time > 14e6")
    assert page.eval(TIME) <= 15_000_000
    asked = [one["params"]["request"]["url"] for one in page.events
             if one["method"] == "Network.requestWillBeSent"]  # fmt: skip
    times = [int(url.partition("&t=")[2]) for url in asked if "frame?" in url]
    assert len(times) > 3 and max(times) <= 15_000_000


def test_an_address_opens_an_item_at_its_time(visit):
    page = visit(f"#id={ident(3)}&t=13.000", until=SHOWN)
    assert page.eval(TIME) == 13_000_000
    page.press("j")
    page.until(f"location.hash === '#id={ident(4)}'")  # the time was the other item's
    page = visit(f"#id={ident(3)}&t=nonsense", until=SHOWN)
    assert page.eval(TIME) == 12_000_000


def test_masks_are_drawn_and_toggled(visit):
    page = visit(f"#id={ident(0)}", until=SHOWN)
    page.until("document.querySelectorAll('.boxes .mask').length === 1")
    assert page.eval("document.querySelectorAll('.boxes rect').length") == 1
    page.press("m")
    assert page.eval("document.querySelectorAll('.boxes .mask').length") == 0
    page.eval("toggleMasks(); film.on.seek(13e6)")
    assert page.eval("document.querySelectorAll('.boxes .mask').length") == 0


def test_a_round_sees_no_more_than_it_may(visit):
    page = visit(f"#id={ident(2)}", until=SHOWN)
    page.eval("(() => { const s = document.querySelector('.as-round select'); s.value = '0';"
              "s.dispatchEvent(new Event('change')); })()")  # fmt: skip
    page.eval("film.on.seek(14e6)")
    assert page.eval(TIME) == 12_000_000


@pytest.mark.parametrize("hash_", [
    f"#id={ident(6)}", "#view=overview", "#view=rejects&of=bench.what", f"#q={quote(HOSTILE)}",
    f"#id={quote(HOSTILE)}",
])  # fmt: skip
def test_what_a_dataset_says_is_shown_and_never_run(visit, server, hash_):
    page = visit(hash_, until="document.querySelector('main').children.length > 0")
    page.until(f"document.body.textContent.includes({json.dumps(HOSTILE[:30])}) "
               "|| document.body.textContent.includes('cannot be shown')")  # fmt: skip
    assert page.eval("window.ran === undefined")
    assert page.eval("document.querySelectorAll('main script, main img[onerror]').length") == 0
    asked = [one["params"]["request"]["url"] for one in page.events
             if one["method"] == "Network.requestWillBeSent"]  # fmt: skip
    assert asked and all(url.startswith(server.address) for url in asked)


VIEWS = [f"#id={ident(1)}", f"#id={ident(2)}", f"#id={ident(5)}", "#view=overview",
         "#view=rejects&of=bench.what"]  # fmt: skip
SHAPES = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]


@pytest.mark.parametrize("hash_", VIEWS)
def test_the_page_can_be_read_by_all(visit, hash_):
    page = visit(hash_, until="document.querySelector('main .plot, main .timeline svg')")
    # By day a wide page in light colours and a narrow one in dark ones.
    for width, scheme in SHAPES if "SURGQA_LONG" in os.environ else SHAPES[::3]:
        look(page, width, scheme)
        page.until("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []


def test_charts_follow_the_page_and_break_no_policy(visit):
    page = visit("#view=overview", until="document.querySelectorAll('.plot').length >= 4")
    page.eval("window.broken = []; document.addEventListener('securitypolicyviolation',"
              "(event) => window.broken.push(event.violatedDirective))")  # fmt: skip
    wide = page.eval("document.querySelector('.plot').getBoundingClientRect().width")
    look(page, 390, "dark")
    page.until(f"document.querySelector('.plot').getBoundingClientRect().width < {wide} / 2")
    assert page.eval("window.broken") == []
    page.eval("document.querySelector('.plot .leads').dispatchEvent(new Event('click'))")
    page.until("location.hash.includes('task=')")
    page.until(f"{LISTED} > 0")


def test_a_narrow_page_shows_the_list_or_the_item(visit):
    page = visit(width=390, until=f"{LISTED} === 8")
    assert page.eval("getComputedStyle(document.querySelector('main')).display") == "none"
    page.eval("document.querySelector('#list a').click()")
    page.until("document.body.classList.contains('reading')")
    assert page.eval("getComputedStyle(document.querySelector('#list')).display") == "none"


def test_models_stand_beside_each_other(visit):
    page = visit("#mark=bad:wrong", until=f"{LISTED} === 1")
    page.until(f"{QUESTION} === 'When does the hook appear?'")
    marks = "[...document.querySelectorAll('.part .mark')].map((one) => one.textContent)"
    assert page.eval(marks) == ["wrong", "right"]
