"""Read which option a response chooses, or which time or interval (*span*) it states.

Times are seconds from the start of the video.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from surgqa.transforms.scoring.parse import read_option, read_time, read_window
from surgqa.transforms.scoring.text import answer_parts, tidy

Options = Sequence[tuple[str, str]]
"""(key, text) of each option."""

Span = tuple[float, float]

_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_INSTANT = re.compile(rf"{_NUMBER} s")
_SPAN = re.compile(rf"{_NUMBER} s to {_NUMBER} s")


def chosen(response: str, options: Options) -> str | None:
    """Return the key of the option that a reply chooses, None if it chooses none.

    A reply may contain the letter or the text of an option. If all options are times, it may also
    contain the time of an option in another notation.
    """
    keys = (option_of(part, options) for part in answer_parts(tidy(response)))
    return next((key for key in keys if key), None)


def option_of(part: str, options: Options) -> str | None:
    """Return the key of the option that one part of a tidy reply chooses."""
    return read_option(part, options) or _by_time(part, options)


def span_of(text: str) -> Span | None:
    """Return the interval that an option's text states, such as ``21.50 s to 23.00 s``, or None."""
    found = _SPAN.fullmatch(text)
    return (float(found[1]), float(found[2])) if found else None


def instant_of(text: str) -> float | None:
    """Return the time that an option's text states, such as ``21.57 s``, or None."""
    found = _INSTANT.fullmatch(text)
    return float(found[1]) if found else None


def span_said(response: str, options: Options) -> Span | None:
    """Return the interval of the option that a reply chooses, or else the interval it states."""
    key = chosen(response, options)
    if key:
        return span_of(dict(options)[key])
    parts = (read_window(part) for part in answer_parts(tidy(response)))
    return next((span for span in parts if span), None)


def instant_said(response: str, options: Options) -> float | None:
    """Return the time of the option that a reply chooses, or else the time it states."""
    key = chosen(response, options)
    if key:
        return instant_of(dict(options)[key])
    parts = (read_time(part) for part in answer_parts(tidy(response)))
    return next((time for time in parts if time is not None), None)


def _by_time(part: str, options: Options) -> str | None:
    spans = {span_of(text): key for key, text in options}
    if options and None not in spans:
        said = read_window(part)
        return spans.get(said) if said else None
    instants = {instant_of(text): key for key, text in options}
    if options and None not in instants:
        time = read_time(part)
        return None if time is None else instants.get(time)
    return None
