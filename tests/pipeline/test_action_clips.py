"""Action clips beside any dataset: one setting of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.run import build
from surgqa.transforms.store import OutputFolder

from .conftest import configure

TWO = {"videos": ["VID01", "VID02"]}
"""One video with imported clips and one without."""

TABLE = """video,start,end,action
vid01,2,9,Dissection
vid01,10,14,Vessel Clipping
vid01,20,30,Coagulation
vid01,31,40,Aspiration
"""


def asked(clips: Path) -> dict[str, Any]:
    """Settings of a build over the two videos."""
    return {"benchmarks": ["sapbench"], "only": ["sapbench.next_action"],
            "dataset": {**TWO, "action_clips": clips}}  # fmt: skip


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    path = tmp_path / "clips.csv"
    path.write_text(TABLE)
    return path


def test_imported_clips_are_asked_about_and_checked(
    sample_root: Path, clips: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = build(configure(sample_root, out, **asked(clips)))
    rows = [row for row in OutputFolder(out).rows() if row["task"] == "future/next_action"]
    values = {row["query_us"]: orjson.loads(row["answer_value"]) for row in rows
              if row["video_id"] == "VID01"}  # fmt: skip
    assert {us // 10**6: v["clip.label"] for us, v in values.items()} == {
        9: "vessel_clipping", 19: "coagulation", 30: "aspiration",
    }  # fmt: skip
    facts = OutputFolder(out).evidence("facts").to_pylist()
    origins = {(one["video_id"] == "VID01", one["origin"]) for one in facts
               if one["kind"] == "action_clip"}  # fmt: skip
    assert len(origins) == 2 and (False, "action_clips") in origins
    segments = OutputFolder(out).evidence("segments").to_pylist()
    mine = [one for one in segments if one["kind"] == "next_action"]
    assert sum(one["video_id"] == "VID01" for one in mine) == 4
    told = [line for line in result.books if "clips" in line["unit"]]
    assert told and all(line["read"] == line["kept"] + line["rejected"] for line in told)
    assert surgqa(["check", str(out)]) == 0


def test_a_video_that_is_not_there_is_on_the_books(
    sample_root: Path, clips: Path, tmp_path: Path
) -> None:
    clips.write_text(TABLE + "vid77,1,5,Dissection\n")
    out = tmp_path / "out"
    result = build(configure(sample_root, out, **asked(clips)))
    (told,) = (out / "rejected" / "plan.jsonl").read_bytes().splitlines()
    assert orjson.loads(told)["key"] == "cholect50/vid77"
    (planned,) = (line for line in result.books if line["stage"] == "plan")
    assert planned["rejected"] == 1
    assert planned["read"] == planned["kept"] + 1


def test_the_file_is_part_of_what_is_built_and_its_folder_is_not(
    sample_root: Path, clips: Path, tmp_path: Path
) -> None:
    """A cached build without clips does not hide them, and the other way round."""
    elsewhere = tmp_path / "elsewhere" / clips.name
    elsewhere.parent.mkdir()
    elsewhere.write_text(TABLE)
    digests = []
    for number, more in enumerate(({}, {"action_clips": clips}, {}, {"action_clips": elsewhere})):
        settings = asked(clips) | {"cache": tmp_path / "cache", "dataset": TWO | more}
        digests.append(build(configure(sample_root, tmp_path / str(number), **settings)).digest)
    assert digests[0] == digests[2] != digests[1] == digests[3]


def test_a_file_that_cannot_be_used_is_said_before_anything_is_read(
    sample_root: Path, tmp_path: Path
) -> None:
    path = tmp_path / "clips.csv"
    with pytest.raises(SourceMissing, match="clips.csv"):
        build(configure(sample_root, tmp_path / "out", dataset={"action_clips": path}))
    path.write_text("video,start,end,action\nVID77,2,9,Dissection\n")
    with pytest.raises(UserError, match="none of these videos"):
        build(configure(sample_root, tmp_path / "out", dataset={"action_clips": path}))
