"""The Dockerfile: its stages, its pins, and what must not get into an image."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.deploy import dockerfile, run_install_steps
from tests.each import cases

ROOT = Path(__file__).resolve().parent.parent.parent
STAGES = dockerfile.read(ROOT / "Dockerfile")
IMAGES = ("slim", "models-cpu", "models-cuda", "worker", "worker-models", "worker-dataflow")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILD_TOOLS = re.compile(r"\b(apt|apt-get|gcc|g\+\+|make|build-essential|curl|wget|git)\b")


def _pins(name: str) -> dict[str, str]:
    lines = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {re.sub(r"[-_.]+", "-", package).lower(): pin for package, pin in pairs}


def _patterns() -> list[str]:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _copied_from(name: str) -> set[str]:
    texts = [text for stage in dockerfile.chain(STAGES, name) for text in stage.texts("COPY")]
    return {found[1] for text in texts if (found := re.match(r"--from=(\S+) ", text))}


def _everything_behind(name: str) -> list[dockerfile.Stage]:
    found = dockerfile.chain(STAGES, name)
    for source in sorted(_copied_from(name)):
        found += _everything_behind(source) if source in STAGES else []
    return found


def test_every_image_is_there_and_slim_is_what_no_target_means():
    assert set(IMAGES) <= set(STAGES)
    assert list(STAGES)[-1] == "slim"


def test_beam_and_python_are_those_of_the_lock():
    beam = STAGES["beam"].base
    assert beam == f"apache/beam_python3.11_sdk:{_pins('core')['apache-beam']}"
    assert STAGES["base"].base.startswith("python:3.11-slim")
    assert {stage.base for stage in STAGES.values()} - set(STAGES) == {
        beam, STAGES["base"].base, "scratch",
    }  # fmt: skip


@cases("name", IMAGES)
def test_an_image_has_the_locked_packages_and_the_fixed_hash_seed(name):
    behind = _everything_behind(name)
    assert {"locked", "application"} <= {stage.name for stage in behind}
    assert dockerfile.variables(behind)["LOCKS"] == "core"
    assert dockerfile.variables(dockerfile.chain(STAGES, name))["PYTHONHASHSEED"] == "0"
    installed = " ".join(text for stage in behind for text in stage.texts("RUN"))
    assert not re.search(r"pip install (?!.*--no-deps)(?!.*--constraint)", installed)


@cases("name", IMAGES)
def test_an_image_belongs_to_no_root(name):
    user = dockerfile.setting(STAGES, name, "USER")
    if name == "worker-dataflow":
        assert user == "0"
    else:
        assert user.isdigit() and int(user) >= 10000


@cases("name", IMAGES)
def test_an_image_starts_surgqa_or_beam(name):
    entry = dockerfile.setting(STAGES, name, "ENTRYPOINT")
    assert entry == ('["/opt/apache/beam/boot"]' if name.startswith("worker") else '["surgqa"]')
    assert ("beam" in _copied_from(name)) == name.startswith("worker")


@cases("name", IMAGES)
def test_an_image_is_labelled(name):
    labels = " ".join(t for s in dockerfile.chain(STAGES, name) for t in s.texts("LABEL"))
    held = set(re.findall(r"org\.opencontainers\.image\.(\w+)=", labels))
    assert held >= {"title", "description", "licenses", "version", "revision"}
    assert ("AGPL" in labels) == ("models" in name)
    assert dockerfile.variables(dockerfile.chain(STAGES, name))["VERSION"] == PROJECT["version"]


@cases("name", IMAGES)
def test_nothing_is_built_in_an_image(name):
    lineage = dockerfile.chain(STAGES, name)
    commands = [text for stage in lineage for text in stage.texts("RUN")]
    assert not [text for text in commands if BUILD_TOOLS.search(text)]
    assert not [text for text in commands if "pip install" in text]
    copied = [text for stage in lineage for text in stage.texts("COPY")]
    assert all(text.startswith("--from=") for text in copied)
    removed = any("pip uninstall" in text for text in commands)
    assert removed != name.startswith("worker")  # boot installs what a job brings along


def test_no_address_of_an_index_is_in_the_dockerfile():
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"https?://\S+", text) == []
    assert dockerfile.variables([STAGES["packages-cpu"]])["TORCH_INDEX"] == ""


def test_lock_files_of_images_and_make_are_one_family():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    core, models, cuda = _pins("core"), _pins("models"), _pins("models-cuda")
    assert "-r requirements/core.txt" in makefile
    assert {name: pin for name, pin in _pins("dev").items() if name in core} == core
    assert not core.keys() & models.keys() and not (core | models).keys() & cuda.keys()
    exact = dict(text.split("==") for text in PROJECT["dependencies"] if "==" in text)
    assert {name: core[name] for name in exact} == exact
    assert "pyarrow" in exact


def test_the_models_are_those_of_the_extras():
    extras = PROJECT["optional-dependencies"]
    wanted = dict(
        text.split("==") for name in ("asr", "detect", "segment") for text in extras[name]
    )
    models = _pins("models")
    assert {name: models[name] for name in wanted} == wanted
    # Both kinds of OpenCV own the folder cv2; only the one without windows may be there.
    assert "opencv-python" not in models and "opencv-python-headless" in _pins("core")


def test_the_context_holds_what_the_wheel_is_made_of_and_nothing_else():
    sent = {path.relative_to(ROOT).as_posix() for path in run_install_steps.sent(ROOT, _patterns())}
    packages = ("ontology", "pipeline", "templates", "transforms")
    assert {path.split("/")[0] for path in sent} == {
        *packages, "surgqa", "requirements", "LICENSE", "README.md", "pyproject.toml",
    }  # fmt: skip
    tracked = subprocess.run(
        ["git", "ls-files", "-z", *packages], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    assert {name for name in tracked if name and (ROOT / name).is_file()} <= sent
    kinds = {Path(name).suffix for name in sent if name.startswith(packages)}
    assert {".py", ".yaml", ".jinja"} <= kinds
    assert "transforms/readers/cholect50/card.yaml" in sent


def test_the_context_leaves_caches_out():
    assert not dockerfile.is_sent("ontology/__pycache__/boxes.cpython-311.pyc", _patterns())
    assert not dockerfile.is_sent("tests/conftest.py", _patterns())
    assert dockerfile.is_sent("ontology/boxes.py", _patterns())


def test_hadolint_finds_nothing():
    program = shutil.which("hadolint") or shutil.which(
        "hadolint", path=str(Path(sys.executable).parent)
    )
    if not program:
        pytest.skip("hadolint is not installed")
    done = subprocess.run(
        [program, "--no-color", str(ROOT / "Dockerfile")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
