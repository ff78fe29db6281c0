"""``surgqa infer``: send jobs to a model and write predictions; no job is paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE
from surgqa.pipeline.cli import options
from surgqa.pipeline.cli.asking import Calls, ModelOptions, asks_a_model
from surgqa.pipeline.cli.console import fields, table, talk, write_json, write_result
from surgqa.pipeline.cli.given import roots_of
from surgqa.pipeline.cli.options import File, arg, flag, opt

if TYPE_CHECKING:
    from surgqa.transforms.inference.command import ProgramJob
    from surgqa.transforms.inference.engine import ModelCall
    from surgqa.transforms.inference.images import FrameImages, FrameRequest, Leaving
    from surgqa.transforms.inference.jobs import Job
    from surgqa.transforms.inference.journal import Journal


@asks_a_model
def infer(
    jobs: Annotated[Path, arg("JOBS", "File that 'surgqa jobs' wrote.")],
    out: Annotated[Path, opt("PREDICTIONS", "File to write.")],
    root: options.PictureRoots = None,
    without_images: Annotated[bool, flag("--without-images", "Send the text only.")] = False,
    max_images: options.MaxImages = None,
    image_size: options.ImageSize = 768,
    image_folder: Annotated[File, opt("DIR", "For --command: pass frames as files there.")] = None,
    how: ModelOptions = ModelOptions(),  # noqa: B008 - it is frozen
    json: options.CountsFile = None,
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
    if image_folder:
        image_folder.mkdir(parents=True, exist_ok=True)
    one.image_folder = image_folder
    return one.run(endpoint, shown, json)


class _Inference(Calls):
    """Sends the jobs of a file to a model and writes predictions; ``url`` is '' for a program."""

    shots: Callable[[Job], list[FrameRequest]] | None = None
    image_folder: Path | None = None

    def __init__(self, jobs: Path, out: Path, how: ModelOptions, total: int, url: str) -> None:
        super().__init__(out, how, total)
        self.jobs, self.url = jobs, url

    def dry_run(self, json: Path | None) -> None:
        """Print what is still to be sent; the journal of an earlier run is read but not changed."""
        from surgqa.transforms.inference.images import leaving
        from surgqa.transforms.inference.journal import answered, entries

        if self.journal.is_file():
            self.responses = answered(entries(self.journal))
        found = leaving(self.open_jobs(), self.shots)
        host = _host(self.url) if self.url else ""
        _print_sent(found, host, self.url or self.how.command or "", json)

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

    def model_calls(self) -> Iterator[ModelCall]:
        """Return the calls of an endpoint that have no response yet."""
        from surgqa.transforms.inference.engine import ModelCall
        from surgqa.transforms.inference.images import chat_messages

        for job in self.open_jobs():
            yield ModelCall(
                job.job_id, {"item_id": job.item_id, "round_index": job.round_index},
                lambda job=job: chat_messages(*self.content(job)),  # type: ignore[misc]
                tuple(one.job_id for one in job.after),
            )  # fmt: skip

    def program_jobs(self, journal: Journal) -> Iterator[Iterator[ProgramJob]]:
        """Yield the jobs that quote no open job, then those whose quoted jobs are answered now."""
        from surgqa.transforms.inference.command import ProgramJob
        from surgqa.transforms.inference.images import program_line
        from surgqa.transforms.inference.journal import answered

        def task(job: Job) -> ProgramJob:
            about = {"item_id": job.item_id, "round_index": job.round_index}
            folder = self.image_folder
            return ProgramJob(job.job_id, about, lambda: program_line(*self.content(job), folder))

        if not self.chained:
            yield map(task, self.open_jobs())
            return
        tried: set[str] = set()
        while ready := {job.job_id for job in self.open_jobs()
                        if {one.job_id for one in job.after} <= self.responses.keys()
                        } - tried:  # fmt: skip
            yield (task(job) for job in self.open_jobs() if job.job_id in ready)
            tried |= ready
            self.responses = answered(journal.entries())

    def content(self, job: Job) -> tuple[Job, list[FrameRequest] | None]:
        """Return the job with the earlier responses that it quotes, and its frames.

        Responses are parsed as for scoring; the frames are None for text only.
        """
        from surgqa.transforms.inference.jobs import filled
        from surgqa.transforms.scoring.replies import chosen

        whole = filled(job, self.responses, chosen) if job.after else job
        return whole, self.shots(job) if self.shots else None

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


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname or url


def _print_sent(found: Leaving, host: str, to: str, json: Path | None) -> None:
    """Print which jobs and frames a run would send, for each video.

    Args:
        host: the destination; empty for a local program.
        to: address or command.
        json: file to which the list is also written.
    """
    known: dict[str, Any] = found.to_dict()
    rows: list[list[object]] = [["dataset", "recording", "jobs", "pictures", "bytes"]]
    rows += [
        [one["dataset"], one["path"], one["jobs"], one["pictures"], f"{one['picture_bytes']:,}"]
        for one in known["recordings"]
    ]
    if len(rows) > 1:
        write_result(table(rows))
    entries: dict[str, object] = {
        "goes to": f"{host} ({to})" if host else f"this machine ({to})",
        "jobs": f"{found.jobs:,}",
        "pictures": f"{known['pictures']:,}, {known['picture_bytes']:,} bytes as JPEG",
        "text": f"{found.text_bytes:,} bytes",
    }
    if found.failing:
        entries["not sent"] = f"{found.failing:,} jobs whose pictures cannot be decoded"
    write_result(fields(entries))
    talk.say("dry run: nothing was sent, and nothing was written")
    if json:
        write_json({"host": host or None, "to": to, **known}, json)
