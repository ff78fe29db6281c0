"""Mistakes of a person who submits a run elsewhere end in words, not in a traceback."""

from __future__ import annotations

import subprocess
from pathlib import Path

import orjson
import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline import submit
from surgqa.pipeline.engines.engine import engine_of

from .conftest import command, environment


def test_nothing_to_reattach_to(sample: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        command(sample, tmp_path / "out", "--reattach"), env=environment(),
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "there is no job to reattach to" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_engine_that_cannot_be_asked(tmp_path: Path) -> None:
    job = {"runner": "PortableRunner", "options": [], "job_id": "job-1"}
    (tmp_path / submit.SUBMITTED).write_bytes(orjson.dumps(job))
    with pytest.raises(UserError, match="PortableRunner cannot report on a job"):
        submit.submitted(tmp_path)


def test_a_job_that_ended_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = {"runner": "flink", "options": [], "job_id": "job-1"}
    monkeypatch.setattr(submit, "_state", lambda _: "FINISHED")
    submit.wait_for(job, tmp_path)
    with pytest.raises(UserError, match="its files are not here"):
        submit.assert_files(tmp_path)
    monkeypatch.setattr(submit, "_state", lambda _: "FAILED")
    with pytest.raises(UserError, match="the job failed on flink"):
        submit.wait_for(job, tmp_path)


def test_folders_that_an_engines_workers_cannot_reach() -> None:
    there = {"--out": "gs://bucket/out", "--cache": None}
    submit.refuse_local("dataflow", there)
    submit.refuse_local("flink", {"--out": "out"})
    with pytest.raises(UserError, match="dataflow cannot reach --root of cholect50"):
        submit.refuse_local("dataflow", {**there, "--root of cholect50": "/data/cholect50"})


def test_names_of_engines() -> None:
    assert engine_of("DirectRunner") is engine_of("direct")
    assert engine_of("FlinkRunner").name == "flink"
    assert engine_of("SparkRunner").runner == "SparkRunner"
