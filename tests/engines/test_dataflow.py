"""What Dataflow would be told: options, image, machines, steps, hints.

A submission goes to a local stand-in (``dataflow_stub``); no job runs.  Tests of it need the
packages of the extra ``gcp`` (``requirements/gcp.txt``) and are skipped where they are not.
"""

from __future__ import annotations

import base64
import bz2
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from surgqa.ontology.errors import EXIT_MISSING, UserError
from surgqa.pipeline.config import load_run
from surgqa.pipeline.engines import dataflow
from surgqa.pipeline.graph import build_graph
from surgqa.pipeline.plan import plan
from surgqa.pipeline.run import MANY
from surgqa.pipeline.submit import as_options
from surgqa.transforms.steps.tasks import AskSettings, in_batches
from tests.each import cases
from tests.readers.made import cholect50

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "europe-west4-docker.pkg.dev/hospital-research/surgqa/worker:0.1.0"
GIVEN = (
    "--project=hospital-research",
    "--region=europe-west4",
    "--temp_location=gs://surgqa-tests/tmp",
    f"--sdk_container_image={IMAGE}",
)
RUN = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
ACCELERATOR = "type:nvidia-tesla-t4;count:1;install-nvidia-driver"
ACCELERATOR_HINT = "beam:resources:accelerator:v1"
RAM_HINT = "beam:resources:min_ram_bytes:v1"


def _has_the_extra() -> bool:
    try:
        return importlib.util.find_spec("google.cloud.dataflow") is not None
    except ModuleNotFoundError:
        return False


