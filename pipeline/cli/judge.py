"""``surgqa judge``: let a model rate open answers by their rubrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ontology.errors import EXIT_DONE, EXIT_TOO_MANY_FAILED, UserError
from pipeline.cli.asking import endpoint_of, manner_of, say_waiting, source_of
from pipeline.cli.console import fields, talk, write_json, write_result
from pipeline.cli.infer import LISTED
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
    MaxTokens,
    Model,
    Out,
    PriceIn,
    PriceOut,
    Retries,
    Temperature,
    Timeout,
    arg,
    opt,
)

if TYPE_CHECKING:
    from transforms.inference.client import EndpointSettings
    from transforms.inference.journal import Journal, Tally
    from transforms.scoring.outputs.judging import JudgeCase
    from transforms.scoring.predictions import AskedBooks, PredictionKey


def judge(
    out: Out,
    predictions: Annotated[Path, arg("PREDICTIONS.jsonl", "The responses to be rated.")],
    to: Annotated[Path, opt("JUDGEMENTS", "File to write.")],
    base_url: BaseUrl = None,
    model: Model = None,
    command: Command = None,
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
    from transforms.inference.journal import Journal
    from transforms.scoring.outputs.judging import prompt_digest

    source = source_of(base_url, model, command, api_key_env, None)
    endpoint = source and endpoint_of(
        source, model or "", temperature, max_tokens, body, timeout, api_key_env
    )
    if endpoint:
        ask, asked = (
            _asking(endpoint, manner_of(concurrency, rate, retries, backoff)),
            endpoint.asked(),
        )
    else:
        ask, asked = _telling(command or "", timeout), {"command": command}
    run = _Judging(_cases(out, predictions, jobs), to, model or command or "", price_in, price_out)
    with Journal(run.journal, asked | {"judge": prompt_digest()}) as journal:
        run.go(journal, ask)
    if json:
        write_json(run.counts(), json)
    return EXIT_TOO_MANY_FAILED if run.tally.failed or run.tally.open else EXIT_DONE


Cases = list[tuple["PredictionKey", "JudgeCase"]]
Ask = Callable[["_Judging", "Journal", Callable[["Tally"], None]], None]
"""Sends the open calls of a run."""


def _cases(out: str, predictions: Path, jobs: Path | None) -> Cases:
    """Answers to rate, in the order of item and round.

    Raises:
        UserError: the dataset has no items of this kind.
    """
    from transforms.scoring import asked_of, load_predictions
    from transforms.scoring.outputs.judging import open_cases
    from transforms.scoring.predictions import AskedBooks
    from transforms.store import OutputFolder

    folder = OutputFolder(out).with_items()
    books = AskedBooks(asked_of(predictions, jobs))
    seen: list[str] = []
    cases = list(open_cases(_open_rows(folder.rows(), books, seen), load_predictions(predictions)))
    if not seen:
        raise UserError(
            "there is nothing to judge", expected="open answers that have a rubric",
            found=", ".join(folder.benchmarks()) or "no items", where=out,
        )  # fmt: skip
    return sorted(cases, key=lambda one: (one[0][0], -1 if one[0][1] is None else one[0][1]))


def _open_rows(
    rows: Iterable[Mapping[str, Any]], books: AskedBooks, seen: list[str]
) -> Iterator[Mapping[str, Any]]:
    """Rows with a rubric that were asked; every id with a rubric is added to ``seen``."""
    from transforms.scoring.predictions import rounds_of

    for row in rows:
        if row["rubric"]:
            seen.append(row["item_id"])
            if books.take(row["benchmark"], row["item_id"], rounds_of(row)):
                yield row


@dataclass
class _Judging:
    """One run, from the answers to the judgements."""

    cases: Cases
    to: Path
    judge: str
    price_in: float
    price_out: float
    unread: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        from transforms.inference.journal import Tally, Tokens

        # Equal answers to equal questions are sent once, and the rating is written for each.
        self.once = {case.id: case for _, case in self.cases}
        self.tally, self.paid = Tally(total=len(self.once)), Tokens()
        self.replies: dict[str, str] = {}
        self.journal = self.to.with_name(f"{self.to.name}.journal")

    def go(self, journal: Journal, ask: Ask) -> None:
        """Send the open calls, and write the judgements even if the run is interrupted."""
        from pipeline.cli.progress import Progress
        from transforms.inference.journal import answered

        if journal.repaired:
            talk.say("the journal's last line is incomplete (killed run); its answer is sent again")
        self.replies = answered(journal.entries())
        self.tally.kept = sum(name in self.replies for name in self.once)
        if self.tally.kept:
            talk.say(f"{self.tally.kept} of {self.tally.total} answers were rated before")
        try:
            with Progress() as progress:
                ask(self, journal, lambda tally: progress("answers", _ended(tally), tally.total))
        finally:
            self._finish(journal)

    def open_cases(self) -> Iterator[JudgeCase]:
        """Answers without a rating."""
        return (case for name, case in self.once.items() if name not in self.replies)

    def _finish(self, journal: Journal) -> None:
        from transforms.inference.journal import answered, spent
        from transforms.scoring.outputs.judging import rating_of, write_judgements

        self.paid = spent(journal.entries())
        replies = answered(journal.entries())
        lines = write_judgements(self.to, self.cases, self.judge, replies)
        reasons = {name: rating_of(replies[name]) for name in self.once if name in replies}
        unread = {name: why for name, why in reasons.items() if isinstance(why, str)}
        self.unread = len(unread)
        write_result(fields(self._outcome(lines)))
        _list("could not be read: answer", unread, self.journal)
        _list("failed: answer", self.tally.failed, self.journal)

    def counts(self) -> dict[str, Any]:
        """Counts of the run for JSON."""
        tally, tokens = self.tally, self.tally.tokens
        return {
            "outputs": len(self.cases), "answers": tally.total,
            "rated": tally.kept + tally.done, "rated_now": tally.done, "unread": self.unread,
            "failed": dict(tally.failed), "open": tally.open, "retried": tally.retries,
            "tokens_in": tokens.given, "tokens_out": tokens.written,
            "replies_without_count": tokens.untold,
            "cost": tokens.cost(self.price_in, self.price_out),
            "cost_all_runs": self.paid.cost(self.price_in, self.price_out),
        }  # fmt: skip

    def _outcome(self, lines: int) -> dict[str, object]:
        counts, tally = self.counts(), self.tally
        rated = f"{counts['rated']:,} ({tally.done:,} now, {tally.kept:,} before)"
        out: dict[str, object] = {
            "to be rated": f"{tally.total:,} answers of {counts['outputs']:,} windows and rounds",
            "rated": rated,
            "could not be read": f"{self.unread:,}",
            "failed": f"{len(tally.failed):,}",
            "not asked": f"{tally.open:,}",
            "calls repeated": f"{tally.retries:,}",
            "tokens": f"{tally.tokens.given:,} in, {tally.tokens.written:,} out",
            "cost": f"{counts['cost']:.4f} now, {counts['cost_all_runs']:.4f} with earlier runs",
            "judgements": f"{self.to}, {lines:,} lines",
            "journal": self.journal,
        }
        dispensable = {"not asked": tally.open, "cost": self.price_in or self.price_out}
        return {name: line for name, line in out.items() if dispensable.get(name, True)}


def _ended(tally: Tally) -> int:
    return tally.kept + tally.done + len(tally.failed)


def _list(what: str, reasons: dict[str, str], journal: Path) -> None:
    for number, (name, reason) in enumerate(reasons.items()):
        if number == LISTED:
            talk.say(f"and {len(reasons) - LISTED} more, all in {journal}")
            return
        talk.say(f"{what} {name}: {reason}")


def _asking(endpoint: EndpointSettings, manner: Any) -> Ask:
    from transforms.inference.engine import Call, run_calls

    def call(case: JudgeCase) -> Call:
        return Call(case.id, _about(case), lambda: _messages(case))

    def ask(run: _Judging, journal: Journal, on_change: Callable[[Tally], None]) -> None:
        calls = map(call, run.open_cases())
        run_calls(calls, endpoint, manner, journal, run.tally, on_change, say_waiting)

    return ask


def _telling(command: str, timeout: float | None) -> Ask:
    from transforms.inference.command import Task, run_program, words_of

    words = words_of(command)

    def task(case: JudgeCase) -> Task:
        system, user = (message["content"] for message in _messages(case))
        line = {"job_id": case.id, "system": system, "user": user, "images": []}
        return Task(case.id, _about(case), lambda: line)

    def ask(run: _Judging, journal: Journal, on_change: Callable[[Tally], None]) -> None:
        tasks = map(task, run.open_cases())
        run_program(tasks, words, journal, run.tally, timeout, on_change,
                    lambda line: talk.say(f"line without a job: {line[:80]}"))  # fmt: skip

    return ask


def _messages(case: JudgeCase) -> list[dict[str, Any]]:
    from transforms.scoring.outputs.judging import SYSTEM

    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": case.user}]


def _about(case: JudgeCase) -> dict[str, Any]:
    return {"item_id": case.key[0], "round_index": case.key[1]}
