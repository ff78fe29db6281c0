"""Make many calls in parallel, each repeated until it is answered or has failed, and store every
response.

The engine does not know the content: a call has an id and a function that makes its messages.  It
serves jobs and judges alike.  A call may depend on others.
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from surgqa.ontology.errors import ModelUnavailable, UserError
from surgqa.transforms.inference import client
from surgqa.transforms.inference.images import Message
from surgqa.transforms.inference.journal import Journal, RunCounts


class Waits(Protocol):
    """A call that can be sent only after the calls on which it depends were answered."""

    @property
    def id(self) -> str:
        """Id of the call's response."""

    @property
    def after(self) -> tuple[str, ...]:
        """Ids of the calls that must be answered first."""


One = TypeVar("One", bound=Waits)


class Queue(Generic[One]):
    """Returns calls in order, each when the responses that it needs exist.

    A ready call is never delayed by calls that still wait.

    Args:
        calls: the calls, each after the calls on which it depends.
        replies: ids that are answered; add an id here before calling ``settled``.
    """

    def __init__(self, calls: Iterable[One], replies: Container[str]) -> None:
        self._calls, self._replies = iter(calls), replies
        self._ready: deque[One] = deque()
        self._waiting: dict[str, list[One]] = {}
        self._lost: set[str] = set()

    def next(self) -> One | None:
        """Return the next ready call; None if there is none, or none until a response arrives."""
        while True:
            call = self._ready.popleft() if self._ready else next(self._calls, None)
            if call is None:
                return None
            missing = [name for name in call.after if name not in self._replies]
            if not missing:
                return call
            if self._lost.isdisjoint(missing):
                self._waiting.setdefault(missing[0], []).append(call)
            else:
                self._lose(call.id)

    def settled(self, name: str) -> None:
        """Note that a call returned by ``next`` has a response or has failed; needed for each."""
        if name in self._replies:
            self._ready.extend(self._waiting.pop(name, ()))
        else:
            self._lose(name)

    def _lose(self, name: str) -> None:
        """Drop the calls that depend on a failed call, directly or indirectly."""
        names = [name]
        while names:
            gone = names.pop()
            self._lost.add(gone)
            names += [call.id for call in self._waiting.pop(gone, ())]


HOPELESS = 10
"""End the run after this many consecutive calls that failed for good."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call.

    Attributes:
        id: id of the response.
        about: plain JSON that is stored in the journal with the response.
        messages: makes the messages; called in a thread when the call is due.
        after: calls whose responses are needed first.
    """

    id: str
    about: Mapping[str, Any]
    messages: Callable[[], list[Message]]
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallSettings:
    """Settings of how calls are made."""

    concurrency: int = 4
    per_minute: float | None = None
    retry: client.Retry = field(default_factory=client.Retry)


