"""``surgqa judge`` and ``surgqa score`` of medstream as they are typed, faults and mistakes."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tests.transforms.inference.conftest as inference
from surgqa.transforms.inference.journal import entries
from tests.pipeline.cli.typed import said, told
from tests.transforms.inference.conftest import (  # noqa: F401 - a fixture
    GOOD,
    Stub,
    one_in_ten,
    stub,
)
from tests.transforms.scoring.medstream.samples import SENTENCE, closed, every, free, watch
from tests.transforms.scoring.oracle import oracle

PROGRAM = """
import json, sys
for line in sys.stdin:
    job = json.loads(line)
    assert not job["images"] and "You do not see the recording" in job["system"]
    reply = {"correctness": 2, "evidence_grounding": 1, "safety": 1}
    print(json.dumps({"job_id": job["job_id"], "response": json.dumps(reply)}), flush=True)
"""


def rated(output: str) -> dict[str, int]:
    """What the judge of these tests says of an output: something that depends on it."""
    return {"correctness": len(output) % 3, "evidence_grounding": len(output) % 2, "safety": 1}


class _Judge(inference._Handler):
    """Answers with a rating instead of a sentence."""

    def act(self, plan: str, question: str) -> None:
        if plan not in (GOOD, "chatty"):
            super().act(plan, question)
            return
        text = json.dumps(rated(question)) if plan == GOOD else "Four of five, I should say."
        message = {"role": "assistant", "content": text}
        self.send(200, {"id": "r", "choices": [{"message": message, "finish_reason": "stop"}],
                        "usage": {"prompt_tokens": 100, "completion_tokens": 7}})  # fmt: skip
        with self.server.lock:
            self.server.delivered[question] += 1


def reply_of(body: dict[str, Any]) -> str:
    """The output that a request asks to rate."""
    text = body["messages"][-1]["content"]
    return json.loads(re.search(r"as a JSON string:\n(.*)\n", text)[1])


@pytest.fixture
def server(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:  # noqa: F811
    """A judge on this machine, whose requests are told apart by what they ask to rate."""
    monkeypatch.setattr(inference, "question_of", reply_of)
    stub.RequestHandlerClass = _Judge
    return stub


@pytest.fixture
def dataset(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as a finished dataset, and texts as a file of predictions beside it."""

    def write(rows: list[dict[str, Any]], replies: dict[Any, str], name: str = "out") -> Path:
        out = tmp_path / name
        folder = out / "data" / "medstream"
        folder.mkdir(parents=True)
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "train-00000-of-00001.jsonl").write_text(lines, encoding="utf-8")
        (out / "manifest.json").write_text("{}", encoding="utf-8")
        texts = [{"item_id": i, "round_index": k, "response": r} for (i, k), r in replies.items()]
        (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, texts)), encoding="utf-8")
        return out

    return write


def asking(server: Stub, out: Path, *more: object) -> list[object]:
    folder = out.parent
    return ["judge", out, folder / "p.jsonl", "--to", folder / "j.jsonl", "--base-url", server.url,
            "--model", "m", "--backoff", "0.01", *more]  # fmt: skip


