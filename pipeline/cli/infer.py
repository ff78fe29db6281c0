"""``surgqa infer``: send jobs to a model and write predictions; no job is paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ontology.errors import EXIT_DONE, EXIT_TOO_MANY_FAILED
from pipeline.cli.asking import endpoint_of, manner_of, say_waiting, source_of
from pipeline.cli.console import fields, talk, write_json, write_result
from pipeline.cli.jobs import roots_of
from pipeline.cli.options import (
    ApiKeyEnv,
    Backoff,
    BaseUrl,
    Body,
    CallRate,
    Command,
    Concurrency,
    CountsFile,
    File,
    ImageSize,
    MaxImages,
    MaxTokens,
    Model,
    PictureRoots,
    PriceIn,
    PriceOut,
    Retries,
    Temperature,
    Timeout,
    arg,
    flag,
    opt,
)

if TYPE_CHECKING:
    from transforms.inference.client import EndpointSettings
    from transforms.inference.images import Pictures, Shot
    from transforms.inference.jobs import Job
    from transforms.inference.journal import Journal, Tally

LISTED = 20


def infer(
    jobs: Annotated[Path, arg("JOBS", "File that 'surgqa jobs' wrote.")],
    out: Annotated[Path, opt("PREDICTIONS", "File to write.")],
    base_url: BaseUrl = None,
    model: Model = None,
    command: Command = None,
    root: PictureRoots = None,
    without_images: Annotated[bool, flag("--without-images", "Send the text only.")] = False,
    max_images: MaxImages = None,
    image_size: ImageSize = 768,
    image_folder: Annotated[
        File, opt("DIR", "For --command: write frames there, pass their paths.")
    ] = None,
    concurrency: Concurrency = 4,
    rate: CallRate = None,
    timeout: Timeout = None,
    retries: Retries = 5,
    backoff: Backoff = 1.0,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = None,
    body: Body = None,
    price_in: PriceIn = 0.0,
    price_out: PriceOut = 0.0,
    json: CountsFile = None,
    dry_run: Annotated[bool, flag("--dry-run", "List what would be sent; send nothing.")] = False,
) -> int:
    """Send all jobs to a model; jobs that were answered before are not sent again.

    \b
    surgqa infer jobs.jsonl --base-url http://localhost:8000/v1 --model NAME \\
      --out predictions.jsonl --root cholect50=/data/cholect50
    surgqa infer jobs.jsonl --command 'python model.py' --without-images --out predictions.jsonl
    surgqa infer jobs.jsonl --base-url URL --model NAME --root cholect50=DIR --out P --dry-run

    Exit status 4 if jobs failed; the same command sends them again.
    """
    from transforms.inference.jobfile import checked
    from transforms.inference.journal import Journal

    one = _Inference(jobs, out, price_in, price_out)
    source = source_of(base_url, model, command, api_key_env, image_folder)
    endpoint = source and endpoint_of(
        source, model or "", temperature, max_tokens, body, timeout, api_key_env
    )
    count = checked(jobs)
    pictures = _pictures(root, without_images, image_size, max_images)
    if pictures:
        pictures.check(count.media)
    shown = {"pictures": None if pictures is None else {"size": image_size, "most": max_images}}
    one.tally.total, one.chained = sum(count.jobs.values()), count.waiting > 0
    one.shots = pictures.of if pictures else None
    if dry_run:
        one.dry_run(endpoint.url if endpoint else None, command or "", json)
        return EXIT_DONE
    if endpoint:
        manner = manner_of(concurrency, rate, retries, backoff)
        ask = _asking(endpoint, manner)
        asked = endpoint.asked() | shown
    else:
        ask = _telling(command or "", image_folder, timeout)
        asked = {"command": command} | shown
    with Journal(one.journal, asked) as journal:
        one.go(journal, ask, endpoint.url if endpoint else None)
    if json:
        write_json(one.counts(), json)
    return EXIT_TOO_MANY_FAILED if one.tally.failed or one.tally.open else EXIT_DONE


Ask = Callable[["_Inference", "Journal", Callable[["Tally"], None]], None]
"""Sends the open jobs of a run."""


@dataclass
class _Inference:
    """One run, from the file of jobs to the predictions."""

    jobs: Path
    out: Path
    price_in: float
    price_out: float
    shots: Callable[[Job], list[Shot]] | None = None
    chained: bool = False

    def __post_init__(self) -> None:
        from transforms.inference.journal import Tally, Tokens

        self.tally, self.paid = Tally(), Tokens()
        self.responses: dict[str, str] = {}
        self.journal = self.out.with_name(f"{self.out.name}.journal")

    def dry_run(self, url: str | None, command: str, json: Path | None) -> None:
        """Print what is still to be sent; the journal of an earlier run is read but not changed."""
        from pipeline.cli.leaving import tell_leaving
        from transforms.inference.images import leaving
        from transforms.inference.journal import answered, entries

        if self.journal.is_file():
            self.responses = answered(entries(self.journal))
        found = leaving(self.open_jobs(), self.shots)
        tell_leaving(found, _host(url) if url else "", url or command, json)

    def go(self, journal: Journal, ask: Ask, url: str | None) -> None:
        """Send the open jobs, and write the predictions even if the run is interrupted."""
        from pipeline.cli.progress import Progress
        from transforms.inference.jobfile import read_jobs
        from transforms.inference.journal import answered

        if journal.repaired:
            talk.say("the journal's last line is incomplete (killed run); its job is sent again")
        self.responses = answered(journal.entries())
        self.tally.kept = sum(job.job_id in self.responses for job in read_jobs(self.jobs))
        if self.tally.kept:
            talk.say(f"{self.tally.kept} of {self.tally.total} jobs were answered before")
        if url and self.shots and self.tally.kept < self.tally.total:
            talk.say(f"frames are sent to {_host(url)} unchanged: faces are not blurred")
        try:
            with Progress() as progress:
                ask(self, journal, lambda tally: progress(
                    "jobs", tally.kept + tally.done + len(tally.failed), tally.total))  # fmt: skip
        finally:
            self._finish(journal)

    def open_jobs(self) -> Iterator[Job]:
        """Jobs without a response, in the order of the file."""
        from transforms.inference.jobfile import read_jobs

        return (job for job in read_jobs(self.jobs) if job.job_id not in self.responses)

    def waves(self, journal: Journal) -> Iterator[Iterator[Job]]:
        """Open jobs that depend on no other job; then, once each, those that have become ready."""
        from transforms.inference.journal import answered

        if not self.chained:
            yield self.open_jobs()
            return
        tried: set[str] = set()
        while wave := {job.job_id for job in self.open_jobs() if self._can_follow(job)} - tried:
            yield (job for job in self.open_jobs() if job.job_id in wave)
            tried |= wave
            self.responses = answered(journal.entries())

    def _can_follow(self, job: Job) -> bool:
        return all(one.job_id in self.responses for one in job.after)

    def whole(self, job: Job) -> Job:
        """The job with the responses that it quotes, parsed as they are scored."""
        from transforms.inference.jobs import filled
        from transforms.scoring.replies import chosen

        return filled(job, self.responses, chosen) if job.after else job

    def _finish(self, journal: Journal) -> None:
        from transforms.inference.jobfile import read_jobs
        from transforms.inference.journal import answered, spent
        from transforms.inference.predictions import write_asked, write_predictions

        self.paid = spent(journal.entries())
        write_asked(self.out, read_jobs(self.jobs))
        write_predictions(self.out, read_jobs(self.jobs), answered(journal.entries()))
        write_result(fields(self._outcome()))
        for number, (name, reason) in enumerate(self.tally.failed.items()):
            if number == LISTED:
                talk.say(f"and {len(self.tally.failed) - LISTED} more, all in {self.journal}")
                break
            talk.say(f"failed: job {name}: {reason}")

    def counts(self) -> dict[str, Any]:
        """Counts of the run for JSON."""
        tally, tokens = self.tally, self.tally.tokens
        return {
            "jobs": tally.total, "answered": tally.kept + tally.done, "answered_now": tally.done,
            "failed": dict(tally.failed), "open": tally.open, "retried": tally.retries,
            "cut_short": tally.cut, "tokens_in": tokens.given, "tokens_out": tokens.written,
            "replies_without_count": tokens.untold,
            "cost": tokens.cost(self.price_in, self.price_out),
            "cost_all_runs": self.paid.cost(self.price_in, self.price_out),
        }  # fmt: skip

    def _outcome(self) -> dict[str, object]:
        counts, tally = self.counts(), self.tally
        now = f"{tally.done:,} now, {tally.kept:,} before"
        lines: dict[str, object] = {
            "jobs": f"{tally.total:,}",
            "answered": f"{counts['answered']:,} ({now})",
            "failed": f"{len(tally.failed):,}",
            "not asked": f"{tally.open:,}",
            "calls repeated": f"{tally.retries:,}",
            "cut short": f"{tally.cut:,}",
            "tokens": f"{tally.tokens.given:,} in, {tally.tokens.written:,} out",
            "cost": f"{counts['cost']:.4f} now, {counts['cost_all_runs']:.4f} with earlier runs",
            "predictions": self.out,
            "journal": self.journal,
        }
        dispensable = {"not asked": tally.open, "cut short": tally.cut,
                       "cost": self.price_in or self.price_out}  # fmt: skip
        return {name: line for name, line in lines.items() if dispensable.get(name, True)}


def _pictures(
    root: list[str] | None, without: bool, size: int, most: int | None
) -> Pictures | None:
    roots = roots_of(root)
    if without:
        return None
    from transforms.inference.images import Pictures

    return Pictures(roots, size, most)


def _asking(endpoint: EndpointSettings, manner: Any) -> Ask:
    from transforms.inference.engine import Call, run_calls
    from transforms.inference.images import chat_messages

    def call(job: Job, run: _Inference) -> Call:
        return Call(job.job_id, _about(job),
                    lambda: chat_messages(run.whole(job), run.shots(job) if run.shots else None),
                    tuple(one.job_id for one in job.after))  # fmt: skip

    def ask(run: _Inference, journal: Journal, on_change: Callable[[Tally], None]) -> None:
        calls = (call(job, run) for job in run.open_jobs())
        replies = run.responses if run.chained else None
        run_calls(calls, endpoint, manner, journal, run.tally, on_change, say_waiting, replies)

    return ask


def _telling(command: str, folder: Path | None, timeout: float | None) -> Ask:
    from transforms.inference.command import ANSWER, Task, run_program, words_of
    from transforms.inference.images import program_line

    words = words_of(command)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)

    def task(job: Job, run: _Inference) -> Task:
        def line() -> dict[str, Any]:
            return program_line(run.whole(job), run.shots(job) if run.shots else None, folder)

        return Task(job.job_id, _about(job), line)

    def stray(line: str) -> None:
        talk.say(f"line without a job: {line[:80]}; expected {ANSWER}")

    def ask(run: _Inference, journal: Journal, on_change: Callable[[Tally], None]) -> None:
        for wave in run.waves(journal):
            tasks = (task(job, run) for job in wave)
            run_program(tasks, words, journal, run.tally, timeout, on_change, stray)

    return ask


def _about(job: Job) -> dict[str, Any]:
    return {"item_id": job.item_id, "round_index": job.round_index}


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname or url
