"""``surgqa evaluate`` over an endpoint: killed amid its calls, and gone on by the same command."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.inference.journal import answered, entries
from tests.pipeline.cli.test_infer import killed
from tests.transforms.inference.conftest import (  # noqa: F401 - fixtures of the room below
    question_of,
    stub,
)

MODELS = ("one", "two")
ITEMS = 60


@pytest.mark.nightly  # by day the commands it is made of, in test_infer and test_chains
def test_killed_and_resumed(stub, built, tmp_path, capsys):  # noqa: F811
    """What a journal holds is not asked again, and both models are scored as if nothing was."""
    stub.delay_s = 0.02
    to = tmp_path / "eval"
    line = ["evaluate", str(built), "--to", str(to), "--limit", str(ITEMS),
            "--base-url", stub.url, "--concurrency", "4",
            "--model", "one", "--model", "two"]  # fmt: skip
    for goal in (25, 85):  # amid the first model, amid the second
        killed(line, lambda goal=goal: sum(stub.delivered.values()) >= goal)
        assert not (to / "results.json").exists()
    held = Counter(
        name for file in to.rglob("*.journal") for name in answered(entries(file)) if name
    )
    left: Counter[str] = Counter()
    for one in map(json.loads, (to / "jobs.jsonl").read_bytes().splitlines()):
        question = question_of({"messages": [{"content": one["user"]}]})
        left[question] += len(MODELS) - held[one["job_id"]]
    before = Counter(stub.asked)
    assert held.total() >= 85 - 3 * 4
    assert run(line) == 0
    assert stub.asked - before == +left
    told = json.loads((to / "results.json").read_bytes())
    assert {name: told["models"][name]["asked"]["asked"] for name in MODELS} == dict.fromkeys(
        MODELS, ITEMS
    )
    whole = sum(stub.asked.values())
    capsys.readouterr()
    assert run(line) == 0 and sum(stub.asked.values()) == whole