def run_calls(
    calls: Iterable[ModelCall],
    settings: client.EndpointSettings,
    manner: CallSettings,
    journal: Journal,
    tally: RunCounts,
    on_change: Callable[[RunCounts], None] = lambda tally: None,
    on_interrupt: Callable[[int], None] = lambda under_way: None,
    replies: dict[str, str] | None = None,
) -> None:
    """Call an endpoint until all calls are answered, have failed, or depend on a failed one.

    After a first Ctrl-C, running calls are awaited and no new ones start; a second Ctrl-C abandons
    them.  Both end with KeyboardInterrupt, and every received response is in the journal.

    Args:
        calls: the calls without a response in the journal, each after the calls on which it
            depends.
        tally: updated during the run.
        on_change: called after every call.
        on_interrupt: called with the number of awaited calls.
        replies: responses in the journal, by id, to which new responses are added. Not needed if no
            call depends on another.

    Raises:
        UserError: the endpoint accepts no calls, or the journal cannot be written.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    run = _Run(calls, manner, journal, tally, on_change, on_interrupt, replies)
    asyncio.run(run.all(settings))
    if run.interrupted:
        raise KeyboardInterrupt
    if run.locked_out:
        raise ModelUnavailable(
            "the endpoint refuses all calls",
            expected=f"a reply from {settings.model}",
            found=run.locked_out,
            where=settings.base_url,
            fix="check --base-url, --model and --api-key-env; the replies so far are kept",
        )
    if tally.stopped:
        raise ModelUnavailable(
            "the endpoint keeps failing",
            expected="replies",
            found=tally.stopped,
            where=settings.base_url,
            fix="run the same command again later; the replies so far are kept",
        )


class _Run:
    """One run of the engine."""

    def __init__(
        self, calls: Iterable[ModelCall], manner: CallSettings, journal: Journal, tally: RunCounts,
        on_change: Callable[[RunCounts], None], on_interrupt: Callable[[int], None],
        replies: dict[str, str] | None,
    ) -> None:  # fmt: skip
        self.manner, self.journal, self.tally, self.replies = manner, journal, tally, replies
        self.on_change, self.on_interrupt = on_change, on_interrupt
        self.queue = Queue(calls, {} if replies is None else replies)
        self.pace = client.Pace(manner.per_minute)
        self.settled, self.stop = asyncio.Event(), asyncio.Event()
        self.taken = self.under_way = self.in_a_row = 0
        self.interrupted, self.locked_out = False, ""
        self.workers: list[asyncio.Task[None]] = []

    async def all(self, settings: client.EndpointSettings) -> None:
        """Make all calls; the first Ctrl-C stops new ones, and the second also those under way."""
        watch = threading.current_thread() is threading.main_thread()
        loop = asyncio.get_running_loop()
        if watch:
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            async with (
                client.Endpoint(settings, self.manner.concurrency) as endpoint,
                asyncio.TaskGroup() as together,
            ):
                self.workers = [together.create_task(self._work(endpoint))
                                for _ in range(self.manner.concurrency)]  # fmt: skip
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            if watch:
                loop.remove_signal_handler(signal.SIGINT)

    def _interrupt(self) -> None:
        if self.interrupted:
            for worker in self.workers:
                worker.cancel()
            return
        self.interrupted = True
        self.stop.set()
        self.on_interrupt(self.under_way)

    async def _work(self, endpoint: client.Endpoint) -> None:
        while call := await self._next():
            await self._settle(call, endpoint)
            self.taken -= 1
            if self.replies is not None:
                self.queue.settled(call.id)
            self.settled.set()

    async def _next(self) -> ModelCall | None:
        """Return a call that can be sent; None if none is left or the run was stopped."""
        while not self.stop.is_set():
            if call := self.queue.next():
                self.taken += 1
                return call
            if not self.taken:
                return None
            self.settled.clear()
            await self.settled.wait()
        return None

    async def _settle(self, call: ModelCall, endpoint: client.Endpoint) -> None:
        """Repeat one call until it has a response or has failed, or the run is stopped."""
        try:
            messages = await asyncio.to_thread(call.messages)
        except UserError as error:
            await self._fail(call, 0, error.summary)
            return
        failures = 0
        while await self.pace.turn(self.stop):
            trouble = await self._once(call, messages, failures, endpoint)
            if trouble is None:
                return
            failures += 1
            if failures > self.manner.retry.times:
                await self._give_up(call, failures, trouble)
                return
            await self._wait(call, failures, trouble)

    async def _once(
        self, call: ModelCall, messages: list[Message], failures: int, endpoint: client.Endpoint
    ) -> client.Again | None:
        """Make one attempt; return None if the call then has a response or has failed."""
        start = time.perf_counter()
        self.under_way += 1
        try:
            reply = await endpoint.ask(messages)
            await self._keep(call, reply, failures + 1, time.perf_counter() - start)
        except client.Refused as error:
            await self._refused(call, failures + 1, error)
        except client.Again as error:
            return error
        finally:
            self.under_way -= 1
        return None

    async def _wait(self, call: ModelCall, failures: int, error: client.Again) -> None:
        self.tally.retries += 1
        pause_s = self.manner.retry.pause_s(call.id, failures)
        if error.after_s is not None:  # the server is overloaded, so all workers wait
            self.pace.hold(error.after_s)
            pause_s = max(pause_s, error.after_s)
        await client.stopped_within(self.stop, pause_s)

    async def _keep(
        self, call: ModelCall, reply: client.Reply, attempts: int, seconds: float
    ) -> None:
        entry = {"id": call.id, **call.about, "response": reply.text, "usage": reply.usage,
                 "finish": reply.finish, "attempts": attempts, "seconds": round(seconds, 3),
                 "raw": reply.raw}  # fmt: skip
        # in a thread, which continues even if the waiting task is cancelled
        await asyncio.to_thread(self.journal.append, entry)
        if self.replies is not None:
            self.replies[call.id] = reply.text
        self.in_a_row = 0
        self.tally.done += 1
        self.tally.cut += reply.finish == "length"
        self.tally.tokens = self.tally.tokens.plus(reply.usage)
        self.on_change(self.tally)

    async def _refused(self, call: ModelCall, attempts: int, error: client.Refused) -> None:
        await self._fail(call, attempts, error.reason)
        if error.everyone and not self.tally.done:
            self.locked_out = self.locked_out or error.reason
            self.stop.set()
        elif error.everyone:
            self._unwell(error.reason)

    async def _give_up(self, call: ModelCall, attempts: int, error: client.Again) -> None:
        await self._fail(call, attempts, f"{error.reason} ({attempts} calls)")
        self._unwell(error.reason)

    def _unwell(self, reason: str) -> None:
        self.in_a_row += 1
        if self.in_a_row >= HOPELESS:
            self.tally.stopped = f"{self.in_a_row} jobs failed in a row; the last reason: {reason}"
            self.stop.set()

    async def _fail(self, call: ModelCall, attempts: int, reason: str) -> None:
        entry = {"id": call.id, **call.about, "failed": reason, "attempts": attempts}
        await asyncio.to_thread(self.journal.append, entry)
        self.tally.failed[call.id] = reason
        self.on_change(self.tally)
