"""Writes tasks for an evaluation framework: questions, rows for scoring, the framework's files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from surgqa.ontology.rows import ITEM
from surgqa.transforms.exports.chat import count, table_of
from surgqa.transforms.exports.dialogue import Dialogue
from surgqa.transforms.exports.evaluating import DOCS, ONE, ROWS
from surgqa.transforms.exports.formats import Format, Row
from surgqa.transforms.exports.parquet import write_table
from surgqa.transforms.exports.talking import TAKING
from surgqa.transforms.exports.writing import line, rendered, write_lines
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.store import OutputFolder

Headlines = Mapping[str, Mapping[str, str]]
"""Benchmark -> name of a score in the framework -> name of this score in ``surgqa score``."""
WriteFiles = Callable[[Path, Headlines], None]


def task_format(
    name: str, summary: str, files: WriteFiles, media: tuple[str, ...] = ("clips", "frames", "none")
) -> Format:
    """Return a format for an evaluation framework.

    Args:
        files: function that writes the framework's own files.
    """

    def talk(folder: OutputFolder, to: Path, dialogues: Iterator[Dialogue]) -> list[Row]:
        counts, answers = _documents(to, dialogues)
        rows = [row for row in folder.rows() if row["item_id"] in answers]
        write_table(pa.Table.from_pylist(rows, ITEM), to / ROWS, [])
        headlines = _headlines(rows)
        _name_scores(to / DOCS, headlines)
        files(to, headlines)
        return table_of(counts, "benchmark")

    return Format(name=name, taking=TAKING, summary=summary, talk=talk, each=True, media=media)


def document(dialogue: Dialogue) -> dict[str, Any]:
    """Return the line of ``docs.jsonl`` for a question."""
    (turn,) = dialogue.turns
    return {
        "id": dialogue.id, "item_id": turn.item_id,
        "round_index": ONE if turn.round_index is None else turn.round_index,
        "benchmark": dialogue.labels["benchmark"], "system": dialogue.system,
        "parts": [{"kind": kind, "text": text} for kind, text in turn.parts],
        "answer": turn.answer,
    }  # fmt: skip


def _documents(to: Path, dialogues: Iterator[Dialogue]) -> tuple[dict[str, Counter[str]], set[str]]:
    """Write the questions; return their counts by benchmark, and the ids of their items."""
    counts: dict[str, Counter[str]] = {}
    items = set[str]()
    with (to / DOCS).open("wb") as file:
        for one in dialogues:
            file.write(line(document(one)))
            count(counts.setdefault(str(one.labels["benchmark"]), Counter()), one)
            items.add(one.turns[0].item_id)
    return counts, items


def _headlines(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the names of the scores of each benchmark."""
    out: dict[str, dict[str, str]] = {}
    for name in sorted({row["benchmark"] for row in rows}):
        mine = (row for row in rows if row["benchmark"] == name)
        found = score_dataset(mine, {}, replicates=1).headlines()
        out[name] = {re.sub(r"\W+", "_", f"score_{one}"): one for one in found}
    return out


def _name_scores(path: Path, headlines: Headlines) -> None:
    """Add to each question the names of the scores to which it contributes."""
    docs = [orjson.loads(one) for one in path.read_bytes().splitlines()]
    write_lines(path, (doc | {"scores": sorted(headlines[doc["benchmark"]])} for doc in docs))


def own_name(benchmark: str) -> str:
    """Return a benchmark's name as a part of names in Python."""
    return re.sub(r"\W+", "_", benchmark)


def write_task(
    to: Path, headlines: Headlines, package: str, datasets: bool = False, **values: Any
) -> None:
    """Write ``surgqa_<benchmark>.yaml`` for each benchmark, and a module with their functions.

    Args:
        package: the package of ``task.yaml.jinja``, the template of these files.
        datasets: True if the module also has a function that returns the questions of a benchmark.
        values: further values for the template.
    """
    module = rendered("taskfolder.py.jinja", headlines=headlines, datasets=datasets, repr=repr,
                      own_name=own_name)  # fmt: skip
    (to / "surgqa_task.py").write_text(module, encoding="utf-8")
    for benchmark, names in headlines.items():
        own = own_name(benchmark)
        text = rendered(f"{package}/task.yaml.jinja", own=own, names=names, **values)
        (to / f"surgqa_{own}.yaml").write_text(text, encoding="utf-8")
