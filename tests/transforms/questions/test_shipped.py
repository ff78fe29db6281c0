"""Every shipped template can be asked of every dataset: items or reasons, never an error.

By day every ninth template is asked of a dataset, and each of a ninth of the datasets.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from surgqa.transforms.language.load import parse_folder
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.units import clips
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation.gather import relation_of
from surgqa.transforms.windows.clips import cut_clips

READERS = sorted(p.parent.name for p in Path("transforms/readers").glob("*/card.yaml"))

EVERY = 1 if "SURGQA_LONG" in os.environ else 9


@pytest.fixture(scope="module")
def programs() -> list[Program]:
    found, findings = parse_folder(Path("templates"))
    own, more = parse_folder(Path("templates"), sorted(Path("templates/examples").glob("*.yaml")))
    found, findings = [*found, *own], [*findings, *more]
    assert len(found) >= 135 and not findings
    return found


def asker(name: str, root: Path) -> Asker:
    """All videos of a dataset's sample."""
    load_sample(name)(root)
    reader = load_reader(name)(root, False, None)
    known = [(one, build_timeline(one)) for one in map(reader.read, reader.found())]
    cut = [(k, window) for k, (one, timeline) in enumerate(known) if timeline is not None
           for window in cut_clips(one.video, timeline.table.instants_us).windows]  # fmt: skip
    return Asker(relation_of(known), clips(cut), "0")


@pytest.mark.parametrize("name", READERS)
def test_every_template_can_be_asked(name: str, programs: list[Program], tmp_path: Path):
    known = asker(name, tmp_path)
    for program in programs[READERS.index(name) % EVERY :: EVERY]:
        asked = known.ask(program)
        ids = [item.item_id for item in asked.items]
        assert len(set(ids)) == len(ids), program.id
        assert all(one.reason and one.where for one in asked.declined), program.id
        for item in asked.items:
            assert "{{" not in item.question and item.answer, program.id
