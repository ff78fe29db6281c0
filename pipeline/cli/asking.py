"""Options that select a model, and a run of calls to it, for ``infer`` and ``judge``."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from surgqa.ontology import errors
from surgqa.pipeline.cli import options as given
from surgqa.pipeline.cli.console import fields as lines_of
from surgqa.pipeline.cli.console import talk, write_json, write_result

if TYPE_CHECKING:
    from surgqa.transforms.inference.client import EndpointSettings
    from surgqa.transforms.inference.command import ProgramJob
    from surgqa.transforms.inference.engine import CallSettings, ModelCall
    from surgqa.transforms.inference.journal import Journal, RunCounts

LISTED = 20
"""Number of failed calls that are printed."""


@dataclass(frozen=True)
class ModelOptions:
    """The options that select a model and how it is called; each field is one option."""

    base_url: given.BaseUrl = None
    model: given.Model = None
    command: given.Command = None
    concurrency: given.Concurrency = 4
    rate: given.CallRate = None
    timeout: given.Timeout = None
    retries: given.Retries = 5
    backoff: given.Backoff = 1.0
    api_key_env: given.ApiKeyEnv = None
    temperature: given.Temperature = 0.0
    max_tokens: given.MaxTokens = None
    body: given.Body = None
    price_in: given.PriceIn = 0.0
    price_out: given.PriceOut = 0.0

    def endpoint(self, image_folder: Path | None = None) -> EndpointSettings | None:
        """Return the settings of the calls to an endpoint; None if a program is called.

        Raises:
            UserError: neither or both of an endpoint and a program are given, an option belongs to
                the one that was not given, or the address, the body or the key is not usable.
        """
        if bool(self.base_url) == bool(self.command):
            raise errors.WrongUsage(
                "no model is given",
                expected="either --base-url URL --model NAME, or --command 'PROGRAM ARGS'",
                found="both" if self.command else "neither",
            )
        if self.base_url and not self.model:
            raise errors.WrongUsage("--base-url needs the name of a model", expected="--model NAME")
        if self.command and (self.model or self.api_key_env):
            raise errors.WrongUsage("--model and --api-key-env need --base-url")
        if image_folder and not self.command:
            raise errors.WrongUsage("--image-folder needs --command")
        if not self.base_url:
            return None
        from surgqa.transforms.inference.client import EndpointSettings

        settings = EndpointSettings(
            self.base_url, self.model or "", self.temperature, self.max_tokens, _body(self.body),
            self.timeout or 120.0, _key(self.api_key_env),
        )  # fmt: skip
        _ = settings.url  # refuse a bad address before the jobs are read
        return settings

    def manner(self) -> CallSettings:
        """Return how many calls are made in parallel, at which rate, and with how many retries."""
        from surgqa.transforms.inference.client import Retry
        from surgqa.transforms.inference.engine import CallSettings

        return CallSettings(self.concurrency, self.rate, Retry(self.retries, self.backoff))


def asks_a_model(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command with the fields of :class:`ModelOptions` as options instead of ``how``."""
    hints, own_signature = (
        get_type_hints(ModelOptions, include_extras=True),
        signature(command, eval_str=True),
    )
    options = [Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default,
                         annotation=hints[one.name]) for one in fields(ModelOptions)]  # fmt: skip

    @wraps(command)
    def run(*given: Any, **more: Any) -> int:
        how = ModelOptions(**{one.name: more.pop(one.name) for one in options if one.name in more})
        return command(*given, how=how, **more)

    place = list(own_signature.parameters).index("how")
    kept = [one for one in own_signature.parameters.values() if one.name != "how"]
    kept[place:] = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in kept[place:]]
    run.__signature__ = own_signature.replace(  # type: ignore[attr-defined]
        parameters=[*kept[:place], *options, *kept[place:]]
    )
    run.__annotations__ = {one.name: one.annotation for one in (*kept, *options)}
    return run


