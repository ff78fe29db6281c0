"""The books of a run: what was answered, what failed and why, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

TOKENS = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
"""Names under which endpoints tell tokens in and out."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens in and out; ``untold`` replies came without a count."""

    given: int = 0
    written: int = 0
    untold: int = 0

    def plus(self, usage: Mapping[str, Any] | None) -> Tokens:
        """With those of one more reply."""
        counts = [next((usage[n] for n in names if isinstance(usage.get(n), int)), None)
                  for names in TOKENS] if usage else [None, None]  # fmt: skip
        untold = self.untold + (None in counts)
        return Tokens(self.given + (counts[0] or 0), self.written + (counts[1] or 0), untold)

    def cost(self, price_in: float, price_out: float) -> float:
        """In the currency of the prices, which are for a million tokens."""
        return (self.given * price_in + self.written * price_out) / 1e6


@dataclass(slots=True)
class Tally:
    """What one run did.

    Attributes:
        total: calls wanted.
        kept: answered by an earlier run.
        done: answered by this one.
        retries: calls made again.
        failed: reason by call id.
        tokens: of this run.
        cut: replies that ended because they were too long.
        stopped: why the run ended early, or empty.
    """

    total: int = 0
    kept: int = 0
    done: int = 0
    retries: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)
    cut: int = 0
    stopped: str = ""

    @property
    def open(self) -> int:
        """Calls that were neither answered nor failed."""
        return self.total - self.kept - self.done - len(self.failed)


def answered(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Response by call id, of a journal's entries; where there are two, the first counts."""
    out: dict[str, str] = {}
    for entry in entries:
        if "response" in entry:
            out.setdefault(entry["id"], entry["response"])
    return out


def spent(entries: Iterable[Mapping[str, Any]]) -> Tokens:
    """Tokens of all replies in a journal, whichever run paid for them."""
    tokens = Tokens()
    for entry in entries:
        if "response" in entry:
            tokens = tokens.plus(entry.get("usage"))
    return tokens
