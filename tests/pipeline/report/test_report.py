"""The report: right numbers, nothing loaded from elsewhere, nothing unescaped, same bytes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cv2
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ontology.rows import EVENTS, ITEM
from pipeline.report.figures import balances, rejects, sample_ids, tally, template_yields
from pipeline.report.report import write_report
from transforms.store.folder import OutputFolder

S = 1_000_000
EVIL = "<script>alert('x')</script> & \"quoted\""


def row(number: int, template: str, answer: str, key: str | None = None, form="choice", **more):
    options = []
    if key:
        texts = dict(zip("ABCD", ("1", "2", "3", "4"), strict=True))
        options = [
            {"key": k, "text": t, "is_answer": k == key, "kind": "number"} for k, t in texts.items()
        ]
    empty = dict.fromkeys(ITEM.names)
    return (
        empty
        | {
            "item_id": f"{number:032x}",
            "benchmark": template.partition(".")[0],
            "task": "counting/specific",
            "form": form,
            "template_id": template,
            "template_version": 1,
            "dataset": "cholect50",
            "video_id": f"VID{number % 2:02d}",
            "window_id": f"w{number % 3}",
            "start_us": 0,
            "end_us": 20 * S,
            "resolution_us": S,
            "media": {
                "path": "videos/VID01",
                "kind": "frames",
                "fps_num": 1,
                "fps_den": 1,
                "width": 64,
                "height": 48,
            },
            "question": f"How many? {EVIL}",
            "answer": answer,
            "options": options,
            "answer_key": key,
            "answer_value": "{}",
            "slots": orjson.dumps({"moment": {"time_us": 3 * S}}).decode(),
            "evidence": [{"kind": "tracks", "id": EVIL, "start_us": 0, "end_us": S}],
            "reasoning": [],
            "rounds": [],
            "checks": [],
        }
        | more
    )


ROWS = [
    *(row(k, "surgstu.count", "B) 2", "B") for k in range(6)),
    *(row(k, "surgstu.count", "A) 1", "A") for k in range(6, 9)),
    *(row(k, "surgstu.locate", f"[{k}, 1, 2, 3]", form="box") for k in range(9, 12)),
    row(12, "sapbench.next", EVIL, form="text"),
]
MANIFEST = {
    "digest": "d1ge57",
    "templates": {"surgstu.count": {"version": 3, "digest": "x"}},
    "ledger": {
        "surgstu.count": {"windows": 12, "asked": 12, "declined": {EVIL: 2, "gate": 1}},
        "surgstu.never": {"windows": 12, "asked": 12, "declined": {"no_evidence": 12}},
    },
    "books": [
        {"stage": "read", "unit": "rows", "read": 1234, "kept": 1230, "rejected": 4, "failed": 0},
        {"stage": "cut", "unit": "microseconds", "read": 9, "kept": 4, "rejected": 5},
    ],
    "settings": {"seed": 42, "name": EVIL},
    "inputs": [
        {"dataset": "cholect50", "video_id": "VID01", "sources": [{"path": EVIL, "sha256": "5ha"}]}
    ],
}
REJECTED = [
    {
        "stage": "read",
        "key": "cholect50/VID01",
        "code": "bad_box",
        "reason": EVIL,
        "where": "f:1",
        "count": 3,
        "outcome": "rejected",
    },
    {
        "stage": "read",
        "key": "cholect50/VID02",
        "code": "bad_box",
        "reason": "zzz",
        "where": "f:2",
        "count": 1,
        "outcome": "rejected",
    },
    {
        "stage": "read",
        "key": "cholect50/VID02",
        "code": "bad_box",
        "reason": "clipped",
        "where": "f:3",
        "count": 1,
        "outcome": "repaired",
    },
]


def build(path, rows=ROWS, manifest=MANIFEST, rejected=REJECTED) -> OutputFolder:
    for name in sorted({r["benchmark"] for r in rows}):
        (path / "data" / name).mkdir(parents=True)
        mine = sorted((r for r in rows if r["benchmark"] == name), key=lambda r: r["item_id"])
        pq.write_table(
            pa.Table.from_pylist(mine, ITEM), path / "data" / name / "train-00000-of-00001.parquet"
        )
    (path / "evidence").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist([], EVENTS), path / "evidence" / "events.parquet")
    (path / "rejected").mkdir()
    (path / "rejected" / "read.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rejected)))
    (path / "manifest.json").write_bytes(orjson.dumps(manifest))
    return OutputFolder(path)


@pytest.fixture
def out(tmp_path) -> OutputFolder:
    return build(tmp_path / "out")


@pytest.fixture
def media(tmp_path):
    folder = tmp_path / "root" / "videos" / "VID01"
    folder.mkdir(parents=True)
    data = cv2.imencode(".png", np.full((48, 64, 3), 120, np.uint8))[1].tobytes()
    (folder / "000003.png").write_bytes(data)
    return tmp_path / "root"


class Page(HTMLParser):
    """Tags, links and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [v for k, v in attrs if k in ("href", "src", "action", "data") and v]
        if tag not in ("meta", "img", "br", "link", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        self.text += data


def test_figures_are_counted_from_rows_and_ledger(out):
    count = tally(out)
    yields = {t.template_id: t for t in template_yields(out.manifest, count)}
    assert yields["surgstu.count"].items == 9 and yields["surgstu.count"].windows == 12
    assert yields["surgstu.count"].share == 0.75 and yields["surgstu.count"].version == "3"
    assert yields["surgstu.count"].reasons == ((EVIL, 2), ("gate", 1))
    assert (yields["surgstu.never"].items, yields["surgstu.never"].declined) == (0, 12)
    assert yields["surgstu.locate"].windows is None and yields["surgstu.locate"].share is None
    balance = {b.template_id: b for b in balances(count)}
    assert balance["surgstu.count"].answers == (("2", 6), ("1", 3)), "without the letter"
    assert balance["surgstu.count"].letters == (("A", 3), ("B", 6))
    assert "surgstu.locate" not in balance, "boxes never repeat"


def test_rejects_are_summed_in_units_and_outcomes_kept_apart(out):
    found = rejects(out)
    assert [(r.code, r.outcome, r.entries, r.units) for r in found] == [
        ("bad_box", "rejected", 2, 4),
        ("bad_box", "repaired", 1, 1),
    ]


def test_samples_come_from_different_templates_and_all_benchmarks(out):
    count = tally(out)
    ids = sample_ids(count, 6)
    templates = {r["item_id"]: r["template_id"] for r in ROWS}
    assert sorted(templates[k] for k in ids) == ["sapbench.next", "surgstu.count", "surgstu.locate"]
    assert len(sample_ids(count, 2)) == 2
    assert {templates[k].partition(".")[0] for k in sample_ids(count, 2)} == {"sapbench", "surgstu"}


def test_the_page_is_well_formed_and_loads_nothing(out, media):
    text = write_report(out, root=media).read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert "script" not in page.tags and "link" not in page.tags and "iframe" not in page.tags
    assert all(link.startswith(("#", "data:image/")) for link in page.links)
    assert "url(" not in text and "@import" not in text and not re.search(r"https?://", text)
    anchors = {link[1:] for link in page.links if link.startswith("#")}
    assert anchors and all(f'id="{name}"' in text for name in anchors)


def test_text_from_the_data_is_escaped_everywhere(out):
    text = write_report(out).read_text(encoding="utf-8")
    assert "<script>" not in text
    shown = Page(text).text
    for place in ("How many? ", "tracks ", ""):
        assert place + EVIL in shown
    assert shown.count(EVIL) >= 5


def test_numbers_digest_and_settings_are_shown(out):
    shown = " ".join(Page(write_report(out).read_text(encoding="utf-8")).text.split())
    assert "13questions" in shown.replace(" ", "") and "d1ge57" in shown
    assert "1,234" in shown and '"seed": 42' in shown and "5ha" in shown
    assert "75 %" in shown and "2 67 %" in shown and "1 33 %" in shown


def test_pictures_are_inlined_where_there_are_any(out, media):
    with_pictures = Page(write_report(out, root=media).read_text(encoding="utf-8"))
    pictures = [link for link in with_pictures.links if link.startswith("data:image/jpeg")]
    assert len(pictures) == 3
    by_name = Page(write_report(out, root={"cholect50": media}).read_text(encoding="utf-8"))
    assert [v for v in by_name.links if v.startswith("data:")] == pictures
    without = Page(write_report(out).read_text(encoding="utf-8"))
    assert "img" not in without.tags and "How many?" in without.text


def test_the_same_folder_gives_the_same_bytes(out, media, tmp_path):
    one = write_report(out, tmp_path / "a.html", media).read_bytes()
    two = write_report(OutputFolder(out.path), tmp_path / "b.html", media).read_bytes()
    assert one == two
    assert str(tmp_path).encode() not in one, "no path of this machine"


def test_an_empty_build_and_a_bare_manifest_still_report(tmp_path):
    folder = tmp_path / "bare"
    (folder / "data").mkdir(parents=True)
    (folder / "manifest.json").write_bytes(b"{}")
    page = Page(write_report(OutputFolder(folder)).read_text(encoding="utf-8"))
    assert "There are no items." in page.text and "Nothing was left out." in page.text
    assert "not recorded" in page.text


def test_rows_written_as_json_lines_report_the_same_items(out, tmp_path):
    lines = build(tmp_path / "lines")
    for name in lines.benchmarks():
        shard = lines.shards(name)[0]
        rows = pq.read_table(shard).to_pylist()
        shard.with_suffix(".jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
        shard.unlink()
    assert write_report(lines).read_bytes() == write_report(out).read_bytes()
