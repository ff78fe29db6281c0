"""``docs/run_file.md`` shows a whole run file: it is built here, and nothing is left out of it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import jsonschema
import pytest

from surgqa.ontology.yaml import read_yaml
from surgqa.pipeline.choices import MIXES
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.schema import FILES
from surgqa.pipeline.config import DatasetRun, RunConfig, load_run
from surgqa.pipeline.located import OPTIONS, VARIABLE
from tests.readers.made import cholect50

PAGE = (Path(__file__).parents[2] / "docs" / "run_file.md").read_text(encoding="utf-8")
WHOLE, MIX = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S)


def keys(model) -> list[str]:
    return sorted(field.alias or name for name, field in model.model_fields.items())


def test_every_setting_is_shown_with_its_default() -> None:
    shown = read_yaml(WHOLE, "run.yaml").data
    (dataset,) = shown["datasets"]
    assert sorted(shown) == keys(RunConfig)
    assert sorted(dataset) == keys(DatasetRun)
    for model, told in ((RunConfig, shown), (DatasetRun, dataset)):
        for name, field in model.model_fields.items():
            if not field.is_required() and name != "exclude":
                assert told[field.alias or name] == field.get_default(), name


def test_the_run_file_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    cholect50.write(tmp_path / "data", pictures=None)
    (tmp_path / "run.yaml").write_text(WHOLE, encoding="utf-8")
    assert run(["build", "run.yaml", "--root", "cholect50=data"]) == 0
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_the_shares_of_the_mix_are_those_of_its_name(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(MIX + "out: out\ndatasets: [{name: cholect50, root: data}]\n", encoding="utf-8")
    assert load_run(file, {}).mix == MIXES["medstreambench"] == load_run(
        file, {"mix": "medstreambench"}).mix  # fmt: skip


def test_every_option_and_variable_of_a_place_is_told() -> None:
    assert all(option in PAGE for option in OPTIONS.values())
    assert VARIABLE in PAGE and not any(name.startswith(VARIABLE) for name in os.environ)


def test_the_schema_takes_it_and_refuses_a_misspelt_setting() -> None:
    schema = FILES["run"]()
    validator = jsonschema.Draft202012Validator(schema)
    whole = read_yaml(WHOLE, "run.yaml").data
    assert list(validator.iter_errors(whole)) == []
    for more in ({"seed": 42}, {"mix": "medstreambench"}, {"mix": {"present": 1}}):
        assert list(validator.iter_errors(whole | more)) == []
    for more in ({"profil": "paper"}, {"mix": "other"}, {"profile": "old"}):
        assert list(validator.iter_errors(whole | more))


def test_observing_has_a_schema_too() -> None:
    validator = jsonschema.Draft202012Validator(FILES["observe"]())
    whole = {"schema": "observe/v1", "videos": [{"path": "case.mp4"}], "out": "store"}
    assert list(validator.iter_errors(whole)) == []
    assert list(validator.iter_errors(whole | {"vidoes": []}))
