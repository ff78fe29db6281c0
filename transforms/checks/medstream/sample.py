"""Parses one row leniently: a missing value becomes None or empty.

The published rows have no rounds, so the names of their fields are not known; several are accepted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Row = Mapping[str, Any]

ALIASES = {
    "stream_rounds": "rounds",
    "turns": "rounds",
    "answerable_time": "expected_response_time",
    "critical_time": "expected_response_time",
    "event_time": "expected_response_time",
    "tolerance": "tolerance_sec",
    "response_tolerance_sec": "tolerance_sec",
}
"""Name of a field that a row may have instead -> the name that is used here."""

ROUND_ALIASES = {
    "round": "round_index",
    "round_id": "round_index",
    "t_c": "current_time",
    "time": "current_time",
    "expected": "expected_output",
    "answer": "expected_output",
    "is_answerable": "answerable",
}
"""Name of a field that a round may have instead -> the name that is used here."""

UNITS = ("sec", "frame", "image")
TOLERANCE = 2.0
"""Tolerance if a row states none: the time between two frames that a model sees."""

NO_MEDIA = "media: absent"
"""Media path of a row that states that there are no media."""

_NOTE = re.compile(r"\n\s*\n(?=\s*response protocol\s*:)|\A(?=\s*response protocol\s*:)", re.I)
_STILL = re.compile(r"\.(png|jpe?g|bmp|tiff?|webp)\Z", re.I)


@dataclass(frozen=True, slots=True)
class StreamRound:
    """One round, which shows the range from ``start`` to ``end``; ``answerable`` may be None."""

    index: Any
    time: float | None
    start: float | None
    end: float | None
    expected: str
    accepted: tuple[str, ...]
    answerable: bool | None


class Times(NamedTuple):
    """Query time t_q, window length w, and both ends of the window, in the row's time unit."""

    query: float
    window: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class StreamRow:
    """A parsed row.

    Attributes:
        row: the whole row, unchanged.
        stem: the question without its protocol note (which states how to reply).
        note: the protocol note.
        answer: the correct choice; without choices, the full answer; for several correct labels,
            the labels separated by commas.
        answers: the same as a tuple, with one member for each label.
        query: query time t_q in the row's time unit; None if it is not a finite number.
        times: query time and window; None unless all four numbers are finite.
        event: event time t*; None if the event never comes or the row is not streaming.
        rounds: rounds of a streaming row, in the row's order.
    """

    row: Row
    id: str
    dataset: str
    video: str
    media: str
    task: str
    task_mode: str
    mode: str
    form: str
    unit: str
    stem: str
    note: str
    query: float | None
    times: Times | None
    evidence: str
    choices: tuple[str, ...]
    answer: str
    answers: tuple[str, ...]
    rubric: Mapping[str, Any]
    protocol: str
    event: float | None
    tolerance: float | None
    rounds: tuple[StreamRound, ...]

    @property
    def streaming(self) -> bool:
        """Whether the row has rounds or its task mode is streaming."""
        return self.task_mode == "streaming" or bool(self.rounds)

    @property
    def closed(self) -> bool:
        """Whether the question type is "closed" (a question with choices)."""
        return self.form == "closed"

    def get(self, name: str) -> Any:
        """Return the value of a field, under its name or another accepted name; None without it."""
        return field(self.row, name, ALIASES)

    def has(self, name: str) -> bool:
        """Return whether the row has the field, even if it is null."""
        return name in self.row or any(ALIASES.get(key) == name for key in self.row)


def field(row: Row, name: str, aliases: Mapping[str, str]) -> Any:
    """Return the value of a field, under its name or the first of ``aliases`` that the row has."""
    if name in row:
        return row[name]
    return next((row[key] for key in row if aliases.get(key) == name), None)


