"""``surgqa infer``: send jobs to a model and write predictions; no job is paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE
from surgqa.pipeline.cli.asking import Calls, ModelOptions, asks_a_model, say_waiting
from surgqa.pipeline.cli.console import talk
from surgqa.pipeline.cli.jobs import roots_of
from surgqa.pipeline.cli.options import (
    CountsFile,
    File,
    ImageSize,
    MaxImages,
    PictureRoots,
    arg,
    flag,
    opt,
)

if TYPE_CHECKING:
    from surgqa.transforms.inference.client import EndpointSettings
    from surgqa.transforms.inference.images import FrameImages, FrameRequest
    from surgqa.transforms.inference.jobs import Job
    from surgqa.transforms.inference.journal import Journal, RunCounts


@asks_a_model
def infer(
    jobs: Annotated[Path, arg("JOBS", "File that 'surgqa jobs' wrote.")],
    out: Annotated[Path, opt("PREDICTIONS", "File to write.")],
    root: PictureRoots = None,
    without_images: Annotated[bool, flag("--without-images", "Send the text only.")] = False,
    max_images: MaxImages = None,
    image_size: ImageSize = 768,
    image_folder: Annotated[
        File, opt("DIR", "For --command: write frames there, pass their paths.")
    ] = None,
    how: ModelOptions = ModelOptions(),  # noqa: B008 - it is frozen
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
    from surgqa.transforms.inference.jobfile import checked
    from surgqa.transforms.inference.journal import Journal

    endpoint = how.endpoint(image_folder)
    count = checked(jobs)
    pictures = _pictures(root, without_images, image_size, max_images)
    if pictures:
        pictures.check(count.media)
    shown = {"pictures": None if pictures is None else {"size": image_size, "most": max_images}}
    one = _Inference(jobs, out, how, sum(count.jobs.values()), endpoint.url if endpoint else "")
    one.chained, one.shots = count.waiting > 0, pictures.of if pictures else None
    if dry_run:
        one.dry_run(json)
        return EXIT_DONE
    ask = (_asking(endpoint, how.manner()) if endpoint
           else _telling(how.command or "", image_folder, how.timeout))  # fmt: skip
    asked = endpoint.asked() if endpoint else {"command": how.command}
    with Journal(one.journal, asked | shown) as journal:
        return one.go(journal, ask, json)


Ask = Callable[["_Inference", "Journal", Callable[["RunCounts"], None]], None]
"""Sends the open jobs of a run."""


class _Inference(Calls):
    """One run, from the file of jobs to the predictions; ``url`` is '' for a program."""

    shots: Callable[[Job], list[FrameRequest]] | None = None
    chained: bool = False

    def __init__(self, jobs: Path, out: Path, how: ModelOptions, total: int, url: str) -> None:
        super().__init__(out, how, total)
        self.jobs, self.url = jobs, url

    def dry_run(self, json: Path | None) -> None:
        """Print what is still to be sent; the journal of an earlier run is read but not changed."""
        from surgqa.pipeline.cli.leaving import tell_leaving
        from surgqa.transforms.inference.images import leaving
        from surgqa.transforms.inference.journal import answered, entries

        if self.journal.is_file():
            self.responses = answered(entries(self.journal))
        found = leaving(self.open_jobs(), self.shots)
        host = _host(self.url) if self.url else ""
        tell_leaving(found, host, self.url or self.how.command or "", json)

    def kept(self) -> int:
        """Return the number of jobs that were answered before."""
        from surgqa.transforms.inference.jobfile import read_jobs

        return sum(job.job_id in self.responses for job in read_jobs(self.jobs))

    def warning(self) -> str:
        """Return the warning that frames are sent unchanged."""
        sent = self.url and self.shots and self.tally.kept < self.tally.total
        host = _host(self.url or "")
        return f"frames are sent to {host} unchanged: faces are not blurred" if sent else ""

    def open_jobs(self) -> Iterator[Job]:
        """Return jobs without a response, in the order of the file."""
        from surgqa.transforms.inference.jobfile import read_jobs

        return (job for job in read_jobs(self.jobs) if job.job_id not in self.responses)

    def waves(self, journal: Journal) -> Iterator[Iterator[Job]]:
        """Yield the open jobs that depend on no other job, and then, once each, jobs that have
        become ready.
        """
        from surgqa.transforms.inference.journal import answered

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
        """Return the job with the earlier responses that it quotes, parsed in the same way as for
        scoring.
        """
        from surgqa.transforms.inference.jobs import filled
        from surgqa.transforms.scoring.replies import chosen

        return filled(job, self.responses, chosen) if job.after else job

    def finish(self, journal: Journal) -> None:
        """Write the predictions and print what happened."""
        from surgqa.transforms.inference.jobfile import read_jobs
        from surgqa.transforms.inference.journal import answered, spent
        from surgqa.transforms.inference.predictions import write_asked, write_predictions

        self.paid, tally = spent(journal.entries()), self.tally
        write_asked(self.to, read_jobs(self.jobs))
        write_predictions(self.to, read_jobs(self.jobs), answered(journal.entries()))
        now = f"{tally.done:,} now, {tally.kept:,} before"
        first = {"jobs": f"{tally.total:,}", "answered": f"{tally.kept + tally.done:,} ({now})"}
        self.print_outcome(first, {"predictions": self.to})
        self.print_some("failed: job", tally.failed)

    def counts(self) -> dict[str, Any]:
        """Return the counts of the run for JSON."""
        tally = self.tally
        return super().counts() | {
            "jobs": tally.total, "answered": tally.kept + tally.done,
            "answered_now": tally.done, "cut_short": tally.cut,
        }  # fmt: skip


def _pictures(
    root: list[str] | None, without: bool, size: int, most: int | None
) -> FrameImages | None:
    roots = roots_of(root)
    if without:
        return None
    from surgqa.transforms.inference.images import FrameImages

    return FrameImages(roots, size, most)


def _asking(endpoint: EndpointSettings, manner: Any) -> Ask:
    from surgqa.transforms.inference.engine import ModelCall, run_calls
    from surgqa.transforms.inference.images import chat_messages

    def call(job: Job, run: _Inference) -> ModelCall:
        return ModelCall(job.job_id, _about(job),
                    lambda: chat_messages(run.whole(job), run.shots(job) if run.shots else None),
                    tuple(one.job_id for one in job.after))  # fmt: skip

    def ask(run: _Inference, journal: Journal, on_change: Callable[[RunCounts], None]) -> None:
        calls = (call(job, run) for job in run.open_jobs())
        replies = run.responses if run.chained else None
        run_calls(calls, endpoint, manner, journal, run.tally, on_change, say_waiting, replies)

    return ask


def _telling(command: str, folder: Path | None, timeout: float | None) -> Ask:
    from surgqa.transforms.inference.command import ANSWER, ProgramJob, run_program, words_of
    from surgqa.transforms.inference.images import program_line

    words = words_of(command)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)

    def task(job: Job, run: _Inference) -> ProgramJob:
        def line() -> dict[str, Any]:
            return program_line(run.whole(job), run.shots(job) if run.shots else None, folder)

        return ProgramJob(job.job_id, _about(job), line)

    def stray(line: str) -> None:
        talk.say(f"line without a job: {line[:80]}; expected {ANSWER}")

    def ask(run: _Inference, journal: Journal, on_change: Callable[[RunCounts], None]) -> None:
        for wave in run.waves(journal):
            tasks = (task(job, run) for job in wave)
            run_program(tasks, words, journal, run.tally, timeout, on_change, stray)

    return ask


def _about(job: Job) -> dict[str, Any]:
    return {"item_id": job.item_id, "round_index": job.round_index}


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname or url
