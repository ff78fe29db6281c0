"""Key frames of anomalies beside any dataset: one setting of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceMissing
from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.run import build
from surgqa.transforms.store import OutputFolder

from .conftest import configure

FPS = 25
TWO = {"videos": ["VID01", "VID02"]}
"""One video with an anomaly and one without."""

SOME = {"benchmarks": ["surgcot"], "only": ["surgcot.anomaly_onset", "surgcot.cue_alignment"]}
"""What is asked of an anomaly, and something else."""

KEYS = ((750, (540, 420, 80, 60)), (775, (535, 415, 90, 70)), (825, (530, 410, 100, 80)))


def anomaly(onset: int, name: str = "a1") -> dict:
    """A bleeding whose key frames are numbered at :data:`FPS` a second."""
    frames = [{"frame": k, "bbox": list(box)} for k, box in KEYS]
    return {
        "anomaly_id": name, "onset_frame": onset, "onset_time": onset / FPS,
        "anomaly_type": "bleeding", "initial_bbox": list(KEYS[0][1]), "evolution": frames,
        "source": {"tissue": "cystic_artery", "cause": "slipped clip"}, "hemostasis_time": 34.0,
    }  # fmt: skip


@pytest.fixture
def rois(tmp_path: Path) -> Path:
    folder = tmp_path / "rois"
    folder.mkdir()
    told = {"video_metadata": {"fps": FPS, "width": 1920, "height": 1080},
            "anomaly_evidence": {"anomalies": [anomaly(750)]}}  # fmt: skip
    (folder / "VID01.json").write_text(json.dumps(told))
    return folder


def test_a_bleeding_beside_labels_is_asked_about_and_checked(
    sample_root: Path, rois: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = build(configure(sample_root, out, **SOME, dataset={**TWO, "anomalies": rois}))
    rows = [row for row in OutputFolder(out).rows() if row["task"].startswith("anomaly")]
    assert {row["stage"] for row in rows} == {0, 1, 2, 3}
    assert {row["video_id"] for row in rows} == {"VID01"}
    assert all("bleeding" in r["answer"] for r in rows if r["stage"] == 1)
    moments = OutputFolder(out).evidence("moments").to_pylist()
    assert [m["value"] for m in moments if m["kind"] == "roi"] == [750.0, 775.0, 825.0]
    assert all(line["read"] == line["kept"] + line["rejected"] for line in result.books)
    assert surgqa(["check", str(out)]) == 0


def test_the_folder_is_part_of_what_is_built(sample_root: Path, rois: Path, tmp_path: Path) -> None:
    """A cached build without anomalies does not hide them, and the other way round."""
    cache = tmp_path / "cache"
    digests = []
    for number, more in enumerate(({}, {"anomalies": rois}, {})):
        settings = SOME | {"cache": cache, "dataset": TWO | more}
        digests.append(build(configure(sample_root, tmp_path / str(number), **settings)).digest)
    assert digests[0] == digests[2] != digests[1]


def test_a_missing_folder_is_said_before_anything_is_read(
    sample_root: Path, tmp_path: Path
) -> None:
    with pytest.raises(SourceMissing, match="folder of anomalies"):
        build(configure(sample_root, tmp_path / "out", dataset={"anomalies": tmp_path / "none"}))
