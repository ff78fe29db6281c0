"""Whatever is changed in a row of a real build is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transforms.checks.proof.forging import noticed
from tests.transforms.checks.proof.outputs import built, rows_of, shipped
from transforms.checks.proof.evidence import connect
from transforms.checks.proof.prove import programs_of

NAMED = ("classes", "locate", "action_on")


def test_every_word_number_time_and_box(tmp_path_factory: pytest.TempPathFactory):
    files = [file for file in shipped("surgstu", "medstream") if file.stem in NAMED]
    folder = built(tmp_path_factory.mktemp("built"), "cholect50", files)
    scratch: Path = tmp_path_factory.mktemp("scratch")
    con, programs = connect(folder, scratch), programs_of(folder)
    first = {row["template_id"]: row for row in reversed(rows_of(folder))}
    assert len(first) == len(NAMED)
    for name, row in first.items():
        every, found = noticed(con, programs[name], row)
        assert len(every) > 20
        assert every == found
