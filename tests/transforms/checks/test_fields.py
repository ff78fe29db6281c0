"""Fields of a label's row that do not fit one another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pycocotools import mask as coco

from surgqa.transforms.checks.fields import field_problems, is_attributes, is_mask, run_lengths
from tests.each import cases
from tests.transforms.checks.world import evidence_of

BOX = {"x1": 0.1, "y1": 0.1, "x2": 0.2, "y2": 0.2}
SEEN = {"label": "hook", "track_id": "7", "score": 1.0, "box_origin": "manual", **BOX}
BARE = {**SEEN, **dict.fromkeys(BOX), "box_origin": "none"}
NOTHING: dict[str, Any] = {}


def found(root: Path, **rows: list[dict[str, Any]]) -> list[str]:
    """What is wrong with some rows of evidence."""
    named = {name: [{f"{name[:-1]}_id": "id"} | row for row in mine] for name, mine in rows.items()}
    return [code for code, _ in field_problems(evidence_of(root, **named), root)]


ROWS: list[tuple[dict[str, Any], bool]] = [
    (SEEN, True),
    (BARE, True),
    (NOTHING, True),
    *(({**NOTHING, name: value}, False) for name, value in SEEN.items() if name != "label"),
    ({"mask": "1x1:1"}, False),
    ({"attributes": '{"a":1}'}, False),
    *(({**SEEN, name: None}, False) for name in SEEN if name not in ("label",)),
    ({**SEEN, "box_origin": "none"}, False),
    ({**BARE, "box_origin": "manual"}, False),
    ({**SEEN, "box_origin": "guessed"}, False),
    ({**SEEN, "box_origin": "interpolated"}, True),
    ({**SEEN, "score": 0.99}, False),
    ({**BARE, "score": 0.99}, False),
    ({**SEEN, "score": 0.99, "box_origin": "interpolated"}, True),
    *(({**SEEN, "score": score, "box_origin": "detector"}, fine)
      for score, fine in ((0.0, True), (0.5, True), (1.0, True), (-0.01, False), (1.01, False))),
]  # fmt: skip


@pytest.mark.parametrize("table", ["events", "regions"])
def test_rows(tmp_path: Path, table: str):
    """In a region the track is the source's number, or there is none."""
    more = [({**SEEN, "track_id": track}, fine) for track, fine in
            (("12", True), ("forged", False), ("1x", False)) if table == "regions"]  # fmt: skip
    named = [(f"row {k}", row, fine or (table == "regions" and row.get("track_id", "") is None))
             for k, (row, fine) in enumerate((*ROWS, *more))]  # fmt: skip
    rows = [{**row, f"{table[:-1]}_id": name} for name, row, _ in named]
    out = evidence_of(tmp_path, **{table: rows})
    told = {(code, detail.split(" of ")[0]) for code, detail in field_problems(out, tmp_path)}
    assert told == {("evidence_malformed", f"{table} {name}") for name, _, fine in named
                    if not fine}  # fmt: skip


@pytest.mark.parametrize(
    ("by", "rows", "fine"),
    [
        ("source", [SEEN, BARE], True),
        ("nearest_centroid", [SEEN], True),
        ("nearest_centroid", [SEEN, BARE], False),
        ("nearest_centroid", [BARE], False),
        ("class", [BARE], True),
        ("class", [SEEN, BARE], False),
        ("class", [SEEN], False),
        ("forged", [SEEN], False),
        (None, [SEEN], False),
    ],
)
def test_how_a_track_was_linked(tmp_path: Path, by: str | None, rows: Any, fine: bool):
    tracks = [{"track_id": "7", "linked_by": by}, {"track_id": "8", "linked_by": by}]
    wrong = found(tmp_path, events=[*rows, NOTHING], tracks=tracks)
    assert wrong == ["track_differs"] * (not fine)


@cases("seed", range(20))
def test_masks_of_any_picture(seed: int):
    rng = np.random.default_rng(seed)
    pixels = (rng.random(rng.integers(1, 40, 2)) < rng.choice([0.01, 0.2, 0.9])).astype(np.uint8)
    counts = coco.encode(np.asfortranarray(pixels))["counts"].decode()
    height, width = pixels.shape
    runs = run_lengths(counts)
    assert runs is not None and sum(runs[1::2]) == pixels.sum()
    assert is_mask(f"{height}x{width}:{counts}")
    assert not is_mask(f"{height}x{width + 1}:{counts}")
    assert not is_mask(f"{height}x{width}:{counts[:-1]}")
    last = "0" if counts[-1] != "0" else "1"
    assert not is_mask(f"{height}x{width}:{counts[:-1]}{last}")


def written(runs: list[int]) -> str:
    """Run lengths as the COCO API writes them."""
    out = ""
    for k, run in enumerate(runs):
        value, more = run - (runs[k - 2] if k > 2 else 0), True
        while more:
            bits, value = value & 31, value >> 5
            more = value != (-1 if bits & 16 else 0)
            out += chr(48 + bits + 32 * more)
    return out


def test_no_run_is_below_nothing():
    assert run_lengths(written([4, 5, 0, 3])) == [4, 5, 0, 3]
    assert is_mask("3x4:" + written([4, 5, 0, 3]))
    assert is_mask("3x4:" + written([0, 12]))
    assert run_lengths(written([4, 6, -1, 3])) == [4, 6, -1, 3]
    assert not is_mask("3x4:" + written([4, 6, -1, 3]))


@cases(
    "text",
    [
        "",
        "forged",
        "3x3:",
        "3x3",
        "x3:0",
        "3x3:9x",
        "-3x3:9",
        "2x2:4o",
        f"{'9' * 5000}x1:0",
        "2x2:" + "o" * 100_000,
        "2x2:o4",
    ],
)
def test_what_is_no_mask(text: str):
    assert not is_mask(text)


@cases(
    ("text", "fine"),
    [('{"a":1}', True), ('{"a":1,"b":"c"}', True), ('{"b":1,"a":2}', False), ('{"a": 1}', False),
     ("{}", False), ("[1]", False), ("forged", False), ("", False)],
)  # fmt: skip
def test_attributes(text: str, fine: bool):
    assert is_attributes(text) is fine


def test_texts_of_rows_are_read(tmp_path: Path):
    for k, row in enumerate(({"mask": "forged"}, {"attributes": "forged"})):
        for table in ("events", "regions"):
            wrong = found(tmp_path / f"{table}{k}", **{table: [{**SEEN, **row}, SEEN]})
            assert wrong == ["evidence_malformed"]
    right = {"mask": "2x2:4", "attributes": '{"a":1}'}
    assert found(tmp_path / "right", events=[{**SEEN, **right}]) == []
