"""Samples of any size, which programs write with all that a reader must find in them."""

from __future__ import annotations

import inspect
import os
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surgqa.transforms import registry
from tests.readers.made import cholect45, cholect50, observed, unified
from tests.readers.test_contract import wordless

EXAMPLES = 15 if "SURGQA_LONG" in os.environ else 8
"""Variations of a sample."""

VARIATIONS: dict[str, st.SearchStrategy[Any]] = {
    "procedures": st.integers(1, 3),
    "seconds": st.integers(1, 58),
    "with_boxes": st.booleans(),
    "fps": st.sampled_from([Fraction(text) for text in ("1", "0.5", "25", "29.97", "30", "59.94")]),
    "pictures": st.sampled_from([None, "png", "jpg"]),
    "variant": st.integers(0, 20),
    "tasks": st.sampled_from([("triplet",), ("instrument",), ("triplet", "instrument")]),
}


PROGRAMS = {"cholect45": cholect45.write, "cholect50": cholect50.write,
            "observed": observed.write, "unified": unified.write}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_sample_is_what_the_program_writes(name: str, tmp_path: Path) -> None:
    written = []
    for write in (registry.load_sample(name), PROGRAMS[name]):
        folder = tmp_path / str(len(written))
        folder.mkdir()
        write(folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        written.append({str(path.relative_to(folder)): path.read_bytes() for path in files})
    assert written[0] == written[1]


@pytest.mark.parametrize("name", PROGRAMS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_truth_equals_reading_however_the_sample_is_varied(name: str, data: st.DataObject) -> None:
    write = PROGRAMS[name]
    taken = [key for key in inspect.signature(write).parameters if key in VARIATIONS]
    chosen = {key: data.draw(VARIATIONS[key], label=key) for key in taken}
    with tempfile.TemporaryDirectory() as folder:
        truth = write(Path(folder), **chosen)
        reader = registry.load_reader(name)(Path(folder))
        found = [reader.read(video_id) for video_id in reader.videos()]
        assert [wordless(evidence) for evidence in found] == list(truth)
