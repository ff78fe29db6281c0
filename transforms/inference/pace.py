"""How fast calls may follow one another, and how long to wait after one that failed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from ontology.keys import h64

LONGEST_ASKED_S = 600.0
"""A server that asks for a longer pause than this is not waited for."""


@dataclass(frozen=True, slots=True)
class Retry:
    """When a call is made again.

    Attributes:
        times: calls after the first.
        first_s: pause after the first failure; each further one is twice as long.
        longest_s: no pause of our own choice is longer.
    """

    times: int = 5
    first_s: float = 1.0
    longest_s: float = 60.0

    def pause_s(self, call_id: str, failures: int) -> float:
        """Pause after so many failures: exponential, moved by up to a half.

        The move is drawn from the call's id, so that calls that failed together do not
        come back together.
        """
        pause = min(self.first_s * 2 ** min(failures - 1, 30), self.longest_s)
        return pause * (0.5 + 0.5 * h64("pause", call_id, failures) / 2**64)


class Pace:
    """Lets calls start one by one, and none while the server asked for a pause.

    Args:
        per_minute: calls a minute, retries included; None for no limit.
    """

    def __init__(self, per_minute: float | None = None) -> None:
        self._gap_s = 60.0 / per_minute if per_minute else 0.0
        self._next_s = 0.0

    async def turn(self, stop: asyncio.Event) -> bool:
        """Wait until a call may start; False where the run was stopped meanwhile."""
        loop = asyncio.get_running_loop()
        while (wait_s := self._next_s - loop.time()) > 0:
            if await stopped_within(stop, wait_s):
                return False
        self._next_s = max(self._next_s, loop.time()) + self._gap_s
        return not stop.is_set()

    def hold(self, seconds: float) -> None:
        """Let no call start for so long."""
        self._next_s = max(self._next_s, asyncio.get_running_loop().time() + seconds)


async def stopped_within(stop: asyncio.Event, seconds: float) -> bool:
    """Sleep, but no longer than until the run is stopped."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return False
    return True


def asked_pause_s(header: str | None, date: str | None) -> float | None:
    """Seconds of a ``Retry-After`` header, given as such or as a date.

    Args:
        date: the reply's own ``Date``; only against the server's clock is its date a length.

    Returns:
        None where the header is missing or says nothing.
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
