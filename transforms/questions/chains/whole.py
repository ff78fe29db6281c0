"""The main question: what and when at once, so that each half can be right or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontology.keys import Key
from transforms.questions.chains.found import Event
from transforms.questions.chains.schedule import Schedule
from transforms.questions.chains.words import clock, place
from transforms.questions.options import ANSWER, Choice

PARTLY = "part_wrong"


def main_choices(
    event: Event, times: Schedule, key: Key
) -> tuple[Choice, tuple[Choice, ...], Mapping[str, Any]] | None:
    """Right option, three wrong ones, typed answer: right and wrong halves in all ways.

    The first half is where it is, if that is known and another place is certainly wrong; else
    what it is.
    """
    first, last = times.windows[0]
    shown = [str(t) for t in times.instants if t != event.onset_us and first <= t < last]
    if not shown:
        return None
    wrong_time = int(key.extended("main when").ordered(shown)[0])
    value: dict[str, Any] = {"what": dict(event.value), "time_us": event.onset_us}
    if event.box and event.boxes:
        halves = (place(event.box), place(event.boxes[0]))
        value["box_xyxy"] = list(event.box)
    else:
        other = key.extended("main what").ordered(one.text for one in event.wrong)[0]
        halves = (event.right, other)
    if halves[0].casefold() == halves[1].casefold():
        return None
    right, *wrong = (
        f"{_capital(half)}, at {clock(time)}"
        for half in halves
        for time in (event.onset_us, wrong_time)
    )
    return Choice(right, ANSWER), tuple(Choice(text, PARTLY) for text in wrong), value


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
