"""Options of a Flink job and questions to a cluster, against a stand-in for its REST service."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.pipeline.engines import flink

from .conftest import free_port


class Cluster(HTTPServer):
    """Answers what it is told to, by path."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, Any] = {
            "/config": {"flink-version": "1.20.3"},
            "/overview": {"taskmanagers": 2, "slots-total": 6},
        }

    @property
    def master(self) -> str:
        return f"localhost:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Cluster

    def do_GET(self) -> None:
        found = self.server.answers.get(self.path)
        body = json.dumps(found).encode()
        self.send_response(200 if found is not None else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def own_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "own.jar"
    path.touch()
    monkeypatch.setenv(flink.VARIABLE, str(path))
    return path


def completed(*given: str, run: str | None = None) -> dict[str, str]:
    """Options by name, as Beam reads them: the last of a name counts."""
    pairs = [option.removeprefix("--").partition("=") for option in flink.options(given, run=run)]
    return {name: value for name, _, value in pairs}


def test_all_slots_of_the_cluster_are_used(cluster: Cluster, own_jar: Path) -> None:
    assert completed(f"--flink_master={cluster.master}", run="0123456789abcdef" * 4) == {
        "flink_master": cluster.master,
        "flink_version": "1.20",
        "parallelism": "6",
        "sdk_worker_parallelism": "3",
        "environment_type": "EXTERNAL",
        "environment_config": "localhost:50000",
        "flink_job_server_jar": str(own_jar),
        "flink_submit_uber_jar": "",
        "job_name": "surgqa-0123456789abcdef",
    }


def test_what_is_given_wins(cluster: Cluster, own_jar: Path) -> None:
    given = {
        "flink_master": f"http://{cluster.master}",
        "flink_version": "1.19",
        "parallelism": "1",
        "sdk_worker_parallelism": "1",
        "environment_type": "DOCKER",
        "flink_job_server_jar": "other.jar",
        "job_name": "mine",
    }
    found = completed(*(f"--{name}={value}" for name, value in given.items()), run="ab" * 32)
    assert found == {**given, "flink_submit_uber_jar": ""}


def test_completing_twice_changes_nothing(cluster: Cluster, own_jar: Path) -> None:
    once = flink.options([f"--flink_master={cluster.master}"])
    assert flink.options(once) == once


def test_a_job_server_that_runs_needs_no_jar(cluster: Cluster, own_jar: Path) -> None:
    found = completed(f"--flink_master={cluster.master}", "--job_endpoint=localhost:8099")
    assert not {"flink_job_server_jar", "flink_submit_uber_jar"} & set(found)
    assert found["parallelism"] == "6"


def test_the_embedded_flink_needs_no_cluster_and_no_pool(own_jar: Path) -> None:
    found = completed("--flink_master=[local]")
    assert found["flink_job_server_jar"] == str(own_jar)
    assert found["flink_version"] == flink.VERSION
    assert int(found["parallelism"]) >= 1
    assert not {"environment_type", "flink_submit_uber_jar"} & set(found)


def test_beam_knows_every_option(cluster: Cluster, own_jar: Path) -> None:
    from apache_beam.options.pipeline_options import (
        FlinkRunnerOptions,
        PipelineOptions,
        PortableOptions,
    )  # fmt: skip

    told: PipelineOptions = PipelineOptions(flink.options([f"--flink_master={cluster.master}"]))
    assert told.view_as(FlinkRunnerOptions).parallelism == 6
    assert told.view_as(FlinkRunnerOptions).flink_submit_uber_jar is True
    assert int(told.view_as(PortableOptions).sdk_worker_parallelism) == 3


def test_a_named_jar_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(flink.VARIABLE, str(tmp_path / "no.jar"))
    with pytest.raises(SourceMissing, match="not there"):
        flink.jar()


def test_the_fetched_jar_serves_where_none_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(flink.VARIABLE, raising=False)
    monkeypatch.setattr(flink, "JAR", tmp_path / "job-server.jar")
    assert flink.jar() is None
    flink.JAR.touch()
    assert flink.jar() == str(flink.JAR)


def test_nobody_answers() -> None:
    with pytest.raises(UserError, match="no Flink cluster answers"):
        flink.options([f"--flink_master=localhost:{free_port()}"])


def test_a_cluster_without_slots(cluster: Cluster) -> None:
    cluster.answers["/overview"] = {"taskmanagers": 0, "slots-total": 0}
    with pytest.raises(UserError, match="no TaskManager"):
        flink.options([f"--flink_master={cluster.master}"])


def test_the_newest_job_of_a_name_counts(cluster: Cluster) -> None:
    cluster.answers["/jobs/overview"] = {
        "jobs": [
            {"jid": "a", "name": "surgqa-1", "start-time": 10},
            {"jid": "b", "name": "surgqa-1", "start-time": 30},
            {"jid": "c", "name": "surgqa-2", "start-time": 40},
        ]
    }
    cluster.answers["/jobs/b"] = {"jid": "b", "state": "RESTARTING"}
    given = [f"--flink_master={cluster.master}"]
    assert flink.state([*given, "--job_name=surgqa-1"], "of Beam's") == "RESTARTING"
    assert flink.state([*given, "--job_name=surgqa-3"], "of Beam's") is None
    assert flink.state(given, "b") == "RESTARTING"
    with pytest.raises(UserError, match="rejects the request"):
        flink.job_state(cluster.master, "d")
