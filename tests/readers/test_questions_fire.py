"""The last line of the reader contract: a reader without a question is of no use yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from surgqa.transforms.evidence.observers import observed
from surgqa.transforms.language import load_programs
from surgqa.transforms.questions.ask import Asker
from surgqa.transforms.questions.units import clips as clips_of
from surgqa.transforms.registry import card, datasets, load_reader, load_sample
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation.gather import relation_of
from surgqa.transforms.windows import cut_clips


def fires(asker: Asker) -> bool:
    """Whether a question about clips is asked; what a card lacks is told of those."""
    return any(asker.ask(one).items for one in load_programs() if one.unit.kind == "clip")


@pytest.mark.parametrize("name", datasets())
def test_at_least_one_template_fires_on_the_sample(name: str, tmp_path: Path) -> None:
    load_sample(name)(tmp_path)
    reader = load_reader(name)(tmp_path)
    askers = []
    for video_id in reader.videos():
        evidence = reader.read(video_id)
        timeline = build_timeline(evidence)
        relation = relation_of([(observed(evidence, {}), timeline)])
        windows = cut_clips(evidence.video, timeline.table.instants_us).windows if timeline else ()
        askers.append(Asker(relation, clips_of([(0, one) for one in windows]), "42"))
    lacking = card(name).lacks
    assert any(map(fires, askers)) != bool(lacking), (
        "a question fires, or the card says what is missing"
    )
