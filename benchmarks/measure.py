"""Measure one command as a child process: wall time, processor time, peak memory.

Processor time is user + system time of the process and of every descendant that was waited for
(``os.wait4``).  This omits a descendant that was killed and whose parent never waited for it.  A
watcher therefore also sums the last values in ``/proc`` for each process, and the larger sum is
taken.

Memory is the larger of

* the peak of the largest single process (``ru_maxrss``, exact), and
* the largest sum over the process tree, sampled every 0.1 s, of each process's proportional set
  size: a page that n processes share, such as one of a library, counts 1/n in each of them.

On Linux, a child's ``ru_maxrss`` starts at the value of its parent.  The benchmark process itself
therefore imports nothing large; all heavy work happens in children.

The CPU time used by the rest of the machine is read from ``/proc/stat``.  The report warns if it is
high, because wall times on a busy machine are not reliable.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
WATCH_S = 0.1


@dataclass(frozen=True, slots=True)
class Measure:
    """One run of one command; memory in MB (10**6 bytes).

    Attributes:
        others_cpu_s: CPU seconds that everything else on the machine used during the run.
        items: number of questions written; None if the command writes none.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float
    largest_mb: float
    tree_mb: float | None
    exit_status: int
    others_cpu_s: float | None = None
    items: int | None = None


class Watcher(threading.Thread):
    """Samples a process tree until ``done`` is set; does nothing if there is no /proc."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.done = threading.Event()
        self.peak_bytes = 0
        self.cpu_ticks: dict[tuple[int, int], int] = {}

    def run(self) -> None:
        if not (PROC / "self" / "stat").exists():
            return
        while not self.done.wait(WATCH_S):
            resident = 0
            for stat in _tree(self.pid):
                resident += _own_bytes(stat.pid)
                self.cpu_ticks[stat.pid, stat.start] = stat.ticks
            self.peak_bytes = max(self.peak_bytes, resident)

    @property
    def cpu_s(self) -> float:
        """Processor time of every process seen, in seconds."""
        return sum(self.cpu_ticks.values()) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class _Stat:
    pid: int
    parent: int
    ticks: int
    start: int


def _stats() -> Iterator[_Stat]:
    for entry in os.scandir(PROC):
        if not entry.name.isdigit():
            continue
        try:
            text = (PROC / entry.name / "stat").read_text()
        except OSError:  # the process ended after the folder was listed
            continue
        fields = text.rpartition(")")[2].split()
        yield _Stat(
            pid=int(entry.name),
            parent=int(fields[1]),
            ticks=int(fields[11]) + int(fields[12]),
            start=int(fields[19]),
        )


def _own_bytes(pid: int) -> int:
    """Return the proportional set size of a process; 0 if it has ended."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def _tree(root: int) -> list[_Stat]:
    """Return the process and all its descendants."""
    children: dict[int, list[_Stat]] = {}
    found = []
    for stat in _stats():
        children.setdefault(stat.parent, []).append(stat)
        if stat.pid == root:
            found.append(stat)
    for stat in found:
        found += children.get(stat.pid, [])
    return found


def _machine_cpu_s() -> float | None:
    """Return the CPU seconds that the whole machine has used since it started."""
    try:
        fields = (PROC / "stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    idle, waiting = int(fields[3]), int(fields[4])
    busy = sum(map(int, fields[:8])) - idle - waiting
    return busy / os.sysconf("SC_CLK_TCK")


def _ended(process: subprocess.Popen) -> tuple[int, resource.struct_rusage]:
    """Wait for the end of a process; if this is interrupted, kill the process."""
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        raise
    return status, usage


def measure(
    argv: Sequence[str], cwd: Path, log: Path, env: Mapping[str, str] | None = None
) -> Measure:
    """Run a command to its end and return its measurement.

    Args:
        argv: program and arguments.
        log: file for everything that the command prints.
        env: variables added to those of this process.
    """
    before = _machine_cpu_s()
    with log.open("wb") as printed:
        started = time.perf_counter()
        process = subprocess.Popen(
            argv, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
            stdout=printed, stderr=subprocess.STDOUT,
        )  # fmt: skip
        watcher = Watcher(process.pid)
        watcher.start()
        status, usage = _ended(process)
        wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    after = _machine_cpu_s()
    watcher.done.set()
    watcher.join()
    cpu = max(usage.ru_utime + usage.ru_stime, watcher.cpu_s)
    others = None if before is None or after is None else max(after - before - cpu, 0.0)
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Measure(
        wall_s=wall,
        cpu_s=cpu,
        peak_mb=max(largest, watcher.peak_bytes) / 1e6,
        largest_mb=largest / 1e6,
        tree_mb=watcher.peak_bytes / 1e6 if watcher.peak_bytes else None,
        exit_status=process.returncode,
        others_cpu_s=others,
    )
