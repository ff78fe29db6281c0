"""Limits for combining speech and observed contacts into actions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpokenLimits:
    """Time limits for matching speech with contacts, in microseconds unless stated.

    Attributes:
        heard_us: uncertainty of the start of words.  Our choice: the largest error that
            the tests of the speech extractor allow, as for spoken intents.
        before_us: a contact begins at most this long before the words that describe it, but
            never before words that announce it.  Our choice: speakers describe an action
            a moment after it began.
        after_us: a contact begins at most this long after the words end.  Our choice: a cue comes
            0.5 s to 2 s before its action (SurgCoT), and one second more for slow actions.
        contact_us: shorter contacts are treated as a passing tool.  Our choice: the shortest
            contact that the measured figures of contacts count.
        slack_us: a contact with less precisely known ends gives no time to an action.  Our
            choice: finer than the second in which most datasets are labelled.
        gap_periods: instants that are further apart than this many periods do not belong to
            one sampled stretch.  Our choice, as for annotated instants.
    """

    heard_us: int = 500_000
    before_us: int = 1_000_000
    after_us: int = 3_000_000
    contact_us: int = 400_000
    slack_us: int = 1_000_000
    gap_periods: float = 1.5
