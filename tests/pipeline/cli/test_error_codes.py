"""Every error has a code, every code an explanation, and the examples print what is written."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from surgqa.ontology import explained
from surgqa.ontology.errors import KINDS, UserError
from surgqa.ontology.explained import explanations
from surgqa.pipeline.cli.app import run
from surgqa.transforms.language.findings import TemplateErrors
from tests.pipeline.cli.conftest import ID_A, item

ROOT = Path(__file__).parents[3]
ERRORS = "surgqa.ontology.errors"
TABLE = Path(explained.__file__).with_name(explained.FILE)
FRAMES = {"path": "videos/VID01", "kind": "frames", "fps_num": 1, "fps_den": 1}
OUR_KINDS = {code: kind for code, kind in KINDS.items() if kind.__module__.startswith("surgqa.")}
SHOWN = [code for code, one in explanations().items() if one.run]


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


@pytest.mark.parametrize("code", SHOWN)
def test_examples_print_what_is_written(
    code: str, dataset, tmp_path: Path, monkeypatch, capsys, update_golden: bool
):
    one = explanations()[code]
    dataset([item(ID_A, media=FRAMES)])
    for name, text in one.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text.rstrip() + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for line in one.run.split(" && "):
        capsys.readouterr()
        status = run(shlex.split(line)[1:])
    err = capsys.readouterr().err.replace(f"{tmp_path}/", "")
    printed = err[err.index("error[") :]  # messages about progress come before it
    if update_golden:
        _write_prints(code, printed)
    assert (status, printed.rstrip()) == (KINDS[code].exit_code, one.prints.rstrip())
    assert printed.startswith(f"error[{code}]: ")


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
