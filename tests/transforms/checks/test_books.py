"""The manifest's sums, on a folder written down by hand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.rows import ITEM, VIDEOS
from surgqa.transforms.checks.books import UNITS, check_books
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.store.folder import OutputFolder

Manifest = dict[str, Any]
SOURCES = [{"path": "a.json", "sha256": "0"}]


def line(stage: str, read: int, kept: int, rejected: int = 0, failed: int = 0) -> dict[str, Any]:
    return {"stage": stage, "unit": UNITS.get(stage, "things"), "read": read, "kept": kept,
            "rejected": rejected, "failed": failed}  # fmt: skip


def right() -> Manifest:
    """Three rows are chosen of five that were asked; seven were read, of which two rejected."""
    return {
        "files": {},
        "books": [line("plan", 4, 2, 1, 1), line("read", 4, 3, 1), line("read", 3, 2, 1),
                  line("ask", 9, 5, 4), line("choose", 5, 3, 2)],
        "rejected": {"read/bad_box/rejected": 1, "read/bad_row/rejected": 1, "read/x/repaired": 5},
        "dropped": {"over_cap": 1, "over_mix": 1},
        "inputs": [{"dataset": "d", "video_id": "v", "rows": 4, "sources": SOURCES},
                   {"dataset": "d", "video_id": "w", "rows": 1, "sources": []}],
        "excluded": ["x"],
        "failed": ["y"],
        "ledger": {"a": {"asked": 2, "declined": {"gate": 1, "no_pair": 2}},
                   "b": {"asked": 3, "declined": {"gate": 1}}},
    }  # fmt: skip


def found(root: Path, manifest: Manifest) -> list[str]:
    """What differs in a folder with this manifest."""
    for name in ("data/made", "evidence"):
        (root / name).mkdir(parents=True)
    rows = [{"item_id": f"{k:032x}"} for k in range(3)]
    pq.write_table(pa.Table.from_pylist(rows, ITEM), root / "data/made/train-0.parquet")
    videos = [{"dataset": "d", "video_id": "v", "sources": SOURCES},
              {"dataset": "d", "video_id": "w", "sources": []}]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(videos, VIDEOS), root / "evidence/videos.parquet")
    (root / "manifest.json").write_text("{}")
    folder, findings = OutputFolder(str(root)), Findings()
    folder.manifest = manifest  # all of it, of whatever shape
    check_books(folder, findings)
    return [f"{one.code} {one.detail}".split(":")[0] for one in findings.listed()]


def test_right_books(tmp_path: Path):
    assert found(tmp_path, right()) == []


def of_books(place: int, **columns: Any) -> Callable[[Manifest], None]:
    return lambda manifest: manifest["books"][place].update(columns)


def of(*path: Any, value: Any) -> Callable[[Manifest], None]:
    def change(manifest: Manifest) -> None:
        there: Any = manifest
        for name in path[:-1]:
            there = there[name]
        there[path[-1]] = value

    return change


ROWS = "books_differ rows of data/"
CHOSEN = "books_differ items that were chosen from"
DROPPED = "books_differ items that were dropped"
CHANGES = {
    "more read than are told of": (of_books(1, read=5), ["books_unbalanced read things"]),
    "less read than are told of": (of_books(1, read=3), ["books_unbalanced read things"]),
    "a row more": (of_books(4, read=6, kept=4), [CHOSEN, ROWS]),
    "a row less": (of_books(4, read=4, kept=2), [CHOSEN, ROWS]),
    "a dropped item more": (of_books(4, read=6, rejected=3), [CHOSEN, DROPPED]),
    "dropped and not told": (of("dropped", value={"over_cap": 1}),
                             [CHOSEN, DROPPED, "books_differ items of the inputs"]),
    "an input's rows": (of("inputs", 0, "rows", value=5), ["books_differ items of the inputs"]),
    "an input's files": (of("inputs", 0, "sources", value=[]), ["books_differ label files of d/v"]),
    "an input that is not there": (of("inputs", 1, "video_id", value="z"),
                                   ["books_differ inputs", "books_differ label files of d/z"]),
    "a recording more": (of_books(0, read=5, kept=3), ["books_differ videos"]),
    "one left out more": (of_books(0, read=5, rejected=2), ["books_differ videos left out"]),
    "nothing left out": (of("excluded", value=[]), ["books_differ videos left out"]),
    "one failed more": (of_books(0, read=5, failed=2), ["books_differ videos that failed"]),
    "a unit asked more": (of_books(3, read=10, kept=6), ["books_differ units that were asked"]),
    "one of its templates": (of("ledger", "b", "asked", value=4),
                             ["books_differ units that were asked"]),
    "a unit declined more": (of("ledger", "a", "declined", "gate", value=2),
                             ["books_differ units that were declined"]),
    "what a stage counts": (of_books(4, unit="rows"), ["books_differ units of stages"]),
    "what another stage counts": (of_books(2, unit="rows"), []),
    "a reject of reading": (of_books(1, read=5, rejected=2),
                            ["books_differ rejects of stage read"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_sum_that_is_wrong(name: str, tmp_path: Path):
    manifest = right()
    change, wrong = CHANGES[name]
    change(manifest)
    assert found(tmp_path, manifest) == sorted(wrong)


@pytest.mark.parametrize(
    ("rejected", "fine"),
    [
        ({"read/a/rejected": 2}, True),
        ({"read/a/rejected": 2, "cut/a/rejected": 4, "read/a/repaired": 1}, True),
        ({"read/a/rejected": 1, "cut/a/rejected": 1}, False),
        ({"read/a/rejected": 1, "read/b/repaired": 1}, False),
        ({"read/a/rejected": 3}, False),
        ({}, False),
    ],
)
def test_rejects_are_counted_by_stage_and_outcome(tmp_path: Path, rejected: Any, fine: bool):
    wrong = [] if fine else ["books_differ rejects of stage read"]
    assert found(tmp_path, {**right(), "rejected": rejected}) == wrong


def digest(value: Any, end: str = "", **layout: Any) -> str:
    text = json.dumps(value, sort_keys=True, **layout) + end
    return hashlib.sha256(text.encode()).hexdigest()


def test_settings_have_a_digest(tmp_path: Path):
    said = {"settings": {"seed": "0"}, "templates": {"a": {}}, "readers": {}}
    sealed = said | {"settings_digest": digest(list(said.values()), separators=(",", ":"))}
    for k, (name, wrong) in enumerate(
        {"": [], **dict.fromkeys(said, ["settings_digest expected"])}.items()
    ):
        changed = right() | sealed | ({name: {"seed": "1"}} if name else {})
        codes = found(tmp_path / str(k), changed)
        assert [one.split()[0] for one in codes] == [one.split()[0] for one in wrong], name


def test_documents_and_the_manifest_itself(tmp_path: Path):
    def documents(k: int, change: Callable[[Path, Manifest], None]) -> list[str]:
        root = tmp_path / str(k)
        root.mkdir()
        (root / "README.md").write_text("card")
        told = {"README.md": hashlib.sha256(b"card").hexdigest(),
                "manifest.json": digest(right(), "\n", indent=2)}  # fmt: skip
        manifest = right() | {"documents": told}
        change(root, manifest)
        return found(root, manifest)

    def other(root: Path, manifest: Manifest) -> None:
        manifest["documents"]["README.md"] = "0"

    def unlisted(root: Path, manifest: Manifest) -> None:
        (root / "licences.md").write_text("all of them")

    def in_files(root: Path, manifest: Manifest) -> None:
        unlisted(root, manifest)
        manifest["files"]["licences.md"] = hashlib.sha256(b"all of them").hexdigest()
        rest = {name: value for name, value in manifest.items() if name != "documents"}
        manifest["documents"]["manifest.json"] = digest(rest, "\n", indent=2)

    def itself(root: Path, manifest: Manifest) -> None:
        manifest["seed"] = "1"

    assert documents(0, lambda root, manifest: None) == []
    assert documents(1, other) == ["document_digest README.md"]
    assert documents(2, unlisted) == ["document_digest licences.md"]
    assert documents(3, in_files) == []
    assert documents(4, itself) == ["document_digest manifest.json"]
    assert documents(5, lambda root, manifest: (root / "README.md").unlink()) == [
        "document_digest README.md"
    ]


def test_a_manifest_without_books_has_no_sums(tmp_path: Path):
    assert found(tmp_path, {"files": {}}) == []
