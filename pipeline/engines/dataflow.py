"""Dataflow, Google's managed engine: the options of a job that surgqa adds to the user's."""

from __future__ import annotations

import argparse
import difflib
import importlib.util
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import NoReturn, TypeVar

from surgqa.ontology import errors
from surgqa.ontology.plugins import release
from surgqa.pipeline.engines.engine import Engine

RUNNER = "DataflowRunner"
GUIDE = "deploy/dataflow/README.md"

Step = TypeVar("Step")

_BUCKET = re.compile(r"gs://[a-z0-9][-_a-z0-9.]+[a-z0-9]/\S*")
_ACCELERATOR = re.compile(r"type:[a-z0-9-]+;count:[1-9][0-9]*(;[a-z0-9_-]+(:[\w.-]+)?)*")
_DRIVER = "install-nvidia-driver"

_REFUSED = (
    HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND,
    HTTPStatus.TOO_MANY_REQUESTS,
)  # fmt: skip

_REQUIRED = {
    "project": ("the id of a Google Cloud project", "--project=my-project"),
    "region": ("the region that runs the job", "--region=europe-west4"),
    "temp_location": ("a folder of a Cloud Storage bucket", "--temp_location=gs://my-bucket/tmp"),
    "sdk_container_image": (
        "the worker image, which holds surgqa with its locked packages",
        "--sdk_container_image=europe-west4-docker.pkg.dev/my-project/surgqa/worker:0.1.0",
    ),
}


def options(given: Sequence[str], run: str | None = None, *, models: bool = False) -> list[str]:
    """Return the options after ``--`` with defaults for those that the user left out.

    Args:
        run: digest of the build, which names the job.
        models: whether the graph has steps with a model.

    Raises:
        UserError: the gcp extra is not installed; an option is missing, unknown or wrong.
    """
    _need_the_extra()
    asked = _parsed(given)
    for name, (what, example) in _REQUIRED.items():
        if not getattr(asked, name):
            raise errors.WrongUsage(
                f"Dataflow needs --{name}",
                expected=what,
                found="nothing",
                where="the options after --",
                fix=f"add for example {example} (see {GUIDE})",
            )
    _check_places(asked)
    ours = [
        # The image contains everything that workers run; nothing is installed when a worker starts.
        "--sdk_location=container",
        # The image contains every step; a copy of this process's modules would shadow them.
        "--no_save_main_session",
        *(f"--labels={label}" for label in _labels(run)),
    ]
    if run:
        # A region allows one active job per name, so the same build is not paid for twice.
        ours.append(f"--job_name=surgqa-{run[:16]}")
    # Without models: one process per core with 4 GB each, enough for a video's tables.
    ours += _for_models(asked) if models else ["--machine_type=e2-standard-2"]
    return [*ours, *given]


def accelerated(step: Step, accelerator: str | None, min_ram: str | None = None) -> Step:
    """Request an accelerator and memory for this step only.

    Engines other than Dataflow ignore this.  Steps with and without an accelerator are not fused:
    the data between them are stored.  So a step with a model should decode the frames itself.

    Args:
        step: a transform with a model, which is changed and returned.
        accelerator: ``type:T;count:N`` and more in Dataflow's notation, or None for none.
        min_ram: minimum memory of the step's workers, such as ``16GB``.

    Raises:
        UserError: the text does not describe an accelerator in the required form.
    """
    hints = {"min_ram": min_ram} if min_ram else {}
    if accelerator:
        if not _ACCELERATOR.fullmatch(accelerator):
            raise errors.ValueInvalid(
                "not an accelerator",
                expected=f"type:nvidia-tesla-t4;count:1;{_DRIVER}",
                found=accelerator,
                fix="name type and count, and quote the whole for the shell",
            )
        # Without the driver the job starts, costs money, and sees no device.
        driver = "" if _DRIVER in accelerator or "type:tpu" in accelerator else f";{_DRIVER}"
        hints["accelerator"] = accelerator + driver
    if hints:
        step.with_resource_hints(**hints)  # type: ignore[attr-defined]
    return step


def state(given: Sequence[str], job: str) -> str | None:
    """Return the state of a job, such as ``RUNNING``, ``DONE`` or ``FAILED``; None if there is none
    yet.

    Args:
        given: the options with which the job was submitted.
        job: id of the job.

    Raises:
        UserError: the gcp extra is not installed; Google rejects the request.
    """
    _need_the_extra()
    from apache_beam.options.pipeline_options import PipelineOptions
    from apache_beam.runners.dataflow.internal.apiclient import DataflowApplicationClient

    all_options = PipelineOptions(list(given))
    with _explained():
        current = DataflowApplicationClient(all_options).get_job(job).current_state
    return current.name.removeprefix("JOB_STATE_") if current else None


@contextmanager
def submitting(chosen: Sequence[str]) -> Iterator[None]:
    """Convert Google's errors while a graph is submitted and its job runs.

    Args:
        chosen: the result of ``options``.

    Raises:
        UserError: Google rejects the bucket or the job, the job failed, or its name is in use.
    """
    with _explained():
        _reach_bucket(chosen)
        yield


def _reach_bucket(chosen: Sequence[str]) -> None:
    """Access the bucket once; if it is refused, Beam would retry for ten minutes."""
    from apache_beam.io.gcp.gcsio import create_storage_client
    from apache_beam.options.pipeline_options import GoogleCloudOptions, PipelineOptions

    options = PipelineOptions(list(chosen))
    asked = options.view_as(GoogleCloudOptions)
    where = asked.staging_location or asked.temp_location
    client = create_storage_client(options, not asked.no_auth)
    client.get_bucket(where.removeprefix("gs://").partition("/")[0])


