"""``surgqa evaluate``: the cost first, all models in one table, and nothing asked twice."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ontology.rows import VIDEOS
from pipeline.cli.app import run
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
    assert "<td>good</td>" in page and page.count("<rect") == 2


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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ((), "who is to be asked?"),
        (("--model", "m"), "who is to be asked?"),
        (("--command", "python x"), "a program needs a name"),
        (("--command", "a=x", "--command", "a=y"), "two models have one name"),
    ],
)
def test_mistakes_are_told(desk, capsys, line, said):
    assert evaluate(desk, *line) == 2
    assert said in capsys.readouterr().err
    assert not (desk / "eval").exists()
