"""Every command of the page about training and evaluation is run as it stands."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.registry import load_sample

PAGE = Path(__file__).parents[2] / "docs" / "use.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)

PLACES = {"out": "demo/questions", "cholect50=/data/cholect50": "cholect50=demo/dataset"}
"""What the page calls a dataset of one's own -> what the demo has of it."""

MODEL = """\
import json, sys
for line in sys.stdin:
    print(json.dumps({"job_id": json.loads(line)["job_id"], "response": "A"}), flush=True)
"""


def commands() -> Iterator[list[str]]:
    """Each command's arguments, the program first."""
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            yield shlex.split(line)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, demo: Path) -> Path:
    """The demo, two models, and recordings of two specialties with a run file."""
    folder = tmp_path_factory.mktemp("use")
    shutil.copytree(demo, folder / "demo")
    for name in ("model", "other"):
        (folder / f"{name}.py").write_text(MODEL, encoding="utf-8")
    said = []
    for name in ("cholect50", "cataract101"):
        (folder / name).mkdir()
        load_sample(name)(folder / name)
        said.append(f"{{name: {name}, root: {name}}}")
    settings = f"schema: run/v1\ndatasets: [{', '.join(said)}]\nout: held_out\n"
    (folder / "run.yaml").write_text(settings, encoding="utf-8")
    return folder


def test_the_page_runs(desk: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(desk)
    seen = []
    for program, *words in commands():
        assert program == "surgqa"
        words = [PLACES.get(word, word).replace("=python ", f"={sys.executable} ")
                 for word in words]  # fmt: skip
        for name in ("one", "two"):  # predictions that the page takes for one's own
            if f"{name}.jsonl" in words and not (desk / f"{name}.jsonl").exists():
                shutil.copy(desk / "eval" / f"{name}.jsonl", desk)
        if words != ["demo"]:  # stands there already
            assert run(words) == 0, f"{words}\n{''.join(capsys.readouterr())}"
        seen.append(words[0])
    assert seen == ["demo", "export", "evaluate", "export", "build", "evaluate", "score", "score"]


def test_what_it_leaves_can_be_trained_and_compared_with(desk: Path):
    talks = [json.loads(line) for file in sorted((desk / "chat").glob("*.jsonl"))
             for line in file.read_text(encoding="utf-8").splitlines()]  # fmt: skip
    shown = [name for one in talks for name in (*one.get("videos", ()), *one.get("images", ()))]
    assert shown and all((desk / "chat" / name).stat().st_size for name in shown)
    told = json.loads((desk / "eval" / "results.json").read_bytes())
    assert set(told["models"]) >= {"one", "two"}
    page = (desk / "report.html").read_text(encoding="utf-8")
    assert "<td>one</td>" in page and " to " in page and "<rect" in page
