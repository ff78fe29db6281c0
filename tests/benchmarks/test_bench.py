"""The harness measures what it says and judges what it measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import bench
from benchmarks.cases import (
    CHANGED,
    REPOSITORY,
    Case,
    Folders,
    cases,
    change_template,
    chosen,
    items_in,
)
from benchmarks.measure import Measure, measure
from benchmarks.targets import Target, medians, others_cores, targets

BUSY = "import time; a = time.process_time()\nwhile time.process_time() - a < 0.3: pass"
LARGE = "a = bytearray(200_000_000)\nfor i in range(0, len(a), 4096): a[i] = 1"


def run(code: str, tmp_path: Path) -> Measure:
    return measure([sys.executable, "-c", code], tmp_path, tmp_path / "log")


def figure(wall=1.0, cpu=1.0, peak=100.0, items=None, status=0) -> Measure:
    return Measure(wall, cpu, peak, peak, None, status, None, items)


def test_processor_time_of_the_child_is_counted(tmp_path):
    found = run(BUSY, tmp_path)
    assert found.exit_status == 0
    assert found.cpu_s >= 0.3
    assert found.wall_s >= 0.3


def test_processor_time_of_grandchildren_is_counted(tmp_path):
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BUSY!r}], check=True)"
    assert run(code, tmp_path).cpu_s >= 0.3


def test_waiting_costs_wall_time_only(tmp_path):
    found = run("import time; time.sleep(0.5)", tmp_path)
    assert found.wall_s >= 0.5
    assert found.cpu_s < found.wall_s


def test_peak_memory_is_that_of_the_child(tmp_path):
    assert run(LARGE, tmp_path).peak_mb > 200


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc on this system")
def test_memory_of_two_processes_is_added(tmp_path):
    child = f"{LARGE}\nprint('ready', flush=True)\ninput()"
    code = (
        "import subprocess, sys, time\n"
        f"argv = [sys.executable, '-c', {child!r}]\n"
        "pipe = subprocess.PIPE\n"
        "two = [subprocess.Popen(argv, stdin=pipe, stdout=pipe) for _ in range(2)]\n"
        "[p.stdout.readline() for p in two]\n"
        "time.sleep(0.5)\n"
        "[p.communicate(b'\\n') for p in two]\n"
    )
    assert run(code, tmp_path).tree_mb > 400


def test_a_failing_command_keeps_its_status_and_its_words(tmp_path):
    found = run("raise SystemExit('no such thing')", tmp_path)
    assert found.exit_status == 1
    assert "no such thing" in (tmp_path / "log").read_text()


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="no /proc on this system")
def test_other_work_on_the_machine_is_seen(tmp_path):
    busy = "import time; a = time.process_time()\nwhile time.process_time() - a < 1.5: pass"
    with subprocess.Popen([sys.executable, "-c", busy]) as other:
        found = run("import time; time.sleep(1)", tmp_path)
        other.kill()
    assert found.others_cpu_s > 0.2


def test_other_work_is_averaged_over_the_time_measured():
    rows = [Measure(w, 1.0, 1.0, 1.0, None, 0, o) for w, o in ((2.0, 1.0), (6.0, 3.0))]
    assert others_cores({"a": rows[0], "b": rows[1], "c": figure(wall=9)}) == 0.5
    assert others_cores({"c": figure()}) == 0.0


def test_medians_are_taken_per_figure():
    rows = [figure(wall=w, cpu=c) for w, c in ((3, 1), (1, 2), (2, 3))]
    found = medians({"a": rows, "b": []})
    assert list(found) == ["a"]
    assert (found["a"].wall_s, found["a"].cpu_s, found["a"].tree_mb) == (2, 2, None)


def test_targets_compare_with_their_limits():
    of_case = {
        "plain": figure(cpu=10), "build_1": figure(wall=9, cpu=8, peak=400, items=100),
        "build_2": figure(wall=5), "build_current": figure(cpu=15, items=150),
        "check": figure(cpu=30), "large_1": figure(wall=160, cpu=150, peak=420),
        "large_2": figure(wall=110, peak=680), "help": figure(wall=0.3), "list": figure(wall=0.9),
        "rebuild": figure(cpu=2), "decode_1": figure(wall=9), "decode_2": figure(wall=5),
        "surgcot": figure(cpu=8, items=50), "sapbench": figure(cpu=4, items=100),
        "medstream": figure(cpu=8, items=100), "long_1": figure(wall=17),
        "long_2": figure(wall=10),
    }  # fmt: skip
    found = {t.name: (round(t.value, 3), t.met) for t in targets(of_case, 20)}
    assert found == {
        "1 build / plain script, CPU": (0.8, False),
        "1 build, wall on two cores": (5, True),
        "2 CPU per item, current / paper": (1.25, False),
        "2 CPU per item, surgcot / paper": (2.0, False),
        "2 CPU per item, sapbench / paper": (0.5, True),
        "2 CPU per item, medstream / paper": (1.0, True),
        "3 check / build, CPU": (3.75, False),
        "4 memory, 1 worker": (400, True),
        "4 memory at 20x / at 1x": (1.05, True),
        "4 memory, all processes of 2 workers at 20x": (680, True),
        "4 CPU at 20x / linear": (0.938, True),
        "5 speed-up of 2 workers at 20x": (1.455, False),
        "5 speed-up of 2 workers, full size": (1.8, True),
        "5 speed-up of 2 workers, one long video": (1.7, True),
        "5 speed-up of 2 workers, decoding": (1.8, True),
        "6 surgqa --help": (0.3, True),
        "6 surgqa list": (0.9, False),
        "7 rebuild / build, CPU": (0.25, True),
    }


def test_what_was_not_measured_is_not_judged():
    judged = targets({"help": figure(wall=0.1)}, 20)
    assert [t.name for t in judged if t.met is not None] == ["6 surgqa --help"]
    text = bench.verdicts(judged, meaningful=True)
    assert text.count("not measured") == len(judged) - 1
    assert "too small" in bench.verdicts([Target("a", 1.0, 2.0)], meaningful=False)


def test_a_case_brings_what_it_needs(tmp_path):
    every = cases(Folders(tmp_path))
    assert [c.name for c in chosen(every, ["check"], True)] == ["build_1", "check"]
    assert [c.name for c in chosen(every, ["rebuild"], True)] == ["cached", "rebuild"]
    assert not [c for c in chosen(every, [], False) if c.large]
    with pytest.raises(KeyError, match="build_1"):
        chosen(every, ["biuld"], True)


def test_the_changed_template_differs_in_its_version_alone(tmp_path):
    folders = Folders(tmp_path)
    change_template(folders)
    ours, theirs = REPOSITORY / "templates", folders.templates
    changed = [
        path.relative_to(theirs).as_posix()
        for path in sorted(theirs.rglob("*.yaml"))
        if path.read_text() != (ours / path.relative_to(theirs)).read_text()
    ]
    assert changed == [CHANGED]
    old, new = (ours / CHANGED).read_text(), (theirs / CHANGED).read_text()
    differing = [b for a, b in zip(old.splitlines(), new.splitlines(), strict=True) if a != b]
    assert [line.split(":")[0] for line in differing] == ["version"]


def test_items_are_rows_of_json_lines(tmp_path):
    folder = tmp_path / "data" / "surgstu"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text("{}\n{}\n")
    (folder / "b.jsonl").write_text("{}\n")
    (folder / "b.parquet").write_text("{}\n")
    assert items_in(tmp_path) == 3


def test_a_failed_case_is_shown_and_not_tried_again(tmp_path, capsys):
    tried = tmp_path / "tried"
    code = f"open({str(tried)!r}, 'a').write('x'); raise SystemExit(3)"
    bad = Case("bad", "a bad one", (sys.executable, "-c", code))
    needs = Case("needs", "needs it", (sys.executable, "-c", "pass"), after=("bad",))
    runs = bench.run_rounds([bad, needs], Folders(tmp_path), 2, 1)
    assert runs == {"bad": [], "needs": []}
    assert tried.read_text() == "x"
    assert "exit status 3" in capsys.readouterr().err
    assert bench.table([bad, needs], {}).count("failed") == 2


def test_the_harness_runs_from_data_to_verdicts(tmp_path, capsys):
    answer = tmp_path / "answer.json"
    work = str(tmp_path / "work")
    status = bench.main(
        ["--quick", "--only", "plain", "--repeats", "1", "--work", work, "--json", str(answer)]
    )
    printed = capsys.readouterr().out
    assert status == 0
    assert "plain script, paper" in printed
    found = json.loads(answer.read_text())
    assert found["runs"]["plain"][0]["items"] > 100
    assert len(found["targets"]) == 18
