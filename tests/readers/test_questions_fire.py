"""The last line of the reader contract: a reader without a question is of no use yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from transforms.language import load_templates
from transforms.questions import ask
from transforms.registry import card, datasets, load_reader, load_sample
from transforms.timeline import build_timeline
from transforms.windows import cut_clips, view_windows


@pytest.mark.parametrize("name", datasets())
def test_at_least_one_template_fires_on_the_sample(name: str, tmp_path: Path) -> None:
    load_sample(name)(tmp_path)
    reader = load_reader(name)(tmp_path)
    asked: set[str] = set()
    for video_id in reader.videos():
        timeline = build_timeline(reader.read(video_id))
        if timeline is None:
            continue
        cut = cut_clips(timeline.video, timeline.table.instants_us)
        found = ask(view_windows(timeline, cut.windows), load_templates(), seed="42")
        asked |= set(found.asked)
    lacking = card(name).lacks
    assert bool(asked) != bool(lacking), "a question fires, or the card says what is missing"
