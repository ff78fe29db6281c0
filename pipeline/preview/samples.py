"""Videos of the readers' synthetic samples."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.timeline import Timeline, build_timeline

SEED = "42"

ONES_OWN = ("exports", "observed", "tables")
"""Readers for a user's own data. Their samples stand for no dataset, so preview skips them."""

Recording = tuple[VideoEvidence, Timeline | None]
"""The annotations of a video, with linked instruments."""


@cache
def sample_recordings(dataset: str) -> tuple[Recording, ...]:
    """Return each video of a dataset's sample.

    Raises:
        UserError: there is no such dataset.
    """
    with tempfile.TemporaryDirectory() as folder:
        load_sample(dataset)(Path(folder))
        reader = load_reader(dataset)(Path(folder))
        evidence = [reader.read(video_id) for video_id in reader.videos()]
    return tuple((one, build_timeline(one)) for one in evidence)
