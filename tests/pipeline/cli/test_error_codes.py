"""Every error has a code, every code an explanation, and the examples print what is written."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Mapping
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from surgqa.ontology import explained
from surgqa.ontology.errors import EXIT_USAGE, KINDS, UserError
from surgqa.ontology.explained import Explained, explanations, rejections
from surgqa.ontology.plugins import loaded
from surgqa.ontology.records import Code
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.engines import dataflow, flink
from surgqa.transforms.evidence.base import device_of, fetched
from surgqa.transforms.evidence.segment import model
from surgqa.transforms.language.findings import TemplateErrors
from surgqa.transforms.places import stores
from surgqa.transforms.places.inside import below
from surgqa.transforms.readers.observed.facts import facts_of
from surgqa.transforms.steps.video import STAGES
from surgqa.transforms.steps.workers import dead_worker_as_error
from tests.pipeline.cli.conftest import ID_A, item

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
ERRORS = "surgqa.ontology.errors"
TABLE = Path(explained.__file__).with_name(explained.FILE)
FRAMES = {"path": "videos/VID01", "kind": "frames", "fps_num": 1, "fps_den": 1}
OUR_KINDS = {code: kind for code, kind in KINDS.items() if kind.__module__.startswith("surgqa.")}


@cache
def nodes() -> list[tuple[str, ast.Call | ast.IfExp]]:
    """Every place in the code where a kind may be called or passed on."""
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}", node)
        for room in ("ontology", "pipeline", "transforms")
        for path in sorted((ROOT / room).rglob("*.py"))
        if ERRORS in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call | ast.IfExp)
    ]


def named(*values: ast.AST) -> set[str]:
    return {value.id for value in values if isinstance(value, ast.Name)}


def test_every_kind_is_explained_in_order():
    assert [*explanations()] == [*OUR_KINDS]
    assert OUR_KINDS["template-errors"] is TemplateErrors


def test_every_error_names_its_kind():
    calls = [(place, node.func) for place, node in nodes() if isinstance(node, ast.Call)]
    places = [place for place, func in calls if named(func) == {UserError.__name__}]
    assert not places, "raise one of the kinds of ontology/errors.py"


def test_every_kind_is_used():
    used: set[str] = set()
    for _, node in nodes():
        if isinstance(node, ast.Call):
            used |= named(node.func, *node.args)
        elif isinstance(node, ast.IfExp):
            used |= named(node.body)
    unused = {kind.__name__ for kind in OUR_KINDS.values()} - used
    assert not unused, "remove the kind and its explanation"


def test_explanations_are_whole_sentences():
    for code, one in explanations().items():
        assert all(text.endswith(".") for text in (one.means, one.why, one.fix)), code


@pytest.mark.parametrize("code", [code for code in OUR_KINDS if explanations()[code].run])
def test_examples_print_what_is_written(
    code: str, dataset, tmp_path: Path, monkeypatch, capsys, update_golden: bool
):
    one = explanations()[code]
    dataset([item(ID_A, media=FRAMES)])
    _write_files(one, tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in one.run.split(" && "):
        capsys.readouterr()
        status = run(shlex.split(line)[1:])
    err = capsys.readouterr().err.replace(f"{tmp_path}/", "")
    printed = err[err.index("error[") :]  # messages about progress come before it
    assert status == KINDS[code].exit_code
    _compare(code, printed, update_golden)


def _died() -> None:
    with dead_worker_as_error():
        raise BrokenProcessPool


def _job(error: str, text: str) -> None:
    """An error of Google's package, which the tests do not have."""
    with dataflow._explained():
        raise type(error, (Exception,), {})(text)


BY_PART: Mapping[str, Callable[[], object]] = {
    "device-missing": lambda: device_of("cuda", 0),
    "weights-broken": lambda: model.beside_weights(Path("sam2.pt")),
    "source-changed": lambda: fetched.check("0f3a" * 16, "77b1" * 16, "tools.onnx"),
    "store-broken": lambda: facts_of({}, "videos/case1/video.json"),
    "package-missing": lambda: stores.store.__wrapped__("gs"),
    "service-unavailable": lambda: flink.job_state("localhost:1", "0f3a"),
    "job-failed": lambda: _job("DataflowRuntimeException", "worker lost contact"),
    "out-of-memory": _died,
    "path-outside": lambda: below("data", "../film.mp4"),
    "busy": lambda: _job("DataflowJobAlreadyExistsError", "surgqa-out is active. Wait"),
    "plugin-broken": lambda: loaded(EntryPoint("mine", "my_package:data", "surgqa.datasets")),
}
"""What would need another machine on the command line."""


@pytest.mark.parametrize("code", [code for code in OUR_KINDS if not explanations()[code].run])
def test_examples_of_other_machines(code: str, tmp_path: Path, monkeypatch, update_golden: bool):
    _write_files(explanations()[code], tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stores, "_installed", lambda _: False)
    with pytest.raises(KINDS[code]) as caught:
        BY_PART[code]()
    _compare(code, caught.value.message(), update_golden)


def _write_files(one: Explained, folder: Path) -> None:
    for name, text in one.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.rstrip() + "\n", encoding="utf-8")


def _compare(code: str, printed: str, update_golden: bool) -> None:
    if update_golden:
        _write_prints(code, printed)
    assert printed.startswith(f"error[{code}]: ")
    assert printed.rstrip() == explanations()[code].prints.rstrip()


def _write_prints(code: str, printed: str) -> None:
    """Put what the example of a code prints into the table."""
    block = "".join(f"    {line}\n" for line in printed.rstrip().splitlines())
    text = TABLE.read_text(encoding="utf-8")
    entry = re.compile(rf"(^{code}:\n(?:  .*\n)*?  prints: ).*\n(?:    .*\n)*", re.MULTILINE)
    TABLE.write_text(entry.sub(lambda found: f"{found[1]}|\n{block}", text), encoding="utf-8")


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_codes_are_explained_on_the_command_line(json: list[str], capsys):
    assert run(["explain", "file-missing", *json]) == 0
    out = capsys.readouterr().out
    assert explanations()["file-missing"].means in out and "surgqa lint my_templates" in out


def test_every_code_of_a_rejection_is_explained_in_order():
    known = rejections()
    assert [*known] == [code.value for code in Code]
    assert all((DOCS / one.see.partition("#")[0]).is_file() for one in known.values() if one.see)
    assert {one.stage for one in known.values()} == set(STAGES)


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_codes_of_rejections_are_explained_on_the_command_line(json: list[str], capsys):
    assert run(["explain", "over_share", *json]) == 0
    out = capsys.readouterr().out
    assert rejections()["over_share"].fix in out and "docs/blind.md#shares" in out


def test_a_misspelt_code_gets_the_closest_one(capsys):
    assert run(["explain", "over_shares"]) == EXIT_USAGE
    assert "did you mean over_share?" in capsys.readouterr().err
