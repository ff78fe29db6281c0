"""Pictures of the page over rendered and real surgery, for people to look at.

They go to a temporary folder, or to the one that SURGQA_PICTURES names.  The README's is drawn by
``SURGQA_PICTURES=docs pytest -n 0 tests/pipeline/test_page_pictures.py -k readme``.
"""

import base64
import json
import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.places import place
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import Api, Database, Server
from tests.transforms.exports.surgveo.browser import NAMES, Browser, found

PROGRAM = found()
NEEDED, WHERE = "SURGQA_NEED_CHROMIUM", "SURGQA_PICTURES"
pytestmark = pytest.mark.skipif(
    PROGRAM is None and NEEDED not in os.environ,
    reason=f"needs Chromium, which is not installed; set {NEEDED} to have this fail instead",
)
ITEM = "document.querySelector('.film img') && document.querySelector('.film img').naturalWidth " \
       "&& document.querySelector('.timeline svg')"  # fmt: skip
CHARTS = "document.querySelectorAll('.plot').length >= 4"
SORTS = {"clip": "unit = 'clip' AND form = 'choice'", "stream": "len(rounds) > 0",
         "chain": "chain_id IS NOT NULL AND stage = 0"}  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    assert PROGRAM, f"{NEEDED} is set and no program {', '.join(NAMES)} is on the path"
    one = Browser(PROGRAM, tmp_path_factory.mktemp("browser"))
    yield one
    one.close()


@contextmanager
def served(out, root, predictions=()):
    """A page over an output of CholecT50's layout."""
    api = Api(Database(OutputFolder(out), "surgqa"), {"cholect50": place(root)}, predictions)
    with Server(api) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def build(root, out, benchmarks, *more):
    line = ["build", "--dataset", "cholect50", "--root", str(root), "--benchmark", benchmarks]
    assert run([*line, "--out", str(out), "--workers", "1", *more]) == 0
    return out


@pytest.fixture(scope="module")
def rendered(tmp_path_factory, demo):
    """Made-up surgery with questions of all shapes, and answers of two models."""
    folder = tmp_path_factory.mktemp("rendered")
    more = ",surgcot,examples" if {"SURGQA_LONG", WHERE} & {*os.environ} else ""
    out = build(demo / "dataset", folder / "out", f"surgstu,medstream{more}")
    rows = list(OutputFolder(out).rows(columns=["item_id", "answer", "answer_key", "rounds"]))
    files = []
    for model, wrong in (("small", 2), ("large", 4)):
        files.append(folder / f"{model}.jsonl")
        # Every second or fourth answers what the item before it asks for.
        told = [(row, rows[k - 1] if k % wrong == 0 else row) for k, row in enumerate(rows)]
        lines = [{"item_id": row["item_id"], "response": said["answer_key"] or said["answer"]}
                 for row, said in told if not row["rounds"]]  # fmt: skip
        files[-1].write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with served(out, demo / "dataset", files) as server:
        yield server


@pytest.fixture
def shoot(browser, tmp_path):
    """Writes what the page shows; gives its pixels."""

    def _shoot(address, name, ready, width=1280, scheme="light", high=900):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=high,
                     deviceScaleFactor=1, mobile=width < 500)  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.call("Emulation.setEmulatedMedia", features=features)
        browser.go("about:blank")
        browser.go(address)
        browser.until(f"Boolean({ready})")
        time.sleep(0.3)  # charts are drawn in the frame after their place is known
        data = browser.call("Page.captureScreenshot", format="webp", quality=80)["data"]
        file = Path(os.environ.get(WHERE) or tmp_path) / f"{name}.webp"
        file.write_bytes(base64.b64decode(data))
        return cv2.imread(str(file))

    return _shoot


def first_of(server, where):
    """The first item of a sort, by id."""
    db = server.api.db
    rows = db.rows(f"SELECT min(item_id) AS item_id FROM items WHERE {where}")
    return rows[0]["item_id"]


def is_a_page(pixels, width):
    """As wide as asked, and neither blank nor noise."""
    shades = len(np.unique(pixels.reshape(-1, 3) // 32, axis=0))
    return pixels.shape[1] == width and shades > 8


@pytest.mark.parametrize(("sort", "width", "scheme"), [
    *(pytest.param(*one, marks=pytest.mark.nightly) for one in (
        ("clip", 1280, "light"), ("chain", 1280, "light"), ("stream", 390, "light"),
        ("chain", 390, "dark"))),
    ("stream", 1280, "dark"),
])  # fmt: skip
def test_items(rendered, shoot, sort, width, scheme):
    address = f"{rendered.address}#id={first_of(rendered, SORTS[sort])}"
    high = 1500 if width > 500 else 2600
    pixels = shoot(address, f"{sort}-{width}-{scheme}", ITEM, width, scheme, high)
    assert is_a_page(pixels, width)


@pytest.mark.nightly  # by day the charts are drawn in transforms/view/test_page
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_scores_and_what_the_dataset_is_made_of(rendered, shoot, width, scheme):
    address = f"{rendered.address}#view=overview"
    assert is_a_page(shoot(address, f"scores-{width}", CHARTS, width, scheme, 4200), width)


def test_readme(rendered, shoot):
    """The picture that the README shows; by day it is the one of a clip."""
    first = first_of(rendered, SORTS["clip"])
    assert is_a_page(shoot(f"{rendered.address}#id={first}", "view", ITEM, high=1180), 1280)


@pytest.mark.nightly
def test_a_real_clip(real_dataset, tmp_path, shoot):
    root = real_dataset("cholect50-challenge-val")
    out = build(root, tmp_path / "out", "medstream", "--", "--direct_num_workers=1")
    with served(out, root) as server:
        first = first_of(server, "video_id = 'VID68'")
        assert is_a_page(shoot(f"{server.address}#id={first}", "real", ITEM, high=1500), 1280)
