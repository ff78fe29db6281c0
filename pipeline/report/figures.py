"""Numbers of a finished dataset, in the shape in which the report shows them.

Only the output folder is read; what an older or partial build lacks is left empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
import pyarrow as pa

from ontology.files import listed
from transforms.store.folder import OutputFolder

REASONS = 3
"""Reasons for declining written out per template."""

BARS = 6
"""Answers shown one by one in a balance bar; the rest share one segment."""

CLOSED_FORMS = ("choice", "yes_no", "text", "set", "sequence")
"""Forms whose answers repeat, so that their shares say something."""


@dataclass(frozen=True, slots=True)
class TemplateYield:
    """What one template gave: of ``windows`` asked, ``items`` came, the rest declined."""

    template_id: str
    benchmark: str
    unit: str
    version: str
    items: int
    windows: int | None
    declined: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def share(self) -> float | None:
        """Items per window, 0 to 1, or None where the windows are not known."""
        return self.items / self.windows if self.windows else None


@dataclass(frozen=True, slots=True)
class Balance:
    """Answers of one template, most frequent first, and how often each letter is right."""

    template_id: str
    total: int
    distinct: int
    answers: tuple[tuple[str, int], ...]
    letters: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class Tally:
    """What one pass over the rows counts."""

    items: Counter = field(default_factory=Counter)
    benchmark: dict[str, str] = field(default_factory=dict)
    unit: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Counter] = field(default_factory=dict)
    letters: dict[str, Counter] = field(default_factory=dict)
    videos: set[tuple[str, str]] = field(default_factory=set)
    windows: set[str] = field(default_factory=set)
    picks: dict[str, str] = field(default_factory=dict)


_COLUMNS = [
    "item_id", "benchmark", "unit", "form", "template_id", "dataset", "video_id", "window_id",
    "answer", "answer_key",
]  # fmt: skip


def tally(out: OutputFolder) -> Tally:
    """Count items, answers and letters per template; one sample item of each is kept."""
    count = Tally()
    for rows in out.tables(columns=_COLUMNS):
        _count_items(count, rows)
        _count_answers(count, rows)
        for dataset, video_id in _distinct(rows, ["dataset", "video_id"]):
            count.videos.add((dataset, video_id))
        for (window_id,) in _distinct(rows, ["window_id"]):
            count.windows.add(window_id)
    return count


def _count_items(count: Tally, rows: pa.Table) -> None:
    grouped = rows.group_by(["template_id", "benchmark", "unit"]).aggregate(
        [("item_id", "count"), ("item_id", "min")]
    )
    for entry in grouped.to_pylist():
        name = entry["template_id"]
        count.benchmark[name] = entry["benchmark"]
        count.unit[name] = entry["unit"] or ""
        count.items[name] += entry["item_id_count"]
        # Ids are digests: the smallest is a sample that no order of the rows can change.
        count.picks[name] = min(entry["item_id_min"], count.picks.get(name, "~"))


def _count_answers(count: Tally, rows: pa.Table) -> None:
    grouped = rows.group_by(["template_id", "form", "answer", "answer_key"]).aggregate(
        [("item_id", "count")]
    )
    for entry in grouped.to_pylist():
        name, number = entry["template_id"], entry["item_id_count"]
        if entry["form"] in CLOSED_FORMS:
            count.answers.setdefault(name, Counter())[_content(entry)] += number
        if entry["answer_key"]:
            count.letters.setdefault(name, Counter())[entry["answer_key"]] += number


def _distinct(rows: pa.Table, names: list[str]) -> list[tuple[str, ...]]:
    table = rows.group_by(names).aggregate([])
    return list(zip(*(table.column(name).to_pylist() for name in names), strict=True))


def _content(row: Mapping[str, Any]) -> str:
    """The answer without its letter."""
    text, key = row["answer"], row["answer_key"]
    return text.removeprefix(f"{key})").strip() if key else text


def template_yields(manifest: Mapping[str, Any], count: Tally) -> list[TemplateYield]:
    """One row per template that was asked or gave items, by name."""
    ledger, versions = manifest.get("ledger") or {}, manifest.get("templates") or {}
    out = []
    for name in sorted({*ledger, *count.items}):
        entry = ledger.get(name) or {}
        declined = entry.get("declined") or {}
        ranked = sorted(declined.items(), key=lambda pair: (-pair[1], pair[0]))
        out.append(
            TemplateYield(
                template_id=name,
                benchmark=count.benchmark.get(name) or name.partition(".")[0],
                unit=count.unit.get(name, ""),
                version=str((versions.get(name) or {}).get("version", "")),
                items=count.items[name],
                windows=entry.get("windows"),
                declined=sum(declined.values()),
                reasons=tuple(ranked[:REASONS]),
            )
        )
    return out


def balances(count: Tally) -> list[Balance]:
    """Answer shares of templates with closed answers, by name."""
    out = []
    for name in sorted(count.answers):
        answers = count.answers[name]
        ranked = sorted(answers.items(), key=lambda pair: (-pair[1], pair[0]))
        letters = sorted(count.letters.get(name, Counter()).items())
        out.append(
            Balance(name, sum(answers.values()), len(answers), tuple(ranked[:BARS]), tuple(letters))
        )
    return out


@dataclass(frozen=True, slots=True)
class Reject:
    """One reason of one stage: entries, the units they stand for, one example."""

    stage: str
    code: str
    outcome: str
    entries: int
    units: int
    example: str


def rejects(out: OutputFolder) -> list[Reject]:
    """Rows of ``rejected/`` by stage, code and outcome, most units first."""
    folder = out.path / "rejected"
    groups: dict[tuple[str, str, str], list] = {}
    for path in listed(folder) if folder.is_dir() else []:
        if path.suffix != ".jsonl":
            continue
        with path.open("rb") as lines:
            for line in lines:
                _count_reject(groups, path.stem, orjson.loads(line))
    found = [Reject(*key, *numbers) for key, numbers in groups.items()]
    return sorted(found, key=lambda r: (r.stage, -r.units, r.code, r.outcome))


def _count_reject(groups: dict, stem: str, row: Mapping[str, Any]) -> None:
    key = (row.get("stage") or stem, row.get("code", ""), row.get("outcome", "rejected"))
    where = f"{row.get('key', '')} {row.get('where', '')}".strip()
    example = f"{row.get('reason', '')} ({where})" if where else row.get("reason", "")
    numbers = groups.setdefault(key, [0, 0, example])
    numbers[0] += 1
    numbers[1] += row.get("count", 1)
    numbers[2] = min(numbers[2], example)


def sample_ids(count: Tally, most: int) -> list[str]:
    """At most ``most`` item ids, of different templates, spread over the benchmarks."""
    by_benchmark: dict[str, list[str]] = {}
    for name, pick in count.picks.items():
        by_benchmark.setdefault(count.benchmark[name], []).append(pick)
    queues = [sorted(by_benchmark[name]) for name in sorted(by_benchmark)]
    chosen: list[str] = []
    while len(chosen) < most and any(queues):
        for queue in queues:
            if queue and len(chosen) < most:
                chosen.append(queue.pop(0))
    return chosen
