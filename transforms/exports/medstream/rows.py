"""Converts a row of ``data/`` to a row in the format of MedStreamBench.

The keys are in this order; a row has only the keys of its kind:

    sample_id, dataset, video_id, media_path, task, task_mode, question_type, temporal_mode,
    query_time, context_window_sec, input_range, question, evidence, label_source,
    choices, answer                              (closed)
    reference_answer, judge_rubric               (open)
    expected_response_time, tolerance_sec, early_horizon_sec, late_horizon_sec, rounds
                                                 (streaming)
    response_protocol, time_unit, question_source

``time_unit`` and ``question_source`` are additions of surgqa. The benchmark has not published rows
with rounds, so surgqa also chose the names of these fields. A round has round_index, current_time,
input_range, expected_output, accepted_outputs and answerable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from surgqa.ontology.concepts import LABEL_KINDS, raw_terms, vocabulary
from surgqa.ontology.ratings import rating
from surgqa.ontology.rounds import horizons
from surgqa.ontology.units import answer_types
from surgqa.transforms.exports.medstream.media import ExportedVideo, sample_id, task_name
from surgqa.transforms.exports.medstream.taking import event_of, grounds
from surgqa.transforms.inference.windows import TimeScale, protocol_of, scale_of

MS_US = 1000


@dataclass(frozen=True, slots=True)
class TickClock:
    """Converts the times of an item to whole ticks: milliseconds, frames, or 0 for a still image.

    Durations are computed from ticks, so that they agree with the printed times.
    """

    scale: TimeScale

    @property
    def unit(self) -> str:
        """The unit of times in rows: ``sec``, ``frame`` or ``image``."""
        return self.scale.unit

    def ticks(self, time_us: int) -> int:
        """Return a time of the video in ticks, rounded half up."""
        if self.unit == "image":
            return 0
        if self.unit == "frame":
            return time_us // self.scale.period_us
        return (time_us + MS_US // 2) // MS_US

    def printed(self, ticks: int | None) -> float | None:
        """Return ticks as rows state them, in seconds or frames; None for None."""
        if ticks is None:
            return None
        return ticks / 1000 if self.unit == "sec" else float(ticks)


def clock_of(row: dict[str, Any], clock: str, period_us: int) -> TickClock:
    """Return the clock of an item, given the clock of its video."""
    return TickClock(scale_of(row, clock, period_us))


COLUMNS = [
    "item_id", "task", "dataset", "video_id", "start_us", "end_us", "media", "question", "answer",
    "options", "answer_value", "slots", "clue", "rubric", "temporal_mode", "task_mode",
    "query_us", "rounds", "label_source",
]  # fmt: skip
"""All columns that are read from a row of ``data/``."""

SOURCES = {"model": "model_assisted"}
"""Label source -> its name in the benchmark, if it is another one."""

SHOWN = (
    "sample_id", "dataset", "video_id", "media_path", "task", "task_mode", "question_type",
    "temporal_mode", "query_time", "context_window_sec", "input_range", "question", "choices",
    "rounds", "response_protocol", "time_unit",
)  # fmt: skip
SHOWN_ROUND = ("round_index", "current_time", "input_range")
"""The keys of a row and of its rounds that a model may see."""


def exported(row: Mapping[str, Any], recording: ExportedVideo, clock: TickClock) -> dict[str, Any]:
    """Return a row of ``data/`` in the format of the benchmark, with its answer."""
    form = "closed" if row["options"] else "open"
    # The window of a stream ends with its last round.
    seen_us = max((one["end_us"] for one in row["rounds"] or ()), default=row["end_us"])
    query, start, end = (clock.ticks(us) for us in (row["query_us"], row["start_us"], seen_us))
    out = {
        "sample_id": sample_id(row, recording.shown_id, recording.alias, query),
        "dataset": row["dataset"],
        "video_id": recording.shown_id,
        "media_path": recording.shown_path,
        "task": task_name(row["task"]),
        "task_mode": row["task_mode"],
        "question_type": form,
        "temporal_mode": row["temporal_mode"],
        "query_time": clock.printed(query),
        "context_window_sec": clock.printed(end - start),
        "input_range": [clock.printed(start), clock.printed(end)],
        "question": with_note(row["question"], row["temporal_mode"], form),
        "evidence": grounds(row, _parsed(row["slots"])),
        "label_source": SOURCES.get(row["label_source"], row["label_source"]),
    }
    out |= _closed(row) if row["options"] else _open(row)
    if row["rounds"]:
        out |= _stream(row["rounds"], *event_of(row), clock)
    return out | {
        "response_protocol": protocol_of(row["temporal_mode"]),
        "time_unit": clock.unit,
        "question_source": "template",
    }


def _parsed(text: str | None) -> dict[str, Any]:
    return orjson.loads(text) if text else {}


def _closed(row: Mapping[str, Any]) -> dict[str, Any]:
    right = next((o["text"] for o in row["options"] if o["is_answer"]), row["answer"])
    texts = [_spelled(option["text"]) for option in row["options"]]
    of = next((of for _, of in answer_types(row) if of), "")
    return {"choices": ordered(texts, of), "answer": _spelled(right)}


def _open(row: Mapping[str, Any]) -> dict[str, Any]:
    rubric = _parsed(row["rubric"])
    keys = ("correctness", "evidence_grounding", "safety")
    return {
        "reference_answer": _spelled(row["answer"]),
        "judge_rubric": {key: _anchors(rubric[key]) for key in keys if key in rubric},
    }


def _spelled(answer: str) -> str:
    """Return an answer as the protocol spells it: ``unanswerable`` in small letters."""
    return LAST if answer.casefold() == LAST else answer


def _anchors(scores: Mapping[str, str]) -> str:
    """Return what earns each score as a text ``2: …; 1: …; 0: …``."""
    return "; ".join(f"{score}: {scores[score]}" for score in sorted(scores, reverse=True))


def _stream(
    rounds: list[dict[str, Any]], event_us: int | None, tolerance_us: int, clock: TickClock
) -> dict[str, Any]:
    ordered_rounds = sorted(rounds, key=lambda one: one["round_index"])
    moments = [clock.ticks(one["current_us"]) for one in ordered_rounds]
    tolerance = clock.ticks(tolerance_us)
    event = early = late = None
    if event_us is not None:
        event = clock.ticks(event_us)
        early, late = horizons(moments, event, tolerance)
    return {
        "expected_response_time": clock.printed(event),
        "tolerance_sec": clock.printed(tolerance),
        "early_horizon_sec": clock.printed(early),
        "late_horizon_sec": clock.printed(late),
        "rounds": [_round(one, clock) for one in ordered_rounds],
    }


def _round(one: Mapping[str, Any], clock: TickClock) -> dict[str, Any]:
    return {
        "round_index": one["round_index"],
        "current_time": clock.printed(clock.ticks(one["current_us"])),
        "input_range": [clock.printed(clock.ticks(one[k])) for k in ("start_us", "end_us")],
        "expected_output": one["expected_output"],
        "accepted_outputs": one["accepted_outputs"],
        "answerable": one["answerable"],
    }


def shown(row: Mapping[str, Any], recording: ExportedVideo) -> dict[str, Any]:
    """Return an exported row without its answer, for models.

    It contains the alias of its video, and the times of the rounds. The program that asks needs
    these times to show the video up to each round; the model must not see them.
    """
    kept = {key: row[key] for key in SHOWN if key in row}
    kept |= {"video_id": recording.alias, "media_path": recording.alias_path}
    if "rounds" in kept:
        kept["rounds"] = [{key: one[key] for key in SHOWN_ROUND} for one in kept["rounds"]]
    return kept


_NUMBER = re.compile(r"-?\d+(\.\d+)?\b")
_YES_NO = ("yes", "no")
LAST = "unanswerable"


def ordered(texts: Sequence[str], of: str = "") -> list[str]:
    """Return the choices in an order that does not depend on the answer.

    Yes comes before no. Numbers are ascending, labels in the order of their vocabulary, words of a
    rating scale from the lowest; others are sorted by text. ``unanswerable`` comes last.

    Args:
        of: vocabulary of the labels, or ''.
    """
    known = _vocabulary(of) or _scale(frozenset(text.casefold() for text in texts) - {LAST})
    numbers = all(_NUMBER.match(text) for text in texts if text != LAST)
    return sorted(texts, key=lambda text: _rank(text, known, numbers))


def _rank(text: str, known: Mapping[str, int], numbers: bool) -> tuple[Any, ...]:
    if text == LAST:
        return (2,)
    folded = text.casefold()
    if folded in _YES_NO:
        return (0, _YES_NO.index(folded), text)
    found = _NUMBER.match(text)
    if numbers and found:
        return (0, float(found[0]), text)
    return (0, known[folded], text) if folded in known else (1, folded, text)


@cache
def _vocabulary(kind: str) -> Mapping[str, int]:
    kinds = f"{kind}s"
    if kinds not in LABEL_KINDS:
        return {}
    return {term.display.casefold(): i for i, term in enumerate(vocabulary(kinds).values())}


@cache
def _scale(texts: frozenset[str]) -> Mapping[str, int]:
    """Return the rank of each word on the rating scale that has all these texts."""
    for name, term in raw_terms("ratings").items():
        for scale in rating(name).buckets.values() if "range" in term else ():
            words = [word.casefold() for word in scale.words]
            if texts <= set(words):
                return {word: i for i, word in enumerate(words)}
    return {}


LABEL = "Response protocol:"

_WINDOW = (
    "Judge by the given window alone. If it does not show enough to decide, reply with the "
    "single word unanswerable; otherwise reply with "
)

_STREAM = (
    "Judge by what the stream has shown so far. Reply no_alert while there is nothing to "
    "report, uncertain while the signs can be read either way, and alert: with the reason "
    "and what shows it, in a few words, once it is there."
)

NOTES = {
    ("unanswerable | answer", "closed"): (
        _WINDOW + "one of the choices, as it is written, and nothing else."
    ),
    ("unanswerable | answer", "open"): (
        _WINDOW + "the answer in one or two sentences, and say what you see that shows it."
    ),
    ("no_alert | uncertain | alert: <reason>", "open"): _STREAM,
    ("no_alert | uncertain | alert: <reason>", "closed"): _STREAM,
}
"""(protocol, question type) -> the note that states how to reply. Open answers are scored for
evidence, so their note asks for it."""


def note_of(temporal_mode: str, question_type: str) -> str:
    """Return the note about how to reply, without its heading.

    Args:
        question_type: ``closed`` or ``open``.
    """
    return NOTES[protocol_of(temporal_mode) or "", question_type]


def with_note(question: str, temporal_mode: str, question_type: str) -> str:
    """Return the question as a model reads it: its text, an empty line and the note."""
    return f"{question}\n\n{LABEL} {note_of(temporal_mode, question_type)}"
