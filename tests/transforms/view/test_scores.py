"""The page tells the scores that ``surgqa score`` tells, of clips, streams and items not asked."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import fmean

import orjson
import pytest

from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.inference.predictions import asked_path
from surgqa.transforms.registry import load_sample
from surgqa.transforms.scoring import asked_of, load_predictions, score_dataset
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view import Api, Database
from surgqa.transforms.view.overview import scores


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions of one time and streams of rounds."""
    root = tmp_path_factory.mktemp("sample")
    load_sample("unified")(root)
    build(load_run(None, {
        "datasets": [{"name": "unified", "root": str(root)}], "out": str(root.parent / "out"),
        "benchmarks": ["medstream"], "balance": "none", "limit": 2,
    }))  # fmt: skip
    return root.parent / "out"


def said(out: Path, file: Path, ask_all: bool) -> list[str]:
    """Answers to two items of three, every other one right; the record of what was asked."""
    lines, asked, silent = [], [], []
    rows = sorted(OutputFolder(out).rows(), key=lambda row: row["item_id"])
    for k, row in enumerate(rows):
        rounds = [(one["round_index"], one["expected_output"]) for one in row["rounds"] or ()]
        for index, right in rounds or [(None, row["answer"])]:
            one = {"item_id": row["item_id"], "round_index": index}
            if k % 3:
                lines.append(one | {"response": right if k % 2 else "zebra"})
            else:
                silent.append(row["item_id"])
            if ask_all or k % 5:
                asked.append(one)
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    if not ask_all:
        record = asked_path(file)
        record.write_bytes(b"\n".join(map(orjson.dumps, asked)))
    return silent


@pytest.mark.parametrize("ask_all", [True, False])
def test_scores_by_task_are_those_of_score(out: Path, tmp_path: Path, ask_all: bool):
    file = tmp_path / "model.jsonl"
    silent = said(out, file, ask_all)
    folder, asked = OutputFolder(out), asked_of(file, None)
    assert (asked is None) == ask_all
    found = score_dataset(folder.rows(), load_predictions(file), asked=asked).item_scores()
    tasks: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in folder.rows():
        if row["item_id"] in found:
            tasks[row["benchmark"], row["task"]].append(found[row["item_id"]])
    api = Api(Database(folder), predictions=[file])
    told = {(one["benchmark"], one["task"]): one for one in scores(api.db)}
    assert {key: (one["n"], pytest.approx(one["score"])) for key, one in told.items()} == {
        key: (len(some), fmean(some)) for key, some in tasks.items()
    }
    missing = sum(one["missing"] for one in told.values())
    assert 0 < missing == len(found.keys() & set(silent))
    statuses = {one["status"] for one in api.db.rows("FROM marks")}
    assert {"right", "missing"} < statuses
    rounds = api.db.rows("FROM marks WHERE round IS NOT NULL AND status <> 'unscored'")
    assert rounds and all(one["score"] is not None for one in rounds)
