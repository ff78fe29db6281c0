"""Croissant and card held against the folder: each thing that they say of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.transforms.checks.proof.manifest import documents_compared
from surgqa.transforms.store.folder import OutputFolder

DATA, EVENTS = "data/made/train-0.parquet", "evidence/events.parquet"
DIGEST = "a" * 64
MANIFEST = {"version": "0.1.0", "digest": DIGEST,
            "files": {DATA: "1" * 64, EVENTS: "2" * 64, "templates/x.yaml": "3" * 64}}  # fmt: skip
CARD = f"# Items\n\nMade by rule with surgqa 0.1.0 from annotations.\nDigest: `{DIGEST}`.\n"


def said() -> dict[str, Any]:
    """Of two tables with the columns ``a`` and ``b``, and a set of files."""
    files = [{"@id": path, "name": path, "contentUrl": path, "sha256": MANIFEST["files"][path]}
             for path in (DATA, EVENTS)]  # fmt: skip
    sets = [{"@id": name, "field": [{"@id": f"{name}/{c}", "name": c,
                                     "source": {"extract": {"column": c}}} for c in "ba"]}
            for name in ("made", "evidence/events", "made/splits")]  # fmt: skip
    return {"distribution": [*files, {"@id": "made/files", "name": "f"}], "recordSet": sets}


def differ(root: Path, croissant: object, card: str = CARD) -> list[str]:
    for path in (DATA, EVENTS):
        (root / path).parent.mkdir(parents=True)
        pq.write_table(pa.table({"a": [1], "b": [2]}), root / path)
    (root / "manifest.json").write_text(json.dumps(MANIFEST))
    if croissant is not None:
        (root / "croissant.json").write_text(json.dumps(croissant))
    if card:
        (root / "README.md").write_text(card)
    compared = documents_compared(OutputFolder(str(root)))
    return [what for what, there, found in compared if there != found]


def test_what_fits(tmp_path: Path):
    assert differ(tmp_path, said()) == []


def test_what_lacks_is_told_elsewhere(tmp_path: Path):
    assert differ(tmp_path, None, "") == []


FILE, SET, WHOLE = "croissant.json " + DATA, "croissant.json made", "croissant.json"
CHANGES: dict[str, tuple[Callable[[Any], object], list[str]]] = {
    "a digest": (lambda c: c["distribution"][0].update(sha256="0"), [f"{WHOLE} files"]),
    "a name": (lambda c: c["distribution"][0].update(name="x"), [FILE]),
    "an address": (lambda c: c["distribution"][0].update(contentUrl="x"), [FILE]),
    "a file less": (lambda c: c["distribution"].pop(0), [f"{WHOLE} files"]),
    "another id": (lambda c: c["distribution"][0].update({"@id": "x.parquet"}),
                   [f"{WHOLE} files"]),
    "the name of a set": (lambda c: c["distribution"][2].update(name="x"), []),
    "a column less": (lambda c: c["recordSet"][0]["field"].pop(), [SET]),
    "a column's name": (lambda c: c["recordSet"][0]["field"][0].update(name="c"), [SET]),
    "a column's id": (lambda c: c["recordSet"][1]["field"][0].update({"@id": "c"}),
                      [f"{WHOLE} evidence/events"]),
    "a column of splits": (lambda c: c["recordSet"][2]["field"].pop(), []),
    "no files": (lambda c: c.pop("distribution"), [WHOLE]),
    "fields of another form": (lambda c: c["recordSet"][0].update(field=[1]), [WHOLE]),
    "no fields": (lambda c: c["recordSet"][0].update(field=None), [WHOLE]),
    "a set that is a word": (lambda c: c["recordSet"].append("x"), [WHOLE]),
    "a column without a name": (lambda c: c["recordSet"][0]["field"][0].pop("name"), [SET]),
    "an id that is a number": (lambda c: c["distribution"][2].update({"@id": 3}), []),
    "files of another form": (lambda c: c.update(distribution=[1]), [WHOLE]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_does_not(tmp_path: Path, name: str):
    croissant, (change, wrong) = said(), CHANGES[name]
    change(croissant)
    assert differ(tmp_path, croissant) == wrong


def test_what_is_no_json(tmp_path: Path):
    (tmp_path / "croissant.json").write_text("{")
    assert differ(tmp_path, None) == [WHOLE]


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ("0.1.0", "0.1.1", True),
        (DIGEST, "b" * 64, True),
        (f"`{DIGEST}`", DIGEST, True),
        ("with surgqa", "by surgqa", True),
        ("annotations", "labels", False),
    ],
)
def test_a_card(tmp_path: Path, before: str, after: str, wrong: bool):
    assert differ(tmp_path, said(), CARD.replace(before, after)) == ["README.md"] * wrong
