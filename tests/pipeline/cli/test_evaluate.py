"""``surgqa evaluate``: the cost first, all models in one table, and nothing asked twice."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.rows import VIDEOS
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.evaluate import _asked
from tests.pipeline.cli.conftest import ID_A, ID_B, ID_C, item

MODEL = """\
import json, sys
with open(sys.argv[2], "a") as log:
    for line in sys.stdin:
        job = json.loads(line)
        log.write(job["job_id"] + "\\n")
        print(json.dumps({"job_id": job["job_id"], "response": sys.argv[1]}), flush=True)
"""


@pytest.fixture
def desk(dataset, tmp_path: Path) -> Path:
    """Three items of three videos; A is right."""
    rows = [item(ID_A), item(ID_B, video_id="VID02"), item(ID_C, video_id="VID03")]
    dataset([row | {"media": {"path": None, "kind": "absent"}} for row in rows], name="out")
    videos = tmp_path / "out" / "evidence" / "videos.parquet"
    empty = dict.fromkeys(VIDEOS.names) | {"dataset": "cholect50", "clock": "time"}
    known = [empty | {"video_id": f"VID0{n}", "period_us": 1_000_000} for n in (1, 2, 3)]
    pq.write_table(pa.Table.from_pylist(known, VIDEOS), videos)
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    return tmp_path


def program(desk: Path, name: str, says: str) -> list[str]:
    words = f"{sys.executable} {desk / 'model.py'} {says} {desk / name}.log"
    return ["--command", f"{name}={words}"]


def evaluate(desk: Path, *more: str) -> int:
    return run(["evaluate", str(desk / "out"), "--to", str(desk / "eval"), *more])


def test_two_models_in_one_table(desk, capsys):
    line = (*program(desk, "good", "A"), *program(desk, "bad", "B"))
    assert evaluate(desk, *line, "--price-in", "2") == 0
    printed = capsys.readouterr().out
    cost, answers = printed.index("tokens in of each"), printed.index("answered")
    assert cost < answers and "model  surgstu\ngood   100.00\nbad    0.00" in printed
    assert "good   bad      3      100.00      100.00 to 100.00" in printed
    told = json.loads((desk / "eval" / "results.json").read_bytes())
    assert told["models"]["good"]["headlines"] == {"surgstu": 1.0}
    assert [one["mean"] for one in told["comparison"]["models"]] == [1.0, 0.0]
    page = (desk / "eval" / "report.html").read_text(encoding="utf-8")
    assert "<td>good</td>" in page and page.count("<rect") == 4


def test_a_submission_gives_the_same_scores_also_of_questions_that_were_not_answered(desk, capsys):
    mute = (
        "import json, sys\nprint(json.dumps({'job_id': json.loads(sys.stdin.readline())['job_id'],"
    )
    (desk / "mute.py").write_text(f"{mute} 'response': 'A'}}))\n", encoding="utf-8")
    assert evaluate(desk, "--command", f"mute={sys.executable} {desk / 'mute.py'}") == 4
    told = json.loads((desk / "eval" / "results.json").read_bytes())["models"]["mute"]
    handed = desk / "eval" / "mute.submission.jsonl"
    lines = [json.loads(line) for line in handed.read_text().splitlines()]
    assert [one["response"] for one in lines].count("") == 2
    digest = json.loads((desk / "out" / "manifest.json").read_bytes())["digest"]
    assert {(one["model"], one["dataset"]) for one in lines} == {("mute", digest)}
    line = ["score", str(desk / "out"), str(handed), "--jobs", str(handed)]
    assert run([*line, "--json", str(desk / "again.json")]) == 0
    again = json.loads((desk / "again.json").read_bytes())
    assert again["headlines"] == told["headlines"] and 0 < again["headlines"]["surgstu"] < 1


def test_score_compares_files_and_writes_a_page_and_a_submission(desk, capsys):
    assert evaluate(desk, *program(desk, "good", "A"), *program(desk, "bad", "B")) == 0
    files = [str(desk / "eval" / f"{name}.jsonl") for name in ("good", "bad")]
    line = ["score", str(desk / "out"), *files, "--html", str(desk / "page.html"), "--json",
            str(desk / "two.json"), "--jobs", str(desk / "eval" / "jobs.jsonl")]  # fmt: skip
    capsys.readouterr()
    assert run(line) == 0
    assert "good   bad      3      100.00      100.00 to 100.00" in capsys.readouterr().out
    assert (desk / "page.html").read_bytes() == (desk / "eval" / "report.html").read_bytes()
    assert json.loads((desk / "two.json").read_bytes()) == json.loads(
        (desk / "eval" / "results.json").read_bytes()
    )
    one = ["score", str(desk / "out"), files[0], "--submission", str(desk / "s.jsonl")]
    assert run(one) == 0
    handed = (desk / "eval" / "good.submission.jsonl").read_bytes()
    assert (desk / "s.jsonl").read_bytes() == handed
    assert run([*one, files[1]]) == 2 and "takes one model" in capsys.readouterr().err
    assert run([*line, files[0]]) == 2 and "have one name" in capsys.readouterr().err


def test_the_same_command_asks_nothing_again(desk):
    line = program(desk, "good", "A")
    assert evaluate(desk, *line) == 0
    first = (desk / "eval" / "results.json").read_bytes()
    assert evaluate(desk, *line) == 0
    assert (desk / "eval" / "results.json").read_bytes() == first
    assert len((desk / "good.log").read_text().splitlines()) == 3


def test_a_dry_run_states_the_cost_and_asks_nothing(desk, capsys):
    assert evaluate(desk, *program(desk, "good", "A"), "--dry-run", "--price-in", "1",
                    "--max-tokens", "50") == 0  # fmt: skip
    said = capsys.readouterr().out
    assert "at most 150" in said and "cost" in said
    assert not (desk / "good.log").exists()


def test_a_pretrained_model_is_asked_by_a_program(monkeypatch):
    monkeypatch.setattr("surgqa.pipeline.cli.evaluate.find_spec", lambda name: name)
    found = _asked(None, None, None, ["org/model", "mine=/m"], 9)
    assert list(found) == ["model", "mine"]
    words = found["mine"].command.split()
    assert words[1:] == ["-m", "surgqa.transforms.inference.pretrained", "/m", "--max-tokens", "9"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ((), "no model is given"),
        (("--model", "m"), "no model is given"),
        (("--command", "python x"), "a program needs a name"),
        (("--command", "a=x", "--command", "a=y"), "two models have one name"),
        (("--transformers", "a/b"), "pip install 'surgqa[transformers]'"),
    ],
)
def test_mistakes_are_told(desk, capsys, line, said, monkeypatch):
    monkeypatch.setattr("surgqa.pipeline.cli.evaluate.find_spec", lambda name: None)
    assert evaluate(desk, *line) in (2, 3)
    assert said in capsys.readouterr().err
    assert not (desk / "eval").exists()