def number(value: Any) -> float | None:
    """Return the value as a float if it is a finite number, otherwise None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def text(value: Any) -> str:
    """Return the value if it is a text, otherwise ''."""
    return value if isinstance(value, str) else ""


def read(row: Row) -> StreamRow:
    """Parse a row; values may have any type."""
    stem, note = split_question(text(row.get("question")))
    times = _times(row)
    answers = _answers(row)
    rounds = _rounds(row)
    return StreamRow(
        row=row, id=text(row.get("sample_id")), dataset=text(row.get("dataset")),
        video=text(row.get("video_id")), media=text(row.get("media_path")),
        task=text(row.get("task")), task_mode=text(row.get("task_mode")),
        mode=text(row.get("temporal_mode")), form=text(row.get("question_type")),
        unit=_unit(row, times), stem=stem, note=note,
        query=number(row.get("query_time")), times=times, evidence=text(row.get("evidence")),
        choices=_texts(row.get("choices")), answer=", ".join(answers), answers=answers,
        rubric=_mapping(row.get("judge_rubric")),
        protocol=text(row.get("response_protocol")), event=_event(row, rounds),
        tolerance=_tolerance(row), rounds=rounds,
    )  # fmt: skip


def split_question(question: str) -> tuple[str, str]:
    """Return a question without its protocol note, and the note, which is its last paragraph."""
    found = _NOTE.search(question)
    if found:
        return question[: found.start()].strip(), question[found.end() :].strip()
    stem, _, note = question.partition("\n\n")
    return stem.strip(), note.strip()


def span(value: Any) -> tuple[float | None, float | None]:
    """Return both ends of a range; an end that is not a number is None."""
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        return number(value[0]), number(value[1])
    return None, None


def _times(row: Row) -> Times | None:
    query, window = number(row.get("query_time")), number(row.get("context_window_sec"))
    start, end = span(row.get("input_range"))
    if query is None or window is None or start is None or end is None:
        return None
    return Times(query, window, start, end)


def _unit(row: Row, times: Times | None) -> str:
    unit = row.get("time_unit")
    if unit in UNITS:
        return str(unit)
    still = times and times.start == times.end == 0 and _STILL.search(text(row.get("media_path")))
    return "image" if still else "sec"


def _answers(row: Row) -> tuple[str, ...]:
    value = row.get("reference_answer") if row.get("answer") is None else row["answer"]
    return _texts(value) if isinstance(value, list) else tuple(filter(None, (text(value),)))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one if isinstance(one, str) else str(one) for one in value) if isinstance(
        value, list
    ) else ()  # fmt: skip


def _mapping(value: Any) -> Row:
    return value if isinstance(value, Mapping) else {}


def _rounds(row: Row) -> tuple[StreamRound, ...]:
    value = field(row, "rounds", ALIASES)
    entries = value if isinstance(value, list) else []
    mode = row.get("temporal_mode")
    return tuple(_round(_mapping(one), mode) for one in entries)


def _round(row: Row, mode: Any) -> StreamRound:
    start, end = span(row.get("input_range"))
    expected = text(field(row, "expected_output", ROUND_ALIASES))
    flag = field(row, "answerable", ROUND_ALIASES)
    answerable = flag if isinstance(flag, bool) else None
    accepted = _texts(row.get("accepted_outputs"))
    if "accepted_outputs" not in row:
        early = mode == "proactive" and not answerable
        accepted = (expected, "no_alert", "uncertain") if early else (expected,)
    return StreamRound(
        index=field(row, "round_index", ROUND_ALIASES),
        time=number(field(row, "current_time", ROUND_ALIASES)),
        start=start, end=end, expected=expected, accepted=accepted, answerable=answerable,
    )  # fmt: skip


def _event(row: Row, rounds: Sequence[StreamRound]) -> float | None:
    """Return the event time t*, or the time of the first answerable round if there is no field."""
    names = ("expected_response_time", *(a for a, n in ALIASES.items()
                                         if n == "expected_response_time"))  # fmt: skip
    if any(name in row for name in names):
        return number(field(row, "expected_response_time", ALIASES))
    return next((one.time for one in rounds if one.answerable), None)


def _tolerance(row: Row) -> float | None:
    value = field(row, "tolerance_sec", ALIASES)
    return TOLERANCE if value is None and "tolerance_sec" not in row else number(value)
