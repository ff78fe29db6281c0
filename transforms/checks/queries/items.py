"""One timed item against its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from transforms.checks.compare import difference
from transforms.checks.evidence import VideoView
from transforms.checks.queries import (  # noqa: F401  (their rules register)
    actions,
    continuations,
    past,
    present,
)
from transforms.checks.queries.base import RULES, Query
from transforms.checks.queries.future import STREAMS
from transforms.checks.queries.rounds import round_problems
from transforms.checks.queries.streams import known_in_rounds, stream_truth
from transforms.checks.queries.units import UNITS, NotThePicture, unit_of, unit_problems
from transforms.checks.queries.windows import (
    is_whole,
    mode_problems,
    query_pointer_problems,
    query_window_problems,
)
from transforms.checks.queries.wording import (
    label_known,
    query_option_problems,
    query_text_problems,
)
from transforms.checks.rules.base import BadSlot, Undecided
from transforms.checks.texts import leaves

Found = TypeVar("Found")
Problem = tuple[str, str]
Row = Mapping[str, Any]
Value = Mapping[str, Any]

NOW = (
    ("yes", "presence_now"), ("number", "number_now"), ("labels", "set_now"),
    ("region", "place_now"), ("bucket", "score_now"), ("verb", "target_now"),
    ("label", "state_now"),
)  # fmt: skip
BEFORE = (
    ("yes", "presence_before"), ("number", "states_done"), ("labels", "set_before"),
    ("label", "state_ended"),
)  # fmt: skip
WHOLES = (
    ("yes", "whole_presence"), ("number", "whole_number"), ("bucket", "whole_score"),
    ("label", "whole_label"),
)  # fmt: skip
"""What an answer value holds -> the rule that computes it, in the order of looking."""


def is_query(row: Row) -> bool:
    """The item was put at a time, and is not about a clip."""
    return row["temporal_mode"] is not None or row["query_us"] is not None


def rule_name(row: Row, value: Value | None, slots: Value | None) -> str | None:
    """The rule that recomputes an item: of its unit, else by mode and what the value holds."""
    unit, mode = unit_of(row, slots), row["temporal_mode"]
    if unit is not None:
        return unit
    if mode == "proactive":
        return "alert"
    if mode == "future":
        return "state_begins" if row["task_mode"] == "streaming" else "state_next"
    table = WHOLES if is_whole(row) else NOW if mode == "present" else BEFORE
    return next((name for part, name in table if part in (value or {})), None)


def query_problems(
    row: Row, value: Value | None, slots: Value | None, video: VideoView
) -> Iterator[Problem]:
    """Everything that is wrong with one timed item, beside what it copies from its video.

    Args:
        row: columns of :data:`transforms.checks.folder.COLUMNS`.
        value, slots: the parsed JSON columns, None where they are not JSON objects.
    """
    if row["query_us"] is None:
        yield "query_window_differs", "query_us is missing"
        return
    yield from mode_problems(row)
    yield from query_window_problems(row, slots, video)
    yield from query_pointer_problems(row, video)
    if value is None or slots is None:
        yield "slots_malformed", "answer_value or slots is not a JSON object"
        return
    yield from slot_problems(row, slots)
    if row["rounds"]:
        yield from round_problems(row, value)
    name = str(rule_name(row, value, slots))
    if name in UNITS:
        yield from unit_problems(row, name)
    elif name not in RULES and name not in STREAMS:
        yield "rule_missing", f"{row['benchmark']}: {row['task']}"
        return
    yield from _against(Query(row, slots, video, value=value), value, name)


def _against(query: Query, value: Value, name: str) -> Iterator[Problem]:
    truth, problems = recomputed(query, name)
    yield from [*query.problems, *problems]
    if truth is None:
        return
    wrong = difference(value, truth)
    if wrong:
        yield "answer_differs", wrong
    if name in UNITS:
        yield from UNITS[name].said(query, dict(truth))
        return
    yield from query_option_problems(query.row, truth, query.kind)
    if not query.row["options"]:
        yield from query_text_problems(query.row, truth, query.kind)


def recomputed(query: Query, name: str) -> tuple[Value | None, list[Problem]]:
    """The answer value that the evidence gives, and what is wrong beside it."""
    problems: list[Problem] = []
    rule = UNITS[name].truth if name in UNITS else RULES.get(name)
    if rule is not None:
        return _tried(lambda: rule(query), problems), problems
    truth = _tried(lambda: stream_truth(query, name), problems)
    problems += _tried(lambda: list(known_in_rounds(query, name)), problems) or []
    return truth, problems


def _tried(compute: Callable[[], Found], problems: list[Problem]) -> Found | None:
    """What a computation gives; None, and the reason among the problems, where it cannot."""
    try:
        return compute()
    except BadSlot as error:
        problems.append(("slots_malformed", str(error)))
    except Undecided as error:
        problems.append(("answer_undecided", str(error)))
    except NotThePicture as error:
        problems.append(("picture_differs", str(error)))
    return None


def slot_problems(row: Row, slots: Value) -> Iterator[Problem]:
    """What the question names is known when it is put: no later time, no unknown word."""
    for key, one in leaves(slots):
        if key.endswith("_us") and isinstance(one, int) and one > row["query_us"]:
            yield "future_shown", f"slot {key} {one}, question at {row['query_us']}"
    about = slots.get("about")
    kind = about.get("kind") if isinstance(about, dict) else None
    if not isinstance(kind, str):
        yield "slots_malformed", "slot 'about' names no kind of label"
    elif isinstance(slots.get("label"), str) and not label_known(kind, slots["label"]):
        yield "outside_vocabulary", f"{slots['label']!r} is no {kind}"
