"""Windows and rounds become jobs: times, text, order, and nothing of the answer."""

from __future__ import annotations

import json
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.errors import UserError
from surgqa.transforms.inference.frames import frame_times, step_us, thinned
from surgqa.transforms.inference.jobfile import checked, read_jobs, write_jobs
from surgqa.transforms.inference.jobs import NAMES, jobs_of
from surgqa.transforms.inference.prompts import load_prompt
from surgqa.transforms.inference.windows import COLUMNS
from surgqa.transforms.store import OutputFolder
from tests.each import cases
from tests.transforms.inference.conftest import row, streaming

S = 1_000_000


def made(one, clock="time", every_us=2 * S, period_us=S):
    return list(jobs_of(one, load_prompt(), every_us, clock, period_us))


@cases(
    ("start", "end", "seconds"),
    [(0, 5, [0, 2, 4, 5]), (0, 4, [0, 2, 4]), (198.84, 200.84, [198.84, 200.84]), (0, 0, [0]),
     (3, 3.5, [3, 3.5])],
)  # fmt: skip
def test_frames_every_two_seconds_and_the_end(start, end, seconds):
    times = frame_times(round(start * S), round(end * S), 2 * S)
    assert times == tuple(round(s * S) for s in seconds)


@given(st.integers(0, 10**10), st.integers(0, 10**8), st.integers(10**4, 10**7))
def test_no_frame_lies_after_the_end(start, length, every):
    times = frame_times(start, start + length, every)
    assert times[0] == start and times[-1] == start + length
    assert all(0 < b - a <= every for a, b in zip(times, times[1:], strict=False))


@given(st.integers(1, 400), st.integers(1, 60))
def test_thinning_keeps_the_last_and_spreads(count, most):
    kept = list(thinned(count, most))
    assert len(kept) == min(count, most) and kept[-1] == count - 1
    assert kept == sorted(set(kept)) and kept[0] == (0 if most > 1 or count == 1 else count - 1)
    gaps = [b - a for a, b in zip(kept, kept[1:], strict=False)]
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_steps_are_exact_and_mistakes_told():
    assert step_us("0.1") == 100_000 and step_us("2") == 2 * S
    for text in ("0", "-1", "often", "1/0", "nan"):
        with pytest.raises(UserError, match="distance between frames"):
            step_us(text)


def test_a_window_states_mode_times_rule_protocol_and_options():
    (job,) = made(row())
    assert [f["time_us"] for f in job.frames] == [*range(352 * S, 413 * S, 2 * S)]
    assert job.frames[1]["caption"] == "Picture at 354.00 s:"
    for text in ("Task mode: single turn", "Temporal mode: present",
                 "The question is put at: 412.00 s", "You may use: 352.00 s to 412.00 s",
                 "Use nothing after 412.00 s.", "A) clipping\nB) packaging",
                 "unanswerable | answer", "its letter: A or B."):  # fmt: skip
        assert text in job.user
    assert "Nothing that happens later may be used" in job.system
    assert "{" not in job.user + job.system


