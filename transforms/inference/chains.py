"""The jobs of a dataset's chains, in settings that decide which texts of a chain a model sees.

The settings BL, KE and FC select the texts, and whether earlier answers are the correct ones or the
model's own.
"""

from __future__ import annotations

import heapq
import tempfile
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from surgqa.ontology.errors import OutputBroken, PromptInvalid, WrongUsage
from surgqa.ontology.units import CHAIN, stage_name
from surgqa.ontology.units import COLUMNS as UNIT
from surgqa.transforms.inference.frames import COLUMNS as NAMED
from surgqa.transforms.inference.jobs import After, Job, JobTexts, jobs_of
from surgqa.transforms.inference.prompts import PromptSections
from surgqa.transforms.inference.windows import COLUMNS as SEEN
from surgqa.transforms.store import OutputFolder


class Setting(StrEnum):
    """What a question of a chain shows besides itself: nothing, knowledge, or also clues."""

    BL = "BL"
    KE = "KE"
    FC = "FC"


class EarlierAnswers(StrEnum):
    """Whose answers to earlier stages a question repeats: the correct ones, or the model's own."""

    GOLD = "gold"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class ChainSetting:
    """A setting and its context.

    Attributes:
        context: whose earlier answers a question restates; None for the baseline, which restates
            none.
    """

    setting: Setting = Setting.BL
    context: EarlierAnswers | None = None

    @property
    def parts(self) -> Sequence[str]:
        """The texts besides the question, as placeholders of the prompt."""
        return {
            Setting.BL: (),
            Setting.KE: ("knowledge", "context"),
            Setting.FC: ("knowledge", "clue", "context"),
        }[self.setting]

    def check(self, prompt: PromptSections) -> None:
        """Check that the prompt has a placeholder for every text of the setting.

        Raises:
            UserError: a text that the setting shows is missing, so the setting would have no
                effect.
        """
        lacking = [("user", name) for name in self.parts if not prompt.uses("user", name)]
        inside = {EarlierAnswers.GOLD: "answers", EarlierAnswers.OWN: "reply"}
        if self.context and not prompt.uses(f"context: {self.context}", inside[self.context]):
            lacking.append((f"context: {self.context}", inside[self.context]))
        if lacking:
            section, name = lacking[0]
            raise PromptInvalid(
                f"the prompt lacks a placeholder that --setting {self.setting} needs",
                expected=f"{{{name}}} in section [{section}]",
                found=", ".join(f"no {{{name}}} in [{section}]" for section, name in lacking),
                where="--prompt",
                fix="copy its line from 'surgqa jobs --default-prompt'",
            )


def telling(setting: Setting | None, context: EarlierAnswers | None) -> ChainSetting | None:
    """Return the setting from ``--setting`` and ``--context``; None without either.

    Raises:
        UserError: a context was given, but the setting repeats no earlier answers.
    """
    if setting is None and context is None:
        return None
    if setting in (None, Setting.BL):
        if context is not None:
            raise WrongUsage(
                "no answers are restated in this setting",
                expected="--setting KE or --setting FC",
                found=f"--context {context}" + (f" with --setting {setting}" if setting else ""),
                where="--context",
            )
        return ChainSetting()
    return ChainSetting(setting, context or EarlierAnswers.GOLD)


KEYS = ("item_id", "benchmark", "task", "template_id", *UNIT)
"""Columns that are read from every row."""

VIDEO = ("dataset", "video_id")
"""Columns that name the video of a row."""

Row = Mapping[str, Any]
Chain = tuple[Row, ...]
"""The rows of one chain by stage, the main question first."""

_Places = dict[str, list[tuple[int, int, int]]]
"""Chain id -> (stage, offset, length) of its rows in the temporary file."""


def chains_of(
    folder: OutputFolder,
    columns: Sequence[str],
    near: Path,
    limit: int | None = None,
    benchmark: str | None = None,
    without: Container[tuple[str, str]] = (),
) -> Iterator[Chain]:
    """Yield all chains of a finished dataset, sorted by id.

    Only some hundred bytes of each row are kept in memory. The complete rows are in a temporary
    file.

    Args:
        columns: columns of the rows, in addition to :data:`KEYS`.
        near: folder of the temporary file.
        limit: return the first chains by id with at most this many items in total, at least one
            chain.
        benchmark: only chains of this benchmark.
        without: (dataset, video id) of videos whose chains are left out.

    Raises:
        OutputBroken: a row is not a stage of a chain, or a chain lacks a stage or has one twice.
    """
    names = list(dict.fromkeys((*KEYS, *VIDEO, *columns)))
    with tempfile.TemporaryFile(dir=near) as spool:
        rows = (row for row in folder.rows(benchmark, names)
                if row["unit"] == CHAIN and video_of(row) not in without)  # fmt: skip
        places, stages = _spooled(rows, spool)
        for chain_id in _wanted(places, limit):
            yield _chain(chain_id, places[chain_id], stages, spool)


