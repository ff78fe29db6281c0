"""Run files written from what lies in a folder: what is recognised, and that nothing is lost."""

from __future__ import annotations

import json

import jsonschema
import pytest

from surgqa.ontology.yaml import read_yaml
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.schema import FILES
from surgqa.pipeline.config import DatasetRun, RunConfig, load_run
from surgqa.pipeline.documents import _yaml
from surgqa.pipeline.recognise import candidates, recognised
from surgqa.transforms.registry import datasets, files, load_sample
from surgqa.transforms.store import OutputFolder

PUBLISHED = [name for name in datasets() if files(name).video_ids]


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    for name in ("cholect50", "pitvis", "cadis"):
        (folder / "deep" / name).mkdir(parents=True)
        load_sample(name)(folder / "deep" / name)
    (folder / "notes").mkdir()
    (folder / "notes" / "readme.txt").write_text("nothing", encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_published_dataset_is_told_from_the_others(name, tmp_path):
    load_sample(name)(tmp_path)
    found = next(recognised(tmp_path))
    named = {found.chosen.name, *found.others}
    assert name in named, (found, candidates(tmp_path))
    assert found.chosen.name == name or found.chosen.known


def test_a_folder_of_datasets(samples):
    found = {one.chosen.name: one.root.name for one in recognised(samples) if one.chosen}
    assert found == {"cholect50": "cholect50", "pitvis": "pitvis", "cadis": "cadis"}


def test_the_file_is_complete_and_comes_back_as_it_was(samples, tmp_path, capsys):
    file = tmp_path / "run.yaml"
    line = ["init", str(samples), "--to", str(file), "--out", str(tmp_path / "out")]
    assert run(line) == 0
    text = file.read_text(encoding="utf-8")
    values = read_yaml(text, "run.yaml").data
    assert set(values) == {one.alias or name for name, one in RunConfig.model_fields.items()}
    assert all(set(one) == set(DatasetRun.model_fields) for one in values["datasets"])
    schema = json.loads(json.dumps(FILES["run"]()))
    jsonschema.validate(values, schema)
    assert "official splits of cholect50: rendezvous, challenge" in text
    config = load_run(file, {})
    assert config.settings()["benchmarks"] == ["medstream", "sapbench", "surgcot", "surgstu",
                                               "surgveo"]  # fmt: skip
    again = tmp_path / "config.yaml"
    again.write_text(_yaml(config.shared()), encoding="utf-8")
    places = {"root": [f"{one.name}={one.root}" for one in config.datasets]}
    assert load_run(again, {"out": config.out}, places) == config
    capsys.readouterr()
    assert run(line) == 2  # it is there already
    assert "the run file exists already" in capsys.readouterr().err


def test_a_folder_without_any(tmp_path, capsys):
    assert run(["init", str(tmp_path), "--to", str(tmp_path / "run.yaml")]) == 3
    assert "no dataset is recognised" in capsys.readouterr().err
    assert not (tmp_path / "run.yaml").exists()


def test_what_init_writes_is_built_as_it_stands(samples, tmp_path):
    file = tmp_path / "run.yaml"
    assert run(["init", str(samples), "--to", str(file), "--out", str(tmp_path / "out")]) == 0
    assert run(["build", str(file), "--limit", "1"]) == 0
    told = OutputFolder(tmp_path / "out")
    assert {one["dataset"] for one in told.manifest["inputs"]} == {"cholect50", "pitvis", "cadis"}
    assert {row["dataset"] for row in told.rows()} == {"cholect50", "pitvis", "cadis"}
