"""``surgqa label`` with a real training: ultralytics learns from corrections, ONNX measures it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.labelling.export import load
from surgqa.transforms.labelling.rounds import Project
from tests.transforms.labelling.conftest import (
    media,  # noqa: F401 - fixtures of the rooms below
    perfect,
    rendered,  # noqa: F401
    scenes,  # noqa: F401
)

pytest.importorskip("torch")
pytest.importorskip("ultralytics")
# Libraries that are not ours warn of their own deprecations, which differ with releases.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning",
        "ignore::ResourceWarning",
    ),
]  # fmt: skip

SIGNED = ("--reviewer", "ann", "--date", "2026-11-21")
SIZE = ("--image-size", "160")


def surgqa(*line: object) -> None:
    assert run(["label", *map(str, line)]) == 0


def a_round(store, scenes, out, *more: object) -> None:  # noqa: F811
    surgqa("choose", store, "--out", out, "--no-blur", "--as", "coco", *more)
    sheet = Project(store).rounds()[-1].sheet
    load("coco").write(perfect(sheet, scenes), out)
    surgqa("import", store, out / "annotations.json", *SIGNED)


def test_two_rounds_with_the_real_detector(rendered, scenes, tmp_path, capsys):  # noqa: F811
    a_round(rendered, scenes, tmp_path / "m", "--part", "held-out", "--count", 8)
    weights = ["yolov10n.yaml"]
    for number in (1, 2):
        a_round(rendered, scenes, tmp_path / f"r{number}", "--count", 8)
        new = tmp_path / f"{number}.pt"
        surgqa("train", rendered, "--weights", weights[-1], "--out", new, "--epochs", 1,
               "--batch", 4, "--no-blur", "--onnx", "--device", "cpu", *SIZE)  # fmt: skip
        weights.append(str(new))
    capsys.readouterr()
    surgqa("rounds", rendered)
    assert "->" in capsys.readouterr().out
    first, second = (Project(rendered).round(n).done("train")[0] for n in (2, 3))
    assert first["held_out"]["before"] is None
    assert second["held_out"]["before"] == first["held_out"]["after"]
    assert first["held_out"]["truth"] == second["held_out"]["truth"]
    assert (first["frames"], second["frames"]) == (8, 16)
    assert second["start"]["sha256"] == first["weights"]["sha256"]
    assert first["weights"]["values"] != second["weights"]["values"]
    assert second["classes"][: len(first["classes"])] == first["classes"]
    for step in (first, second):
        assert 0 <= step["held_out"]["after"]["map50_95"] <= step["held_out"]["after"]["map50"] <= 1
        assert str(tmp_path) not in json.dumps(step)
    measured_without_torch(rendered, tmp_path, second["held_out"]["after"])


def measured_without_torch(store: Path, tmp_path: Path, torch: dict) -> None:
    code = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "from surgqa.pipeline.cli.app import run\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    line = ["label", "evaluate", store, "--weights", tmp_path / "2.onnx", "--json",
            tmp_path / "m.json", "--device", "cpu", *SIZE]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, line)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    onnx = json.loads((tmp_path / "m.json").read_text())["precision"]["held_out"]["before"]
    for name in ("map50", "map50_95"):
        assert onnx[name] == pytest.approx(torch[name], abs=0.02)