def video_of(row: Row) -> tuple[str, str]:
    """Return (dataset, video id) of a row."""
    return row["dataset"], row["video_id"]


def asked_order(chain: Sequence[object]) -> tuple[int, ...]:
    """Return stages in the order in which a chain is answered, the main question last."""
    return (*range(1, len(chain)), 0)


def _spooled(rows: Iterable[Row], spool: BinaryIO) -> tuple[_Places, Mapping[str, int]]:
    """Return the positions of the rows, and the number of stages of each template."""
    places: _Places = {}
    stages = Counter[str]()
    offset = 0
    for row in rows:
        check_stage(row)
        line = orjson.dumps(row)
        spool.write(line)
        places.setdefault(row["chain_id"], []).append((row["stage"], offset, len(line)))
        stages[row["template_id"]] = max(stages[row["template_id"]], row["stage"] + 1)
        offset += len(line)
    return places, stages


def _wanted(places: _Places, limit: int | None) -> Iterator[str]:
    if limit is None:
        yield from sorted(places)
        return
    taken = 0
    for chain_id in heapq.nsmallest(limit, places):
        taken += len(places[chain_id])
        if taken > max(limit, len(places[chain_id])):
            return
        yield chain_id


def _chain(
    chain_id: str,
    places: Iterable[tuple[int, int, int]],
    stages: Mapping[str, int],
    spool: BinaryIO,
) -> Chain:
    rows = []
    for _, offset, length in sorted(places):
        spool.seek(offset)
        rows.append(orjson.loads(spool.read(length)))
    found, count = [row["stage"] for row in rows], stages[rows[0]["template_id"]]
    if found != list(range(count)):
        raise OutputBroken(
            f"chain {chain_id} does not have every stage once",
            expected=f"one item each of {', '.join(map(stage_name, range(count)))}",
            found=", ".join(map(stage_name, found)),
            where=f"data/{rows[0]['benchmark']}",
            fix="build the dataset again, or see 'surgqa check'",
        )
    return tuple(rows)


def check_stage(row: Row) -> None:
    """Check that a row is a stage of a chain.

    Raises:
        OutputBroken: the row is not a stage of a chain.
    """
    stage = row["stage"]
    if not row["chain_id"] or type(stage) is not int or stage < 0:
        raise OutputBroken(
            f"item {row['item_id']} is not a stage of a chain",
            expected="a chain_id and a stage; 0 is the main question",
            found=f"chain_id {row['chain_id']}, stage {stage}",
            where=f"data/{row['benchmark']}",
            fix="build the dataset again, or see 'surgqa check'",
        )


COLUMNS = (*SEEN, *NAMED, "task", "knowledge", "clue", "context")
"""Columns that are read from a row."""


def chain_jobs(
    chain: Chain,
    telling: ChainSetting,
    prompt: PromptSections,
    every_us: int,
    clock: str,
    period_us: int,
) -> list[Job]:
    """Return one job for each stage, in the order in which a chain is answered: Q1, Q2 …, main.

    If the model's own answers are shown, each job depends on the jobs of all earlier stages.

    Args:
        every_us, clock, period_us: as in :func:`transforms.inference.jobs.jobs_of`.
    """
    jobs: dict[int, Job] = {}
    for stage in asked_order(chain):
        texts = _texts_of(chain, stage, telling, prompt, jobs)
        (jobs[stage],) = jobs_of(chain[stage], prompt, every_us, clock, period_us, texts)
    return list(jobs.values())


def reference_texts(chain: Chain, stage: int, telling: ChainSetting) -> dict[str, str | None]:
    """Return the texts besides the question of a stage, from the reference only.

    The main question is asked last but gets the texts of the first stage: the texts of later stages
    depend on the answers before them.
    """
    about = [chain[stage]] if stage else [*chain[1:2], chain[0]]
    out = {name: " ".join(dict.fromkeys(row[name] for row in about if row[name])) or None
           for name in ("knowledge", "clue") if name in telling.parts}  # fmt: skip
    if telling.context == EarlierAnswers.GOLD:
        out["context"] = chain[stage]["context"]
    return out


def _texts_of(
    chain: Chain,
    stage: int,
    telling: ChainSetting,
    prompt: PromptSections,
    before: Mapping[int, Job],
) -> JobTexts:
    """Return the same texts for the prompt, with the model's own answers if the setting uses them.

    Args:
        before: jobs of the earlier stages.
    """
    values = reference_texts(chain, stage, telling)
    if answers := values.get("context"):
        values["context"] = prompt.render("context: gold", {"answers": answers})
    if telling.context != EarlierAnswers.OWN:
        return JobTexts(values)
    otherwise = prompt.render("no reply", {})
    after = tuple(
        After(job.job_id, tuple((one["key"], one["text"]) for one in chain[past]["options"] or ()),
              otherwise)
        for past, job in before.items()
    )  # fmt: skip
    values["context"] = "\n".join(
        prompt.render("context: own", {"question": chain[past]["question"], "reply": one.mark})
        for past, one in zip(before, after, strict=True)
    )
    return JobTexts(values, after)
