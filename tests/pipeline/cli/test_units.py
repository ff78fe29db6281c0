"""Lists and cards: complete, parseable, and in step with what they are read from."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest

from surgqa.pipeline.cli import units
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.config import RunConfig
from surgqa.transforms.language import load_programs


def test_heads_agree_with_the_real_parser():
    parsed = {
        t.id: (str(t.version), t.title, t.benchmark, t.task, t.unit.kind) for t in load_programs()
    }
    heads = {
        h.id: (h.version, h.title, h.benchmark, h.task, h.unit)
        for h in units.headlines()
        if h.status == "active"
    }
    assert heads == parsed


def test_exports_are_the_formats_a_build_writes():
    (kind,) = get_args(RunConfig.model_fields["formats"].annotation)
    assert set(units.FORMATS) == set(get_args(kind))


@pytest.mark.parametrize("kind", list(units.KINDS))
def test_lists_as_json_hold_what_the_lines_show(capsys, kind):
    assert run(["list", kind, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert run(["list", kind]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [row.get("id") or row["name"] for row in rows]
    assert len(names) == len(set(names)) == len(lines) > 0
    assert [line.split()[0] for line in lines] == names


def test_without_a_kind_the_first_three_are_listed(capsys):
    run(["list", "--json"])
    assert list(json.loads(capsys.readouterr().out)) == ["benchmarks", "datasets", "templates"]


def test_a_datasets_card_says_how_to_get_it(capsys):
    assert run(["show", "cholect50"]) == 0
    text = capsys.readouterr().out
    assert "CC BY-NC-SA 4.0" in text
    assert "request form" in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_a_datasets_files_and_splits(capsys):
    assert run(["show", "cholect50", "--files"]) == 0
    text = capsys.readouterr().out
    assert "labels/{video_id}.json" in text
    assert "split challenge: " in text


def test_a_template_is_shown_by_what_it_comes_to(capsys):
    assert run(["show", "surgstu.locate"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^id +surgstu\.locate$", text, re.M)
    run(["show", "surgstu.locate", "--json"])
    assert json.loads(capsys.readouterr().out)["task"] == "spatial_temporal_grounding/locate"


def test_a_benchmark_lists_its_templates(capsys):
    run(["show", "surgstu"])
    expected = [head for head in units.headlines() if head.benchmark == "surgstu"]
    assert len(capsys.readouterr().out.splitlines()) == len(expected)


def test_a_check_is_explained(capsys):
    run(["show", "split_leak"])
    assert "more than one split" in capsys.readouterr().out
