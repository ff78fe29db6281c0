"""The jobs of a chain in the settings BL, KE and FC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transforms.inference.after import After
from transforms.inference.chains.rows import Chain, Row, asked_order
from transforms.inference.chains.setting import Context, Telling
from transforms.inference.instants import COLUMNS as NAMED
from transforms.inference.jobs import Job, Told, jobs_of
from transforms.inference.prompts import Prompt
from transforms.inference.windows import COLUMNS as SEEN

COLUMNS = (*SEEN, *NAMED, "task", "knowledge", "clue", "context")
"""Columns that are read from a row."""


def chain_jobs(
    chain: Chain, telling: Telling, prompt: Prompt, every_us: int, clock: str, period_us: int
) -> list[Job]:
    """One job for each stage, in the order in which a chain is answered: Q1, Q2 …, main.

    If the model's own answers are shown, each job depends on the jobs of all earlier stages.

    Args:
        every_us, clock, period_us: as in :func:`transforms.inference.jobs.jobs_of`.
    """
    jobs: dict[int, Job] = {}
    for stage in asked_order(chain):
        told = _told_of(chain, stage, telling, prompt, jobs)
        (jobs[stage],) = jobs_of(chain[stage], prompt, every_us, clock, period_us, told)
    return list(jobs.values())


def told_texts(chain: Chain, stage: int, telling: Telling) -> dict[str, str | None]:
    """The texts besides the question of a stage, from the reference only.

    The main question is asked last but gets the texts of the first stage: the texts of later stages
    depend on the answers before them.
    """
    about = [chain[stage]] if stage else [*chain[1:2], chain[0]]
    out = {name: _joined(about, name) for name in ("knowledge", "clue") if name in telling.parts}
    if telling.context == Context.GOLD:
        out["context"] = chain[stage]["context"]
    return out


def _told_of(
    chain: Chain, stage: int, telling: Telling, prompt: Prompt, before: Mapping[int, Job]
) -> Told:
    """The same texts for the prompt, with the model's own answers if the setting uses them.

    Args:
        before: jobs of the earlier stages.
    """
    values = told_texts(chain, stage, telling)
    if answers := values.get("context"):
        values["context"] = prompt.render("context: gold", {"answers": answers})
    if telling.context != Context.OWN:
        return Told(values)
    after = tuple(_after(chain[past], job, prompt) for past, job in before.items())
    values["context"] = "\n".join(
        prompt.render("context: own", {"question": chain[past]["question"], "reply": one.mark})
        for past, one in zip(before, after, strict=True)
    )
    return Told(values, after)


def _joined(rows: Sequence[Row], name: str) -> str | None:
    """The texts of the rows, each once."""
    return " ".join(dict.fromkeys(row[name] for row in rows if row[name])) or None


def _after(row: Row, job: Job, prompt: Prompt) -> After:
    options = tuple((option["key"], option["text"]) for option in row["options"] or ())
    return After(job.job_id, options, prompt.render("no reply", {}))
