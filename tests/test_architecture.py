"""The order of the rooms, the sizes, the pins: what a tool can hold us to."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from importlinter.api import read_configuration

from tests.each import each

ROOT = Path(__file__).parent.parent
CODE = ("ontology", "pipeline", "templates", "transforms")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IMPORTED_AS = {
    "apache-beam": "apache_beam",
    "opencv-python-headless": "cv2",
    "PyYAML": "yaml",
    "ruamel.yaml": "ruamel",
}
EXTRAS = {"torch", "torchvision", "ultralytics", "sam2", "faster_whisper", "ctranslate2",
          "onnxruntime", "onnx", "tokenizers", "transformers", "huggingface_hub", "datasets",
          "PIL"}  # fmt: skip
"""Modules of the extras; each is imported inside the function that needs it.

The last two come with the evaluation packages that call the functions which import them.
"""
SORTED_ELSEWHERE = {
    "ontology/files.py",  # the sorted listing itself
    "transforms/registry.py",  # walks importlib.resources and sorts the names
}


def _sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _pins(name: str) -> dict[str, str]:
    lines = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {_plain(package): version for package, version in pairs}


def _plain(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _requirement(text: str) -> tuple[str, str]:
    match = re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?(.*)", text)
    return match[1], match[2]


def test_imports_go_one_way():
    """In a process of its own: the tool silences all loggers of the one that it runs in."""
    code = "import sys; from importlinter.cli import lint_imports as f; sys.exit(f(no_cache=True))"
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_room_but_steps_and_the_graph_is_kept_from_beam(monkeypatch):
    monkeypatch.chdir(ROOT)
    contracts = read_configuration()["contracts_options"]
    (beam,) = [c for c in contracts if c.get("forbidden_modules") == ["apache_beam"]]
    rooms = {
        f"surgqa.transforms.{path.name}"
        for path in (ROOT / "transforms").iterdir()
        if path.is_dir()
    }
    rooms -= {
        "surgqa.transforms.__pycache__",
        "surgqa.transforms.steps",
        "surgqa.transforms.places",
    }
    assert rooms <= set(beam["source_modules"])


NOT_REPEATABLE = {
    "random": "import random\n",
    "uuid": "import uuid\n",
    "glob": "from glob import glob\n",
    "listdir": "import os\n\nos.listdir('.')\n",
    "time": "import time\n\ntime.time()\n",
}
REFUSED = {"transforms": True, "ontology": True, "pipeline": True, "tests": False,
           "benchmarks": False}  # fmt: skip


def test_the_linter_refuses_what_is_not_repeatable(tmp_path):
    """Each call in a file of each folder, under the project's settings."""
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for folder in REFUSED:
        (tmp_path / folder).mkdir()
        for name, call in NOT_REPEATABLE.items():
            (tmp_path / folder / f"{name}.py").write_text(call, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--no-cache",
               "--output-format", "json"]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = {Path(one["filename"]).relative_to(tmp_path).with_suffix("").as_posix()
             for one in json.loads(done.stdout) if one["code"] == "TID251"}  # fmt: skip
    wanted = {f"{folder}/{name}" for folder, refused in REFUSED.items() if refused
              for name in NOT_REPEATABLE}  # fmt: skip
    assert found == wanted, done.stdout + done.stderr


def test_nothing_is_hashed_or_listed_in_the_machines_own_way():
    """What ruff does not see: the built-in hash, and folders in the disk's order."""
    each(_sources("ontology", "transforms"), _hashes_and_lists_by_rule)


def _hashes_and_lists_by_rule(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ordered = {
        inner
        for outer in ast.walk(tree)
        if isinstance(outer, ast.Call) and _called(outer) == "sorted"
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            place = f"{_relative(path)}:{node.lineno}"
            assert _called(node) != "hash", f"{place}: use ontology.keys"
            if node not in ordered and _relative(path) not in SORTED_ELSEWHERE:
                assert _called(node) != "iterdir", f"{place}: use ontology.files.listed"


def _called(call: ast.Call) -> str:
    """Name of the function or method that is called."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def test_files_and_functions_stay_short():
    each(_sources(*CODE), _is_short)


def _is_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, "a second look: more than 400 lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = node.body[1] if _has_docstring(node) and len(node.body) > 1 else node.body[0]
            length = (node.end_lineno or 0) - first.lineno + 1
            assert length <= 40, f"{node.name} in line {node.lineno} has {length} lines"


def _has_docstring(node: ast.FunctionDef) -> bool:
    return ast.get_docstring(node) is not None


def test_the_locks_hold_what_the_project_asks_for():
    core, dev = _pins("core"), _pins("dev")
    extras = PROJECT["project"]["optional-dependencies"]
    for text in PROJECT["project"]["dependencies"]:
        package, wanted = _requirement(text)
        assert _plain(package) in core, f"{package}: run make lock"
        if wanted.startswith("=="):
            assert wanted == f"=={core[_plain(package)]}"
    for text in extras["dev"]:
        package, wanted = _requirement(text)
        assert wanted == f"=={dev[_plain(package)]}"
    assert core.items() <= dev.items(), "one version of a package in both locks"


def test_beam_arrow_and_numpy_are_pinned_together():
    pinned = {_requirement(text) for text in PROJECT["project"]["dependencies"]}
    assert {("apache-beam", "==2.77.0"), ("pyarrow", "==25.0.1"), ("numpy", "==2.4.6")} <= pinned


def test_every_dependency_is_used_and_every_import_is_declared():
    imported: set[str] = set()
    for path in _sources(*CODE):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    names = [_requirement(text)[0] for text in PROJECT["project"]["dependencies"]]
    declared = {IMPORTED_AS.get(name, name) for name in names}
    assert declared <= imported, f"not used: {declared - imported}"
    known = declared | {"surgqa"} | set(sys.stdlib_module_names)
    # Beam depends on packaging, which reads our own requirements in 'surgqa doctor'.
    # The client of S3 brings botocore and Beam brings grpc, whose errors we translate.
    # pydantic brings typing_extensions, and takes no other TypedDict before Python 3.12.
    brought = {"packaging", "botocore", "grpc", "typing_extensions"}
    assert imported - known - EXTRAS <= brought


def test_the_wheel_holds_code_and_data(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"from hatchling.build import build_wheel; build_wheel({str(tmp_path)!r})",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"surgqa/{_relative(path)}"
        for folder in CODE
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and "/." not in path.as_posix()
    }
    assert wanted <= held, sorted(wanted - held)
    tops = {name.split("/")[0] for name in held}
    assert tops == {"surgqa", *(top for top in tops if top.endswith(".dist-info"))}


def test_nothing_names_the_machine_it_was_written_on():
    done = subprocess.run(
        ["git", "grep", "-nIF", "-e", f"{ROOT}/", "-e", f"{Path.home()}/", "-e", f"{sys.prefix}/"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
