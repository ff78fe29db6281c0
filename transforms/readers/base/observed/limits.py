"""Limits by which what was said and what was seen become actions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpokenLimits:
    """How speech and contacts are put together.

    Attributes:
        heard_us: how finely the start of words is known.  Our choice: the largest error that
            the tests of the speech extractor allow, as for spoken intents.
        before_us: a contact that belongs to words begins at most this long before them; one
            that is announced never does.  Our choice: who tells what is done speaks a moment
            after it began.
        after_us: and at most this long after their end.  Our choice: a cue comes half a
            second to two seconds before its action (SurgCoT), and one more for a slow hand.
        contact_us: shorter contacts are a tool that passes.  Our choice: the shortest one that
            the measured figures of contacts count.
        slack_us: a contact whose ends were not seen as finely as this dates no action.  Our choice:
            finer than the second in which most datasets are labelled.
        gap_periods: instants further apart, in periods, are not one stretch that was looked
            at.  Our choice, as for annotated instants.
    """

    heard_us: int = 500_000
    before_us: int = 1_000_000
    after_us: int = 3_000_000
    contact_us: int = 400_000
    slack_us: int = 1_000_000
    gap_periods: float = 1.5
