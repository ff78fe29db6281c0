"""``surgqa judge``: let a model rate open answers by their rubrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import NothingSelected
from surgqa.pipeline.cli.asking import Calls, ModelOptions, asks_a_model
from surgqa.pipeline.cli.options import CountsFile, File, Out, arg, opt

if TYPE_CHECKING:
    from surgqa.transforms.inference.command import ProgramJob
    from surgqa.transforms.inference.engine import ModelCall
    from surgqa.transforms.inference.journal import Journal
    from surgqa.transforms.scoring.outputs.judging import JudgeCase
    from surgqa.transforms.scoring.predictions import AskedBooks, PredictionKey


@asks_a_model
def judge(
    out: Out,
    predictions: Annotated[Path, arg("PREDICTIONS.jsonl", "The responses to be rated.")],
    to: Annotated[Path, opt("JUDGEMENTS", "File to write.")],
    how: ModelOptions = ModelOptions(),  # noqa: B008 - it is frozen
    jobs: Annotated[File, opt("FILE", "Rate only the items of these jobs [from 'infer'].")] = None,
    json: CountsFile = None,
) -> int:
    """Let a judge model rate open answers by their rubric; exact matches are not sent to it.

    \b
    surgqa judge out predictions.jsonl --base-url http://localhost:8000/v1 --model NAME \\
      --to judgements.jsonl
    surgqa score out predictions.jsonl --judgements judgements.jsonl

    The judge receives the question, the correct answer, the rubric and the answer, but no frames.
    Exit status 4 if calls failed; the same command repeats them.
    """
    from surgqa.transforms.scoring.outputs.judging import prompt_digest

    endpoint = how.endpoint()
    also = {"judge": prompt_digest()}
    return _Judging(_cases(out, predictions, jobs), to, how).run(endpoint, also, json)


Cases = list[tuple["PredictionKey", "JudgeCase"]]


def _cases(out: str, predictions: Path, jobs: Path | None) -> Cases:
    """Return the answers that a judge has to rate, sorted by item and round."""
    from surgqa.transforms.scoring import asked_of, load_predictions
    from surgqa.transforms.scoring.outputs.judging import open_cases
    from surgqa.transforms.scoring.predictions import AskedBooks
    from surgqa.transforms.store import OutputFolder

    folder = OutputFolder(out).with_items()
    books = AskedBooks(asked_of(predictions, jobs))
    seen: list[str] = []
    cases = list(open_cases(_open_rows(folder.rows(), books, seen), load_predictions(predictions)))
    if not seen:
        raise NothingSelected(
            "there is nothing to judge", expected="open answers that have a rubric",
            found=", ".join(folder.benchmarks()) or "no items", where=out,
        )  # fmt: skip
    return sorted(cases, key=lambda one: (one[0][0], -1 if one[0][1] is None else one[0][1]))


def _open_rows(
    rows: Iterable[Mapping[str, Any]], books: AskedBooks, seen: list[str]
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows with a rubric that were asked; every id with a rubric is added to ``seen``."""
    from surgqa.transforms.scoring.predictions import rounds_of

    for row in rows:
        if row["rubric"]:
            seen.append(row["item_id"])
            if books.take(row["benchmark"], row["item_id"], rounds_of(row)):
                yield row


class _Judging(Calls):
    """Sends answers to a judge, and writes the judge's ratings."""

    sent, before, unit = "answer", "answers were rated", "answers"
    unread = 0

    def __init__(self, cases: Cases, to: Path, how: ModelOptions) -> None:
        # Equal answers to equal questions are sent once, and the rating is written for each.
        self.cases, self.once = cases, {case.id: case for _, case in cases}
        super().__init__(to, how, len(self.once))

    def kept(self) -> int:
        """Return the number of answers that were rated before."""
        return sum(name in self.responses for name in self.once)

    def open_cases(self) -> Iterator[JudgeCase]:
        """Return the answers without a rating."""
        return (case for name, case in self.once.items() if name not in self.responses)

    def model_calls(self) -> Iterator[ModelCall]:
        """Return the calls of an endpoint that have no response yet."""
        from surgqa.transforms.inference.engine import ModelCall

        for case in self.open_cases():
            yield ModelCall(case.id, _about(case), lambda case=case: _messages(case))  # type: ignore[misc]

    def program_jobs(self, journal: Journal) -> Iterator[Iterator[ProgramJob]]:
        """Yield the jobs of a program that have no response yet, as one group."""
        from surgqa.transforms.inference.command import ProgramJob

        def task(case: JudgeCase) -> ProgramJob:
            system, user = (message["content"] for message in _messages(case))
            line = {"job_id": case.id, "system": system, "user": user, "images": []}
            return ProgramJob(case.id, _about(case), lambda: line)

        yield map(task, self.open_cases())

    def finish(self, journal: Journal) -> None:
        """Write the judgements and print what happened."""
        from surgqa.transforms.inference.journal import answered, spent
        from surgqa.transforms.scoring.outputs.judging import rating_of, write_judgements

        self.paid, tally = spent(journal.entries()), self.tally
        replies, judge = answered(journal.entries()), self.how.model or self.how.command or ""
        lines = write_judgements(self.to, self.cases, judge, replies)
        reasons = {name: rating_of(replies[name]) for name in self.once if name in replies}
        unread = {name: why for name, why in reasons.items() if isinstance(why, str)}
        self.unread = len(unread)
        now = f"{tally.done:,} now, {tally.kept:,} before"
        self.print_outcome(
            {"to be rated": f"{tally.total:,} answers of {len(self.cases):,} windows and rounds",
             "rated": f"{tally.kept + tally.done:,} ({now})",
             "could not be read": f"{self.unread:,}"},
            {"judgements": f"{self.to}, {lines:,} lines"},
        )  # fmt: skip
        self.print_some("could not be read: answer", unread)
        self.print_some("failed: answer", tally.failed)

    def counts(self) -> dict[str, Any]:
        """Return the counts of the run for JSON."""
        tally = self.tally
        return super().counts() | {
            "outputs": len(self.cases), "answers": tally.total,
            "rated": tally.kept + tally.done, "rated_now": tally.done, "unread": self.unread,
        }  # fmt: skip


def _messages(case: JudgeCase) -> list[dict[str, Any]]:
    from surgqa.transforms.scoring.outputs.judging import SYSTEM

    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": case.user}]


def _about(case: JudgeCase) -> dict[str, Any]:
    return {"item_id": case.key[0], "round_index": case.key[1]}
