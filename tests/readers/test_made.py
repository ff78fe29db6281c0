"""A program writes samples of any size; of the usual size it is the reader's."""

from __future__ import annotations

from pathlib import Path

from surgqa.transforms import registry
from tests.readers.made import cholect50


def test_the_sample_is_what_the_program_writes(tmp_path: Path) -> None:
    written = []
    for write in (registry.load_sample("cholect50"), cholect50.write):
        folder = tmp_path / str(len(written))
        folder.mkdir()
        write(folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        written.append({str(path.relative_to(folder)): path.read_bytes() for path in files})
    assert written[0] == written[1]
