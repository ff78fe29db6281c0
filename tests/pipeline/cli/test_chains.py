"""Chains from ``jobs`` to ``score`` and ``export``, as they are typed."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from collections import Counter
from pathlib import Path

import orjson
import pytest

from surgqa.transforms.inference.journal import answered, entries
from tests.pipeline.cli.typed import ROOT, asking, commands, killed, said
from tests.transforms.inference.conftest import Stub, finished, row, stub  # noqa: F401 - fixtures
from tests.transforms.scoring.surgcot.samples import CAO, TASKS, S, chain, dataset, five

PAGE = ROOT / "docs" / "surgcot.md"


@pytest.fixture
def rows():
    """Twelve chains of all tasks, at different times."""
    return [r for n in range(12) for r in chain(list(TASKS)[n % 5], n, (30 + 20 * n) * S)]


@pytest.fixture
def out(tmp_path, rows) -> Path:
    return dataset(tmp_path / "out", rows)


@pytest.fixture
def own(out, tmp_path, capsys) -> Path:
    """Jobs that go on with a model's own answers."""
    path = tmp_path / "own.jsonl"
    said(capsys, 0, "jobs", out, "--to", path, "--benchmark", "surgcot", "--setting", "fc",
         "--context", "own")  # fmt: skip
    return path


