"""Every mistake has its message; see ``wrong_templates`` for the layout of ``wrong/``.

After a message was changed on purpose, write the new ones with
``pytest tests/transforms/language --update-golden`` and read the difference.
"""

from __future__ import annotations

import pickle
import re
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from ontology.errors import EXIT_FINDINGS
from ontology.yaml import read_yaml
from tests.transforms.language.wrong_templates import (
    PLACES,
    WRONG,
    expected,
    findings,
    lay_out,
    mistakes,
)
from transforms.language import TemplateErrors, json_schema, lint, load_templates
from transforms.language.findings import CODES

ELSEWHERE = {"T113": "tests/templates: a template must fire on the readers' samples"}
"""Codes that a single file cannot raise, and what raises them."""

LINE = re.compile(
    r"^(?P<path>[\w/]+\.yaml):(?P<line>\d+):(?P<column>\d+): (?P<code>T\d{3}) \S.*: \S"
)

LINT_ONLY = {"T105", "T108", "T109", "T110", "T111", "T112", "T114", "T115", "T116"}
"""A template with these alone can be used; 'surgqa lint' and 'make check' refuse it."""

FOR_LOADER_ONLY = {
    "bound_without_limit": "one of four arguments: an editor would underline the wrong place",
    "example_expects_nothing": "either of two fields: which one is meant is not known",
    "example_seen_too_long": "two numbers are compared",
    "missing_ask": "ask and answer, or stages: which one is meant is not known",
    "slot_called_answer": "names of slots are free in the schema",
    "slot_called_variant": "names of slots are free in the schema",
    "slot_name_with_a_space": "names of slots are free in the schema",
    "stages_and_ask": "either is allowed",
    "variant_lacks_a_key": "the keys are the file's own",
}
"""T102 mistakes that the JSON Schema lets through, and why."""


@pytest.mark.parametrize("mistake", mistakes())
def test_messages(mistake: str, tmp_path: Path, update_golden: bool) -> None:
    text = "".join(f"{finding}\n" for finding in findings(mistake, tmp_path))
    if update_golden:
        (WRONG / mistake / "expected.txt").write_text(text, encoding="utf-8")
    assert text, f"wrong/{mistake} has no finding at all"
    assert text == expected(mistake)


@pytest.mark.parametrize("mistake", mistakes())
def test_places_exist(mistake: str) -> None:
    files = {place: WRONG / mistake / name for name, place in PLACES.items()}
    for message in expected(mistake).splitlines():
        match = LINE.match(message)
        assert match, message
        lines = files[match["path"]].read_text(encoding="utf-8").splitlines()
        assert 1 <= int(match["line"]) <= max(1, len(lines) + 1)
        line = [*lines, ""][int(match["line"]) - 1] if lines else ""
        assert 1 <= int(match["column"]) <= len(line) + 1


def test_every_code_has_an_example() -> None:
    raised = {LINE.match(m)["code"] for name in mistakes() for m in expected(name).splitlines()}  # type: ignore[index]
    assert raised | set(ELSEWHERE) == set(CODES)
    assert not raised & set(ELSEWHERE)


@pytest.mark.parametrize("mistake", mistakes())
def test_loading_refuses_what_cannot_be_used(mistake: str, tmp_path: Path) -> None:
    codes = {finding.code for finding in findings(mistake, tmp_path)}
    if codes <= LINT_ONLY and mistake != "answer_in_question":  # cannot be filled either
        assert load_templates(tmp_path)
        return
    with pytest.raises(TemplateErrors) as error:
        load_templates(tmp_path)
    again = pickle.loads(pickle.dumps(error.value))
    assert str(again) == str(error.value)
    assert error.value.exit_code == EXIT_FINDINGS
    assert all(str(finding) in str(error.value) for finding in error.value.findings)


def test_one_file_is_linted_like_its_folder(tmp_path: Path) -> None:
    folder = lay_out("unknown_operator", tmp_path)
    assert lint([folder / "wrong" / "example.yaml"]) == lint([folder / "wrong"]) == lint([folder])


def test_findings_of_many_files_come_together_and_sorted(tmp_path: Path) -> None:
    text = (WRONG / "unknown_operator" / "template.yaml").read_text(encoding="utf-8")
    for name in ("b", "a"):
        (tmp_path / "wrong").mkdir(exist_ok=True)
        (tmp_path / "wrong" / f"{name}.yaml").write_text(text, encoding="utf-8")
    paths = [Path(one.path).relative_to(tmp_path).as_posix() for one in lint([tmp_path])]
    assert paths == sorted(paths)
    assert set(paths) == {"wrong/a.yaml", "wrong/b.yaml"}


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json_schema())


@pytest.mark.parametrize("mistake", mistakes())
def test_json_schema_underlines_wrong_fields(mistake: str) -> None:
    if " T102 " not in expected(mistake):
        return
    data = read_yaml((WRONG / mistake / "template.yaml").read_text(encoding="utf-8"), mistake).data
    assert validator().is_valid(data) == (mistake in FOR_LOADER_ONLY)
