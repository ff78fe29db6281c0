"""Download what a local Flink cluster needs: Flink itself, and Beam's job server for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

BEAM = "2.77.0"
FLINK = "1.19.3"
MINOR = FLINK.rpartition(".")[0]
COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy"
JOB_SERVER = Path(__file__).resolve().parents[1] / "job-server"
LIMIT_S = 900
"""Time limit of one download in seconds."""


class Missing(Exception):
    """Something that is missing on this machine and that this program does not install."""


def flink(home: Path) -> Path:
    """Return Flink's folder with ``bin`` and ``lib``; install it on first use.

    The packages on PyPI contain the whole distribution.  They are installed in a separate
    environment, because they require an older Beam than surgqa.
    """
    env = home / f"flink-{FLINK}"
    ready = env / "ready"
    if not ready.is_file():
        _need("java", "a Java runtime, 11 or 17")
        shutil.rmtree(env, ignore_errors=True)
        say(f"fetching Flink {FLINK} (260 MB)")
        _run(sys.executable, "-m", "venv", str(env))
        _run(
            str(env / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install",
            "--quiet", "--no-deps", "--no-compile",
            f"apache-flink=={FLINK}", f"apache-flink-libraries=={FLINK}",
        )  # fmt: skip
        ready.touch()
    return next(env.glob("lib/python3*/site-packages/pyflink"))


def jar(home: Path) -> Path:
    """Return the job server's jar: from SURGQA_FLINK_JAR, published by Beam, or assembled here."""
    named = os.environ.get("SURGQA_FLINK_JAR")
    if named:
        if not Path(named).is_file():
            raise Missing(f"SURGQA_FLINK_JAR names no file: {named}")
        return Path(named).resolve()
    found = home / "job-server.jar"
    if not found.is_file():
        _need("java", "a Java runtime, 11 or 17")
        _need("mvn", "Maven 3.8 or newer, or SURGQA_FLINK_JAR with the path of a job server")
        home.mkdir(parents=True, exist_ok=True)
        (_official(home) or _assembled(home)).replace(found)
    return found


def _official(home: Path) -> Path | None:
    name = f"beam-runners-flink-{MINOR}-job-server"
    say(f"fetching Beam's {name} {BEAM}")
    folder = home / "official"
    done = subprocess.run(
        [
            "mvn", "-B", "-q", COPY, f"-Dartifact=org.apache.beam:{name}:{BEAM}",
            f"-DoutputDirectory={folder}",
        ],
        cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT_S,
    )  # fmt: skip
    found = folder / f"{name}-{BEAM}.jar"
    if done.returncode == 0 and found.is_file():
        return found
    say("it is not available here; assembling one from Beam's modules instead")
    return None


def _assembled(home: Path) -> Path:
    folder = home / "assembled"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(JOB_SERVER / "pom.xml", folder)
    _run("mvn", "-B", "-q", "-ntp", "package", cwd=folder, log=home / "assembled.log")
    return folder / "target" / "flink-job-server.jar"


def _need(program: str, what: str) -> None:
    if shutil.which(program) is None:
        raise Missing(f"'{program}' is not installed; needed: {what}")


def _run(*command: str, cwd: Path | None = None, log: Path | None = None) -> None:
    done = subprocess.run(
        command, cwd=cwd, timeout=LIMIT_S, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    if log:
        log.write_text(done.stdout)
    if done.returncode:
        tail = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise Missing(f"'{' '.join(command[:5])} ...' failed:\n{tail}")


def say(text: str) -> None:
    """Print a message to standard error; standard output is only for results."""
    print(text, file=sys.stderr, flush=True)
