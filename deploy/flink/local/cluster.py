"""A standalone Flink cluster on this machine, with a pool of Beam workers.

    cluster.py up [--taskmanagers 2] [--slots 2] [--rest-port 8081] [--pool-port 50000]
    cluster.py status       print the addresses and the processes
    cluster.py kill NAME    kill one process, as if its machine was lost; 'up' starts it again
    cluster.py down
    cluster.py fetch        download what is needed; prints the path of the job server's jar

All ports are open to this machine only.  The worker pool obeys every user of this machine.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import socket
import string
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import fetch

HERE = Path(__file__).resolve().parent
HOME = HERE.parents[2] / "build" / "flink"
READY_S = 300
"""Longest wait in seconds until all slots exist; Java starts slowly on a busy machine."""
SHOWN_LINES = 15
"""Number of last lines of each log that an error shows."""
STOP_S = 15
"""Seconds that a process has to end by itself before it is killed."""
POOL = "worker-pool"


class Cluster:
    """The processes of one cluster, and the file that records them."""

    def __init__(self, home: Path, run: Path) -> None:
        self.home, self.run = home, run.resolve()
        self.file = self.run / "cluster.json"
        known = json.loads(self.file.read_text()) if self.file.is_file() else {}
        self.settings: dict[str, int] = known.get("settings", {})
        self.processes: dict[str, dict[str, Any]] = known.get("processes", {})

    def up(self, settings: dict[str, int]) -> None:
        """Start the processes that do not run, and wait until all slots are available."""
        if any(map(self.alive, self.processes)) and not self._fits(settings):
            raise fetch.Missing(f"a cluster runs with other settings, {self.settings}; run 'down'")
        flink = fetch.flink(self.home)
        self.settings = settings
        names = ["jobmanager", *(f"taskmanager-{i + 1}" for i in range(settings["taskmanagers"]))]
        missing = [name for name in [*names, POOL] if not self.alive(name)]
        self._check_ports(missing)
        self._write_conf(flink)
        for name in missing:
            self._start(name, flink)
        self._wait()

    def down(self) -> None:
        """End every process, including the workers of the pool."""
        names = [name for name in self.processes if self.alive(name)]
        for name in names:
            self._signal(name, signal.SIGTERM)
        self._await_end(names)
        for name in names:
            self._signal(name, signal.SIGKILL)
        for folder in ("tmp", "uploads", "conf"):
            shutil.rmtree(self.run / folder, ignore_errors=True)
        self.file.unlink(missing_ok=True)

    def kill(self, name: str) -> None:
        """Kill one process immediately."""
        if name not in self.processes:
            there = ", ".join(self.processes) or "none"
            raise fetch.Missing(f"no process '{name}'; there are: {there}")
        self._signal(name, signal.SIGKILL)
        # Wait for its end: an 'up' that still saw it running would not start it again.
        self._await_end([name])

    def alive(self, name: str) -> bool:
        """Return whether the process runs and is the one started here, as pids are reused."""
        known = self.processes.get(name)
        return known is not None and _begun(known["pid"]) == known["begun"]

    def status(self) -> dict[str, Any]:
        """Return the addresses and processes that a caller needs to submit a job."""
        return {
            "master": f"localhost:{self.settings.get('rest_port')}",
            "pool": f"localhost:{self.settings.get('pool_port')}",
            "processes": {n: p["pid"] for n, p in self.processes.items() if self.alive(n)},
            "logs": str(self.run / "log"),
        }

    def _await_end(self, names: list[str]) -> None:
        end = time.monotonic() + STOP_S
        while any(map(self.alive, names)) and time.monotonic() < end:
            time.sleep(0.1)

    def _fits(self, settings: dict[str, int]) -> bool:
        """Return whether 'up' can adapt the running cluster: only by adding TaskManagers."""
        fewer = settings["taskmanagers"] < self.settings["taskmanagers"]
        return not fewer and {**self.settings, "taskmanagers": 0} == {**settings, "taskmanagers": 0}

    def _check_ports(self, missing: list[str]) -> None:
        wanted = {"jobmanager": ("rest_port", "rpc_port"), POOL: ("pool_port",)}
        for port in (self.settings[key] for name in missing for key in wanted.get(name, ())):
            if not _is_free(port):
                raise fetch.Missing(f"port {port} is used by something else; choose another")

    def _write_conf(self, flink: Path) -> None:
        conf = self.run / "conf"
        for folder in (conf, self.run / "log", self.run / "tmp", self.run / "uploads"):
            folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(flink / "conf" / "log4j-console.properties", conf)
        values = {**self.settings, "run": str(self.run), "java_opts": _java_opts(flink)}
        template = string.Template((HERE / "config.yaml").read_text())
        (conf / "config.yaml").write_text(template.substitute(values))

    def _start(self, name: str, flink: Path) -> None:
        # Flink's scripts run in the foreground, so that the process is a child of this one.
        if name == POOL:
            command = [sys.executable, str(HERE / "pool.py"), str(self.settings["pool_port"])]
        else:
            script = flink / "bin" / f"{name.partition('-')[0]}.sh"
            command = ["bash", str(script), "start-foreground"]
        with (self.run / "log" / f"{name}.out").open("ab") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.run,
                env=self._environment(name, flink), start_new_session=True,
            )  # fmt: skip
        self.processes[name] = {"pid": process.pid, "begun": _begun(process.pid)}
        kept = {"settings": self.settings, "processes": self.processes}
        self.file.write_text(json.dumps(kept, indent=1))

    def _environment(self, name: str, flink: Path) -> dict[str, str]:
        own = {
            "FLINK_HOME": flink,
            "FLINK_CONF_DIR": self.run / "conf",
            "FLINK_LOG_DIR": self.run / "log",
            "FLINK_PID_DIR": self.run / "tmp",
            "FLINK_IDENT_STRING": name,
            "PYTHONPATH": HERE.parents[2],
        }
        return {**os.environ, **{key: str(value) for key, value in own.items()}}

    def _wait(self) -> None:
        wanted = self.settings["taskmanagers"] * self.settings["slots"]
        end = time.monotonic() + READY_S
        while _slots(self.settings["rest_port"]) < wanted or not _answers(
            self.settings["pool_port"]
        ):
            gone = [name for name in self.processes if not self.alive(name)]
            if gone or time.monotonic() > end:
                what = f"{', '.join(gone)} ended" if gone else f"not ready after {READY_S} s"
                logs = self.run / "log"
                raise fetch.Missing(f"{what}; see the logs in {logs}\n{_last_lines(logs)}")
            time.sleep(0.3)

    def _signal(self, name: str, number: signal.Signals) -> None:
        # Every process leads its own process group, which contains the pool's workers.
        if self.alive(name) or (name == POOL and number == signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.processes[name]["pid"], number)


def _last_lines(logs: Path) -> str:
    """Return the end of each log, because logs in a temporary folder may be deleted later."""
    shown = []
    for path in sorted(logs.glob("*.out")):
        lines = path.read_text(errors="replace").splitlines()[-SHOWN_LINES:]
        shown.append("\n".join([f"-- {path.name}", *lines]))
    return "\n".join(shown)


def _begun(pid: int) -> str | None:
    """Return the start time of a process; None if it has ended."""
    shown = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True
    )
    state, _, begun = shown.stdout.strip().partition(" ")
    return begun.strip() if begun and not state.startswith("Z") else None


def _java_opts(flink: Path) -> str:
    lines = (flink / "conf" / "config.yaml").read_text().splitlines()
    return next(line.strip()[5:] for line in lines if line.strip().startswith("all: "))


def _slots(port: int) -> int:
    """Return the number of slots of running TaskManagers; 0 if the JobManager does not answer."""
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/overview", timeout=5) as answer:
            return int(json.load(answer)["slots-total"])
    except (OSError, ValueError):
        return 0


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _is_free(port: int) -> bool:
    # A connection attempt is not enough: an outgoing connection may hold the port.
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["up", "down", "status", "kill", "fetch"])
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--home", type=Path, default=HOME, help="folder for downloads")
    parser.add_argument("--run", type=Path, help="logs and settings  [default: HOME/run]")
    parser.add_argument("--taskmanagers", type=int, default=2)
    parser.add_argument("--slots", type=int, default=2, help="slots of each TaskManager")
    parser.add_argument("--rest-port", type=int, default=8081)
    parser.add_argument("--rpc-port", type=int, default=6123)
    parser.add_argument("--pool-port", type=int, default=50000)
    return parser.parse_args()


def main() -> int:
    """Run the command line; return 3 if something is missing on this machine."""
    asked = _arguments()
    keys = ("taskmanagers", "slots", "rest_port", "rpc_port", "pool_port")
    cluster = Cluster(asked.home.resolve(), asked.run or asked.home / "run")
    try:
        if asked.action == "up":
            cluster.up({key: getattr(asked, key) for key in keys})
        elif asked.action == "kill":
            cluster.kill(asked.name)
        elif asked.action == "down":
            cluster.down()
        if asked.action in ("up", "status"):
            print(json.dumps(cluster.status(), indent=1))
        elif asked.action == "fetch":
            fetch.flink(asked.home.resolve())
            print(fetch.jar(asked.home.resolve()))
    except fetch.Missing as error:
        fetch.say(f"error: {error}")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
