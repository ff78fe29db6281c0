"""One call to an endpoint with the chat completions protocol, and the pace of calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from surgqa.ontology.errors import ValueInvalid
from surgqa.ontology.keys import h64
from surgqa.transforms.inference.images import Message

LONGEST_ASKED_S = 600.0
"""A server that requests a longer pause than this is not awaited."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failed call is repeated, and after which pauses.

    Attributes:
        times: number of repetitions.
        first_s: pause after the first failure, which doubles with each further failure.
        longest_s: maximum pause, unless the server requests one.
    """

    times: int = 5
    first_s: float = 1.0
    longest_s: float = 60.0

    def pause_s(self, call_id: str, failures: int) -> float:
        """Return the pause in seconds after this many failures of a call.

        It is shortened by up to a half, by a number drawn from the call's id, so that calls that
        failed together are not repeated together.
        """
        pause = min(self.first_s * 2 ** min(failures - 1, 30), self.longest_s)
        return pause * (0.5 + 0.5 * h64("pause", call_id, failures) / 2**64)


class Pace:
    """Lets calls start one by one, and none during a pause that the server requested.

    Args:
        per_minute: calls per minute, including repetitions; None for no limit.
    """

    def __init__(self, per_minute: float | None = None) -> None:
        self._gap_s = 60.0 / per_minute if per_minute else 0.0
        self._next_s = 0.0

    async def turn(self, stop: asyncio.Event) -> bool:
        """Wait until a call may start; False if the run was stopped meanwhile."""
        loop = asyncio.get_running_loop()
        while (wait_s := self._next_s - loop.time()) > 0:
            if await stopped_within(stop, wait_s):
                return False
        self._next_s = max(self._next_s, loop.time()) + self._gap_s
        return not stop.is_set()

    def hold(self, seconds: float) -> None:
        """Let no call start for this many seconds."""
        self._next_s = max(self._next_s, asyncio.get_running_loop().time() + seconds)


async def stopped_within(stop: asyncio.Event, seconds: float) -> bool:
    """Sleep, but only until the run is stopped."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return False
    return True


def asked_pause_s(header: str | None, date: str | None) -> float | None:
    """Return seconds of a ``Retry-After`` header, given as a number or as a date.

    Args:
        date: the reply's own ``Date``, to convert a date to a duration by the server's clock.

    Returns:
        None if the header is missing or invalid.
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            until = parsedate_to_datetime(header)
            seconds = (until - parsedate_to_datetime(date or "")).total_seconds()
        except (ValueError, TypeError):
            return None
    return seconds if 0 <= seconds < float("inf") else None


PATH = "/chat/completions"
PASSING = (408, 409, 425, 429)
"""Statuses below 500 that may be temporary."""
LOCKED_OUT = (401, 402, 403, 404)
"""Statuses that the next job would also get: wrong key, account or address."""
SHOWN = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of an endpoint.

    Attributes:
        text: the response; empty if the model refused to give one.
        usage: token counts reported by the endpoint.
        finish: why the response ended, such as ``stop`` or ``length``.
        raw: the whole reply as received.
    """

    text: str
    usage: dict[str, int]
    finish: str | None
    raw: str