def test_each_round_is_a_job_that_sees_its_prefix():
    jobs = made(streaming())
    assert [job.round_index for job in jobs] == [0, 1, 2, 3]
    assert [f["time_us"] // S for f in jobs[0].frames] == [600, 602, 604, 605]
    assert [job.end_us // S for job in jobs] == [605, 610, 655, 675]
    assert all(job.frames[-1]["time_us"] == job.end_us for job in jobs)
    assert "no_alert | uncertain | alert: <reason>" in jobs[0].user
    assert "letter" not in jobs[0].user
    # Which round of how many would tell how near the event is.
    assert len({job.user.replace(f"{job.end_us // S}.00", "T") for job in jobs}) == 1
    assert len({job.job_id for job in jobs}) == 4


def test_questions_about_clips_count_from_the_clip():
    clip = row(
        unit="clip",
        query_us=None,
        temporal_mode=None,
        task_mode=None,
        start_us=28 * S,
        end_us=33 * S,
    )
    (job,) = made(clip)
    assert [f["time_us"] // S for f in job.frames] == [28, 30, 32, 33]
    assert [f["caption"] for f in job.frames][0] == "Picture at 0.00 s:"
    assert "You may use: 0.00 s to 5.00 s" in job.user
    assert "mode" not in job.user and "put at" not in job.user and "Form of" not in job.user


def test_pictures_without_a_clock_are_counted():
    (job,) = made(row(start_us=0, end_us=5 * S, query_us=5 * S), clock="order")
    assert [f["caption"] for f in job.frames] == [
        f"Picture at frame {n}:" for n in (0, 2, 4, 5)
    ]  # fmt: skip
    assert job.time_unit == "frame" and "frame 0 to frame 5" in job.user
    (slow,) = made(row(start_us=0, end_us=20 * S, query_us=20 * S), "order", period_us=4 * S)
    assert [f["caption"][11:-1] for f in slow.frames] == [
        "frame 0",
        "frame 2",
        "frame 4",
        "frame 5",
    ]


def test_a_still_is_one_picture_without_a_time():
    still = row(start_us=0, end_us=S, query_us=0)
    still["media"] = still["media"] | {"kind": "image", "path": "a.png"}
    (job,) = made(still, clock="whole")
    assert job.frames == [{"time_us": 0, "caption": None}]
    assert "You may use" not in job.user and "put at" not in job.user
    lost = still | {"end_us": 0, "media": still["media"] | {"kind": "absent", "path": None}}
    (job,) = made(lost, clock="whole")
    assert job.time_unit == "image" and job.frames == [{"time_us": 0, "caption": None}]
    assert "You may use" not in job.user and "put at" not in job.user


@pytest.mark.parametrize("benchmark", ["surgcot", "mine"])
def test_a_chain_counts_from_the_recording_in_small_steps_whatever_its_name(benchmark):
    part = row(query_us=None, temporal_mode=None, task_mode=None, start_us=28 * S, end_us=30 * S)
    (job,) = made(part | {"benchmark": benchmark, "unit": "chain", "stage": 3})
    assert [frame["time_us"] for frame in job.frames] == [28 * S + k * S // 4 for k in range(9)]
    assert job.frames[0]["caption"] == "Picture at 28.00 s:"


def test_nothing_of_the_answer_gets_into_a_job():
    for one in (row(), streaming()):
        for job in made(one):
            assert b"sorrel" not in job.line()
            assert set(json.loads(job.line())) == set(NAMES)
    hidden = ("answer", "evidence", "expected", "accepted", "is_answer", "answerable", "slots")
    assert not {n for n in (*NAMES, *COLUMNS) if any(h in n for h in hidden)}


def test_the_answer_decides_nothing_of_a_job():
    """Every field that may not be seen is set to something else: the bytes stay."""
    other = row(answer="B", answer_key="B", answer_value="{}", slots="{}", evidence=[], clue=None,
                reasoning=[], knowledge=None, context=None, task="other", checks=None)  # fmt: skip
    other["options"] = [
        o | {"is_answer": not o["is_answer"], "kind": "x"} for o in other["options"]
    ]
    assert made(other) == made(row())
    changed = streaming()
    changed["rounds"] = [r | {"expected_output": "x", "accepted_outputs": [], "answerable": True}
                         for r in changed["rounds"]]  # fmt: skip
    assert made(changed) == made(streaming())


def written(folder, tmp_path: Path, name="jobs.jsonl", **more):
    path = tmp_path / name
    more = {"every_us": 2 * S} | more
    count = write_jobs(OutputFolder(folder), path, load_prompt(), **more)
    return path, count


def test_bytes_do_not_depend_on_shards_or_order(finished, tmp_path):
    rows = [row(n, start_us=(n % 5) * S, query_us=412 * S) for n in range(40)] + [streaming(41)]
    one, count = written(finished(rows), tmp_path)
    two, _ = written(finished(rows[::-1], "other", shards=3), tmp_path, "two.jsonl")
    assert one.read_bytes() == two.read_bytes()
    assert (count.items["medstream"], count.jobs["medstream"]) == (41, 44)
    jobs = list(read_jobs(one))
    assert [(j.start_us, j.end_us) for j in jobs] == sorted((j.start_us, j.end_us) for j in jobs)
    assert list(tmp_path.glob(".*")) == []


def test_a_sample_is_the_first_by_id(finished, tmp_path):
    path, count = written(finished([row(n) for n in range(9)], shards=2), tmp_path, limit=4)
    assert sorted(int(job.item_id, 16) for job in read_jobs(path)) == [0, 1, 2, 3]


def test_another_prompt_is_another_job(finished, tmp_path):
    (one,) = made(row())
    own = tmp_path / "p.txt"
    own.write_text("[system]\nBe brief.\n", encoding="utf-8")
    (two,) = jobs_of(row(), load_prompt(own), 2 * S, "time", S)
    assert one.job_id != two.job_id and one.key == two.key


@pytest.mark.parametrize("damage", [b"{}", b"[1]", b"nonsense", b'{"job_id": 1'])
def test_a_damaged_line_is_told_with_its_number(finished, tmp_path, damage):
    path, _ = written(finished([row(0), row(1)]), tmp_path)
    path.write_bytes(path.read_bytes() + damage + b"\n")
    with pytest.raises(UserError) as caught:
        checked(path)
    assert caught.value.where == f"{path}:3"


def test_two_jobs_about_one_round_are_refused(finished, tmp_path):
    path, _ = written(finished([row(0)]), tmp_path)
    entry = orjson.loads(path.read_bytes())
    path.write_bytes(path.read_bytes() + orjson.dumps(entry | {"job_id": "other"}) + b"\n")
    with pytest.raises(UserError, match="same question"):
        checked(path)
