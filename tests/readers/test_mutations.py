"""Damaged label files: an error that names file and place, or rejected rows that add up.

Real files and the sample are damaged in hundreds of fixed ways.  Whatever happens, a
second count with plain loops must agree with the reader's books, and everything that
the reader kept must be what the damaged file says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Code, VideoEvidence
from surgqa.transforms.readers.cholect45 import reader as cholect45
from surgqa.transforms.readers.cholect50.reader import Reader
from surgqa.transforms.registry import load_sample
from tests.readers.made import cholect50 as sample


class Mutant(NamedTuple):
    name: str
    data: bytes


Tree = dict[str, Any]

# ---- ways to damage a parsed file

VALUES: dict[str, Any] = {
    "nan": float("nan"), "infinity": float("inf"), "text": "1", "words": "a: b", "true": True,
    "null": None, "list": [1], "object": {"a": 1}, "half": 0.5, "minus-two": -2, "minus-one": -1,
    "huge": 1e308, "huge-integer": 10**30, "giant-integer": 10**320, "hundred": 100, "zero": 0,
    "minus-zero": -0.0, "tiny": 5e-324,
}  # fmt: skip
ROWS: dict[str, Any] = {
    "empty": [], "short": [1.0] * 14, "long": [1.0] * 16, "number": 3, "null": None, "text": "row",
    "object": {}, "nested": [[0] * 15], "deeper": [[0]] * 15, "all-null": [-1] * 15,
    "zeros": [0] * 15, "texts": ["0"] * 15, "trues": [True] * 15,
}  # fmt: skip
FRAMES: dict[str, Any] = {
    "null": None, "number": 5, "text": "abc", "object": {"0": []}, "true": True, "empty": [],
    "list-of-empty": [[]], "list-of-null": [None, None], "number-list": [1, 2, 3],
}  # fmt: skip
KEYS = (
    "-1", "1.0", "abc", "", " 1", "1e3", "10000000", "9" * 25, "0x10", "\u0663", "NaN", "a:b",
)  # fmt: skip
BOXES = {
    "inverted": (0.5, 0.5, -0.2, 0.2), "flat": (0.5, 0.5, 0.2, 0.0),
    "outside": (1.5, 0.5, 0.2, 0.2),
    "pixels": (300, 200, 50, 60), "beyond": (0.9, 0.9, 0.4, 0.4),
    "negative": (-0.1, -0.1, 0.3, 0.3),
    "corner": (1.0, 1.0, 0.1, 0.1), "whole": (0, 0, 1, 1), "half-null": (-1, 0.2, -1, 0.2),
    "too-wide": (0.0, 0.0, 1.5, 0.5),
}  # fmt: skip
WRONG: dict[str, Any] = {"null": None, "list": [], "text": "x", "number": 7, "object": {}}


def copy_of(tree: Tree) -> Tree:
    return orjson.loads(orjson.dumps(tree))


def cells(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """One value of one row replaced, every column by every odd value."""
    frames = list(tree["annotations"])
    for column in range(15):
        for number, (name, value) in enumerate(VALUES.items()):
            changed = copy_of(tree)
            frame = frames[(column * 31 + number * 7) % len(frames)]
            rows = changed["annotations"][frame]
            if rows:
                rows[-1][column] = value
                yield f"value-{column}-{name}", changed


def rows_and_frames(tree: Tree) -> Iterator[tuple[str, Tree]]:
    frames = list(tree["annotations"])
    for number, (name, value) in enumerate(ROWS.items()):
        for how in ("instead", "beside"):
            changed = copy_of(tree)
            rows = changed["annotations"][frames[number]]
            if how == "instead":
                rows.clear()
            rows.append(value)
            yield f"row-{name}-{how}", changed
    for number, (name, value) in enumerate(FRAMES.items()):
        changed = copy_of(tree)
        changed["annotations"][frames[-1 - number]] = value
        yield f"frame-{name}", changed
    for number, key in enumerate(KEYS):
        changed = copy_of(tree)
        changed["annotations"][key] = list(tree["annotations"][frames[number]])
        yield f"frame-id-{number}", changed
    alias = copy_of(tree)
    alias["annotations"][f"0{frames[3]}"] = [[0] * 15]
    yield "frame-under-two-spellings", alias


def boxes_and_ids(tree: Tree) -> Iterator[tuple[str, Tree]]:
    frames = [frame for frame, rows in tree["annotations"].items() if rows]
    for number, (name, box) in enumerate(BOXES.items()):
        changed = copy_of(tree)
        changed["annotations"][frames[number]][0][3:7] = box
        yield f"box-{name}", changed
    for column, largest in ((0, 100), (1, 6), (7, 10), (8, 15), (14, 7)):
        changed = copy_of(tree)
        for frame in frames[::5]:
            changed["annotations"][frame][0][column] = largest
        yield f"unknown-id-{column}", changed
        shifted = copy_of(tree)
        for frame in frames[::3]:
            shifted["annotations"][frame][0][column] -= 1
        yield f"other-id-{column}", shifted
    doubled = copy_of(tree)
    for frame in frames[::4]:
        doubled["annotations"][frame] *= 2
    yield "rows-doubled", doubled
    torn = copy_of(tree)
    for frame in frames[::6]:
        copy = list(torn["annotations"][frame][0])
        copy[14] = (copy[14] + 1) % 7
        torn["annotations"][frame].append(copy)
    yield "phases-torn", torn


def levels(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Missing keys and wrong kinds, at every level above the rows."""
    paths = [(key,) for key in tree]
    paths += [("categories", kind) for kind in tree["categories"]]
    paths += [("categories", kind, "0") for kind in tree["categories"]]
    for path in paths:
        changed = copy_of(tree)
        parent = _parent(changed, path)
        del parent[path[-1]]
        yield "without-" + "-".join(path), changed
        for name, value in WRONG.items():
            changed = copy_of(tree)
            _parent(changed, path)[path[-1]] = value
            yield "-".join(path) + f"-{name}", changed


