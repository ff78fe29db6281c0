"""Counts of a run: what was answered, what failed and why, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

TOKENS = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
"""Names under which endpoints report input and output tokens."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Input and output tokens; ``untold`` is the number of replies without a count."""

    given: int = 0
    written: int = 0
    untold: int = 0

    def plus(self, usage: Mapping[str, Any] | None) -> Tokens:
        """The sum with those of one more reply."""
        counts = [next((usage[n] for n in names if isinstance(usage.get(n), int)), None)
                  for names in TOKENS] if usage else [None, None]  # fmt: skip
        untold = self.untold + (None in counts)
        return Tokens(self.given + (counts[0] or 0), self.written + (counts[1] or 0), untold)

    def cost(self, price_in: float, price_out: float) -> float:
        """The cost in the currency of the prices, which are per million tokens."""
        return (self.given * price_in + self.written * price_out) / 1e6


@dataclass(slots=True)
class Tally:
    """The result of one run.

    Attributes:
        total: number of wanted calls.
        kept: answered by an earlier run.
        done: answered by this run.
        retries: repeated calls.
        failed: reason by call id.
        tokens: of this run.
        cut: responses that ended because they were too long.
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
        """Number of calls that were neither answered nor failed."""
        return self.total - self.kept - self.done - len(self.failed)


def answered(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Response by call id, from a journal's entries; if there are two, the first counts."""
    out: dict[str, str] = {}
    for entry in entries:
        if "response" in entry:
            out.setdefault(entry["id"], entry["response"])
    return out


def spent(entries: Iterable[Mapping[str, Any]]) -> Tokens:
    """Tokens of all replies in a journal, over all runs."""
    tokens = Tokens()
    for entry in entries:
        if "response" in entry:
            tokens = tokens.plus(entry.get("usage"))
    return tokens
