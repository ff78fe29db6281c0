"""A local program instead of an endpoint: every way in which it can leave us alone."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from surgqa.ontology.errors import SourceBroken, UserError
from surgqa.transforms.inference.command import ProgramJob, run_program, words_of
from surgqa.transforms.inference.journal import Journal, RunCounts, answered, entries

READS = """
import json, sys
for line in sys.stdin:
    job = json.loads(line)
    {body}
"""
GOOD = 'print(json.dumps({"job_id": job["job_id"], "response": "to " + job["user"]}), flush=True)'


def tasks(count: int, size: int = 1) -> list[ProgramJob]:
    def line(number: int):
        return {"job_id": f"t{number}", "user": str(number) * size}

    return [ProgramJob(f"t{n}", {"n": n}, lambda n=n: line(n)) for n in range(count)]


def ran(tmp_path, code: str, what=None, timeout_s: float | None = None, stray=None):
    path = tmp_path / "program.py"
    path.write_text(code, encoding="utf-8")
    what = tasks(5) if what is None else what
    tally = RunCounts(total=len(what))
    with Journal(tmp_path / "j", {}) as journal:
        run_program(what, [sys.executable, str(path)], journal, tally, timeout_s,
                    on_stray=(stray if stray is not None else []).append)  # fmt: skip
    return tally, answered(entries(tmp_path / "j"))


def test_a_program_that_answers_as_it_reads(tmp_path):
    tally, got = ran(tmp_path, READS.format(body=GOOD))
    assert got == {f"t{n}": f"to {n}" for n in range(5)}
    assert (tally.done, tally.failed, tally.open) == (5, {}, 0)
    assert [e["n"] for e in entries(tmp_path / "j")] == [0, 1, 2, 3, 4]


def test_a_program_that_reads_everything_first_and_answers_backwards(tmp_path):
    code = """
import json, sys
for line in reversed(sys.stdin.readlines()):
    print(json.dumps({"job_id": json.loads(line)["job_id"], "response": "x"}))
"""
    tally, got = ran(tmp_path, code, tasks(50, size=5000))  # more than a pipe holds
    assert len(got) == 50 and tally.done == 50


def test_lines_that_answer_nothing_are_told_and_repeats_do_not_count(tmp_path):
    body = f"print('loading'); print('[1]'); {GOOD}; {GOOD}"
    stray = []
    tally, got = ran(tmp_path, READS.format(body=body), tasks(2), stray=stray)
    assert tally.done == 2 and len(got) == 2
    assert stray[:2] == ["loading", "[1]"] and '"t0"' in stray[2]


def test_a_program_that_dies_leaves_its_rest_for_the_next_run(tmp_path):
    body = f"{GOOD}\n    if job['job_id'] == 't2': sys.exit(7)"
    tally, got = ran(tmp_path, READS.format(body=body))
    assert sorted(got) == ["t0", "t1", "t2"]
    assert len(tally.failed) + tally.open == 2
    assert all("status 7" in reason for reason in tally.failed.values())


def test_a_job_that_is_not_answered_has_failed(tmp_path):
    body = f"if job['job_id'] != 't1': {GOOD}"
    tally, got = ran(tmp_path, READS.format(body=body))
    assert list(tally.failed) == ["t1"] and "status 0" in tally.failed["t1"]
    assert "t1" not in got and tally.open == 0


def test_silence_ends_the_program(tmp_path):
    body = f"{GOOD}\n    if job['job_id'] == 't1': __import__('time').sleep(60)"
    start = time.monotonic()
    tally, got = ran(tmp_path, READS.format(body=body), timeout_s=1.0)
    assert sorted(got) == ["t0", "t1"] and time.monotonic() - start < 20
    assert "wrote nothing for 1 s" in tally.failed["t2"]


def test_a_program_that_does_not_end_is_ended_with_its_children(tmp_path, monkeypatch):
    from surgqa.transforms.inference import command

    monkeypatch.setattr(command, "GRACE_S", 0.2)
    code = (
        f"""
import json, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({str(tmp_path / "child")!r}, "w").write(str(child.pid))
"""
        + READS.format(body=GOOD)
        + "\ntime.sleep(60)\n"
    )
    tally, got = ran(tmp_path, code)
    assert len(got) == 5 and tally.failed == {}
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        if not _runs(child):
            break
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_pictures_that_are_not_there_fail_their_job(tmp_path):
    def gone():
        raise SourceBroken("v.mp4 shows nothing")

    tally, got = ran(tmp_path, READS.format(body=GOOD), [ProgramJob("x", {}, gone), *tasks(2)])
    assert tally.failed == {"x": "v.mp4 shows nothing"} and len(got) == 2


def test_an_own_mistake_is_not_swallowed(tmp_path):
    def bug():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ran(tmp_path, READS.format(body=GOOD), [ProgramJob("x", {}, bug), *tasks(2)])


def test_command_lines(tmp_path):
    assert words_of("python 'my model.py' --n 3") == ["python", "my model.py", "--n", "3"]
    for text in ("", "  ", "'open"):
        with pytest.raises(UserError, match="command"):
            words_of(text)
    with (
        Journal(tmp_path / "j", {}) as journal,
        pytest.raises(UserError, match="cannot be started") as caught,
    ):
        run_program(tasks(1), [str(tmp_path / "none")], journal, RunCounts(1))
    assert caught.value.exit_code == 3
