"""``surgqa jobs`` and ``surgqa infer`` as they are typed, with faults, kills and mistakes."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import orjson
import pytest

from surgqa.ontology.rows import ITEM
from surgqa.pipeline.cli.app import run
from surgqa.transforms.inference.jobs import NAMES
from surgqa.transforms.inference.journal import answered, entries
from surgqa.transforms.store import OutputFolder
from tests.pipeline.cli.typed import ROOT, asking, commands, killed, said, started, told
from tests.transforms.inference.conftest import (  # noqa: F401 - fixtures of the room below
    Stub,
    finished,
    one_in_ten,
    question_of,
    row,
    streaming,
    stub,
)

PAGE = ROOT / "docs" / "inference.md"


@pytest.fixture
def jobs(finished, tmp_path, capsys) -> Path:  # noqa: F811
    """Jobs of ninety-six windows and six streams of four rounds: 120."""
    rows = [row(n) for n in range(96)] + [streaming(n) for n in range(100, 106)]
    path = tmp_path / "jobs.jsonl"
    assert run(["jobs", str(finished(rows)), "--to", str(path)]) == 0
    capsys.readouterr()
    return path


@pytest.fixture
def frames(tmp_path) -> Path:
    """Pictures for every second that the rows' windows reach to."""
    folder = tmp_path / "data" / "videos" / "v07.mp4"
    folder.mkdir(parents=True)
    for number in range(676):
        picture = np.full((24, 32, 3), number % 250, dtype=np.uint8)
        cv2.imwrite(str(folder / f"{number:06d}.jpg"), picture)
    return tmp_path / "data"