def texts(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def knows(rows):
    """An endpoint's replies: always right, and it refuses marks that were not filled."""
    by_question = {r["question"]: r["answer"] for r in rows}

    def reply(question: str, body: dict) -> str:
        text = body["messages"][-1]["content"]
        assert "{reply" not in text
        return by_question["Question" + question.partition("Question")[2]]

    return reply


def test_a_model_that_knows_all_completes_every_chain(stub, out, own, rows, tmp_path, capsys):  # noqa: F811
    stub.reply = knows(rows)
    to = tmp_path / "p.jsonl"
    said(capsys, 0, *asking(stub, own, to))
    assert set(stub.asked.values()) == {1} and len(stub.asked) == 48
    sent = {body["messages"][-1]["content"] for body in stub.bodies}
    for one in rows:
        (text,) = [t for t in sent if f"\n\n{one['question']}\n" in t]
        assert (
            text.count("You were asked: ")
            == {"main": 3, "q1": 0, "q2": 1, "q3": 2}[one["task"].rpartition("/")[2]]
        )
        earlier = [r for r in rows if r["chain_id"] == one["chain_id"]][1 : one["stage"] or 4]
        assert all(f"You replied: {r['answer']}" in text for r in earlier)
    text, _ = said(capsys, 0, "score", out, to, "--json", tmp_path / "s.json")
    average = [line for line in text.splitlines() if line.startswith("average")]
    assert len(average) == 2 and all(" 100.00 " in line for line in average)
    report = json.loads((tmp_path / "s.json").read_text())["surgcot"]
    assert report["counts"] | {"standard": 12, "missing": 0} == report["counts"]
    assert report["groups"][-1]["measures"]["chain_completion"] == 1.0


def test_each_setting_asks_every_item_once(out, rows, tmp_path, capsys):
    seen = {}
    for setting, context in (
        ("BL", None),
        ("KE", "gold"),
        ("FC", "gold"),
        ("KE", "own"),
        ("FC", None),
    ):
        path = tmp_path / f"{setting}-{context}"
        more = ["--context", context] if context else []
        said(capsys, 0, "jobs", out, "--to", path, "--setting", setting, *more)
        jobs = texts(path)
        assert {j["item_id"] for j in jobs} == {r["item_id"] for r in rows} and len(jobs) == 48
        seen[setting, context] = path.read_bytes()
    assert seen["FC", "gold"] == seen["FC", None]  # gold is what is meant without a word
    assert len(set(seen.values())) == 4
    said(capsys, 0, "jobs", out, "--to", tmp_path / "plain")
    assert (tmp_path / "plain").read_bytes() == seen["BL", None]


def test_killed_in_the_middle_of_chains_and_resumed(stub, own, rows, tmp_path, capsys):  # noqa: F811
    stub.reply, stub.delay_s = knows(rows), 0.03
    to = tmp_path / "p.jsonl"
    line = asking(stub, own, to, "--concurrency", 4)
    for goal in (9, 25):
        killed(line, lambda goal=goal: sum(stub.delivered.values()) >= goal)
        time.sleep(0.2)  # calls that were under way come to their end
        kept = set(answered(entries(tmp_path / "p.jsonl.journal")))
        before = Counter(stub.asked)
    said(capsys, 0, *line)
    assert len(texts(to)) == 48 and len(stub.delivered) == 48
    assert sum(stub.delivered.values()) <= 48 + 2 * 4
    items = {j["job_id"]: j["item_id"] for j in texts(own)}
    kept_items = {items[name] for name in kept}
    for one in rows:
        mark = next(q for q in stub.asked if one["question"] in q)
        if one["item_id"] in kept_items:
            assert stub.asked[mark] == before[mark]
    # Another whole run gives the same predictions and asks the same.
    again = tmp_path / "again.jsonl"
    said(capsys, 0, *asking(stub, own, again))
    assert again.read_bytes() == to.read_bytes()
    assert len({json.dumps(b["messages"]) for b in stub.bodies}) == 48


PROGRAM = """
import json, sys

jobs = [json.loads(line) for line in sys.stdin]  # all of it before the first answer
with open({log!r}, "a") as log:
    print(len(jobs), file=log)
for job in jobs:
    assert "{{reply" not in job["user"]
    print(json.dumps({{"job_id": job["job_id"], "response": {response}}}), flush=True)
"""


def program(tmp_path, response: str = '"B"') -> str:
    path = tmp_path / "model.py"
    path.write_text(PROGRAM.format(log=str(tmp_path / "log"), response=response))
    return shlex.join([sys.executable, str(path)])


def test_a_program_is_started_once_for_each_stage(own, rows, tmp_path, capsys):
    to = tmp_path / "p.jsonl"
    text, _ = said(capsys, 0, "infer", own, "--command", program(tmp_path), "--without-images",
                   "--out", to)  # fmt: skip
    assert (tmp_path / "log").read_text().split() == ["12"] * 4
    assert len(texts(to)) == 48 and re.search(r"failed +0\n", text)
    said(capsys, 0, "infer", own, "--command", program(tmp_path), "--without-images", "--out", to)
    assert len((tmp_path / "log").read_text().split()) == 4  # nothing is open any more


def test_a_program_that_dies_is_not_started_again_and_again(own, tmp_path, capsys):
    dying = program(tmp_path, "1 / 0")
    text, _ = said(capsys, 4, "infer", own, "--command", dying, "--without-images",
                   "--out", tmp_path / "p.jsonl")  # fmt: skip
    assert (tmp_path / "log").read_text().split() == ["12"]
    assert re.search(r"failed +12\n", text) and re.search(r"not asked +36\n", text)


def test_jobs_without_chains_start_a_program_once(finished, tmp_path, capsys):  # noqa: F811
    said(capsys, 0, "jobs", finished([row(n) for n in range(3)]), "--to", tmp_path / "j")
    said(capsys, 0, "infer", tmp_path / "j", "--command", program(tmp_path), "--without-images",
         "--out", tmp_path / "p")  # fmt: skip
    assert (tmp_path / "log").read_text().split() == ["3"]


def test_mistakes_are_told(out, own, finished, tmp_path, capsys):  # noqa: F811
    to = tmp_path / "j"
    for words, message in (
        (["--context", "own"], "no answers are restated"),
        (["--setting", "BL", "--context", "gold"], "no answers are restated"),
        (["--setting", "KE", "--benchmark", "medstream"], "has no items of medstream"),
        (["--benchmark", "surgstu"], "has no items of surgstu"),
        (["--setting", "XX"], "XX"),
    ):
        _, err = said(capsys, 2, "jobs", out, "--to", to, *words)
        assert message in err
    _, err = said(capsys, 2, "jobs", finished([row()], "other"), "--to", to, "--setting", "KE")
    assert "has no chains" in err and "1 of unit now" in err
    (tmp_path / "p.txt").write_text("[user]\n{question}\n{options}\n", encoding="utf-8")
    _, err = said(
        capsys, 2, "jobs", out, "--to", to, "--setting", "KE", "--prompt", tmp_path / "p.txt"
    )
    assert "placeholder that --setting KE needs" in err
    own.write_bytes(b"".join(own.read_bytes().splitlines(keepends=True)[1:]))
    _, err = said(capsys, 2, "infer", own, "--command", "x", "--out", to)
    assert "is not before it" in err and not to.exists()


def test_scores_say_what_is_missing_and_that_all_is_coarse(tmp_path, capsys):
    rows = [*five(scale="coarse"), *chain(CAO, 9, scale="coarse")[:2]]
    out = dataset(tmp_path / "out", rows)
    lines = [
        {"item_id": r["item_id"], "response": "?" if n else "A"} for n, r in enumerate(rows[:9])
    ]
    (tmp_path / "p").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    text, err = said(capsys, 0, "score", out, tmp_path / "p")
    assert text.startswith("surgcot, coarse chains: accuracy\ntask")
    assert "standard" not in text
    for remark in ("13 items have no response", "8 responses choose no option",
                   "1 chains lack a stage", "all chains are coarse"):  # fmt: skip
        assert f"surgcot: {remark}" in err


def test_export(out, tmp_path, capsys):
    text, err = said(capsys, 0, "export", out, "--as", "surgcot", "--to", tmp_path / "x")
    assert re.search(r"Q_dq_clue +48 +48 +0 +0 +0  test.json", text) and "surgcot: " in err
    assert len(texts(tmp_path / "x" / "chains.jsonl")) == 12


def test_every_command_of_the_page(stub, out, rows, tmp_path, monkeypatch, capsys):  # noqa: F811
    stub.reply = knows(rows)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "OUT").symlink_to(out)
    section = PAGE.read_text(encoding="utf-8").partition("## Settings, exports, scores")[2]
    lines = commands(section)
    assert len(lines) >= 5
    for line in lines:
        words = shlex.split(line.replace("http://localhost:8000/v1", stub.url))
        assert words[0] == "surgqa"
        more = ["--without-images"] if words[1] == "infer" else []
        said(capsys, 0, *words[1:], *more)
