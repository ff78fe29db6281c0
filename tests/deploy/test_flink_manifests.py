"""Compose file and Kubernetes manifests: valid by their schemas, and of one mind."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft7Validator, Draft201909Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7
from ruamel.yaml import YAML

from tests.each import cases

ROOT = Path(__file__).parent.parent.parent
FLINK = ROOT / "deploy" / "flink"
SCHEMAS = Path(__file__).parent / "schemas"
MANIFESTS = sorted((FLINK / "kubernetes").glob("*.yaml"))
POOL = 50000


def _schema(name: str) -> dict:
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def _documents(path: Path) -> list[dict]:
    return list(YAML(typ="safe", pure=True).load_all(path.read_text(encoding="utf-8")))


def _compose() -> dict:
    return _documents(FLINK / "compose.yaml")[0]


def _manifest(kind: str) -> dict:
    (found,) = (one for path in MANIFESTS for one in _documents(path) if one["kind"] == kind)
    return found


def _findings(document: dict) -> list[str]:
    core = _schema("kubernetes.json")
    registry = Registry().with_resource("kubernetes.json", DRAFT7.create_resource(core))
    kind = f"{document['apiVersion']} {document['kind']}"
    schema = (
        _schema("flinkdeployment.json") if document["kind"] == "FlinkDeployment"
        else {"$ref": f"kubernetes.json#/$defs/{core['kinds'][kind]}"}
    )  # fmt: skip
    validator = Draft7Validator(schema, registry=registry)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


def _options(words: list[str]) -> dict[str, str]:
    pairs = (word.partition("=") for word in words if word.startswith("--"))
    return {name: value for name, _, value in pairs}


def test_the_compose_file_is_valid():
    found = Draft201909Validator(_schema("compose-spec.json")).iter_errors(_compose())
    assert [f"{error.json_path}: {error.message}" for error in found] == []


def test_a_mistake_in_the_compose_file_would_be_seen():
    broken = _compose()
    broken["services"]["jobmanager"]["memlimit"] = "1g"
    assert list(Draft201909Validator(_schema("compose-spec.json")).iter_errors(broken))


@cases("path", MANIFESTS, ids=lambda path: path.stem)
def test_the_manifests_are_valid(path):
    assert [_findings(document) for document in _documents(path)] == [[] for _ in _documents(path)]


def _misspell_the_sidecar(document: dict) -> None:
    pod = document["spec"]["taskManager"]["podTemplate"]["spec"]
    pod["containers"][1]["imagePullPolice"] = "Always"


@cases(
    "spoil",
    [
        lambda document: document["spec"].update(flinkVersion="1.19"),
        lambda document: document["spec"]["jobManager"].update(replica=1),
        lambda document: document["spec"]["flinkConfiguration"].update({"parallelism.default": 2}),
        _misspell_the_sidecar,
    ],
)
def test_a_mistake_in_a_manifest_would_be_seen(spoil):
    document = copy.deepcopy(_manifest("FlinkDeployment"))
    spoil(document)
    assert _findings(document)


def test_every_taskmanager_has_workers_in_its_network():
    services = _compose()["services"]
    managers = {name for name in services if name.startswith("taskmanager")}
    pools = {
        name: one for name, one in services.items() if "--worker_pool" in one.get("command", "")
    }
    assert len(managers) == 2
    assert {one["network_mode"] for one in pools.values()} == {f"service:{m}" for m in managers}
    assert not any("ports" in one for one in pools.values())
    spec = _manifest("FlinkDeployment")["spec"]["taskManager"]
    main, pool = spec["podTemplate"]["spec"]["containers"]
    assert (main["name"], pool["args"]) == ("flink-main-container", ["--worker_pool"])
    assert pool["readinessProbe"]["tcpSocket"]["port"] == POOL


def test_workers_and_submitter_see_the_same_paths():
    services = _compose()["services"]
    targets = [
        {volume.split(":")[1] if "}" not in volume else re.search(r"\}:([^:]+)", volume)[1]
         for volume in services[name]["volumes"]}
        for name in ("workers-1", "workers-2", "submit")
    ]  # fmt: skip
    assert targets[0] == targets[1] == {"/data", "/out"}
    assert targets[2] == {"/data", "/out", "/opt/flink-job-server.jar"}
    pool = _manifest("FlinkDeployment")["spec"]["taskManager"]["podTemplate"]["spec"]
    submit = _manifest("Job")["spec"]["template"]["spec"]
    assert pool["containers"][1]["volumeMounts"] == submit["containers"][0]["volumeMounts"]
    assert pool["volumes"] == submit["volumes"]
    claims = {one["persistentVolumeClaim"]["claimName"] for one in submit["volumes"]}
    stored = _documents(FLINK / "kubernetes" / "storage.yaml")
    assert claims == {one["metadata"]["name"] for one in stored}
    assert {tuple(one["spec"]["accessModes"]) for one in stored} == {("ReadWriteMany",)}


@pytest.mark.parametrize("where", ["compose", "kubernetes"])
def test_a_submission_uses_every_slot_and_options_that_beam_knows(where):
    from apache_beam.options.pipeline_options import PipelineOptions

    if where == "compose":
        services = _compose()["services"]
        words = services["submit"]["command"]
        managers = [one for name, one in services.items() if name.startswith("taskmanager")]
        properties = managers[0]["environment"]["FLINK_PROPERTIES"]
        each = int(re.search(r"numberOfTaskSlots: (\d+)", properties)[1])
        count = len(managers)
        master = "jobmanager:8081"
    else:
        spec = _manifest("FlinkDeployment")["spec"]
        words = _manifest("Job")["spec"]["template"]["spec"]["containers"][0]["args"]
        each = int(spec["flinkConfiguration"]["taskmanager.numberOfTaskSlots"])
        count = spec["taskManager"]["replicas"]
        master = f"{_manifest('FlinkDeployment')['metadata']['name']}-rest:8081"
    beam = words[words.index("--") + 1 :]
    read = PipelineOptions(beam, save_main_session=False).get_all_options(drop_default=True)
    assert {f"--{name}" for name in read} >= set(_options(beam))
    assert read["parallelism"] == count * each
    assert int(read["sdk_worker_parallelism"]) == each
    assert read["flink_master"] == master
    assert (read["environment_type"], read["environment_config"]) == (
        "EXTERNAL", f"localhost:{POOL}",
    )  # fmt: skip


def test_flink_has_one_version_and_beam_knows_it():
    from apache_beam.options.pipeline_options import FlinkRunnerOptions

    (composed,) = set(re.findall(r"SURGQA_FLINK_VERSION:-([\d.]+)", (FLINK / "compose.yaml")
                                 .read_text(encoding="utf-8")))  # fmt: skip
    spec = _manifest("FlinkDeployment")["spec"]
    assert spec["image"].startswith(f"flink:{composed}-")
    assert spec["flinkVersion"] == "v" + composed.replace(".", "_")
    assert composed in FlinkRunnerOptions.PUBLISHED_FLINK_VERSIONS


def test_kubernetes_runs_the_worker_of_this_version():
    images = {
        one["image"]
        for template in (
            _manifest("FlinkDeployment")["spec"]["taskManager"]["podTemplate"],
            _manifest("Job")["spec"]["template"],
        )
        for one in template["spec"]["containers"]
        if "image" in one
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert images == {f"surgqa-worker:{project['version']}"}


def test_the_workers_port_is_shut_to_other_pods():
    (rule,) = _manifest("NetworkPolicy")["spec"]["ingress"]
    ranges = [(port["port"], port["endPort"]) for port in rule["ports"]]
    assert not any(low <= POOL <= high for low, high in ranges)


def test_the_schemas_are_those_of_the_sources_page():
    page = (SCHEMAS / "SOURCES.md").read_text(encoding="utf-8")
    held = sorted(path.name for path in SCHEMAS.glob("*.json"))
    assert held == sorted(set(re.findall(r"^\| `([\w.-]+\.json)`", page, re.M)))
    assert Resource.from_contents(_schema("kubernetes.json"), default_specification=DRAFT7)
