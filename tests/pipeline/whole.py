"""The whole way of a finished output: checked, answered by itself and scored, asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.continuations import CONTINUATION
from surgqa.ontology.units import asked_us
from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.store import OutputFolder
from tests.pipeline.own_builds import errors_of_check

Row = Mapping[str, Any]


def built(out: Path, roots: Mapping[str, Path], templates: Path, *benchmarks: str) -> list[Row]:
    """The items of a templates folder over some datasets."""
    datasets = [{"name": name, "root": str(root)} for name, root in roots.items()]
    settings = {"datasets": datasets, "benchmarks": list(benchmarks), "out": str(out),
                "templates": str(templates)}  # fmt: skip
    build(load_run(None, settings))
    return list(OutputFolder(out).rows())


def new(folder: Path, name: str, like: str) -> None:
    """A template as ``surgqa new`` writes it."""
    assert surgqa(["new", "template", name, "--like", like, "--templates", str(folder)]) == 0


def gold(rows: list[Row]) -> Iterator[dict[str, Any]]:
    """Each item's own answer; of rounds what each expects."""
    for row in rows:
        for one in row["rounds"] or ():
            yield {"item_id": row["item_id"], "round_index": one["round_index"],
                   "response": one["expected_output"]}  # fmt: skip
        if not row["rounds"]:
            yield {"item_id": row["item_id"], "response": row["answer"]}


def scores_of_gold(out: Path, rows: list[Row], scratch: Path) -> dict[str, Any]:
    """What ``surgqa score`` says of the items' own answers."""
    predictions, scores = scratch / "gold.jsonl", scratch / "scores.json"
    predictions.write_bytes(b"\n".join(map(orjson.dumps, gold(rows))))
    assert surgqa(["score", str(out), str(predictions), "--json", str(scores)]) == 0
    return orjson.loads(scores.read_bytes())


def jobs_of(out: Path, scratch: Path) -> dict[tuple[str, int | None], dict[str, Any]]:
    """(item, round) -> its job."""
    to = scratch / "jobs.jsonl"
    assert surgqa(["jobs", str(out), "--to", str(to)]) == 0
    jobs = [orjson.loads(line) for line in to.read_bytes().splitlines()]
    return {(job["item_id"], job["round_index"]): job for job in jobs}


def assert_jobs(rows: list[Row], jobs: Mapping[tuple[str, int | None], dict[str, Any]]) -> None:
    """Every window and round is asked, with what may be seen of it and nothing after."""
    wanted = {(row["item_id"], one and one["round_index"])
              for row in rows for one in row["rounds"] or (None,)}  # fmt: skip
    assert set(jobs) == wanted
    for row in rows:
        for one in row["rounds"] or (None,):
            job = jobs[row["item_id"], one and one["round_index"]]
            last = one["current_us"] if one else asked_us(row)
            start, end = row["start_us"], row["end_us"] if last is None else last
            times = [frame["time_us"] for frame in job["frames"]]
            assert row["question"] in job["user"]
            assert times and start <= min(times) and max(times) <= end, row["template_id"]
            if last is not None:
                assert max(times) == last, row["template_id"]


def assert_whole(out: Path, rows: list[Row], scratch: Path) -> None:
    """Checked without a difference, scored whole, asked."""
    assert errors_of_check(out) == {}
    report = orjson.loads((out.parent / f"{out.name}.report.json").read_bytes())
    assert report["checked"] == sum(report["recomputed"].values()) == len(rows)
    assert_perfect(scores_of_gold(out, rows, scratch), rows)
    assert_jobs(rows, jobs_of(out, scratch))


def assert_perfect(scores: Mapping[str, Any], rows: list[Row]) -> None:
    """All items are scored but those that people score, and every score is the best there is."""
    by_people = sum(row["form"] == CONTINUATION for row in rows)
    assert sum(scores["unscored"].values()) == by_people and not scores["unknown"]
    counts = list(_counts(scores))
    assert sum(one["items"] for one in counts) == len(rows) - by_people
    assert sum(one["missing"] + one["unparsed"] for one in counts) == 0
    assert set(_marks(scores)) <= {1.0, 100.0}


def _counts(told: Mapping[str, Any]) -> Iterator[Mapping[str, int]]:
    """How many items each part of a report is about."""
    for key, value in told.items():
        if key == "counts":
            yield value
        elif isinstance(value, Mapping):
            yield from _counts(value)


def _marks(told: Any) -> Iterator[float]:
    """Every score of a report; floors and baselines are none."""
    for key, value in told.items() if isinstance(told, Mapping) else enumerate(told):
        if key in MARKS and isinstance(value, int | float):
            yield value
        elif key not in ("baselines", "floors") and isinstance(value, Mapping | list):
            yield from _marks(value)


MARKS = ("score", "iou", "accuracy", "overall", "content", "responsiveness", "stability", "percent",
         "chain_completion", "complete", "recall", "iou_q2")  # fmt: skip
"""What scores are called in reports."""