class Again(Exception):
    """A call that failed and may succeed later.

    Args:
        after_s: pause that the server requested, in seconds.
    """

    def __init__(self, reason: str, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.after_s = reason, after_s


class Refused(Exception):
    """A call that would fail again.

    Args:
        everyone: whether the next job would probably fail in the same way.
    """

    def __init__(self, reason: str, everyone: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.everyone = reason, everyone


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """The endpoint and the settings of its calls.

    Attributes:
        base_url: address of the endpoint, such as ``http://localhost:8000/v1``.
        body: additional fields of every request; a null removes a field.
        timeout_s: limit of a whole call, from connecting to the last byte.
        key: sent as a bearer token, never written to a file.
    """

    base_url: str
    model: str
    temperature: float = 0.0
    max_tokens: int | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = 120.0
    key: str | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Address of the calls.

        Raises:
            UserError: not the address of a web server.
        """
        base = self.base_url.rstrip("/")
        try:
            parts = urlsplit(base)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            sound = False
        if not sound:
            raise ValueInvalid(
                "not the address of an endpoint",
                expected="http or https, such as http://localhost:8000/v1",
                found=self.base_url,
                where="--base-url",
            )
        return base if base.endswith(PATH) else base + PATH

    def asked(self) -> dict[str, Any]:
        """Return the settings that influence a response, for the journal; not the address."""
        return {"model": self.model, "temperature": self.temperature,
                "max_tokens": self.max_tokens, "body": dict(self.body)}  # fmt: skip


class Endpoint:
    """Calls an endpoint; use it as a context manager.

    Args:
        connections: number of parallel calls.
    """

    def __init__(self, settings: EndpointSettings, connections: int) -> None:
        self.settings, self._url = settings, settings.url
        headers = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=settings.timeout_s,
            limits=httpx.Limits(max_connections=connections),
        )

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def ask(self, messages: Sequence[Message]) -> Reply:
        """Make one call.

        Raises:
            Again: no complete, valid reply came; a later call may succeed.
            Refused: the endpoint rejects this request.
        """
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                answer = await self._client.post(self._url, json=self._body(messages))
        except (TimeoutError, httpx.TimeoutException):
            raise Again(f"no reply within {self.settings.timeout_s:g} s") from None
        except httpx.RequestError as error:
            raise Again(f"connection failed: {str(error) or type(error).__name__}") from None
        try:
            return reply_of(answer)
        except (Again, Refused) as error:
            error.reason = self._without_key(error.reason)
            raise

    def _body(self, messages: Sequence[Message]) -> dict[str, Any]:
        settings = self.settings
        body = {"model": settings.model, "messages": list(messages),
                "temperature": settings.temperature, "max_tokens": settings.max_tokens}  # fmt: skip
        return {k: v for k, v in {**body, **settings.body}.items() if v is not None}

    def _without_key(self, text: str) -> str:
        key = self.settings.key
        return text.replace(key, "[key]") if key else text


def reply_of(answer: httpx.Response) -> Reply:
    """Interpret a complete answer of a server.

    Raises:
        Again, Refused: the data are not a reply of a model.
    """
    if answer.status_code != 200:
        raise _failure(answer)
    try:
        raw = json.loads(answer.content)
    except (ValueError, RecursionError):
        raise Again(f"the reply is not JSON: {_excerpt(answer)}") from None
    choices = raw.get("choices") if isinstance(raw, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(raw, dict) or not isinstance(message, dict):
        raise Again(f"the reply has no message: {_excerpt(answer)}")
    finish = first.get("finish_reason") if first else None
    return Reply(
        text=_text(message.get("content")) or _text(message.get("refusal")),
        usage=_counts(raw.get("usage")),
        finish=sound(finish) if isinstance(finish, str) else None,
        raw=sound(answer.text),
    )


def sound(text: str) -> str:
    """Return the text without unpaired surrogates, which cannot be written to a file."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _counts(usage: object) -> dict[str, int]:
    if not isinstance(usage, dict):
        return {}
    return {name: n for name, n in usage.items() if type(n) is int and 0 <= n < 1 << 53}


def _text(content: object) -> str:
    """Return the text of a message that is a string or a list of parts."""
    if isinstance(content, str):
        return sound(content)
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return sound("".join(text for text in texts if isinstance(text, str)))


def _failure(answer: httpx.Response) -> Again | Refused:
    status, reason = answer.status_code, f"HTTP {answer.status_code}: {_excerpt(answer)}"
    if status == 429 and "insufficient_quota" in answer.text:
        return Refused(reason, everyone=True)
    if status >= 500 or status in PASSING:
        after_s = asked_pause_s(answer.headers.get("Retry-After"), answer.headers.get("Date"))
        if after_s is not None and after_s > LONGEST_ASKED_S:
            return Refused(f"{reason}; the server asks to wait {after_s:.0f} s", everyone=True)
        return Again(reason, after_s)
    return Refused(reason, everyone=status in LOCKED_OUT)


def _excerpt(answer: httpx.Response) -> str:
    """Return the endpoint's own error message on one line, or the beginning of its reply."""
    message: object = None
    with suppress(ValueError, AttributeError, RecursionError):
        error = json.loads(answer.text).get("error")
        message = error.get("message") if isinstance(error, dict) else error
    line = " ".join(sound(str(message or answer.text)).split())
    if not line:
        return answer.reason_phrase or "an empty reply"
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
