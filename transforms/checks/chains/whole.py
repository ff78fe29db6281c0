"""The main question: what (or where) and when at once, each half right or wrong."""

from __future__ import annotations

import re
from typing import NamedTuple

from transforms.checks.chains.base import MAIN, PRINTED_US, Chain, Task, Truth
from transforms.checks.chains.instants import fair_box, is_onset, is_right_box, with_box
from transforms.checks.chains.names import box_in, clock, time_in
from transforms.checks.compare import difference

_OPTION = re.compile(r"(?P<what>.+), at (?P<when>\d+\.\d\d s)")


class Halves(NamedTuple):
    """An option of the main question as it reads, and which of its halves are true."""

    what: str
    when: str
    what_true: bool
    when_true: bool


def main_problems(chain: Chain, truth: Truth, task: Task) -> None:
    """Note everything that is wrong with the main question's answer and options."""
    stored = chain.values[MAIN]
    expected = {"what": truth.what, "time_us": truth.time_us}
    wrong = difference(stored, with_box(stored, expected, truth))
    if wrong:
        chain.note("answer_differs", MAIN, wrong)
    found = [_halves(chain, truth, task, text) for text, _ in chain.texts(MAIN)]
    if None in found:
        return
    halves = [one for one in found if one is not None]
    for one, (text, is_right) in zip(halves, chain.texts(MAIN), strict=True):
        both = one.what_true and one.when_true
        chain.note("option_false", MAIN, text, is_right and not both)
        chain.note("option_true", MAIN, text, both and not is_right)
    _fair(chain, halves)


def _halves(chain: Chain, truth: Truth, task: Task, text: str) -> Halves | None:
    """An option's two halves; None, and a problem, where it cannot be read."""
    match = _OPTION.fullmatch(text)
    when = time_in(match["when"]) if match else None
    what = _what(chain, truth, task, match["what"]) if match else None
    if match is None or when is None or what is None:
        chain.note("option_unreadable", MAIN, repr(text))
        return None
    exact = match["when"] == clock(truth.time_us)
    return Halves(match["what"], match["when"], what, exact or is_onset(when, truth))


def _what(chain: Chain, truth: Truth, task: Task, text: str) -> bool | None:
    """Is the first half true; None where it cannot be read, or a wrong box is no fair one."""
    box = box_in(text)
    if box is not None:
        if is_right_box(box, truth):
            return True
        chain.note("boxes_unfair", MAIN, text, not fair_box(box, truth))
        return False
    value = task.read(chain, truth, text)
    return None if value is None else task.holds(chain, truth, value)


def _fair(chain: Chain, halves: list[Halves]) -> None:
    """Two whats and two whens in all four ways, and instants far enough apart to be told."""
    pairs = {(one.what, one.when) for one in halves}
    whats, whens = {one.what for one in halves}, {one.when for one in halves}
    if len(pairs) != 4 or (len(whats), len(whens)) != (2, 2):
        chain.note("main_unfair", MAIN, f"{sorted(whats)} at {sorted(whens)}")
        return
    first, last = sorted(time_in(when) or 0 for when in whens)
    near = last - first < chain.spacing_us - PRINTED_US
    chain.note("main_unfair", MAIN, f"{sorted(whens)} are too near", near)