def predictions(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_jobs_to_predictions(stub, jobs, tmp_path, capsys):  # noqa: F811
    out = tmp_path / "p.jsonl"
    text, _ = said(capsys, 0, *asking(stub, jobs, out, "--price-in", 2, "--price-out", 10,
                                      "--json", tmp_path / "c.json"))  # fmt: skip
    lines = predictions(out)
    assert len(lines) == 120 and all(set(one) == {"item_id", "round_index", "response"}
                                     for one in lines)  # fmt: skip
    keys = [(one["item_id"], -1 if one["round_index"] is None else one["round_index"])
            for one in lines]  # fmt: skip
    assert keys == sorted(set(keys))
    assert lines[7]["response"] == "answer to Use nothing after 412.00 s. Question 0007: which " \
                                   "phase is under way?"  # fmt: skip
    assert told(text)["tokens"] == "12,000 in, 840 out"
    assert told(text)["cost"] == "0.0324 now, 0.0324 with earlier runs"
    counts = json.loads((tmp_path / "c.json").read_text())
    assert (counts["jobs"], counts["answered"], counts["failed"]) == (120, 120, {})
    before = out.read_bytes()
    text, err = said(capsys, 0, *asking(stub, jobs, out, "--price-in", 2))
    assert out.read_bytes() == before and sum(stub.asked.values()) == 120
    assert "120 of 120 jobs were answered before" in err
    assert told(text)["cost"] == "0.0000 now, 0.0240 with earlier runs"


@pytest.mark.parametrize(
    "torn",
    [pytest.param(False, id="whole", marks=pytest.mark.nightly), pytest.param(True, id="torn")],
)
def test_killed_twice_and_resumed_amid_faults(stub, jobs, tmp_path, capsys, torn):  # noqa: F811
    """Every job is answered exactly once, none is lost, and none paid for twice.

    Only replies that a killed process had in its hands may be asked again: never more than
    there were calls at a time.
    """
    stub.plan, stub.delay_s, stub.slow_s = one_in_ten, 0.02, 1.5
    out, journal = tmp_path / "p.jsonl", tmp_path / "p.jsonl.journal"
    line = asking(stub, jobs, out, "--concurrency", 4, "--timeout", 0.6)
    for goal in (35, 80):
        killed(line, lambda goal=goal: sum(stub.delivered.values()) >= goal)
        time.sleep(0.1)  # calls that were under way come to their end
        done, asked_before = set(answered(entries(journal))), Counter(stub.asked)
        assert sum(stub.delivered.values()) >= len(done) >= goal - 2 * 4 - 2
        if torn:
            with journal.open("ab") as file:
                file.write(b'{"id": "torn by the kil')
        assert not out.exists()
    text, err = said(capsys, 0, *line)
    lines = predictions(out)
    assert len(lines) == len({(p["item_id"], p["round_index"]) for p in lines}) == 120
    assert told(text)["answered"].startswith("120 (") and told(text)["failed"] == "0"
    assert ("incomplete (killed run)" in err) == torn
    # What the journal held at the second kill was not asked again.
    by_id = {
        json.loads(one)["job_id"]: json.loads(one)["user"] for one in jobs.read_bytes().splitlines()
    }
    marks = {name: question_of({"messages": [{"content": text}]}) for name, text in by_id.items()}
    for name in done:
        assert stub.asked[marks[name]] == asked_before[marks[name]]
    # Nobody was answered by another's reply.
    for name, response in answered(entries(journal)).items():
        assert response == f"answer to {marks[name]}"
    assert set(stub.delivered) == set(marks.values())
    # Replies sent whole and not journaled: those in hand at a kill, and those that came late.
    late = sum(one_in_ten(n, "") == "slow" for n in range(sum(stub.asked.values())))
    assert late and sum(n - 1 for n in stub.delivered.values()) <= 2 * 4 + late
    assert len([e for e in entries(journal) if "response" in e]) == 120


def test_failures_are_listed_and_asked_again_next_time(stub, jobs, tmp_path, capsys):  # noqa: F811
    stub.plan = lambda n, question: "400" if "000" in question else "good"
    out = tmp_path / "p.jsonl"
    text, err = said(capsys, 4, *asking(stub, jobs, out))
    assert told(text)["failed"] == "10" and len(predictions(out)) == 110
    assert err.count("HTTP 400: planned 400") == 10
    stub.plan = lambda n, question: "good"
    text, _ = said(capsys, 0, *asking(stub, jobs, out))
    assert told(text)["answered"] == "120 (10 now, 110 before)" and len(predictions(out)) == 120


def test_long_lists_of_failures_are_cut(stub, jobs, tmp_path, capsys):  # noqa: F811
    stub.plan = lambda n, question: "400"
    _, err = said(capsys, 4, *asking(stub, jobs, tmp_path / "p"))
    assert err.count("failed: job") == 20 and "and 100 more, all in" in err


def test_control_c_waits_for_calls_under_way(stub, jobs, tmp_path):  # noqa: F811
    stub.delay_s = 0.5
    out = tmp_path / "p.jsonl"
    process = started(asking(stub, jobs, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while sum(stub.asked.values()) < 6:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    text, err = process.communicate(timeout=30)
    assert process.returncode == 130 and err.strip().endswith("interrupted")
    assert "Traceback" not in err and "running calls" in err
    asked = sum(stub.asked.values())
    assert asked <= 8 and len(predictions(out)) == asked == sum(stub.delivered.values())
    assert told(text)["not asked"] == str(120 - asked)


def test_a_second_control_c_does_not_wait(stub, jobs, tmp_path):  # noqa: F811
    stub.delay_s = 20
    process = started(asking(stub, jobs, tmp_path / "p"), stderr=subprocess.PIPE)
    while not stub.asked:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    while "running calls" not in (process.stderr.readline()):
        assert process.poll() is None
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=15)
    assert process.returncode == 130 and "Traceback" not in err
    assert time.monotonic() - start < 10 and predictions(tmp_path / "p") == []


def test_two_runs_on_one_journal_are_refused(stub, jobs, tmp_path, capsys):  # noqa: F811
    stub.delay_s = 0.3
    line = asking(stub, jobs, tmp_path / "p.jsonl")
    first = started(line)
    try:
        while not stub.asked:
            assert first.poll() is None
            time.sleep(0.01)
        _, err = said(capsys, 2, *line)
        assert "another run is writing to this journal" in err
    finally:
        first.kill()
        first.wait()


def test_other_settings_need_another_file(stub, jobs, tmp_path, capsys):  # noqa: F811
    said(capsys, 0, *asking(stub, jobs, tmp_path / "p"))
    _, err = said(capsys, 2, *asking(stub, jobs, tmp_path / "p", "--temperature", 1))
    assert "temperature: 0.0" in err and "temperature: 1.0" in err
    said(capsys, 0, *asking(stub, jobs, tmp_path / "p", "--timeout", 9, "--concurrency", 2))


def test_with_pictures(stub, finished, frames, tmp_path, capsys):  # noqa: F811
    media = {"path": "videos/v07.mp4", "kind": "frames", "fps_num": 1, "fps_den": 1}
    rows = [row(0, media=media), streaming(1) | {"media": media}]
    path = tmp_path / "jobs.jsonl"
    line = ["jobs", finished(rows), "--to", path, "--root", f"demochole={frames}"]
    text, _ = said(capsys, 0, *line)
    assert text.split() == ["benchmark", "items", "jobs", "pictures", "medstream", "2", "5", "109"]
    _, err = said(capsys, 0, "infer", path, "--base-url", stub.url, "--model", "m", "--out",
                  tmp_path / "p", "--root", f"demochole={frames}", "--max-images", 4)  # fmt: skip
    assert "frames are sent to 127.0.0.1 unchanged" in err
    for body in stub.bodies:
        content = body["messages"][-1]["content"]
        assert [c["type"] for c in content] == ["text", "image_url"] * 4 + ["text"]
        # The last picture shows the end of the stretch and nothing after it.
        end = re.search(r"nothing after (\d+)\.", content[-1]["text"])[1]
        assert content[-3]["text"] == f"Picture at {end}.00 s:"


def test_missing_pictures_are_told_before_a_call(stub, jobs, tmp_path, capsys):  # noqa: F811
    line = ["infer", jobs, "--base-url", stub.url, "--model", "m", "--out", tmp_path / "p"]
    _, err = said(capsys, 2, *line)
    assert "--root demochole=DIR" in err and "--without-images" in err
    _, err = said(capsys, 3, *line, "--root", f"demochole={tmp_path}")
    assert "demochole/videos/v07.mp4" in err and not stub.asked
    assert not (tmp_path / "p.journal").exists()
    _, err = said(capsys, 3, "jobs", tmp_path / "out", "--to", tmp_path / "again.jsonl",
                  "--root", f"demochole={tmp_path}")  # fmt: skip
    assert "1 of 1 videos are missing" in err and not (tmp_path / "again.jsonl").exists()


@pytest.mark.parametrize(
    ("other", "why"),
    [({"path": None, "kind": "absent"}, "demochole/v08 has annotations only"),
     ({"path": "videos/v08.mp4", "kind": "video"}, "nothing at demochole/videos/v08.mp4")],
)  # fmt: skip
def test_items_of_a_video_without_pictures_are_left_out_and_it_is_named(
    stub, finished, frames, tmp_path, capsys, other, why  # noqa: F811
):  # fmt: skip
    media = {"path": "videos/v07.mp4", "kind": "frames", "fps_num": 1, "fps_den": 1}
    rows = [row(n, media={**media, **other}, video_id="v08") for n in range(3)]
    out, path = finished([*rows, row(7, media=media)]), tmp_path / "jobs.jsonl"
    root = ["--root", f"demochole={frames}"]
    text, err = said(capsys, 0, "jobs", out, "--to", path, "--limit", 1, *root)
    assert text.split()[-4:-1] == ["medstream", "1", "1"]
    assert f"3 items are left out: see jobs.jsonl.left_out.jsonl; 3 of them: {why}" in err
    lost = predictions(tmp_path / "jobs.jsonl.left_out.jsonl")
    assert [(one["item_id"], one["reason"]) for one in lost] == [(r["item_id"], why) for r in rows]
    said(capsys, 0, "jobs", out, "--to", path)
    line = ["infer", path, "--base-url", stub.url, "--model", "m", "--out", tmp_path / "p", *root]
    _, err = said(capsys, 3, *line)
    assert "1 of 2 videos are missing" in err and why in err


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ([], 2, "either --base-url"),
        (["--base-url", "http://x/v1"], 2, "--model NAME"),
        (["--base-url", "http://x/v1", "--model", "m", "--command", "x"], 2, "found     both"),
        (["--base-url", "x", "--model", "m"], 2, "not the address"),
        (["--command", "x", "--model", "m"], 2, "need --base-url"),
        (["--base-url", "http://x", "--model", "m", "--image-folder", "d"], 2, "needs --command"),
        (["--base-url", "http://x", "--model", "m", "--body", "[1]"], 2, "cannot be added"),
        (["--base-url", "http://x", "--model", "m", "--body", "{"], 2, "not JSON"),
        (["--base-url", "http://x", "--model", "m", "--body", '{"stream":true}'], 2, "stream"),
        (["--base-url", "http://x", "--model", "m", "--api-key-env", "NO_SUCH"], 3, "NO_SUCH"),
        (["--command", "'open"], 2, "the command is not valid"),
        (["--command", "no-such-program"], 3, "cannot be started"),
        (["--command", "x", "--root", "demochole"], 2, "DATASET=DIR"),
    ],
)
def test_mistakes(jobs, tmp_path, capsys, more, status, words):
    _, err = said(capsys, status, "infer", jobs, "--out", tmp_path / "p", "--without-images", *more)
    assert words in err and "Traceback" not in err


