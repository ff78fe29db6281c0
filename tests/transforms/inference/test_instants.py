"""Instants that a question names are among the pictures, and answers show nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.inference.frames import MOST, Habits, habits_of, named_us, thinned
from surgqa.transforms.inference.images import (
    FrameImages,
    FrameRequest,
    chat_messages,
    program_line,
)
from surgqa.transforms.inference.jobs import TOO_COARSE, Job, job_of, jobs_of
from surgqa.transforms.inference.prompts import load_prompt
from surgqa.transforms.places import place
from surgqa.transforms.store import OutputFolder
from tests.each import cases
from tests.transforms.inference.conftest import row

SECOND = 1_000_000
TIMED = Habits(timed=frozenset({"surgstu.first"}))
MEDIA = {"path": "videos/v07", "kind": "frames", "fps_num": 1, "fps_den": 1, "first": 0}


def clip(question: str, **more):
    """A question about the clip from 352 to 412 s."""
    known = {"options": [], "form": "text", "temporal_mode": None, "task_mode": None,
             "query_us": None, "benchmark": "surgstu", "unit": "clip", "slots": "{}",
             "resolution_us": SECOND, "template_id": "surgstu.locate", "media": MEDIA}  # fmt: skip
    return row(0, question=question, **known | more)


def job(item, every_s: int = 2, **more) -> Job:
    (one,) = jobs_of(item, load_prompt(), every_s * SECOND, "time", SECOND, **more)
    return one


def times(one: Job) -> list[int]:
    return [frame["time_us"] for frame in one.frames]


def asked(one: Job) -> list[int]:
    return [frame["time_us"] for frame in one.frames if frame.get("asked")]


def test_an_instant_of_the_question_is_shown():
    moment = 353 * SECOND + 333_367
    item = clip("Where is the hook at 1.33 s?", slots=orjson.dumps({"moment": {"time_us": moment}}))
    one = job(item)
    assert asked(one) == [moment]
    assert times(one) == sorted({moment, *range(352 * SECOND, 412 * SECOND + 1, 2 * SECOND)})
    assert {"time_us": moment, "caption": "Picture at 1.33 s:", "asked": True} in one.frames
    assert job_of(one.line(), "here") == one


def test_slots_that_the_question_does_not_name_are_not_shown():
    hidden = {"event": {"time_us": 353 * SECOND}, "moment": {"time_us": 355 * SECOND}}
    one = job(clip("Where is the hook at 13.00 s?", slots=orjson.dumps(hidden)))
    assert asked(one) == [365 * SECOND] and 353 * SECOND not in times(one)
    assert job(clip("Where?", slots=orjson.dumps(hidden))) == job(clip("Where?", slots="{}"))


def test_both_ends_of_a_stretch_and_all_instants_of_options_are_shown():
    span = orjson.dumps({"span": {"start_us": 359 * SECOND, "end_us": 361 * SECOND}})
    assert asked(job(clip("From 7.00 s to 9.00 s, how many?", slots=span))) == [
        359 * SECOND, 361 * SECOND,
    ]  # fmt: skip
    options = [{"key": k, "text": f"{t}.00 s", "is_answer": k == "A", "kind": ""}
               for k, t in zip("ABCD", (359, 361, 363, 365), strict=True)]  # fmt: skip
    chain = clip("When?", unit="chain", stage=3, options=options, form="choice")
    assert asked(job(chain)) == [t * SECOND for t in (359, 361, 363, 365)]
    # The right option gives itself away neither by its place nor by how exact it is.
    other = [one | {"is_answer": one["key"] == "C"} for one in options]
    assert job(chain | {"options": other, "answer_value": '{"time_us":363000001}'}) == job(chain)


def test_a_read_instant_is_that_of_the_picture_which_begins_there():
    media = MEDIA | {"kind": "video", "fps_num": 30, "fps_den": 1}
    item = clip("Is it seen at 0.03 s or 0.50 s?", start_us=0, media=media)
    assert named_us(item, 0) == {33_333, 500_000}


def test_nothing_after_the_query_is_shown():
    item = clip("Is it as at 400.00 s, at 412.00 s or at 420.00 s?", query_us=412 * SECOND,
                unit="now", benchmark="medstream", temporal_mode="present")  # fmt: skip
    one = job(item)
    assert asked(one) == [400 * SECOND, 412 * SECOND] and max(times(one)) == 412 * SECOND


def test_an_instant_that_only_the_answer_names_does_not_stand_out(finished):
    def item(number: int, at_s: float, **more):
        value = orjson.dumps({"at": int(at_s * SECOND)})
        return clip("When is the hook first in view?", **{
            "answer": f"{at_s - 352:.2f} s", "answer_value": value, "form": "time",
            "rule_args": '{"answer":{"at":{"type":"instant","of":""}}}',
            "item_id": f"{number:032x}", "template_id": "surgstu.first", **more,
        })  # fmt: skip

    rows = [item(0, 353), item(1, 361.5), item(2, 0, answer="never", answer_value="{}"),
            clip("Where?", item_id="3" * 32)]  # fmt: skip
    assert habits_of(OutputFolder(finished(rows)), None) == TIMED
    found = [job(one, habits=TIMED) for one in rows[:3]]
    assert times(found[0]) == list(range(352 * SECOND, 412 * SECOND + 1, SECOND // 2))
    assert all(one.frames == found[0].frames and not asked(one) for one in found)


def test_labels_too_fine_for_pictures_are_told_in_the_job():
    one = job(clip("When?", resolution_us=40_000, template_id="surgstu.first"), habits=TIMED)
    assert one.note == TOO_COARSE and len(one.frames) < MOST
    assert orjson.loads(one.line())["note"] == TOO_COARSE and job_of(one.line(), "here") == one
    assert "note" not in orjson.loads(
        job(clip("When?", template_id="surgstu.first"), habits=TIMED).line()
    )


@cases("count, most, wanted, kept", [
    (10, None, {3}, range(10)), (10, 12, {3}, range(10)), (10, 1, {3}, [3]), (10, 2, {3}, [3, 9]),
    (10, 3, {3}, [0, 3, 9]), (10, 4, {3}, [0, 3, 6, 9]), (10, 2, {1, 3, 5}, [1, 5]),
    (10, 3, {1, 3, 5}, [1, 3, 5]), (10, 4, (), [0, 3, 6, 9]), (10, 1, (), [9]),
    (5, 4, {0, 4}, [0, 1, 2, 4]),
])  # fmt: skip
def test_thinning_keeps_what_is_asked_about(count, most, wanted, kept):
    assert list(thinned(count, most, wanted)) == list(kept)


@pytest.fixture
def pictures(tmp_path: Path):
    import cv2
    import numpy as np

    folder = tmp_path / "videos" / "v07"
    folder.mkdir(parents=True)
    for number in range(352, 413):
        data = cv2.imencode(".jpg", np.full((24, 32, 3), number % 250, dtype=np.uint8))[1]
        (folder / f"{number:06d}.jpg").write_bytes(data.tobytes())
    (folder / "000365.jpg").write_bytes(b"damaged")

    def of(one: Job, most: int | None) -> list[FrameRequest]:
        return FrameImages({"demochole": place(tmp_path)}, 768, most).of(one)

    return of


def test_few_pictures_are_those_that_are_asked_about(pictures):
    one = job(clip("Compare 7.00 s with 29.00 s."))
    shots = pictures(one, 3)
    assert [shot.time_us for shot in shots] == [t * SECOND for t in (359, 381, 412)]
    assert all(shot.jpeg for shot in shots)


@pytest.mark.parametrize("question, most", [("Compare 7.00 s with 29.00 s.", 1),
                                            ("What is seen at 13.00 s?", None)])  # fmt: skip
def test_a_picture_that_is_asked_about_and_not_shown_is_told(pictures, question, most):
    one = job(clip(question))
    shots = pictures(one, most)
    (lacking,) = (shot for shot in shots if not shot.jpeg)
    told = f"{lacking.caption} it cannot be shown."
    assert told in [part.get("text") for part in chat_messages(one, shots)[-1]["content"]]
    line = program_line(one, shots, None)
    assert line["not_shown"] == [told] and len(line["images"]) == len(shots) - 1
    assert "not_shown" not in program_line(one, [s for s in shots if s.jpeg], None)


TOLD = re.compile(r"(?<![\d.])(\d+\.\d\d) s\b")


@pytest.mark.parametrize("benchmark", ["surgstu", "surgcot"])
def test_all_that_real_questions_name_is_shown(benchmark, real_dataset, tmp_path, capsys):
    root = real_dataset("cholect50-challenge-val")
    out, path = tmp_path / "out", tmp_path / "jobs.jsonl"
    assert run(["build", "--dataset", "cholect50", "--root", str(root), "--benchmark", benchmark,
                "--out", str(out), "--format", "parquet"]) == 0  # fmt: skip
    assert run(["jobs", str(out), "--to", str(path)]) == 0
    rows = {one["item_id"]: one for one in OutputFolder(out).rows(benchmark)}
    found = 0
    for one in (orjson.loads(line) for line in path.read_bytes().splitlines()):
        item, shown = rows[one["item_id"]], {frame["time_us"] for frame in one["frames"]}
        assert max(shown) <= one["end_us"]
        origin = 0 if benchmark == "surgcot" else item["start_us"]
        texts = [item["question"], *(option["text"] for option in item["options"])]
        named = {origin + round(float(t) * SECOND) for text in texts for t in TOLD.findall(text)}
        value = re.findall(r'"time_us":(\d+)', item["answer_value"])
        named |= {int(time) for time in value}
        inside = {time for time in named if one["start_us"] <= time <= one["end_us"]}
        assert inside <= shown, item["question"]
        found += bool(inside)
    assert found > 20


def test_a_job_cannot_name_a_file_outside_of_the_folder_of_pictures(tmp_path, pictures):
    from dataclasses import replace

    from surgqa.ontology.errors import UserError

    one = job(clip("Where is it at 7.00 s?"))
    shots = pictures(one, 2)
    folder = tmp_path / "cut"
    folder.mkdir()
    assert program_line(one, shots, folder)["images"][0]["path"].startswith(str(folder))
    for name in ("../evil", str(tmp_path / "evil")):
        with pytest.raises(UserError, match="is not inside"):
            program_line(replace(one, job_id=name), shots, folder)
    assert not list(tmp_path.glob("evil*"))
