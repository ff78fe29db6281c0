"""Every command of the README is run, and the item it shows is the one that is built."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.registry import card, datasets, load_sample
from surgqa.transforms.store import OutputFolder

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


LONG = "SURGQA_LONG" in os.environ
PLACES = {"cholect50": "data", "autolaparo": "hysterectomies"}
"""Dataset -> folder in which its sample stands for what the README calls ``/data/NAME``."""


def in_place(argument: str) -> str:
    """An argument with the sample's folder instead of the README's."""
    for name, place in PLACES.items():
        argument = argument.replace(f"/data/{name}", place)
    return argument


def blocks(language: str) -> list[str]:
    """Contents of the fenced blocks of one language ('' for none)."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def commands() -> list[str]:
    """Lines of the blocks without a language, without their comments."""
    lines = [line.split("  #")[0].strip() for block in blocks("") for line in block.splitlines()]
    return [line for line in lines if line]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, films: ModuleType, demo: Path) -> Path:
    """What a reader of the README has after ``make demo``, a dataset, a film, a detector."""
    folder = tmp_path_factory.mktemp("readme")
    films.film(folder / "case.mp4", 7200, 21)  # a clip of SurgSTU needs 20 s
    shutil.copy(films.DETECTOR, folder / "tools.onnx")
    shutil.copytree(demo, folder / "demo")
    for name, place in PLACES.items():
        (folder / place).mkdir()
        load_sample(name)(folder / place)
    settings = "schema: run/v1\ndatasets: [{name: cholect50, root: data}]\nout: out_of_run\n"
    (folder / "run.yaml").write_text(settings, encoding="utf-8")
    return folder


def surgqa(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "surgqa.pipeline.cli", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=180,
    )  # fmt: skip


def test_the_demo_ends_with_a_page_to_open(demo: Path) -> None:
    *_, last = (demo.parent / "demo.txt").read_text(encoding="utf-8").strip().splitlines()
    page = demo.parent / last.removeprefix("open this").strip()
    assert last.startswith("open this") and page.name == "index.html"
    shown = (page.parent / "data.js").read_text(encoding="utf-8")
    rows = [row["item_id"] for row in OutputFolder(demo / "questions").rows()]
    assert sum(name in shown for name in rows) > 10


def test_every_command_works(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process: that one of its own does the same is shown by the tests of each command."""
    monkeypatch.chdir(desk)
    shown = min(r["item_id"] for r in OutputFolder(desk / "demo" / "questions").rows())
    seen = set()
    for line in commands():
        program, *arguments = line.split()
        seen.add(arguments[0] if program == "surgqa" else program)
        if program == "make":
            assert re.search(rf"^{arguments[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            continue
        assert program == "surgqa", line
        arguments = [shown if a == "ID" else in_place(a) for a in arguments]
        if "--runner" in arguments or ("--workers" in arguments and not LONG):
            # The engines themselves are started by tests/engines, and by day two workers by the
            # tests of commands; here, all but the last step.
            place = arguments.index("--") if "--" in arguments else len(arguments)
            arguments.insert(place, "--dry-run")
        if arguments[0] == "check" and not LONG:  # whole outputs: tests/pipeline/test_check_agrees
            arguments += ["--limit", "20"]
        if arguments[0] == "score":
            one = next(OutputFolder(desk / "out").rows())
            answer = {"item_id": one["item_id"], "response": one["answer"]}
            (desk / "predictions.jsonl").write_text(json.dumps(answer), encoding="utf-8")
        if arguments[0] == "diff":
            shutil.copytree(desk / "out", desk / "out_before")
        assert run(arguments) == 0, f"{line}\n{''.join(capsys.readouterr())}"
    assert {
        "make",
        "explain",
        "check",
        "build",
        "new",
        "observe",
        "preview",
        "lint",
        "score",
        "jobs",
        "export",
    } <= seen


def test_the_preview_shown_is_the_one_that_is_printed(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(desk)
    new, show = (
        next(line.split()[1:] for line in commands() if line.startswith(f"surgqa {name} "))
        for name in ("new template", "preview")
    )
    new[-1], show[1] = "of_the_readme", show[1].replace("my_templates", "of_the_readme")
    assert run(new) == 0
    capsys.readouterr()
    assert run(show) == 0
    assert capsys.readouterr().out == blocks("text")[0]


def test_the_python_block_runs_on_a_build(desk: Path) -> None:
    (block,) = blocks("python")
    if not (desk / "out").is_dir():
        arguments = "build --dataset cholect50 --root data --benchmark surgstu --out out"
        assert surgqa(desk, *arguments.split()).returncode == 0
    done = subprocess.run(
        [sys.executable, "-c", f"{block}\nassert items.num_rows > 50"],
        cwd=desk, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_item_shown_is_an_item_of_the_demo(demo: Path) -> None:
    (block,) = blocks("json")
    shown = json.loads(block)
    built = {r["item_id"]: r for r in OutputFolder(demo / "questions").rows()}
    assert shown["item_id"] in built, "take another item of the demo for the README"
    assert shown == built[shown["item_id"]]


def test_the_table_of_datasets_is_that_of_the_cards() -> None:
    for name in datasets():
        found = card(name)
        line = f"| [{found.title}]({found.homepage}) | `{name}` | "
        assert line in README, f"README lacks the line of {name}: {line}"
        assert f" | {found.licence} | {found.access} |" in README


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target
