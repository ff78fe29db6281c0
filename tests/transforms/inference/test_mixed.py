"""Items of SurgVeo as jobs: pictures out of order under letters, and no videos asked for."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.pipeline.cli.app import run
from surgqa.transforms.inference.images import FrameImages, program_line
from surgqa.transforms.inference.jobfile import read_jobs
from surgqa.transforms.inference.jobs import jobs_of
from surgqa.transforms.inference.prompts import load_prompt
from surgqa.transforms.store import OutputFolder
from tests.transforms.exports.surgveo.made import finished, recordings, sample
from tests.transforms.inference.conftest import row
from tests.transforms.media.conftest import number_in

SAMPLES = [sample("pitvis", "04", 0), sample("autolaparo", "01", 0)]


@pytest.fixture
def out(tmp_path):
    return finished(tmp_path / "out", SAMPLES)


@pytest.fixture
def jobs(out, tmp_path):
    assert run(["jobs", str(out), "--to", str(tmp_path / "jobs.jsonl")]) == 0
    return list(read_jobs(tmp_path / "jobs.jsonl"))


def of_order(jobs):
    return [one for one in jobs if len(one.frames) > 1]


def times_of(out):
    """Item -> times as its row has them."""
    rows = OutputFolder(out).rows("surgveo", ["item_id", "slots"])
    found = {one["item_id"]: json.loads(one["slots"]).get("shown_us") for one in rows}
    return {name: times for name, times in found.items() if times}


def test_pictures_stand_in_the_order_of_their_letters(out, jobs):
    told = times_of(out)
    assert len(told) == 2 and {one.item_id for one in of_order(jobs)} == set(told)
    assert any(times != sorted(times) for times in told.values())
    for one in of_order(jobs):
        assert [frame["time_us"] for frame in one.frames] == told[one.item_id]
        captions = ["Picture A:", "Picture B:", "Picture C:"]
        assert [frame["caption"] for frame in one.frames] == captions
        assert "in mixed order" in one.system and "in order of time" not in one.system


def test_a_model_is_not_told_their_times(jobs):
    for one in of_order(jobs):
        line = json.dumps(program_line(one, (), None))
        last = max(frame["time_us"] for frame in one.frames)
        for frame in one.frames:
            if last > frame["time_us"] > one.start_us:
                assert f"{frame['time_us'] / 1e6:.2f}" not in line
        assert "unanswerable" not in line and "sample_id" not in line


def test_the_pictures_are_those_of_the_recording(jobs, tmp_path):
    root = recordings(tmp_path / "films", SAMPLES[:1])
    pictures = FrameImages({"pitvis": root / "pitvis"})
    (one,) = [job for job in of_order(jobs) if job.dataset == "pitvis"]
    numbers = [number_in(cv2.imdecode(np.frombuffer(shot.jpeg, np.uint8), 1)[..., ::-1])
               for shot in pictures.of(one)]  # fmt: skip
    assert numbers == [round(frame["time_us"] * 24 / 1e6) for frame in one.frames]


def test_all_others_show_the_one_picture(jobs):
    singles = [one for one in jobs if len(one.frames) == 1]
    starts = {one.video.partition("/")[0]: one.start_us for one in SAMPLES}
    assert len(singles) == 2
    assert all(one.frames[0]["time_us"] == starts[one.dataset] for one in singles)
    assert all("in order of time" in one.system for one in singles)


def test_items_for_models_that_make_videos_are_left_out_and_counted(out, tmp_path, capsys):
    line = ["jobs", str(out), "--to", str(tmp_path / "jobs.jsonl")]
    assert run(line) == 0
    said = capsys.readouterr().err
    assert "2 items are left out" in said and "--as surgveo" in said
    assert run([*line, "--limit", "3"]) == 0
    assert len(list(read_jobs(tmp_path / "jobs.jsonl"))) == 3


def test_they_are_scored_by_people_and_the_others_by_their_options(out, tmp_path, capsys):
    rows = list(OutputFolder(out).rows("surgveo"))
    lines = [{"item_id": one["item_id"], "response": one["answer_key"]} for one in rows
             if one["answer_key"]]  # fmt: skip
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    assert run(["score", str(out), str(path), "--json", str(tmp_path / "scores.json")]) == 0
    assert "continuation: scored by people, see 'surgqa study --help', 2 items" in (
        capsys.readouterr().err)  # fmt: skip
    counts = json.loads((tmp_path / "scores.json").read_bytes())["counts"]
    assert (counts["items"], counts["scored"]) == (4, 4)


def test_only_the_slot_is_looked_at_that_says_what_is_shown():
    slots = {"slots": '{"shown_us": [5, 4], "frames": [3, 1, 2]}'}

    def made(**more):
        (job,) = jobs_of(row(unit="now", **more), load_prompt(), 2_000_000, "time", 1_000_000)
        return job

    assert made(slots='{"frames": [3, 1, 2]}') == made()
    shown = made(**slots)
    assert [one["time_us"] for one in shown.frames] == [5, 4] and "mixed" in shown.system


@pytest.mark.parametrize("times", ['["A"]', "[1, 2, 3, 4, 5, 6, 7, 8, 9]"])
def test_what_are_no_times_is_told(times):
    one = row() | {"benchmark": "surgveo", "slots": f'{{"shown_us": {times}}}'}
    with pytest.raises(OutputBroken, match="does not state which frames it shows"):
        list(jobs_of(one, load_prompt(), 2_000_000, "time", 1_000_000))
