"""A folder that is not the dataset's: the error shows a few of the names that it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing
from surgqa.transforms.registry import load_reader


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "is empty"),
        (2, "holds a0, a1"),
        (5, "holds a0, a1, a2, a3, a4"),
        (6, "holds a0, a1, a2, a3, a4, …"),
    ],
)
def test_an_error_shows_what_is_there(tmp_path: Path, count: int, shown: str):
    for k in range(count):
        (tmp_path / f"a{k}").touch()
    with pytest.raises(SourceMissing) as raised:
        load_reader("avos")(tmp_path).videos()
    assert raised.value.found == f"{tmp_path} {shown}"


def test_an_error_says_that_there_is_no_folder(tmp_path: Path):
    with pytest.raises(SourceMissing) as raised:
        load_reader("avos")(tmp_path / "nowhere").videos()
    assert raised.value.found == f"{tmp_path / 'nowhere'} is not a folder"
