"""The rate of calls, and the pause after a failed call."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from ontology.keys import h64

LONGEST_ASKED_S = 600.0
"""A server that requests a longer pause than this is not awaited."""


@dataclass(frozen=True, slots=True)
class Retry:
    """When a call is repeated.

    Attributes:
        times: number of repetitions.
        first_s: pause after the first failure; it doubles with each further failure.
        longest_s: maximum pause, unless the server requests one.
    """

    times: int = 5
    first_s: float = 1.0
    longest_s: float = 60.0

    def pause_s(self, call_id: str, failures: int) -> float:
        """Pause after this many failures: exponential, varied by up to a half.

        The variation is drawn from the call's id, so that calls that failed together are not
        repeated together.
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
    """Seconds of a ``Retry-After`` header, given as a number or as a date.

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
