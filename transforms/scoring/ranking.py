"""Rankings of options: which options a response names, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from transforms.scoring.case import WITH_LABEL, Case, Mark, Task
from transforms.scoring.parse import read_option

_ENTRY = re.compile(r"(?:^|\n|;|>|,(?=\s*\"?\(?[A-Za-z0-9]))\s*(?:[-*•]|#?\d{1,2}[.):])?\s*")


def read_ranking(text: str, options: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Keys of the options in the order of a response, each once.

    Entries stand on lines of their own, or between commas, semicolons and ``>``; a text of one
    entry is a choice.
    """
    whole = [_ENTRY.sub("", line) for line in text.split("\n")]
    keys: tuple[str, ...] = ()
    for entries in (whole, _ENTRY.split(text)):
        found = [read_option(entry.strip(" \"'[]"), options) for entry in entries if entry.strip()]
        keys = tuple(dict.fromkeys(key for key in found if key is not None))
        if len(keys) > 1:
            return keys
    only = read_option(text, options)
    return (only,) if only is not None else keys


def mark_ranking(text: str, case: Case) -> Mark | None:
    """1 where the likeliest option is right; beside it by which rank the right one is reached.

    None where no option is named.
    """
    keys = read_ranking(text, case.options)
    if not keys:
        return None
    first = float(keys[0] == case.answer_key)
    return Mark(first, accuracy=first, ranks=ranks_of(keys, case))


def ranks_of(keys: Sequence[str], case: Case) -> tuple[float, ...]:
    """Of each rank up to the last that counts: whether the right option is among the first k."""
    return tuple(float(case.answer_key in keys[:k]) for k in range(1, case.top + 1))


RANKED = Task(mark_ranking, WITH_LABEL, closed=True)
"""Options in the order of their likelihood: the first one counts."""
