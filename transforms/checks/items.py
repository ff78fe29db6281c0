"""One item against its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from transforms.checks.chains import chain_rule_name, is_chain, stage_problems
from transforms.checks.compare import difference
from transforms.checks.evidence import VideoView
from transforms.checks.gates import gate_problems
from transforms.checks.options import option_problems
from transforms.checks.pointers import pointer_problems, window_problems
from transforms.checks.queries import is_query, query_problems, rule_name
from transforms.checks.rules import Rule, rule_for
from transforms.checks.rules.base import Ask, BadSlot, Undecided
from transforms.checks.texts import text_problems

Problem = tuple[str, str]
COPIED = ("procedure", "specialty", "split_group", "licence", "label_source")
TARGET_LISTS = ("distinct_targets_touched",)


def parsed(row: Mapping[str, Any], column: str) -> dict[str, Any] | None:
    """A JSON column as a mapping, or None where it is none."""
    try:
        value = orjson.loads(row[column])
    except (orjson.JSONDecodeError, TypeError):
        return None
    return value if isinstance(value, dict) else None


def item_problems(
    row: Mapping[str, Any],
    value: Mapping[str, Any] | None,
    slots: Mapping[str, Any] | None,
    video: VideoView,
) -> Iterator[Problem]:
    """Everything that is wrong with one item (code, detail), its chain left aside.

    Args:
        row: columns of :data:`transforms.checks.folder.COLUMNS`.
        value, slots: the parsed JSON columns, None where they are not JSON objects.
        video: the evidence of the row's video.
    """
    yield from header_problems(row, video)
    if is_query(row):
        yield from query_problems(row, value, slots, video)
    elif is_chain(row):
        yield from stage_problems(row, value, slots, video)
    else:
        yield from _clip_problems(row, value, slots, video)
    for detail in gate_problems(row):
        yield "check_failed", detail


def _clip_problems(
    row: Mapping[str, Any],
    value: Mapping[str, Any] | None,
    slots: Mapping[str, Any] | None,
    video: VideoView,
) -> Iterator[Problem]:
    yield from window_problems(row, video)
    yield from pointer_problems(row, video)
    truth = None
    if value is None or slots is None:
        yield "slots_malformed", "answer_value or slots is not a JSON object"
    else:
        found = rule_of(row)
        if found is None:
            yield "rule_missing", f"{row['benchmark']}: {row['task']}"
        else:
            truth, problems = recompute(row, slots, video, found)
            yield from problems
        yield from answer_problems(row, value, slots, truth)
    yield from option_problems(row, truth)


def recomputed_by(
    row: Mapping[str, Any], value: Mapping[str, Any] | None, slots: Mapping[str, Any] | None
) -> str | None:
    """Name of the rule that recomputes a row, with its benchmark; None where there is none."""
    if is_query(row):
        name = rule_name(row, value, slots)
    elif is_chain(row):
        name = chain_rule_name(row)
    else:
        name = row["task"].rpartition("/")[2] if rule_of(row) else None
    return f"{row['benchmark']}/{name}" if name else None


def rule_of(row: Mapping[str, Any]) -> Rule | None:
    """The rule of a clip's task: its benchmark and what stands after the slash."""
    return rule_for(row["benchmark"], row["task"].rpartition("/")[2])


def recompute(
    row: Mapping[str, Any], slots: Mapping[str, Any], video: VideoView, found: Rule
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The answer that the evidence in the row's window gives, and what is wrong beside it."""
    ask = Ask(slots, video.clip(row["start_us"], row["end_us"]))
    try:
        return found(ask), ask.problems
    except BadSlot as error:
        return None, [*ask.problems, ("slots_malformed", str(error))]
    except Undecided as error:
        return None, [*ask.problems, ("answer_undecided", str(error))]


def answer_problems(
    row: Mapping[str, Any],
    value: Mapping[str, Any],
    slots: Mapping[str, Any],
    truth: Mapping[str, Any] | None,
) -> Iterator[Problem]:
    """Is the stored value the truth, and does the text say it."""
    if truth is not None:
        wrong = difference(value, dict(truth))
        if wrong:
            yield "answer_differs", wrong
    if row["options"] or "refusal" in value:
        return  # closed answers are compared with their option; a refusal names nothing
    kind = "targets" if row["task"].rpartition("/")[2] in TARGET_LISTS else "instruments"
    for detail in text_problems(row["answer"], value, slots, row["start_us"], (kind,)):
        yield "text_disagrees", detail


def header_problems(row: Mapping[str, Any], video: VideoView) -> Iterator[Problem]:
    """Fields that every item copies from its video."""
    for name in COPIED:
        if row[name] != video.header[name]:
            yield "header_differs", f"{name}: item {row[name]!r}, video {video.header[name]!r}"
