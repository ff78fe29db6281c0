"""A part of the drawn damage by day; ``python -m tests.damage`` tries thousands at night.

By day each kind of file is damaged once, and label files of a few readers.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from surgqa.transforms import registry
from tests.damage.__main__ import Workshop
from tests.damage.kinds import KINDS, finish
from tests.damage.tries import Kind, as_command, try_one
from tests.damage.ways import damaged

SEED = "day"
NAMES = sorted({kind.name for kind in KINDS})
BY_DAY = ("cholect50", "endovis17_vqla", "exports", "heichole", "hyper_kvasir", "jigsaws",
          "observed", "tables")  # fmt: skip
"""Readers of JSON, questions in text, exports of tools, lines a frame, CSV, marks in text, a store,
and tables of the user's own."""


@pytest.fixture(scope="module")
def workshop(once) -> Iterator[Workshop]:
    """Its finished output is made once for all processes of a run."""
    with tempfile.TemporaryDirectory(prefix="surgqa-workshop-") as folder:
        (Path(folder) / "finished").symlink_to(once("damage-finished", finish))
        yield Workshop(Path(folder))


@pytest.fixture(autouse=True)
def logging_as_before():
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


def test_every_reader_has_its_label_files_damaged() -> None:
    assert {f"labels/{name}" for name in registry.datasets()} < set(NAMES)


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.nightly)
    if name.removeprefix("labels/") not in (name, *BY_DAY) else name for name in NAMES
])  # fmt: skip
def test_damage_is_met_with_words(name: str, workshop: Workshop) -> None:
    number = next(n for n, kind in enumerate(KINDS) if kind.name == name)
    assert workshop.try_number(SEED, number) is None


def test_a_bug_and_a_hang_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness itself: what it is for must not pass it."""
    (tmp_path / "a.json").write_text('{"a": [1, 2, 3]}')

    def bug(folder: Path, draw: Random) -> int:
        return as_command(lambda: {}["a"])

    def hang(folder: Path, draw: Random) -> int:
        while True:
            pass

    monkeypatch.setattr("tests.damage.tries.LONGEST_S", 1)
    for read, said in ((bug, "KeyError"), (hang, "no end")):
        kind = Kind("made", lambda folder: None, ("*.json",), read)
        problem = next(filter(None, (try_one(kind, tmp_path, "s", n) for n in range(5))))
        assert said in problem.why or "took" in problem.why


def test_the_same_seed_damages_in_the_same_way() -> None:
    data = b'{"a": {"b": [1, 2, {"c": "x"}]}, "d": null}'
    first = [damaged(Random(f"s/{n}"), ".json", data) for n in range(50)]
    assert first == [damaged(Random(f"s/{n}"), ".json", data) for n in range(50)]
    assert len({text for _, text in first}) > 30