def judgements(out: Path) -> list[dict[str, Any]]:
    text = (out.parent / "j.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def scores(out: Path, capsys, *more: object) -> tuple[dict[str, Any], str, str]:
    path = out.parent / "s.json"
    text, err = said(capsys, 0, "score", out, out.parent / "p.jsonl", "--json", path, *more)
    return json.loads(path.read_text(encoding="utf-8"))["medstream"], text, err


@pytest.fixture
def forty(dataset) -> Path:
    """Forty open answers in forty wordings, one in the expected words, one empty, a closed one."""
    rows = [free(f"o{n:02d}") for n in range(42)] + [closed("c")]
    replies = {(f"o{n:02d}", None): f"the hook {'x' * n}" for n in range(40)}
    replies |= {("o40", None): SENTENCE, ("o41", None): "", ("c", None): "A"}
    return dataset(rows, replies)


def test_open_answers_are_rated_amid_faults_and_scored(server, forty, capsys):
    server.plan, server.slow_s = one_in_ten, 1.5
    text, _ = said(capsys, 0, *asking(server, forty, "--timeout", 0.6, "--price-in", 2))
    assert told(text)["rated"] == "40 (40 now, 0 before)"
    assert told(text)["failed"] == told(text)["could not be read"] == "0"
    assert int(told(text)["calls repeated"]) >= 3
    lines = judgements(forty)
    assert [one["item_id"] for one in lines] == [f"o{n:02d}" for n in range(40)]
    for n, one in enumerate(lines):
        expected = rated(f"the hook {'x' * n}".strip())
        assert {name: one[name] for name in expected} == expected
        assert json.loads(one["raw"]) == expected and one["judge"] == "m"
    for body in server.bodies:
        assert all(isinstance(message["content"], str) for message in body["messages"])
    raw = [one["raw"] for one in entries(forty.parent / "j.jsonl.journal") if "response" in one]
    assert len(raw) == 40 and all('"choices"' in one for one in raw)

    plain, _, _ = scores(forty, capsys)
    assert plain["rated_by"] == {"by": "stand_in", "judges": [], "open_outputs": 40}
    found, text, err = scores(forty, capsys, "--judgements", forty.parent / "j.jsonl")
    assert "open answers: 40 rated by m, 0 by the deterministic stand-in" in text
    assert "stand-in:" not in err
    for item in found["items"][1:41]:
        expected = rated(f"the hook {'x' * int(item['item_id'][1:])}".strip())
        assert item["content"] == pytest.approx(sum(expected.values()) / 5)
        assert item["outputs"][0]["by"] == "judge"


def test_nothing_is_rated_twice(server, forty, capsys):
    said(capsys, 0, *asking(server, forty))
    before = (forty.parent / "j.jsonl").read_bytes()
    text, err = said(capsys, 0, *asking(server, forty))
    assert sum(server.asked.values()) == 40
    assert "40 of 40 answers were rated before" in err
    assert (forty.parent / "j.jsonl").read_bytes() == before


def test_failures_are_listed_and_asked_again_next_time(server, forty, capsys):
    server.plan = lambda n, output: "400" if output.endswith("xxxxx") else GOOD
    text, err = said(capsys, 4, *asking(server, forty))
    assert told(text)["failed"] == "35" and len(judgements(forty)) == 5
    assert err.count("failed: answer") == 20 and "and 15 more, all in" in err
    found, _, err = scores(forty, capsys, "--judgements", forty.parent / "j.jsonl")
    assert "35 open answers were left to the stand-in: there is no judgement" in err
    assert (found["rated_by"]["judged"], found["rated_by"]["absent"]) == (5, 35)
    server.plan = lambda n, output: GOOD
    text, _ = said(capsys, 0, *asking(server, forty))
    assert told(text)["rated"] == "40 (35 now, 5 before)" and len(judgements(forty)) == 40
    assert sum(server.delivered.values()) == 40


def test_a_rating_that_cannot_be_read_is_kept_counted_and_left_to_the_stand_in(
    server, forty, capsys
):
    server.plan = lambda n, output: "chatty" if output.endswith("x") else GOOD
    counts = forty.parent / "counts.json"
    text, err = said(capsys, 0, *asking(server, forty, "--json", counts))
    assert told(text)["could not be read"] == "39" and "no JSON object" in err
    assert json.loads(counts.read_text())["unread"] == 39
    assert sum(one.get("unread") == "no JSON object" for one in judgements(forty)) == 39
    assert judgements(forty)[-1]["raw"] == "Four of five, I should say."
    plain, _, _ = scores(forty, capsys)
    found, _, err = scores(forty, capsys, "--judgements", forty.parent / "j.jsonl")
    assert "39 open answers were left to the stand-in: the judge's reply could not be read" in err
    for item, other in zip(found["items"][2:41], plain["items"][2:41], strict=True):
        assert item["content"] == other["content"]


def test_judgements_of_other_answers_are_not_used(server, forty, dataset, capsys):
    said(capsys, 0, *asking(server, forty))
    path = forty.parent / "p.jsonl"
    path.write_text(path.read_text().replace("the hook", "a hook"), encoding="utf-8")
    found, _, err = scores(forty, capsys, "--judgements", forty.parent / "j.jsonl")
    assert "40 open answers were left to the stand-in: the judgement is about another" in err
    assert found["rated_by"]["stale"] == 40


def test_equal_answers_are_asked_once(server, dataset, capsys):
    replies = {(f"o{n}", None): "the hook" for n in range(5)}
    out = dataset([free(f"o{n}") for n in range(5)], replies)
    text, _ = said(capsys, 0, *asking(server, out))
    assert told(text)["to be rated"] == "1 answers of 5 windows and rounds"
    assert sum(server.asked.values()) == 1 and len(judgements(out)) == 5


def test_rounds_are_rated_one_by_one(server, dataset, capsys):
    replies = {("w1", k): f"alert: polyp {k}" for k in range(5)}
    out = dataset([watch()], replies)
    said(capsys, 0, *asking(server, out))
    assert [one["round_index"] for one in judgements(out)] == [3, 4]


def test_a_local_program_may_judge(forty, tmp_path, capsys):
    program = tmp_path / "judge.py"
    program.write_text(PROGRAM, encoding="utf-8")
    line = ["judge", forty, tmp_path / "p.jsonl", "--to", tmp_path / "j.jsonl"]
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
    text, _ = said(capsys, 0, *line, "--command", command)
    assert told(text)["rated"] == "40 (40 now, 0 before)"
    found, _, _ = scores(forty, capsys, "--judgements", tmp_path / "j.jsonl")
    assert {item["content"] for item in found["items"][1:41]} == {0.8}


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ([], 2, "either --base-url"),
        (["--base-url", "http://x/v1"], 2, "--model NAME"),
        (["--base-url", "x", "--model", "m"], 2, "not the address"),
        (["--command", "no-such-program"], 3, "cannot be started"),
    ],
)
def test_mistakes(forty, tmp_path, capsys, more, status, words):
    line = ["judge", forty, tmp_path / "p.jsonl", "--to", tmp_path / "j.jsonl", *more]
    _, err = said(capsys, status, *line)
    assert words in err and "Traceback" not in err


