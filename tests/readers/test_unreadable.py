"""Every file and folder of every sample without the right to read it, one after the other.

The answer is an error in words, or an entry in the books: never a bug, and never less
evidence without a word.  Root may read everything, so a child process gives up being root.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from surgqa.ontology.errors import EXIT_MISSING
from surgqa.ontology.records import VideoEvidence
from surgqa.ontology.system_errors import in_words
from surgqa.transforms import registry
from tests.rights import as_nobody, give_away, shared_folder

SEARCHABLE = 0o100
"""Of a folder: what is in it can be reached by name, and not listed."""

Evidence = dict[str, VideoEvidence]


class Outcome(NamedTuple):
    """What became of reading a sample of which something cannot be read."""

    case: str
    problem: str | None
    noticed: bool


@pytest.fixture
def whole() -> Iterator[Path]:
    with shared_folder() as folder:
        yield folder


def read(name: str, root: Path) -> Evidence:
    reader = registry.load_reader(name)(root)
    found = {video: reader.read(video) for video in reader.videos()}
    reader.excluded()
    return found


def cases(root: Path) -> Iterator[tuple[Path, int]]:
    for path in sorted((root, *root.rglob("*"))):
        yield path, 0
        if path.is_dir():
            yield path, SEARCHABLE


def outcome(name: str, root: Path, case: str, truth: Evidence) -> Outcome:
    try:
        found = read(name, root)
    except Exception as error:  # noqa: BLE001 - whatever it is, it must be one in words
        told = in_words(error)
        if told is None:
            return Outcome(case, f"{type(error).__name__}: {error}", True)
        good = told.exit_code == EXIT_MISSING and (told.where or told.fix)
        return Outcome(case, None if good else f"exit {told.exit_code}: {told}", True)
    if found == truth:
        return Outcome(case, None, False)
    books = sum(len(one.rejected) for one in found.values())
    noticed = found.keys() == truth.keys() and books > sum(len(e.rejected) for e in truth.values())
    return Outcome(case, None if noticed else "less was read, and nothing was said", noticed)


@pytest.mark.parametrize("name", registry.datasets())
def test_what_may_not_be_read_is_told(name: str, whole: Path) -> None:
    registry.load_sample(name)(whole)
    truth = read(name, whole)  # also imports whatever the child will need
    give_away(whole)

    def each() -> Iterator[Outcome]:
        for path, mode in cases(whole):
            before = path.stat().st_mode
            path.chmod(mode)
            yield outcome(name, whole, f"{path.relative_to(whole)} {mode:o}", truth)
            path.chmod(before)

    outcomes = [Outcome(*entry) for entry in as_nobody(each)]
    wrong = [f"{one.case}: {one.problem}" for one in outcomes if one.problem]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(outcomes)}", *wrong])
    assert any(one.noticed for one in outcomes)
