"""The manifest against the files beside it: each entry changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.transforms.checks.proof.manifest import SCHEMA, manifest_problems
from surgqa.transforms.checks.splits import Splits
from surgqa.transforms.store.folder import OutputFolder
from tests.transforms.checks.proof.made import CHAIN, CLIP

CONFIG = "schema: run/v1\nseed: '4'\ndatasets:\n- name: d\n  rate:\nlimit: 1\n"
SETTINGS = {"schema": "run/v1", "seed": "4", "datasets": [{"name": "d", "rate": None}], "limit": 1}
PROGRAMS = {CLIP.id: CLIP, CHAIN.id: CHAIN}
VIDEOS = {("d", "v"): {"split_group": "g", "media_kind": "video"},
          ("d", "w"): {"split_group": "h", "media_kind": "absent"}}  # fmt: skip
REJECTED = {
    "read": [("read", "bad_box", "", 2, "repaired"), ("read", "bad_box", "", 1, "repaired"),
             ("read", "bad_box", "", 1, "rejected")],
    "cut": [("cut", "too_short", "", 6, "rejected")],
    "ask": [("ask", "no_filling", "tool", 2, "rejected"),
            ("ask", "no_filling", "tool", 1, "rejected"), ("ask", "gate", "", 1, "rejected")],
    "choose": [("choose", "over_mix", CHAIN.id, 1, "rejected")],
}  # fmt: skip


def told_of(one: Any) -> dict[str, Any]:
    return {"digest": one.digest, "task": one.task, "title": one.title, "version": one.version}


def right() -> dict[str, Any]:
    """Of two items and two chains, one of which was left out again."""
    version = pa.__version__
    return {
        "schema": SCHEMA, "version": "0.1.0", "digest": "0", "settings": deepcopy(SETTINGS),
        "templates": {name: told_of(one) for name, one in PROGRAMS.items()},
        "packages": {"pyarrow": version, "numpy": "2"},
        "inputs": [
            {"dataset": "d", "video_id": "v", "split_group": "g", "media": "video", "windows": 2,
             "split": "train"},
            {"dataset": "d", "video_id": "w", "split_group": "h", "media": "absent", "windows": 0,
             "split": "val"},
        ],
        "rejected": {"read/bad_box/repaired": 3, "read/bad_box/rejected": 1,
                     "cut/too_short/rejected": 6},
        "dropped": {CHAIN.id: 1},
        "ledger": {
            CLIP.id: {"asked": 2, "declined": {"no_filling: tool": 3, "gate: ": 1}, "units": 6},
            CHAIN.id: {"asked": 2, "declined": {}, "units": 2},
        },
        "shares": [],
    }  # fmt: skip


class Rows:
    """Two items, and a chain of two."""

    def __init__(self, there: bool = True) -> None:
        self.there = there

    def close(self) -> bool:
        return self.there

    def view(self, con: duckdb.DuckDBPyConnection) -> None:
        con.execute(
            "create table programmed as from (values "
            f"('d', '{CLIP.id}', 'i', null, '{{}}', '{{}}'), "
            f"('d', '{CLIP.id}', 'j', null, '{{}}', '{{}}'), "
            f"('d', '{CHAIN.id}', 'k', 'c', '{{}}', '{{}}'), "
            f"('d', '{CHAIN.id}', 'l', 'c', '{{}}', '{{}}')) "
            "t(dataset, template_id, item_id, chain_id, slots, answer_value)"
        )


def found(root: Path, manifest: dict[str, Any], config: bytes | None = CONFIG.encode(),
          rows: Any = None) -> list[str]:  # fmt: skip
    """What is told otherwise, without the values."""
    out = root / "out"
    (out / "evidence").mkdir(parents=True)
    (out / "rejected").mkdir()
    (out / "manifest.json").write_text("{}")
    if config is not None:
        (out / "config.yaml").write_bytes(config)
    kinds = [("v", "clip"), ("v", "phase"), ("v", "clip"), ("w", "phase")]
    spans = [{"dataset": "d", "video_id": video, "kind": kind} for video, kind in kinds]
    pq.write_table(pa.Table.from_pylist(spans), out / "evidence/segments.parquet")
    pq.write_table(pa.table({"a": [1]}), out / "evidence/videos.parquet")
    for stage, lines in REJECTED.items():
        names = ("stage", "code", "where", "count", "outcome")
        key = f"{CLIP.id} of a window"
        rest = {"key": key, "dataset": "d", "video_id": None, "reason": ""}
        told = [rest | dict(zip(names, one, strict=True)) for one in lines]
        text = "\n".join(map(json.dumps, told))
        (out / "rejected" / f"{stage}.jsonl").write_text(text)
    splits = Splits()
    item = {"dataset": "d", "video_id": "v", "split_group": "g", "split": "train", "item_id": "i"}
    splits.add(item)
    scratch = root / "scratch"
    scratch.mkdir()
    folder = OutputFolder(str(out))
    folder.manifest = manifest  # of whatever shape
    problems = manifest_problems(folder, PROGRAMS, VIDEOS, splits, rows or Rows(), scratch)
    return [one.split(": ")[0] for one in problems]


def test_what_fits(tmp_path: Path):
    assert found(tmp_path, right()) == []


def of(*path: Any, value: Any) -> Callable[[Any], None]:
    def change(manifest: Any) -> None:
        for name in path[:-1]:
            manifest = manifest[name]
        manifest[path[-1]] = value

    return change


LEDGER = "ledger." + CLIP.id
CHANGES: dict[str, tuple[Callable[[Any], object], list[str]]] = {
    "schema": (of("schema", value="x"), ["schema"]),
    "a setting": (of("settings", "seed", value="5"), ["settings.seed"]),
    "a setting of a dataset": (of("settings", "datasets", 0, "rate", value=1),
                               ["settings.datasets"]),
    "a setting more": (of("settings", "mix", value="all"), ["settings.mix"]),
    "a setting less": (lambda m: m["settings"].pop("limit"), ["settings.limit"]),
    "a review": (of("settings", "review", value="0" * 64), []),
    "a template's digest": (of("templates", CLIP.id, "digest", value="0"),
                            [f"templates.{CLIP.id}"]),
    "a template's title": (of("templates", CHAIN.id, "title", value="x"),
                           [f"templates.{CHAIN.id}"]),
    "a template that is not kept": (of("templates", "made.x", value={}), ["templates.made.x"]),
    "the writer of Parquet": (of("packages", "pyarrow", value="1.0"), ["packages.pyarrow"]),
    "another package": (of("packages", "numpy", value="1.0"), []),
    "a split group": (of("inputs", 0, "split_group", value="h"), ["inputs d/v split_group"]),
    "media": (of("inputs", 1, "media", value="video"), ["inputs d/w media"]),
    "windows": (of("inputs", 0, "windows", value=3), ["inputs d/v windows"]),
    "windows of none": (of("inputs", 1, "windows", value=1), ["inputs d/w windows"]),
    "a split": (of("inputs", 0, "split", value="val"), ["inputs d/v split"]),
    "a split without items": (of("inputs", 1, "split", value="test"), []),
    "a recording that is not there": (of("inputs", 1, "video_id", value="x"), []),
    "rejects": (of("rejected", "read/bad_box/repaired", value=2), ["rejected"]),
    "rejects of another outcome": (of("rejected", "read/bad_box/kept", value=1), ["rejected"]),
    "what was dropped": (of("dropped", CHAIN.id, value=2), ["dropped"]),
    "what nothing was dropped of": (of("dropped", CLIP.id, value=1), ["dropped"]),
    "asked": (of("ledger", CLIP.id, "asked", value=3), [LEDGER]),
    "units": (of("ledger", CLIP.id, "units", value=7), [LEDGER]),
    "declined": (of("ledger", CLIP.id, "declined", "gate: ", value=2), [LEDGER]),
    "declined for another reason": (of("ledger", CLIP.id, "declined", "x: ", value=1), [LEDGER]),
    "asked of what was dropped": (of("ledger", CHAIN.id, value={"asked": 3, "declined": {},
                                                                 "units": 3}), []),
    "units of what was dropped": (of("ledger", CHAIN.id, "units", value=3),
                                  [f"ledger.{CHAIN.id}"]),
    "a ledger less": (lambda m: m["ledger"].pop(CLIP.id), [LEDGER]),
    "a ledger more": (of("ledger", "made.x", value={"asked": 1, "declined": {}, "units": 1}),
                      ["ledger.made.x"]),
    "a share": (of("shares", value=[{"dataset": "d", "template": "made.x", "kept": [1],
                                     "made": [1]}]), ["made.x on d"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_does_not(tmp_path: Path, name: str):
    manifest, (change, wrong) = right(), CHANGES[name]
    change(manifest)
    assert found(tmp_path, manifest) == wrong


@pytest.mark.parametrize(
    ("config", "wrong"),
    [
        (None, []),
        (b"- a list\n", ["settings"]),
        (b"a: [\n", ["settings"]),
        (b"\xff\xfe", ["settings"]),
        (CONFIG.encode() + b"templates: true\nreview: true\nmax_failed: 3\nallow_empty: true\n",
         []),
        (CONFIG.encode() + b"mix: all\n", ["settings.mix"]),
    ],
)  # fmt: skip
def test_a_run_file(tmp_path: Path, config: bytes | None, wrong: list[str]):
    assert found(tmp_path, right(), config) == wrong


def test_an_output_without_rows(tmp_path: Path):
    manifest = right()
    manifest["ledger"][CLIP.id] |= {"asked": 0, "units": 4}
    assert found(tmp_path, manifest, rows=Rows(False)) == []
    (tmp_path / "more").mkdir()
    assert found(tmp_path / "more", right(), rows=Rows(False)) == [LEDGER]
