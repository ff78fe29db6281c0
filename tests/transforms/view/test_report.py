"""The page as one file, which a build leaves: what it shows, that nothing runs, the same bytes."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from surgqa.ontology.errors import OutOfMemory
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import Api, Database
from surgqa.transforms.view import report as written
from surgqa.transforms.view.overview import answers, coverage, scores
from surgqa.transforms.view.report import at_hand, write_report
from tests.transforms.view.axe import violations
from tests.transforms.view.made import HOSTILE, ident, write


def report(folder, roots=None):
    write_report(OutputFolder(folder), folder / "report.html", roots or {})
    return (folder / "report.html").read_bytes()


@pytest.fixture(scope="module")
def page(output, root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "out"
    shutil.copytree(output, folder)
    report(folder, {"films": root})
    return folder / "report.html"


def test_the_same_dataset_gives_the_same_file_wherever_it_lies(page, output, root, tmp_path):
    shutil.copytree(output, tmp_path / "elsewhere")
    assert report(tmp_path / "elsewhere", {"films": root}) == page.read_bytes()


def test_a_dataset_that_needs_more_memory_has_the_same_report(
    page, output, root, monkeypatch, tmp_path
):
    tried = []

    class Scarce(Database):
        def rows(self, sql, values=()):
            if tried == [written.LITTLE]:
                raise OutOfMemory("the dataset needs more memory than the viewer may use")
            return super().rows(sql, values)

    def scarce(folder, name, memory, threads):
        tried.append(memory)
        return Scarce(folder, name, memory, threads=threads)

    monkeypatch.setattr(written, "Database", scarce)
    shutil.copytree(output, tmp_path / "elsewhere")
    assert report(tmp_path / "elsewhere", {"films": root}) == page.read_bytes()
    assert tried == [written.LITTLE, written.AT_ONCE]


def test_nothing_is_loaded_from_elsewhere(page):
    text = page.read_text(encoding="utf-8")
    assert "<script src" not in text and "<link" not in text and HOSTILE[:10] not in text
    assert "Copyright 2020-2025 Observable" in text and "ISC" not in text[:200]


def test_a_dataset_without_items_says_why(tmp_path):
    write(tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "data")
    assert b'"items":[]' in report(tmp_path / "out")
    told = overview_of(tmp_path / "out")
    assert told["rejects"][0]["code"] == "gate" and told["counts"]["videos"] == 0


def test_the_manifests_account_is_told(tmp_path):
    folder = write(tmp_path / "out")
    told = {
        "digest": "d",
        "review": {"decisions": 3},
        "settings": {"seed": HOSTILE},
        "books": [
            {"stage": "ask", "unit": "units", "read": 8, "kept": 8, "rejected": 0, "failed": 0}
        ],
        "inputs": [{"dataset": "films", "video_id": "A", "rows": 8, "sources": []}] * 400,
    }
    (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    made = overview_of(folder)["made"]
    assert made["review"]["decisions"] == 3 and made["books"] == told["books"]
    assert len(made["inputs"]) + made["more_inputs"] == 400 and made["settings"]["seed"] == HOSTILE
    assert b'"decisions":3' in report(folder) and HOSTILE[:10].encode() not in report(folder)


def overview_of(folder):
    return Api(Database(OutputFolder(folder))).overview({})


def test_rows_of_json_lines_are_read_as_those_of_parquet(output, tmp_path):
    shutil.copytree(output, tmp_path / "out")
    (shard,) = (tmp_path / "out" / "data" / "bench").iterdir()
    lines = map(json.dumps, pq.read_table(shard).to_pylist())
    shard.with_suffix(".jsonl").write_text("\n".join(lines), encoding="utf-8")
    shard.unlink()
    one, two = (Api(Database(OutputFolder(path), "x")) for path in (output, tmp_path / "out"))
    assert one.overview({}) == two.overview({})
    for number in (1, 2, 6):
        assert one.item({"id": [ident(number)]}) == two.item({"id": [ident(number)]})


def test_a_remote_dataset_is_copied_to_be_looked_at(output, monkeypatch):
    class Far:
        """A folder that is no path of this machine."""

        def __init__(self, path):
            self.path = path

        def __truediv__(self, name):
            return Far(self.path / name)

        def __getattr__(self, name):
            return getattr(self.path, name)

        def __lt__(self, other):
            return self.path < other.path

        def iterdir(self):
            return [Far(one) for one in self.path.iterdir()]

    here = OutputFolder(output)
    here.path = Far(here.path)
    with at_hand(here) as copied:
        assert Database(copied).count("SELECT count(*) FROM items") == 8
        kept = copied.path
    assert not kept.exists()


def test_answers_stand_beside_chance(db):
    found = {one["template"]: one for one in answers(db)}
    assert found["bench.what"]["items"] == 1 and found["bench.what"]["chance"] == 0.5
    assert found["bench.what"]["letters"] == {"B": 1} and found["bench.what"]["top"] == []


def test_each_part_of_a_recording_knows_how_many_items_see_it(db):
    (video,) = coverage(db)
    assert video["items"] == 7  # the eighth is of a recording that the evidence does not know
    assert video["bins"] == [0] * 10 + [7] * 10 + [0] * 40


def test_models_have_scores_by_task(api):
    told = {(one["model"], one["task"]): one for one in scores(api.db)}
    right, wrong = told["good", "present/what"], told["bad", "present/what"]
    assert (right["score"], wrong["score"], right["chance"], right["low"]) == (1, 0, 0.5, None)


def test_it_opens_with_the_overview_and_leads_to_items(page, browser):
    browser.open(page)
    browser.until("document.querySelectorAll('.plot').length >= 3")
    assert violations(browser) == []
    browser.press("i")
    browser.until("document.querySelectorAll('#list li').length === 8")
    browser.until("Boolean(document.querySelector('.film img').naturalWidth)")
    browser.eval(f"location.hash = '#id={ident(6)}'")
    browser.until(f"document.querySelector('main h2').textContent === {json.dumps(HOSTILE)}")
    browser.eval("location.hash = '#view=rejects&of=bench.never'")
    browser.until("document.querySelector('main').textContent.includes('Refused: bench.never')")
    assert browser.eval("window.ran === undefined")
    asked = [one["params"]["request"]["url"] for one in browser.events
             if one["method"] == "Network.requestWillBeSent"]  # fmt: skip
    assert all(url.startswith(("data:image/jpeg", page.as_uri())) for url in asked)