def test_no_jobs(tmp_path, capsys):
    _, err = said(capsys, 3, "infer", tmp_path / "none", "--out", tmp_path / "p", "--command", "x")
    assert "surgqa jobs OUT --to JOBS" in err
    (tmp_path / "empty").write_text("\n")
    _, err = said(capsys, 2, "infer", tmp_path / "empty", "--out", tmp_path / "p", "--command", "x")
    assert "the file has no jobs" in err


def test_the_shipped_prompt_is_printed_to_be_edited(finished, tmp_path, capsys):  # noqa: F811
    text, _ = said(capsys, 0, "jobs", "--default-prompt")
    (tmp_path / "p.txt").write_text(text, encoding="utf-8")
    out = finished([row(0), streaming(1)])
    said(capsys, 0, "jobs", out, "--to", tmp_path / "a")
    said(capsys, 0, "jobs", out, "--to", tmp_path / "b", "--prompt", tmp_path / "p.txt")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_no_answer_is_in_a_job_of_the_demo(demo, tmp_path, capsys):
    path = tmp_path / "jobs.jsonl"
    said(capsys, 0, "jobs", demo / "questions", "--to", path)
    rows = {one["item_id"]: one for one in OutputFolder(demo / "questions").rows()}
    jobs = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    assert {job["item_id"] for job in jobs} == set(rows) and len(jobs) == len(rows) > 200
    hidden = {name for name in ITEM.names if name not in (*NAMES, "item_id")} - {"media"}
    open_ones = 0
    for job in jobs:
        one = rows[job["item_id"]]
        assert not hidden & _keys(job)
        shown = [one["question"], *(option["text"] for option in one["options"])]
        if not one["options"]:
            open_ones += 1
            text = "\n".join([job["system"], job["user"], job["no_pictures"]])
            # The window's bounds are told for every item, whether one is the answer or not.
            text = re.sub(r"(?m)^(You may use:|Use nothing after) .*$", "", text)
            assert _says(text, one["answer"]) <= sum(_says(s, one["answer"]) for s in shown)
        assert all(s in job["user"] for s in shown)
    assert open_ones > 100


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {k for v in value.values() for k in _keys(v)}
    return {k for v in value for k in _keys(v)} if isinstance(value, list) else set()


