"""A table with the published counts gives every figure that SAP-Bench prints."""

from decimal import Decimal
from pathlib import Path

import pytest

from surgqa.ontology.action_clips import VideoClips
from surgqa.transforms.exports.sapbench.statistics import figures
from surgqa.transforms.steps.beside.action_clips import read_clips
from tests.transforms.exports.sapbench.published import rows, write_csv

PRINTED = {
    "cholect50": {
        "videos": 50, "samples": 679, "context": (50, 66953, "1339.06", "560.63"),
        "clips": (729, 66953, "91.84", "142.77"),
        "aspiration": (39, 1404, "36.00", "47.60"),
        "coagulation": (89, 3615, "40.62", "65.79"),
        "dissection": (298, 53565, "179.75", "185.51"),
        "tissue_retraction": (232, 5221, "22.50", "21.35"),
        "vessel_clipping": (71, 3148, "44.34", "35.91"),
    },
    "heichole": {
        "videos": 24, "samples": 473, "context": (24, 17222, "717.58", "325.32"),
        "clips": (497, 17222, "34.65", "36.61"),
        "aspiration": (19, 704, "37.05", "20.05"),
        "coagulation": (21, 335, "15.95", "15.11"),
        "dissection": (299, 13491, "45.12", "42.24"),
        "tissue_retraction": (89, 1407, "15.81", "14.13"),
        "vessel_clipping": (69, 1285, "18.62", "13.76"),
    },
    "all": {
        "videos": 74, "samples": 1152, "context": (74, 84175, "1137.50", "575.61"),
        "clips": (1226, 84175, "68.66", "115.99"),
        "aspiration": (58, 2108, "36.34", "40.69"),
        "coagulation": (110, 3950, "35.91", "60.33"),
        "dissection": (597, 67056, "112.32", "150.34"),
        "tissue_retraction": (321, 6628, "20.65", "19.84"),
        "vessel_clipping": (140, 4433, "31.66", "30.21"),
    },
}  # fmt: skip


def imported(folder: Path, source: str) -> tuple[VideoClips, ...]:
    sources = ("cholect50", "heichole") if source == "all" else (source,)
    table = [row for one in sources for row in rows(one)]
    made = read_clips(write_csv(folder / f"{source}.csv", table)).read
    assert made.books.balanced
    assert made.books.kept == made.books.read == len(table)
    assert {one.outcome for one in made.rejected} <= {"repaired"}
    assert len(made.rejected) == figures(made.videos).repeats
    return made.videos


@pytest.mark.parametrize("source", PRINTED)
def test_every_printed_figure(source, tmp_path):
    printed = dict(PRINTED[source])
    found = figures(imported(tmp_path, source))
    assert (found.videos, found.samples) == (printed.pop("videos"), printed.pop("samples"))
    spreads = {"context": found.context, "clips": found.clips, **found.actions}
    for name, (n, frames, mean, sd) in printed.items():
        one = spreads.pop(name)
        assert (one.n, one.frames, one.mean, one.sd) == (n, frames, Decimal(mean), Decimal(sd)), (
            name
        )
    assert not spreads


def test_clips_tile_and_neighbours_differ_on_cholect50(tmp_path):
    videos = imported(tmp_path, "cholect50")
    assert all(len(video.context) == 1 and not video.repeats for video in videos)
    assert sum(video.frames for video in videos) == 66953


def test_heichole_cannot_have_neighbours_that_all_differ(tmp_path):
    """299 of 497 clips of 24 videos are dissection; the other 198 part at most 222 of them."""
    videos = imported(tmp_path, "heichole")
    other = sum(clip.action != "dissection" for video in videos for clip in video.clips)
    parted = other + len(videos)
    assert (other, parted) == (198, 222)
    assert figures(videos).repeats >= 299 - parted
    assert all(len(video.context) == 1 for video in videos)


def test_relaxed_scores_count_629_and_449(tmp_path):
    """Samples, one for each clip but the first, that another clip follows."""
    for source, eligible in (("cholect50", 629), ("heichole", 449)):
        videos = imported(tmp_path, source)
        assert sum(max(0, len(video.clips) - 2) for video in videos) == eligible
