"""Checks a row's temporal mode (past, present, future, proactive), task mode and protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surgqa.transforms.checks.medstream.sample import StreamRow

MODES = ("retrospective", "present", "future", "proactive")
TASK_MODES = ("single_turn", "streaming")
FORMS = ("closed", "open")
TOKENS = {False: ("unanswerable",), True: ("no_alert", "uncertain", "alert:")}
"""Whether the row is proactive -> replies that its protocol and protocol note must name."""

_PRESENT = re.compile(
    r"\b(current(ly)?|right now|at present|at (this|the) (very )?(moment|instant)|ongoing|"
    r"(is|are) under ?way|(in|of|on) this (frame|image|picture)|"
    r"at the end of (this|the) (window|clip|stretch))\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(will|about to|upcoming|(comes?|begins?|starts?|follows) next|"
    r"next (phase|step|gesture|action))\b",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(earlier|previous(ly)?|(was|were|had|did)\b(?! the \w+ told)|"
    r"(ended|finished|completed) (in|during|within))\b",
    re.IGNORECASE,
)
_COMING = re.compile(
    r"\b(next|will|begins?|starts?|follow(s|ing)?|soon|comes?|coming|upcoming|later|after|waits?|"
    r"expect\w*|ahead|within|enters?|appears?|until|once)\b",
    re.IGNORECASE,
)
_WATCH = re.compile(
    r"\b(alerts?|warn\w*|watch\w*|reports?|raise|notify|tell|signal|flag|call out|speak up|"
    r"say so|monitor|when|once|if|as soon as)\b",
    re.IGNORECASE,
)


def other_mode(sample: StreamRow) -> Iterator[str]:
    """D13, by words: a question must ask about the time that its temporal mode states."""
    stem = sample.stem
    found = None
    if sample.mode == "retrospective":
        found = _PRESENT.search(stem) or _LATER.search(stem)
    elif sample.mode == "present":
        found = _LATER.search(stem) or _EARLIER.search(stem)
    elif stem and sample.mode == "future" and not _COMING.search(stem):
        yield f"no word for a coming event in {stem!r}"
    elif stem and sample.mode == "proactive" and not _WATCH.search(stem):
        yield f"no word for watching or alerting in {stem!r}"
    if found:
        yield f"temporal_mode is {sample.mode}, but the question says {found[0]!r}: {stem!r}"


def stale_protocol(sample: StreamRow) -> Iterator[str]:
    """D32: both modes must be known and fit each other and the texts about the protocol."""
    known = (
        ("temporal_mode", sample.mode, MODES),
        ("task_mode", sample.task_mode, TASK_MODES),
        ("question_type", sample.form, FORMS),
    )
    for name, found, allowed in known:
        if found not in allowed:
            yield f"{name} {found!r}, expected {' or '.join(allowed)}"
    ahead = sample.mode in ("future", "proactive")
    if sample.task_mode == "streaming" and not ahead:
        yield f"streaming, but {sample.mode}"
    if sample.mode == "proactive" and sample.task_mode == "single_turn":
        yield "proactive, but single_turn"
    for name, said in (("response_protocol", sample.protocol), ("note", sample.note)):
        yield from _tokens(name, said, sample.mode == "proactive")
    tokens = TOKENS[sample.mode == "proactive"]
    for said in dict.fromkeys((*sample.choices, *sample.answers)):
        if said not in tokens and said.casefold() in tokens:
            yield f"{said!r} is spelled {said.casefold()!r} in the protocol"


def _tokens(name: str, said: str, proactive: bool) -> Iterator[str]:
    folded = said.casefold()
    if lacking := [one for one in TOKENS[proactive] if one not in folded]:
        yield f"{name} does not name {', '.join(lacking)}: {said!r}"
    if strange := [one for one in TOKENS[not proactive] if one in folded]:
        yield f"{name} names {', '.join(strange)}: {said!r}"
