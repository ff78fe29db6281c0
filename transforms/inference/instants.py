"""Instants that a question names: their pictures are among those that are shown.

What the question and its options name is public, so it is looked at by itself.  What only the
answer names must not stand out: where a template's answers tell times, every item of it is
looked at as finely as its labels know time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import orjson

from ontology.errors import OutputBroken
from ontology.times import SECOND_US, print_seconds
from transforms.store import OutputFolder

COLUMNS = ("slots", "resolution_us", "template_id")
"""What is read of a row beside :data:`windows.COLUMNS`; of slots only their times."""

TOLD = re.compile(r"(?<![\d.])(\d+\.\d\d) s\b")
"""An instant, or a length, as texts print it."""

MOST = 256
"""Pictures of one stretch that labels alone may ask for."""


def named_us(row: Mapping[str, Any], origin_us: int) -> frozenset[int]:
    """The instants that the question or one of its options names, in microseconds.

    The exact times are those of the slots.  Wrong options have no typed times, so those of
    options are read from their texts, and moved to the picture that begins within half a
    hundredth of a second; the right option's is not taken from elsewhere.

    Args:
        row: of ``data/``, with :data:`COLUMNS`.
        origin_us: what the texts call 0.

    Raises:
        OutputBroken: the slots cannot be read.
    """
    typed: dict[str, set[int]] = {}
    for time_us in _times(_parsed(row, "slots")):
        for zero_us in {0, origin_us, row["start_us"]}:
            typed.setdefault(print_seconds(time_us - zero_us), set()).add(time_us)
    out: set[int] = set()
    for told in TOLD.findall(row["question"] or ""):
        out |= typed.get(told) or {_read(told, row, origin_us)}
    for option in row["options"] or ():
        out |= {_read(told, row, origin_us) for told in TOLD.findall(option["text"])}
    return frozenset(out)


def timed_templates(folder: OutputFolder, benchmark: str | None) -> frozenset[str]:
    """Templates whose answers tell instants that no option offers.

    It is asked of templates and not of items, so that how an item is looked at says nothing
    of its answer.
    """
    columns = ["template_id", "form", "answer", "answer_value", "options", "rounds"]
    return frozenset(
        row["template_id"] for row in folder.rows(benchmark, columns)
        if not row["options"] and not row["rounds"] and _tells_instant(row)
    )  # fmt: skip


def fine_step_us(row: Mapping[str, Any], length_us: int) -> int | None:
    """Half the distance of the labels: runs of them begin and end half-way between two.

    Returns:
        None where the labels are so fine that a stretch would need more than :data:`MOST`
        pictures, or where their distance is not known.
    """
    step_us = (row.get("resolution_us") or 0) // 2
    return step_us if step_us and length_us // step_us < MOST else None


def _tells_instant(row: Mapping[str, Any]) -> bool:
    typed = any(True for _ in _times(_parsed(row, "answer_value")))
    return bool(TOLD.search(row["answer"] or "")) and (typed or row["form"] == "open")


def _parsed(row: Mapping[str, Any], name: str) -> Any:
    try:
        return orjson.loads(row.get(name) or "{}")
    except (orjson.JSONDecodeError, TypeError) as error:
        raise OutputBroken(
            f"an item has no readable {name}", expected="a JSON object", found=str(error),
            where=str(row.get("item_id") or row.get("template_id")), fix="build the dataset again",
        ) from None  # fmt: skip


def _times(value: Any, name: str = "") -> Iterator[int]:
    """All whole numbers below names that end in ``_us``."""
    inner: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = ((name, one) for one in value)
    elif type(value) is int and name.endswith("_us"):
        yield value
    for key, one in inner:
        yield from _times(one, key)


def _read(told: str, row: Mapping[str, Any], origin_us: int) -> int:
    """The time of a text; that of the picture which begins there, where its rate is known."""
    time_us = origin_us + int(Fraction(told) * SECOND_US)
    fps_num, fps_den = row["media"]["fps_num"], row["media"]["fps_den"]
    if not fps_num or not fps_den:
        return time_us
    period = Fraction(SECOND_US * fps_den, fps_num)
    begins_us = round(round(time_us / period) * period)
    return begins_us if abs(begins_us - time_us) <= SECOND_US // 200 else time_us
