"""A finished output of chains and single questions, and raters who fill their sheets in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.keys import digest
from surgqa.ontology.rows import ITEM
from surgqa.transforms.review.sample import Sampled, sample_of, write_sheets
from surgqa.transforms.store import OutputFolder

STAGES = ("main", "q1", "q2", "q3")
RIGHT = "B"
DATE = "2026-11-21"


def row(name: str, benchmark: str, task: str, specialty: str, **more: Any) -> dict[str, Any]:
    """One row of ``data/`` with every key; its id follows from the name."""
    return {
        **dict.fromkeys(ITEM.names),
        "item_id": digest("item", name),
        "benchmark": benchmark,
        "task": task,
        "form": "choice",
        "template_id": f"{benchmark}.{task.split('/')[0]}",
        "template_version": 1,
        "dataset": "cholect50",
        "video_id": "VID01",
        "split": "train",
        "specialty": specialty,
        "window_id": "w",
        "start_us": 12_120_000,
        "end_us": 32_120_000,
        "media": {"path": "videos/VID01", "kind": "frames"},
        "question": f"Which of these is so in {name}?",
        "answer": "B) this",
        "options": options(RIGHT),
        "answer_key": RIGHT,
        "answer_value": '{"what":"this"}',
        "slots": "{}",
        "evidence": [],
        "reasoning": [],
        "rounds": [],
        "checks": [],
        **more,
    }


def options(right: str) -> list[dict[str, Any]]:
    """Four options that differ in nothing but their letter and in which is right."""
    return [
        {"key": key, "text": f"answer {key.lower()}", "is_answer": key == right,
         "kind": "answer" if key == right else "other_order"}
        for key in "ABCD"
    ]  # fmt: skip


def chain(name: str, task: str, specialty: str, right: str = RIGHT) -> list[dict[str, Any]]:
    """The four rows of a chain."""
    return [
        row(
            f"{name}/{stage}", "surgcot", f"{task}/{stage}", specialty,
            chain_id=digest("chain", name), stage=number, options=options(right),
            answer_key=right, answer=f"{right}) this",
            knowledge=None if stage == "main" else "Clips precede division.",
            clue=None if stage == "main" else "At 21.57 s, box [540, 420, 80, 60].",
            context="A1 holds." if number > 1 else None,
        )
        for number, stage in enumerate(STAGES)
    ]  # fmt: skip


def open_question(name: str, specialty: str) -> dict[str, Any]:
    """A question without options."""
    return row(name, "surgstu", "grounding/locate", specialty, form="text", options=[],
               answer_key=None, answer=f"box of {name}")  # fmt: skip


def world(right: str = RIGHT) -> list[dict[str, Any]]:
    """Chains of two tasks in two specialties, and single questions of two kinds."""
    rows: list[dict[str, Any]] = []
    for specialty, count in (("general surgery", 24), ("urology", 3)):
        for task in ("affordance_mapping", "anomaly_onset_tracking"):
            for k in range(count):
                rows += chain(f"{task} {specialty} {k}", task, specialty, right)
        for k in range(count):
            rows.append(row(f"{specialty} single {k}", "surgstu", "counting/distinct", specialty,
                            options=options(right), answer_key=right))  # fmt: skip
            rows.append(open_question(f"{specialty} open {k}", specialty))
    return rows


def write_output(
    folder: Path,
    rows: list[dict[str, Any]],
    shards: int = 1,
    jsonl: bool = False,
    digest: str = "d",
) -> OutputFolder:
    """A finished dataset of these rows, in the order given."""
    folder.mkdir(exist_ok=True)
    for benchmark in {one["benchmark"] for one in rows}:
        data = folder / "data" / benchmark
        data.mkdir(parents=True)
        mine = [one for one in rows if one["benchmark"] == benchmark]
        for shard in range(shards):
            stem, part = data / f"train-{shard:05d}", mine[shard::shards]
            if jsonl:
                text = "".join(json.dumps(one) + "\n" for one in part)
                stem.with_suffix(".jsonl").write_text(text, encoding="utf-8")
            else:
                pq.write_table(pa.Table.from_pylist(part, ITEM), stem.with_suffix(".parquet"))
    (folder / "manifest.json").write_text(json.dumps({"digest": digest}), encoding="utf-8")
    return OutputFolder(folder)


@pytest.fixture(scope="session")
def output(tmp_path_factory: pytest.TempPathFactory) -> OutputFolder:
    """The world, written once."""
    return write_output(tmp_path_factory.mktemp("review") / "out", world())


@pytest.fixture
def sheets(output: OutputFolder, tmp_path: Path) -> tuple[Sampled, Path]:
    """A sample of three raters, and the folder of its sheets in both formats."""
    sampled = sample_of(output, "0.1", "42", ["A", "B", "C"])
    write_sheets(output, sampled, tmp_path / "sheets", ["csv", "label-studio"])
    return sampled, tmp_path / "sheets"


def rows_of_sheet(path: Path, between: str = ",") -> list[dict[str, str]]:
    """A sheet as a spreadsheet shows it."""
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=between))


Filling = Callable[[dict[str, str]], Mapping[str, str]]


def agree(cells: dict[str, str]) -> dict[str, str]:
    """What a rater fills in who finds everything right."""
    return {"answer": RIGHT if cells["options"] else "", "valid": "yes"}


def fill(path: Path, filling: Filling = agree, between: str = ",") -> None:
    """Fill a CSV sheet in and save it, as a spreadsheet does."""
    rows = [{**cells, **filling(cells)} for cells in rows_of_sheet(path)]
    save(path, rows, between)


def save(path: Path, rows: list[dict[str, str]], between: str = ",") -> None:
    """Save rows of a sheet."""
    sink = io.StringIO()
    writer = csv.DictWriter(sink, list(rows[0]), delimiter=between, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(sink.getvalue(), encoding="utf-8")


def fill_tasks(path: Path, filling: Filling = agree) -> None:
    """Fill a Label Studio file in and export it, as the tool does."""
    tasks = json.loads(path.read_text(encoding="utf-8"))
    for task in tasks:
        data = task["data"]
        cells = {"id": f"item {data['item']}", "question": data["question"],
                 "options": "".join(one["value"] for one in data["options"])}  # fmt: skip
        said = dict(filling(cells))
        shown = {one["value"][:1]: one["value"] for one in data["options"]}
        result = [_choice("valid", [said["valid"]])] if said.get("valid") else []
        if said.get("answer"):
            result.append(_choice("answer", [shown[said["answer"]]]))
        if said.get("wrong"):
            result.append(_choice("wrong", said["wrong"].split(";")))
        if said.get("comment"):
            result.append({"from_name": "comment", "to_name": "question", "type": "textarea",
                           "value": {"text": [said["comment"]]}})  # fmt: skip
        task["annotations"] = [
            {"was_cancelled": True, "result": [_choice("valid", ["no"])]},
            {"was_cancelled": False, "result": result},
        ]
    path.write_text(json.dumps(tasks), encoding="utf-8")


def _choice(name: str, choices: list[str]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "question", "type": "choices",
            "value": {"choices": choices}}  # fmt: skip


def line(item: str, decision: str, date: str = DATE) -> bytes:
    """A line of a layer."""
    return orjson.dumps({
        "schema": "surgqa/review-v1", "item_id": item, "chain_id": None, "decision": decision,
        "reason": "" if decision == "keep" else "why", "reviewers": ["X"], "date": date,
    }) + b"\n"  # fmt: skip