def _says(text: str, answer: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE))


def test_every_command_of_the_page(demo, stub, tmp_path, monkeypatch, capsys):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", "k-123")
    (tmp_path / "demo").symlink_to(demo)
    block = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    (tmp_path / "model.py").write_text(block[1], encoding="utf-8")
    lines = commands(PAGE.read_text(encoding="utf-8"))
    assert len(lines) >= 8
    for line in lines:
        line = line.replace("http://localhost:8000/v1", stub.url)
        line = line.replace("'python model.py'", shlex.quote(f"{sys.executable} model.py"))
        line, _, target = line.partition(" > ")
        words = shlex.split(line)
        assert words[0] == "surgqa"
        if words[1] == "demo":
            continue  # stands there as the fixture
        text, err = said(capsys, 0, *words[1:])
        if target:
            Path(target.strip()).write_text(text, encoding="utf-8")
    assert len(predictions(tmp_path / "predictions.jsonl")) == 20
    assert any(h.get("Authorization") == "Bearer k-123" for h in stub.headers)


def test_the_page_shows_the_shipped_prompt():
    page = PAGE.read_text(encoding="utf-8")
    for name in re.findall(r"\{(\w+)\}", (ROOT / "transforms/inference/prompt.txt").read_text()):
        assert f"`{{{name}}}`" in page or name == "placeholders"