@contextmanager
def _explained() -> Iterator[None]:
    """Convert errors from Google into messages with a remedy."""
    try:
        yield
    except Exception as error:
        problem = _user_error(error)
        if problem is None:
            raise
        raise problem from None


def _user_error(error: Exception) -> errors.UserError | None:
    kind, text, code = type(error).__name__, str(error), getattr(error, "code", None)
    if kind == "DataflowJobAlreadyExistsError":
        return errors.Busy(
            "the job of this build is running", found=text.split(". ")[0], where="--job_name",
            fix="wait for it with --reattach, cancel it, or name this one with --job_name after --",
        )  # fmt: skip
    if kind == "DataflowRuntimeException":
        return errors.JobFailed(
            "the Dataflow job failed", found=text,
            fix="read the job's worker logs in the Google Cloud console",
        )  # fmt: skip
    # Without credentials Beam sends anonymous requests, which google.auth rejects.
    nobody = type(error).__module__ == "google.auth.exceptions" and kind != "TransportError"
    if nobody or code == HTTPStatus.UNAUTHORIZED:
        return errors.CredentialsMissing(
            "no valid Google credentials", expected="valid credentials", found=text,
            fix="gcloud auth application-default login",
        )  # fmt: skip
    if code in _REFUSED or text.startswith("Could not upload to GCS path"):
        return errors.ServiceUnavailable(
            "Google rejects the job", found=text,
            fix=f"check project, region, bucket and your roles, see {GUIDE}",
        )  # fmt: skip
    if text.startswith("Pipeline has validations errors"):
        return errors.ValueInvalid(
            "an option of the engine is wrong", found=text.partition("\n")[2].strip()
        )
    return None


def _need_the_extra() -> None:
    try:
        there = importlib.util.find_spec("google.cloud.dataflow") is not None
    except ModuleNotFoundError:
        there = False
    if not there:
        raise errors.PackageMissing(
            "the Dataflow engine is not installed",
            expected="the packages of the extra 'gcp'",
            found="google.cloud.dataflow cannot be imported",
            fix="pip install 'surgqa[gcp]'",
        )


class _Parser(argparse.ArgumentParser):
    """Argument parser that raises a UserError instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise errors.ValueInvalid(
            "an option of the engine is wrong", found=message, where="the options after --"
        )


def _parsed(given: Sequence[str]) -> argparse.Namespace:
    """Return the given options as Beam reads them; an option that Beam does not know is refused.

    Beam only logs unknown options, and a misspelt machine type costs money.
    """
    from apache_beam.options.pipeline_options import PipelineOptions

    parser = _Parser(allow_abbrev=False, add_help=False)
    # A class that was defined twice (module loaded twice) has the same options; use the first.
    for kind in {str(one): one for one in reversed(PipelineOptions.__subclasses__())}.values():
        if kind.__module__.startswith("apache_beam."):
            kind._add_argparse_args(parser)  # type: ignore[arg-type]
    asked, unknown = parser.parse_known_args(list(given))
    if unknown:
        known = [name for action in parser._actions for name in action.option_strings]
        near = difflib.get_close_matches(unknown[0].split("=")[0], known, 1)
        raise errors.UnknownName(
            "Beam has no such option", found=unknown[0], where="the options after --",
            fix=f"did you mean {near[0]}?" if near else "leave it out",
        )  # fmt: skip
    return asked


def _check_places(asked: argparse.Namespace) -> None:
    """Refuse a path outside a bucket; Beam would search for another bucket for two minutes."""
    for name in ("temp_location", "staging_location"):
        where = getattr(asked, name)
        if where and not _BUCKET.fullmatch(where):
            raise errors.PlaceUnusable(
                f"--{name} is not in Cloud Storage", expected="gs://BUCKET/FOLDER", found=where,
                where="the options after --", fix=f"add for example {_REQUIRED[name][1]}"
                if name in _REQUIRED else f"leave --{name} out: --temp_location serves for both",
            )  # fmt: skip


def _labels(run: str | None) -> list[str]:
    """Return the labels on the bill: lower case, digits, ``-`` and ``_`` only."""
    version = re.sub(r"[^a-z0-9_-]", "-", (release("surgqa") or "unknown").lower())
    return [f"surgqa-version={version}", *([f"surgqa-run={run[:16]}"] if run else [])]


def _for_models(asked: argparse.Namespace) -> list[str]:
    """Return the options of a job with accelerators; the accelerator determines the machine."""
    services = [str(one) for one in asked.dataflow_service_options or []]
    for given, why in (
        ("worker_accelerator", any("worker_accelerator" in one for one in services)),
        ("--flexrs_goal", asked.flexrs_goal),
    ):
        if why:
            raise errors.Unsupported(
                f"{given} does not work with accelerators for single steps",
                where="the options after --",
                fix=f"leave {given} out: the steps that need an accelerator ask for it",
            )
    ours: list[str] = []
    if not any("use_multiple_sdk_containers" in one for one in asked.experiments or []):
        # One process per machine, so that each device holds the weights once.
        ours.append("--experiments=no_use_multiple_sdk_containers")
    # One clip at a time, so that the device memory does not depend on the number of cores.
    return [*ours, "--number_of_worker_harness_threads=1"]


ENGINE = Engine(
    "dataflow",
    RUNNER,
    options=options,
    spread="--max_num_workers",
    state=state,
    around=submitting,
    remote_only=True,
    about="Google's managed engine",
)