def _parent(tree: Tree, path: tuple[str, ...]) -> Tree:
    for key in path[:-1]:
        tree = tree[key]
    return tree


def texts(data: bytes, tree: Tree) -> Iterator[tuple[str, bytes]]:
    """Damage that only the bytes can have."""
    for part in range(60):
        yield f"cut-{part}", data[: len(data) * part // 60]
    for part in range(12):
        place = len(data) * (2 * part + 1) // 24
        yield f"byte-lost-{part}", data[:place] + data[place + 1 :]
        yield f"byte-zero-{part}", data[:place] + b"\0" + data[place + 1 :]
        yield f"byte-high-{part}", data[:place] + b"\xff" + data[place + 1 :]
        yield f"byte-digit-{part}", data[:place] + b"7" + data[place + 1 :]
    text = data.decode()
    yield "utf-16", text.encode("utf-16")
    yield "utf-32", text.encode("utf-32")
    yield "latin-1", text.replace("University", "Universit\xe4t", 1).encode("latin-1") + b"\xe4"
    yield "byte-order-mark", b"\xef\xbb\xbf" + data
    yield "two-byte-order-marks", b"\xef\xbb\xbf" * 2 + data
    yield "windows", json.dumps(tree, indent=1).replace("\n", "\r\n").encode()
    yield "indented", json.dumps(tree, indent=4).encode()
    yield "compact", json.dumps(tree, separators=(",", ":")).encode()
    yield "spaces-around-colons", json.dumps(tree, separators=(" , ", " : ")).encode()
    yield "twice", data + data
    yield "single-quotes", data.replace(b'"', b"'")
    yield "trailing-comma", data.rstrip()[:-1] + b",}"
    yield "comment", b"// labels\n" + data
    yield "nested-deeply", b'{"annotations": ' + b"[" * 5000
    yield "nested-objects", b'{"a":' * 3000 + b"1" + b"}" * 3000
    yield "escaped", data.replace(b'"fps"', b'"\\u0066ps"')
    frames = list(tree["annotations"])
    for number, value in enumerate(("[]", "null", "[[1]]", json.dumps([[0] * 15]))):
        for key in (f'"{frames[number]}"', f'"{frames[-1]}" '):
            extra = f'"annotations": {{{key}: {value}, '.encode()
            yield f"frame-twice-{number}-{len(key)}", data.replace(b'"annotations": {', extra)
    for key in ("annotations", "categories", "fps", "video", "info"):
        yield f"{key}-twice", b'{"' + key.encode() + b'": {}, ' + data[1:]
    yield "number-of-5000-digits", data.replace(b'"fps": 1', b'"fps": ' + b"1" * 5000)
    yield "only-braces", b"{}"
    yield "nan-alone", b"NaN"


def mutants(data: bytes, every: int = 1) -> list[Mutant]:
    """All ways to damage a file, or each ``every``-th."""
    tree = json.loads(data)
    out = [Mutant(name, damaged) for name, damaged in texts(data, tree)]
    ways: tuple[Callable[[Tree], Iterator[tuple[str, Tree]]], ...] = (
        cells, rows_and_frames, boxes_and_ids, levels,
    )  # fmt: skip
    for way in ways:
        out += [Mutant(name, json.dumps(changed).encode()) for name, changed in way(tree)]
    return out[::every]


# ---- the second count


class Pairs(dict):
    """An object that still has all its pairs."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def plain_frames(data: bytes) -> list[tuple[str, Any]]:
    """All frames of a file with all copies, by Python's parser."""
    return json.loads(data.decode("utf-8-sig"), object_pairs_hook=Pairs)["annotations"].pairs


def size(rows: Any) -> int:
    return max(1, len(rows)) if isinstance(rows, list) else 1


def usable_box(row: list[Any]) -> tuple[float, ...] | None:
    x, y, width, height = (float(value) for value in row[3:7])
    if (x, y, width, height) == (-1, -1, -1, -1) or max(map(abs, (x, y, width, height))) > 2:
        return None
    if x + width <= x or y + height <= y:
        return None
    cut = (max(0.0, x), max(0.0, y), min(1.0, x + width), min(1.0, y + height))
    return cut if cut[0] < cut[2] and cut[1] < cut[3] else None


def expected_instances(rows: list[Any]) -> list[tuple[float, tuple[float, ...] | None]]:
    """Instrument and box of the instances of a frame, by plain loops."""
    found: list[tuple[float, tuple[float, ...] | None]] = []
    for row in rows:
        if row[1] == -1:
            continue
        instance = (row[1], usable_box(row))
        if instance[1] is None or instance not in found:
            found.append(instance)
    return found


def check(evidence: VideoEvidence, data: bytes, name: str) -> None:
    """Books, losses and all that was kept against the second count."""
    frames = plain_frames(data)
    table, (books,) = evidence.instruments, evidence.books
    kept = set(table.frames.tolist())
    here = [(key, rows) for key, rows in frames if key.isdecimal() and int(key) in kept]
    assert len(here) == len(kept), "a frame was kept that occurs twice or never"
    assert books.read == sum(size(rows) for _, rows in frames)
    assert books.kept == sum(size(rows) for _, rows in here)
    assert books.balanced
    gone = [entry for entry in evidence.rejected if entry.outcome == "rejected"]
    assert books.rejected == sum(entry.count for entry in gone)
    lost = {key for key, _ in frames} - {key for key, _ in here}
    for entry in evidence.rejected:
        assert entry.where.startswith(f'{name} annotations["')
        assert entry.code in set(Code) and entry.reason
    for key in lost:
        assert any(f'annotations["{key[:40]}"]' in entry.where for entry in gone), key
    by_frame: dict[int, list[int]] = {}
    for i, sample_at in enumerate(table.sample.tolist()):
        by_frame.setdefault(int(table.frames[sample_at]), []).append(i)
    for key, rows in here:
        expected = expected_instances(rows)
        found = []
        for i in by_frame.get(int(key), []):
            box = tuple(table.box_xyxy[i].tolist())
            found.append((rows[table.row[i]][1], None if math.isnan(box[0]) else box))
        assert sorted(found, key=repr) == sorted(expected, key=repr), key


class Tally(NamedTuple):
    broken: int
    lossy: int
    whole: int


def try_all(root: Path, video: str, all_mutants: list[Mutant]) -> Tally:
    """Read every mutant; anything but a named error or books that balance fails."""
    name = f"labels/{video}.json"
    (root / "labels").mkdir(exist_ok=True)
    broken = lossy = whole = 0
    for mutant in all_mutants:
        (root / name).write_bytes(mutant.data)
        try:
            evidence = Reader(root).read(video)
        except SourceBroken as error:
            assert error.where.startswith(name), mutant.name
            assert error.exit_code == 3
            broken += 1
            continue
        except Exception as error:
            raise AssertionError(f"{video} {mutant.name}: {error!r}") from error
        try:
            check(evidence, mutant.data, name)
        except Exception as error:
            raise AssertionError(f"{video} {mutant.name}: {error!r}") from error
        if evidence.books[0].rejected:
            lossy += 1
        else:
            whole += 1
    return Tally(broken, lossy, whole)


@pytest.mark.parametrize(
    ("video", "every"),
    [
        ("VID73", 4),
        *(pytest.param(*one, marks=pytest.mark.nightly) for one in (("VID68", 1), ("VID74", 8))),
    ],
)
def test_damaged_real_files(real_dataset, tmp_path: Path, video: str, every: int) -> None:
    data = (real_dataset("cholect50-challenge-val") / "labels" / f"{video}.json").read_bytes()
    all_mutants = mutants(data, every)
    assert len(all_mutants) > 60
    assert len({mutant.name for mutant in all_mutants}) == len(all_mutants)
    tally = try_all(tmp_path, video, all_mutants)
    assert min(tally) > len(all_mutants) // 10, tally


@pytest.mark.parametrize("with_boxes", [True, False])
def test_damaged_samples(tmp_path: Path, with_boxes: bool) -> None:
    sample.write(tmp_path, procedures=1, with_boxes=with_boxes, pictures=None)
    all_mutants = mutants((tmp_path / "labels/VID01.json").read_bytes(), 3)
    tally = try_all(tmp_path, "VID01", all_mutants)
    assert min(tally) > len(all_mutants) // 10, tally


TASKS = ("triplet", "instrument", "verb", "target")


def damaged_lines(data: bytes) -> Iterator[tuple[str, bytes]]:
    for part in range(15):
        yield f"cut-{part}", data[: len(data) * part // 15]
        place = len(data) * (2 * part + 1) // 30
        for byte in (b"", b"\n", b",", b"1", b"0", b"2", b"x", b" ", b"\0", b"\xff", b"-", b"\r"):
            yield f"byte-{byte!r}-{part}", data[:place] + byte + data[place + 1 :]
    lines = data.splitlines(keepends=True)
    yield "line-twice", data + lines[3]
    yield "lines-reversed", b"".join(reversed(lines))
    yield "line-lost", b"".join(lines[:5] + lines[6:])
    yield "header", b"frame,a,b\n" + data
    yield "utf-16", data.decode().encode("utf-16")
    yield "byte-order-mark", b"\xef\xbb\xbf" + data
    yield "windows", data.replace(b"\n", b"\r\n")
    yield "old-macintosh", data.replace(b"\n", b"\r")
    yield "tabs", data.replace(b",", b"\t")
    yield "columns-lost", b"".join(line.rsplit(b",", 1)[0] + b"\n" for line in lines)


@pytest.mark.parametrize("task", TASKS)
def test_damaged_text_files(tmp_path: Path, task: str) -> None:
    load_sample("cholect45")(tmp_path)
    truth = cholect45.Reader(tmp_path).read("VID01")
    name = f"{task}/VID01.txt"
    data = (tmp_path / name).read_bytes()
    others = sum((tmp_path / f"{other}/VID01.txt").read_bytes().count(b"\n") for other in TASKS
                 if other != task)  # fmt: skip
    whole = {tuple(entry) for entry in table_rows(truth)}
    outcomes = set()
    for case, damaged in damaged_lines(data):
        (tmp_path / name).write_bytes(damaged)
        try:
            evidence = cholect45.Reader(tmp_path).read("VID01")
        except SourceBroken as error:
            assert error.where.startswith(name), case
            outcomes.add("broken")
            continue
        (books,) = evidence.books
        lines = damaged.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        assert books.read == others + sum(bool(line.strip()) for line in lines), case
        assert books.kept == evidence.instruments.frames.size * len(TASKS), case
        assert books.balanced, case
        frames = set(evidence.instruments.frames.tolist())
        lost = set(truth.instruments.frames.tolist()) - frames
        assert bool(lost) <= any(name in e.where + e.reason for e in evidence.rejected), case
        # Nothing appears at a whole frame that the truth does not have, but for a digit
        # that the damage itself turned on or off in this file.
        if task in ("verb", "target") or not case.startswith(("byte-b'1'", "byte-b'0'")):
            found = {tuple(entry) for entry in table_rows(evidence)}
            assert found == {entry for entry in whole if entry[0] in frames}, case
        outcomes.add("lossy" if books.rejected else "whole")
    assert outcomes == {"broken", "lossy", "whole"}


def table_rows(evidence: VideoEvidence) -> list[tuple[int, str, int]]:
    table = evidence.instruments
    return [
        (int(table.frames[table.sample[i]]), table.labels[table.label[i]], int(table.row[i]))
        for i in range(table.sample.size)
    ]
