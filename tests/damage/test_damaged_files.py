"""A part of the drawn damage by day; ``python -m tests.damage`` tries thousands at night."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.damage.__main__ import Workshop
from tests.damage.kinds import KINDS
from tests.damage.tries import Kind, as_command, try_one
from tests.damage.ways import damaged
from transforms import registry

SEED, TRIES = "day", len(KINDS)
NAMES = sorted({kind.name for kind in KINDS})


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with tempfile.TemporaryDirectory(prefix="surgqa-workshop-") as folder:
        yield Workshop(Path(folder))


@pytest.fixture(autouse=True)
def logging_as_before():
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


def test_every_reader_has_its_label_files_damaged() -> None:
    assert {f"labels/{name}" for name in registry.datasets()} < set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_damage_is_met_with_words(name: str, workshop: Workshop) -> None:
    mine = [n for n in range(TRIES) if KINDS[n % len(KINDS)].name == name]
    problems = [workshop.try_number(SEED, n) for n in mine]
    assert mine and not any(problems), "\n".join(str(one) for one in problems if one)


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