class Calls(ABC):
    """Sends calls to a model; its journal keeps all responses, so that no call is paid for twice.

    Attributes:
        sent: what one call sends, such as ``job``, for messages.
        before: what an earlier run did, such as ``jobs were answered``, for messages.
        unit: what the progress display counts.
    """

    sent, before, unit = "job", "jobs were answered", "jobs"
    chained = False
    """Whether a call may quote responses to earlier calls, which must then be answered first."""

    def __init__(self, to: Path, how: ModelOptions, total: int = 0) -> None:
        from surgqa.transforms.inference.journal import RunCounts, Tokens

        self.to, self.how = to, how
        self.tally, self.paid = RunCounts(total=total), Tokens()
        self.responses: dict[str, str] = {}
        self.journal = to.with_name(f"{to.name}.journal")

    @abstractmethod
    def kept(self) -> int:
        """Return the number of model calls whose responses an earlier run saved."""

    @abstractmethod
    def model_calls(self) -> Iterable[ModelCall]:
        """Return the calls of an endpoint that have no response yet."""

    @abstractmethod
    def program_jobs(self, journal: Journal) -> Iterator[Iterable[ProgramJob]]:
        """Yield the jobs of a program that have no response yet, in groups.

        A job is in a later group than the jobs whose responses it quotes.
        """

    @abstractmethod
    def finish(self, journal: Journal) -> None:
        """Write the results of the run to its files, and print the counts."""

    def run(
        self, endpoint: EndpointSettings | None, also: Mapping[str, Any], json: Path | None
    ) -> int:
        """Send the calls that have no response yet, and write the results even after an interrupt.

        Args:
            endpoint: the endpoint that is called; None for a local program.
            also: further settings that influence a response, for the journal.
            json: file for the counts.

        Returns:
            The exit status.
        """
        from surgqa.transforms.inference.command import words_of
        from surgqa.transforms.inference.journal import Journal, answered

        words = [] if endpoint else words_of(self.how.command or "")
        asked = endpoint.asked() if endpoint else {"command": self.how.command}
        with Journal(self.journal, {**asked, **also}) as journal:
            if journal.repaired:
                talk.say("the journal's last line is incomplete (killed run); "
                         f"its {self.sent} is sent again")  # fmt: skip
            self.responses = answered(journal.entries())
            self.tally.kept = self.kept()
            if self.tally.kept:
                talk.say(f"{self.tally.kept} of {self.tally.total} {self.before} before")
            if warning := self.warning():
                talk.say(warning)
            try:
                self._send(endpoint, words, journal)
            finally:
                self.finish(journal)
        if json:
            write_json(self.counts(), json)
        return (
            errors.EXIT_TOO_MANY_FAILED
            if self.tally.failed or self.tally.open
            else errors.EXIT_DONE
        )

    def _send(self, endpoint: EndpointSettings | None, words: list[str], journal: Journal) -> None:
        """Call the endpoint, or run the program with these words."""
        from surgqa.pipeline.cli.progress import Progress
        from surgqa.transforms.inference.command import ANSWER, run_program
        from surgqa.transforms.inference.engine import run_calls

        def waiting(running: int) -> None:
            talk.say(f"waiting for {running} running calls; press Ctrl-C again to stop")

        def stray(line: str) -> None:
            talk.say(f"line without a job: {line[:80]}; expected {ANSWER}")

        with Progress() as progress:

            def show(tally: RunCounts) -> None:
                progress(self.unit, tally.kept + tally.done + len(tally.failed), tally.total)

            if endpoint:
                replies = self.responses if self.chained else None
                run_calls(self.model_calls(), endpoint, self.how.manner(), journal, self.tally,
                          show, waiting, replies)  # fmt: skip
                return
            for jobs in self.program_jobs(journal):
                run_program(jobs, words, journal, self.tally, self.how.timeout, show, stray)

    def warning(self) -> str:
        """Return a warning for the user before anything is sent; '' for none."""
        return ""

    def counts(self) -> dict[str, Any]:
        """Return the counts of the run for JSON."""
        tally, tokens = self.tally, self.tally.tokens
        prices = self.how.price_in, self.how.price_out
        return {
            "failed": dict(tally.failed), "open": tally.open, "retried": tally.retries,
            "tokens_in": tokens.given, "tokens_out": tokens.written,
            "replies_without_count": tokens.uncounted,
            "cost": tokens.cost(*prices), "cost_all_runs": self.paid.cost(*prices),
        }  # fmt: skip

    def print_outcome(self, first: Mapping[str, object], last: Mapping[str, object]) -> None:
        """Print the counts of calls, the tokens, the cost, and the written files.

        Args:
            first, last: lines before and after these, by name.
        """
        counts, tally = self.counts(), self.tally
        lines: dict[str, object] = {
            **first,
            "failed": f"{len(tally.failed):,}",
            "not asked": f"{tally.open:,}",
            "calls repeated": f"{tally.retries:,}",
            "cut short": f"{tally.cut:,}",
            "tokens": f"{tally.tokens.given:,} in, {tally.tokens.written:,} out",
            "cost": f"{counts['cost']:.4f} now, {counts['cost_all_runs']:.4f} with earlier runs",
            **last,
            "journal": self.journal,
        }
        dispensable = {"not asked": tally.open, "cut short": tally.cut,
                       "cost": self.how.price_in or self.how.price_out}  # fmt: skip
        write_result(lines_of({k: v for k, v in lines.items() if dispensable.get(k, True)}))

    def print_some(self, what: str, reasons: Mapping[str, str]) -> None:
        """Print the names of the first calls that have a reason to be listed, and the reason."""
        for name, reason in list(reasons.items())[:LISTED]:
            talk.say(f"{what} {name}: {reason}")
        if len(reasons) > LISTED:
            talk.say(f"and {len(reasons) - LISTED} more, all in {self.journal}")


def _body(text: str | None) -> dict[str, Any]:
    import orjson

    try:
        body = orjson.loads(text or "{}")
    except orjson.JSONDecodeError as error:
        raise errors.ValueInvalid("not JSON", found=str(error), where="--body") from None
    if not isinstance(body, dict) or {"model", "messages", "stream"} & set(body):
        raise errors.ValueInvalid(
            "these fields cannot be added to a request",
            expected='an object such as {"seed": 1}, without model, messages and stream',
            found=text,
            where="--body",
        )
    return body


def _key(name: str | None) -> str | None:
    if name is None:
        return None
    key = os.environ.get(name, "").strip()
    if not key or not key.isascii():
        raise errors.CredentialsMissing(
            "the environment contains no key",
            expected=f"a variable {name} that holds the endpoint's key",
            found="characters that no key contains" if key else "none, or an empty one",
            where="--api-key-env",
            fix=f"export {name}=…",
        )
    return key