needs_gcp = pytest.mark.skipif(
    not _has_the_extra(), reason="the extra gcp is not installed (requirements/gcp.txt)"
)


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The stand-in, and a Cloud Storage client that talks to it."""
    from .dataflow_stub import serve

    with serve() as recorded:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", recorded.url)
        yield recorded


def submit(google: Any, lay_out: Callable[[Any], object], *given: str, **known: Any) -> Any:
    """Hand a graph to the stand-in as ``surgqa build`` hands it to Dataflow."""
    local = (f"--dataflow_endpoint={google.url}", "--no_auth")
    chosen = dataflow.options([*GIVEN, *local, *given], **known)
    pipeline = beam.Pipeline(options=as_options(dataflow.RUNNER, chosen))
    lay_out(pipeline)
    with dataflow.submitting(chosen):
        result = pipeline.run()
        result.wait_until_finish()
    return result


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """What a build of CholecT50 told Google, submitted twice; its files lie in a bucket."""
    from .dataflow_stub import serve

    root = tmp_path_factory.mktemp("cholect50")
    cholect50.write(root, procedures=3)
    where = {"name": "cholect50", "root": root}
    config = load_run(None, {"datasets": [where], "out": root.parent / "out"})
    todo = plan(config)
    videos = [replace(video, root="gs://surgqa-tests/cholect50") for video in todo.videos]
    settings = AskSettings(todo.templates, config.seed, config.shares, "gs://surgqa-tests/work")
    more = ("--num_workers=2", "--max_num_workers=8", "--labels=team=orl", "--disk_size_gb=50")

    def lay_out(pipeline: Any) -> None:
        build_graph(pipeline, in_batches(videos, MANY), settings, config, 0)

    with serve() as recorded, pytest.MonkeyPatch.context() as patch:
        patch.setenv("STORAGE_EMULATOR_HOST", recorded.url)
        for _ in range(2):
            submit(recorded, lay_out, *more, run=RUN)
        yield recorded


class _Model(beam.DoFn):
    """Stands for a step that holds a model."""

    def process(self, clip: str) -> Iterator[str]:
        yield clip


def _with_a_model(pipeline: Any) -> None:
    asked = dataflow.accelerated(beam.ParDo(_Model()), ACCELERATOR, "16GB")
    unasked = dataflow.accelerated(beam.ParDo(_Model()), None)
    (
        pipeline
        | "Clips" >> beam.Create(["a", "b"])
        | "Observe" >> asked
        | "Observe plainly" >> unasked
        | "Round" >> beam.Map(str)
    )


@needs_gcp
def test_a_build_asks_for_what_it_needs_and_nothing_more(build):
    job = build.jobs[0]
    (pool,) = job["environment"]["workerPools"]
    assert job["name"] == "surgqa-0f1e2d3c4b5a6978"
    assert pool["machineType"] == "e2-standard-2"
    assert pool["numWorkers"] == 2
    assert pool["autoscalingSettings"]["maxNumWorkers"] == 8
    assert pool["diskSizeGb"] == 50
    assert [one["containerImage"] for one in pool["sdkHarnessContainerImages"]] == [IMAGE]
    assert "packages" not in pool, "nothing is installed on the workers"
    assert "serviceOptions" not in job["environment"], "no accelerator for the whole job"
    experiments = job["environment"]["experiments"]
    assert {"use_runner_v2", "use_multiple_sdk_containers"} <= set(experiments)
    assert "no_use_multiple_sdk_containers" not in experiments


@needs_gcp
def test_labels_are_such_as_google_takes(build):
    labels = build.jobs[0]["labels"]
    assert set(labels) == {"surgqa-version", "surgqa-run", "team"}
    assert labels["team"] == "orl"
    assert labels["surgqa-run"] == "0f1e2d3c4b5a6978"
    assert all(re.fullmatch(r"[a-z0-9_-]{1,63}", text) for text in labels.values())


@needs_gcp
def test_a_version_is_put_in_letters_that_labels_may_have(monkeypatch):
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0.2.0.dev1+Local")
    assert "--labels=surgqa-version=0-2-0-dev1-local" in dataflow.options(GIVEN)


@needs_gcp
def test_the_submitting_process_is_not_copied():
    """The stand-in is no service to Beam, whose default for the real one is another."""
    assert "--no_save_main_session" in dataflow.options(GIVEN)


@needs_gcp
def test_the_workers_are_told_the_options(build):
    told = build.jobs[0]["environment"]["sdkPipelineOptions"]["options"]
    assert told["project"] == "hospital-research"
    assert told["region"] == "europe-west4"
    assert told["temp_location"].startswith("gs://surgqa-tests/tmp/")
    assert told["staging_location"] == told["temp_location"]
    assert told["sdk_location"] == "container"
    created = {path for method, path in build.requests if method == "POST" and "jobs" in path}
    assert created == {"/v1b3/projects/hospital-research/locations/europe-west4/jobs"}
    assert {path.rpartition("/")[2] for path in build.objects} == {"pipeline.pb"}


@needs_gcp
def test_a_build_asks_for_no_accelerator(build):
    environments = build.pipeline().components.environments.values()
    assert [dict(one.resource_hints) for one in environments] == [{}]


@needs_gcp
def test_steps_have_the_same_names_in_every_submission(build):
    first, second = (
        sorted(step.unique_name for step in build.pipeline(number).components.transforms.values())
        for number in range(2)
    )
    assert first == second
    assert len(first) == len(set(first))
    assert {"List videos", "Ask about videos/Ask", "Write files/Write"} <= set(first)


@needs_gcp
def test_no_folder_of_this_machine_goes_into_the_graph(build, tmp_path):
    """Beam's own functions carry the places of Beam's source files; nothing else does."""
    texts = [*build.objects.values(), str(build.jobs).encode(), *_unpacked(build.pipeline())]
    beams = os.fsencode(Path(beam.__file__).parent)
    here = {ROOT, Path.home(), Path.cwd(), tmp_path.parent.parent, Path(sys.prefix)}
    for text in texts:
        left = text.replace(beams, b"")
        assert not [place for place in here if os.fsencode(place) + b"/" in left]
    assert any(b"gs://surgqa-tests/work" in text for text in texts), "not unpacked any more"


def _unpacked(graph: Any) -> Iterator[bytes]:
    """The pickled functions of a graph as Beam packs them."""
    from apache_beam.portability.api import beam_runner_api_pb2

    for step in graph.components.transforms.values():
        if step.spec.urn == "beam:transform:pardo:v1":
            payload = beam_runner_api_pb2.ParDoPayload.FromString(step.spec.payload)
            packed = payload.do_fn.payload
            yield bz2.decompress(base64.b64decode(packed)) if packed else b""


@needs_gcp
def test_what_is_given_wins(google):
    submit(google, _with_a_model, "--machine_type=n2-highmem-4", "--job_name=mine", run=RUN)
    (job,) = google.jobs
    assert job["name"] == "mine"
    assert job["environment"]["workerPools"][0]["machineType"] == "n2-highmem-4"


@needs_gcp
def test_only_the_model_step_asks_for_an_accelerator(google):
    submit(google, _with_a_model, models=True)
    components = google.pipeline().components
    hints = {
        step.unique_name: dict(components.environments[step.environment_id].resource_hints)
        for step in components.transforms.values()
        if step.environment_id
    }
    wanted = {ACCELERATOR_HINT: ACCELERATOR.encode(), RAM_HINT: b"16000000000"}
    assert hints.pop("Observe") == wanted
    assert {"Observe plainly", "Round"} <= set(hints)
    assert all(hint == {} for hint in hints.values()), hints


@needs_gcp
def test_a_model_is_loaded_once_for_each_machine(google):
    submit(google, _with_a_model, models=True)
    environment = google.jobs[0]["environment"]
    (pool,) = environment["workerPools"]
    assert "no_use_multiple_sdk_containers" in environment["experiments"]
    assert "use_multiple_sdk_containers" not in environment["experiments"]
    assert pool["numThreadsPerWorker"] == 1
    assert "machineType" not in pool, "the machine comes with the accelerator"
    assert {one["containerImage"] for one in pool["sdkHarnessContainerImages"]} == {IMAGE}


@needs_gcp
@pytest.mark.parametrize("option", ["project", "region", "temp_location", "sdk_container_image"])
def test_a_missing_option_is_named_with_an_example(option):
    given = [text for text in GIVEN if not text.startswith(f"--{option}=")]
    with pytest.raises(UserError) as caught:
        dataflow.options(given)
    assert caught.value.summary == f"Dataflow needs --{option}"
    assert f"--{option}=" in caught.value.fix
    assert (ROOT / dataflow.GUIDE).is_file()


@needs_gcp
@pytest.mark.parametrize(
    ("option", "message", "fix"),
    [
        ("--machine_tpye=e2-standard-4", "Beam has no such option", "--machine_type"),
        ("--num_workers=two", "an option of the engine is wrong", None),
        ("--temp_location=/scratch/tmp", "--temp_location is not in Cloud Storage", "gs://"),
        ("--temp_location=gs://bucket", "--temp_location is not in Cloud Storage", "gs://"),
        ("--staging_location=staging", "--staging_location is not in Cloud Storage", "out"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_sent(option, message, fix):
    with pytest.raises(UserError) as caught:
        dataflow.options([*GIVEN, option])
    assert caught.value.summary == message
    assert fix is None or fix in caught.value.fix


@needs_gcp
@pytest.mark.parametrize(
    "option",
    ["--flexrs_goal=COST_OPTIMIZED", "--dataflow_service_options=worker_accelerator=type:x"],
)
def test_options_that_fight_accelerated_steps_are_refused(option):
    assert option in dataflow.options([*GIVEN, option])
    with pytest.raises(UserError, match="does not work with accelerators"):
        dataflow.options([*GIVEN, option], models=True)


def test_without_the_extra_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.cloud.dataflow", None)
    with pytest.raises(UserError) as caught:
        dataflow.options(GIVEN)
    assert caught.value.fix == "pip install 'surgqa[gcp]'"
    assert caught.value.exit_code == EXIT_MISSING


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("type:nvidia-l4;count:2", "type:nvidia-l4;count:2;install-nvidia-driver"),
        (
            "type:nvidia-l4;count:1;machine_type:g2-standard-8;install-nvidia-driver:5xx",
            "type:nvidia-l4;count:1;machine_type:g2-standard-8;install-nvidia-driver:5xx",
        ),
    ],
)
def test_an_accelerator_comes_with_its_driver(given, hint):
    step = dataflow.accelerated(beam.ParDo(_Model()), given)
    assert step.get_resource_hints() == {ACCELERATOR_HINT: hint.encode()}


@cases("given", ["nvidia-l4", "type:nvidia-l4", "type:nvidia-l4;count:0", ""])
def test_what_is_no_accelerator_is_refused(given):
    if not given:
        assert dataflow.accelerated(beam.ParDo(_Model()), given).get_resource_hints() == {}
        return
    with pytest.raises(UserError, match="not an accelerator"):
        dataflow.accelerated(beam.ParDo(_Model()), given)


@needs_gcp
@pytest.mark.parametrize(
    ("status", "message"),
    [(401, "no valid Google credentials"), (403, "Google rejects"), (404, "Google rejects")],
)
def test_a_refused_bucket_is_explained(google, status, message):
    google.refuse = status
    with pytest.raises(UserError, match=message):
        submit(google, _with_a_model)
    assert len(google.requests) == 1, "asked once, not again and again"


@needs_gcp
def test_the_same_build_twice_at_once_is_explained(google):
    google.taken = True
    with pytest.raises(UserError, match="the job of this build is running"):
        submit(google, _with_a_model, run=RUN)


@needs_gcp
def test_a_failed_job_is_explained(google):
    google.state = "JOB_STATE_FAILED"
    with pytest.raises(UserError, match="the Dataflow job failed"):
        submit(google, _with_a_model)


@needs_gcp
def test_a_bug_of_ours_keeps_its_traceback(google):
    def broken(pipeline: Any) -> None:
        with dataflow.submitting([*GIVEN, "--no_auth"]):
            raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        submit(google, broken)


@needs_gcp
def test_a_job_can_be_asked_for_its_state(google):
    job = submit(google, _with_a_model).job_id()
    chosen = dataflow.options([*GIVEN, f"--dataflow_endpoint={google.url}", "--no_auth"])
    assert dataflow.state(chosen, job) == "DONE"
    google.state = "JOB_STATE_FAILED"
    assert dataflow.state(chosen, job) == "FAILED"


def test_the_guide_names_options_that_exist():
    from argparse import ArgumentParser

    parser = ArgumentParser(add_help=False)
    for kind in PipelineOptions.__subclasses__():
        if kind.__module__ == PipelineOptions.__module__:
            kind._add_argparse_args(parser)
    known = {name for action in parser._actions for name in action.option_strings}
    named = set(re.findall(r"--[a-z]+_[a-z_]+", (ROOT / dataflow.GUIDE).read_text("utf-8")))
    assert {"--temp_location", "--sdk_container_image"} <= named
    assert named <= known, sorted(named - known)


def test_the_lock_of_the_extra_changes_no_version():
    locks = {}
    for name in ("core", "dev", "gcp"):
        lines = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8").splitlines()
        locks[name] = dict(line.split("==") for line in lines if line and line[0] != "#")
    assert not locks["gcp"].keys() & locks["core"].keys()
    shared = locks["gcp"].keys() & locks["dev"].keys()
    assert all(locks["gcp"][name] == locks["dev"][name] for name in shared)
    assert {"google-cloud-dataflow-client", "google-cloud-storage"} <= locks["gcp"].keys()
