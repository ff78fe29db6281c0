"""Flink, a cluster engine: the options of a job, and its REST service."""

from __future__ import annotations

import argparse
import json
import os
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import FileMissing, ServiceUnavailable
from surgqa.pipeline.engines.engine import Engine

VERSION = "1.19"
"""Version of Flink in ``deploy/flink``; a running cluster is asked for its own version."""
VARIABLE = "SURGQA_FLINK_JAR"
JAR = Path(__file__).resolve().parents[2] / "build" / "flink" / "job-server.jar"
"""Where ``make flink-up`` puts the job server."""
MASTER = "localhost:8081"
POOL = "localhost:50000"
UBER = "flink_submit_uber_jar"
EMBEDDED = ("[local]", "[auto]")
"""Beam's names for a Flink that the job server starts itself."""
LIMIT_S = 20.0
"""Maximum time to wait for an answer of the cluster."""


def options(given: Sequence[str], run: str | None = None) -> list[str]:
    """Return the options after ``--`` with defaults for those that the user left out.

    By default the job is sent to the cluster as one file over REST: this machine needs no Java, and
    the job keeps running if this process ends.  It uses every slot of the cluster.

    Args:
        run: digest of the build, which names the job, so that the job can be found again.

    Raises:
        UserError: no cluster answers, or it has no slots.
        SourceMissing: ``SURGQA_FLINK_JAR`` names a missing file.
    """
    asked = _parsed(given)
    ours: dict[str, str | None] = {"job_name": f"surgqa-{run[:16]}" if run else None}
    if asked.flink_master in EMBEDDED:
        ours |= {"flink_version": VERSION, "parallelism": str(os.cpu_count() or 1)}
    else:
        ours |= _for_cluster(asked.flink_master or MASTER)
        if not asked.environment_type:
            ours |= {"environment_type": "EXTERNAL", "environment_config": POOL}
    if not asked.job_endpoint:
        # Otherwise a job server with its own jar is running already.
        ours["flink_job_server_jar"] = jar()
    named = {option.split("=")[0].lstrip("-") for option in given}
    added = [f"--{key}={value}" for key, value in ours.items() if value and key not in named]
    if not (asked.job_endpoint or asked.flink_master in EMBEDDED or UBER in named):
        added.append(f"--{UBER}")
    return [*added, *given]


def jar() -> str | None:
    """Return the path of the job server's jar; None if Beam should download its own release.

    Raises:
        SourceMissing: ``SURGQA_FLINK_JAR`` names a missing file.
    """
    named = os.environ.get(VARIABLE)
    if named and not Path(named).is_file():
        raise FileMissing(
            "Beam's job server for Flink is not there", expected="a jar", found=named,
            where=VARIABLE, fix="unset the variable, or fetch a jar with 'make flink-up'",
        )  # fmt: skip
    if named:
        return str(Path(named).resolve())
    return str(JAR) if JAR.is_file() else None


def state(given: Sequence[str], job: str) -> str | None:
    """Return the state of a submitted job, found by its name; None if there is none yet.

    Args:
        given: the options with which the job was submitted.
        job: Beam's id of the job, which Flink does not know; used only for a job without a name.

    Raises:
        UserError: no cluster answers.
    """
    asked = _parsed(given)
    master = asked.flink_master or MASTER
    if not asked.job_name:
        return job_state(master, job)
    found = job_id(master, asked.job_name)
    return job_state(master, found) if found else None


def job_id(master: str, name: str) -> str | None:
    """Return Flink's id of the newest job of a name; None if the cluster has none."""
    jobs = [job for job in _ask(master, "jobs/overview")["jobs"] if job["name"] == name]
    return max(jobs, key=lambda job: job["start-time"])["jid"] if jobs else None


def job_state(master: str, job_id: str) -> str:
    """Return the state of a job: ``CREATED``, ``RUNNING``, ``FINISHED``, ``FAILED`` or another.

    Args:
        master: the JobManager's ``host:port``.
        job_id: Flink's id.

    Raises:
        UserError: no cluster answers, or the cluster does not know the job.
    """
    return str(_ask(master, f"jobs/{job_id}")["state"])


def _for_cluster(master: str) -> dict[str, str | None]:
    """Return the options that depend on the cluster: its version, and one worker for each slot."""
    version = str(_ask(master, "config")["flink-version"])
    seen = _ask(master, "overview")
    slots, machines = int(seen["slots-total"]), int(seen["taskmanagers"])
    if not slots:
        raise ServiceUnavailable(
            "the Flink cluster has no TaskManager", expected="at least one slot", where=master,
            found="0 slots", fix="start TaskManagers and try again",
        )  # fmt: skip
    return {
        "flink_master": master,
        "flink_version": ".".join(version.split(".")[:2]),
        # Beam's default is one slot of the whole cluster, and one process per machine.
        "parallelism": str(slots),
        "sdk_worker_parallelism": str(max(1, slots // machines)),
    }


def _parsed(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    for name in ("flink_master", "environment_type", "job_endpoint", "job_name"):
        parser.add_argument(f"--{name}")
    return parser.parse_known_args(list(given))[0]


def _ask(master: str, path: str) -> dict[str, Any]:
    base = master if "://" in master else f"http://{master}"
    try:
        with urllib.request.urlopen(f"{base}/{path}", timeout=LIMIT_S) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except urllib.error.HTTPError as error:
        raise ServiceUnavailable(
            "Flink rejects the request", found=f"{error.code} {error.reason}",
            where=f"{base}/{path}", fix="a JobManager that was restarted has forgotten its jobs: "
            "start the run again",
        ) from None  # fmt: skip
    except (OSError, ValueError) as error:
        raise ServiceUnavailable(
            "no Flink cluster answers", expected="a JobManager's REST service", where=base,
            found=str(error), fix="start one with 'make flink-up', or name yours with "
            "-- --flink_master=HOST:PORT",
        ) from None  # fmt: skip


ENGINE = Engine(
    "flink",
    "FlinkRunner",
    options=options,
    spread="--parallelism",
    state=state,
    about="a Flink cluster",
)