def test_a_dataset_without_rubrics_has_nothing_to_judge(forty, tmp_path, capsys):
    for shard in (forty / "data").rglob("*.jsonl"):
        rows = [json.loads(line) | {"rubric": None} for line in shard.read_text().splitlines()]
        shard.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    line = ["judge", forty, tmp_path / "p.jsonl", "--to", tmp_path / "j", "--command", "x"]
    _, err = said(capsys, 2, *line)
    assert "there is nothing to judge" in err and "medstream" in err


def test_a_file_that_cannot_be_written_is_told(server, forty, tmp_path, capsys):
    (tmp_path / "folder").mkdir()
    line = [*asking(server, forty)[:3], "--to", tmp_path / "folder", *asking(server, forty)[5:]]
    _, err = said(capsys, 2, *line)
    assert "cannot be written" in err and "Traceback" not in err


# ---- score --------------------------------------------------------------------------


def test_the_gold_answers_score_1_as_they_are_printed(dataset, capsys):
    rows = every()
    out = dataset(rows, {key: text for row in rows for key, text in oracle(row).items()})
    found, text, err = scores(out, capsys)
    assert text.startswith("medstream (decay: linear; open answers: 0 rated by the deterministic")
    tables = [block.splitlines() for block in text.split("\n\n")]
    tables[0] = tables[0][1:]
    assert [block[0].split()[0] for block in tables] == [
        "mode", "question", "task", "dataset", "organ", "always", "compared"]  # fmt: skip
    assert tables[0][-1].split()[:8] == ["all", "items", "12", "4", *["1.0000"] * 4]
    assert tables[0][1].split()[:7] == ["retrospective", "2", "0", "1.0000", "-", "-", "1.0000"]
    assert not [line for line in err.splitlines() if not line.startswith("scores:")]
    assert found["counts"]["scored"] == found["counts"]["outputs"]


def test_decay_and_horizon(dataset, capsys):
    row = every()[8]
    out = dataset([row], {("s1", k): "D" if k else "unanswerable" for k in range(6)})
    found, text, _ = scores(out, capsys, "--decay", "fixed", "--horizon", "36")
    assert "decay: fixed (36 s)" in text
    assert found["items"][0]["responsiveness"] == 0.5
    assert found["decay"] == {"mode": "fixed", "horizon_s": 36.0}
    found, _, _ = scores(out, capsys, "--decay", "fixed")
    assert (found["items"][0]["responsiveness"], found["decay"]["horizon_s"]) == (0.4, 30.0)
    found, _, _ = scores(out, capsys, "--decay", "linear")
    assert found["items"][0]["responsiveness"] == 0.3571


def test_missing_and_unreadable_responses_are_told(dataset, capsys):
    out = dataset([closed("a"), closed("b"), watch()], {("a", None): "perhaps", ("b", None): "D"})
    _, _, err = scores(out, capsys)
    assert "medstream: 5 of 7 windows and rounds have no response (scored 0)" in err
    assert "medstream: 1 responses are empty or of no allowed form (scored 0)" in err


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        (["--horizon", "5"], 2, "add --decay fixed"),
        (["--decay", "steep"], 2, "decay"),
        (["--decay", "fixed", "--horizon", "0"], 2, "horizon"),
        (["--judgements", "none.jsonl"], 3, "none.jsonl is missing"),
    ],
)
def test_mistakes_of_scoring(dataset, tmp_path, capsys, more, status, words):
    out = dataset([closed("a")], {("a", None): "D"})
    _, err = said(capsys, status, "score", out, tmp_path / "p.jsonl", *more)
    assert words in err and "Traceback" not in err


def test_what_was_not_asked_is_not_judged(server, dataset, tmp_path, capsys):
    rows = [free("o1"), free("o2")]
    out = dataset(rows, {("o1", None): "something else", ("o2", None): "another thing"})
    jobs = tmp_path / "jobs.jsonl"
    jobs.write_text('{"item_id": "o2", "round_index": null}\n')
    said(capsys, 0, *asking(server, out, "--jobs", jobs))
    assert [one["item_id"] for one in judgements(out)] == ["o2"]
    (tmp_path / "p.jsonl.asked").write_text('{"item_id": "o1", "round_index": null}\n')
    said(capsys, 0, *asking(server, out))
    assert [one["item_id"] for one in judgements(out)] == ["o1"]
