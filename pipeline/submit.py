"""Submit the graph to an engine, and wait for a job that another process submitted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from surgqa.ontology.errors import Busy, JobFailed, PlaceUnusable, StepOrder, Unsupported, UserError
from surgqa.ontology.system_errors import in_words
from surgqa.pipeline.engines.engine import engine_of, reporting
from surgqa.transforms.places import Place, RemotePath, place
from surgqa.transforms.steps.files import put
from surgqa.transforms.steps.tasks import FILES

if TYPE_CHECKING:
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions

SUBMITTED = "submitted.json"
"""File in the work folder that names the engine and its job, so that another process can wait."""
UNASKED = "--experiments=disable_logging_submission_environment"
"""Do not let Beam list all installed packages: this takes a second per job, does not describe the
workers, and would send the names of local folders.
"""
POLL_S = 2.0
ENDED = ("FAILED", "CANCELED", "CANCELLED")
DONE = ("FINISHED", "DONE")
LAST = 5
"""Number of lines of an engine's message that are shown."""


class EngineChoice(Protocol):
    """The settings of a run that select the engine."""

    @property
    def runner(self) -> str: ...

    @property
    def workers(self) -> int: ...

    @property
    def engine(self) -> list[str]: ...


class Submission(Protocol):
    """A build that is submitted to an engine: its settings, and the digest that names the job."""

    @property
    def config(self) -> EngineChoice: ...

    @property
    def digest(self) -> str: ...


def refuse_local(runner: str, places: Mapping[str, str | None]) -> None:
    """Refuse local folders that an engine's workers cannot reach.

    Args:
        places: for each option, the folder or address, None if the option is not set.

    Raises:
        UserError: a folder is local, but the engine's workers are other machines.
    """
    if not engine_of(runner).remote_only:
        return
    for option, where in places.items():
        if where is not None and not isinstance(place(where), RemotePath):
            raise PlaceUnusable(
                f"{runner} cannot reach {option}",
                expected="an address in remote storage, such as gs://bucket/folder",
                found=where,
                where=option,
                fix="copy the data into a bucket that the workers may read, and name that",
            )


def run_graph(todo: Submission, work: Place, build: Callable[[beam.Pipeline], None]) -> None:
    """Run the graph to its end.

    Raises:
        UserError: the engine reports that the job failed.
        KeyboardInterrupt: this process should end; a job on another engine keeps running.
    """
    import apache_beam as beam
    import grpc

    engine = engine_of(todo.config.runner)
    chosen = engine.options(_given(todo.config), todo.digest)
    pipeline = beam.Pipeline(options=as_options(engine.runner, chosen))
    build(pipeline)
    if engine.is_local:
        pipeline.run().wait_until_finish()
        return
    try:
        with engine.around(chosen):
            result = pipeline.run()
            record = {"runner": engine.name, "options": chosen, "job_id": _job_id(result)}
            put(work / SUBMITTED, orjson.dumps(record))
            result.wait_until_finish()
    except (RuntimeError, grpc.RpcError, grpc.FutureTimeoutError) as error:
        if (refused := in_words(error)) is not None:
            raise refused from None
        raise _failed(engine.name, str(error) or "the job service does not answer") from None


def as_options(runner: str, chosen: Sequence[str]) -> PipelineOptions:
    """Return the options as Beam reads them: the engine's options, and options of all engines."""
    from surgqa.pipeline.engines.options import Options

    return Options([f"--runner={runner}", UNASKED, *chosen], save_main_session=False)


def _given(config: EngineChoice) -> list[str]:
    """Return the options after ``--``, with ``--workers`` as the engine's own option."""
    given, spread = list(config.engine), engine_of(config.runner).spread
    if spread and config.workers > 1 and not any(o.split("=")[0] == spread for o in given):
        given.append(f"{spread}={config.workers}")
    return given


def _job_id(result: Any) -> str | None:
    found = getattr(result, "_job_id", None) or getattr(result, "job_id", None)
    return str(found() if callable(found) else found) if found else None


def _failed(engine: str, message: str) -> UserError:
    lines = [line for line in message.strip().splitlines() if line.strip()]
    return JobFailed(
        f"the job failed on {engine}",
        found="\n".join(lines[-LAST:]) or "no message",
        fix="see the engine's own log; the same command starts the run again",
    )


def submitted(work: Place) -> dict[str, Any]:
    """Return the record of a job that was submitted earlier.

    Raises:
        UserError: there is no such job, or the state of its engine's jobs cannot be queried.
    """
    record = work / SUBMITTED
    if not record.is_file():
        raise StepOrder(
            "there is no job to reattach to",
            expected="a run with the same settings and output folder that was submitted before",
            found=f"no {SUBMITTED} in {work}",
            fix="run the command without --reattach",
        )
    job: dict[str, Any] = orjson.loads(record.read_bytes())
    if engine_of(job["runner"]).state is None and not (work / FILES).is_file():
        raise Unsupported(
            f"{job['runner']} cannot report on a job",
            expected=f"a run on {' or '.join(reporting())}",
            fix="run the command without --reattach",
        )  # fmt: skip
    return job


def wait_for(job: dict[str, Any], work: Place) -> None:
    """Wait until a job that was submitted earlier has ended.

    Raises:
        UserError: the engine reports that the job failed.
    """
    while not (work / FILES).is_file():
        state = _state(job)
        if state in ENDED:
            raise _failed(job["runner"], f"job {job['job_id']} is {state}")
        if state in DONE:
            return
        time.sleep(POLL_S)


def assert_files(work: Place) -> None:
    """Fail if a job has ended but its files are missing.

    Raises:
        UserError: the workers write to a folder that this process does not see.
    """
    if not (work / FILES).is_file():
        raise PlaceUnusable(
            "the job has ended, but its files are not here",
            expected="an output folder that this machine and all workers reach",
            found=f"no {FILES} in {work}",
            fix="let --out, --root and --cache be on a shared disk, or in a bucket",
        )


def refuse_running(work: Place) -> None:
    """Refuse to start a run whose job is still running and writing to the same folder.

    Raises:
        UserError: the job exists and has not ended.
    """
    record = work / SUBMITTED
    if not record.is_file():
        return
    job = orjson.loads(record.read_bytes())
    try:
        state = _state(job)
    except UserError:
        return  # the engine is gone, or has forgotten the job
    if state is not None and state not in (*ENDED, *DONE):
        raise Busy(
            "the job of this run is still running",
            found=f"job {job['job_id']} on {job['runner']} is {state}",
            fix="wait for it with --reattach, or cancel the job",
        )


def _state(job: dict[str, Any]) -> str | None:
    engine = engine_of(job["runner"])
    if engine.state is None or job["job_id"] is None:
        return None
    return engine.state(job["options"], job["job_id"])
