"""Parses a row of ``data/`` and its JSON columns, and finds the stage that it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import is_
from typing import Any, TypeVar

import orjson

from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.checks.proof.printing import Page
from surgqa.transforms.checks.proof.reading import RowValues
from surgqa.transforms.language.program import Program, Stage

Found = TypeVar("Found")


def once_a_question(make: Callable[..., Found]) -> Callable[..., Found]:
    """Return the function with its last result cached, for calls with the same arguments.

    Rows are sorted by template and stage, so one cached result is enough. Arguments are compared by
    identity, because hashing a program visits its whole tree. The result must not be modified.
    """
    kept: tuple[tuple[Any, ...], Found] | None = None

    def found(*of: Any) -> Found:
        nonlocal kept
        last = kept
        if last is None or len(last[0]) != len(of) or not all(map(is_, last[0], of)):
            kept = last = (of, make(*of))
        return last[1]

    return found


Problem = tuple[str, str]
"""(code, detail)"""

COLUMNS = (
    "item_id", "benchmark", "task", "form", "template_id", "template_version", "dataset",
    "video_id", "procedure", "window_id", "start_us", "end_us", "question", "answer", "options",
    "answer_key", "block", "answer_value", "slots", "reasoning", "knowledge", "clue", "context",
    "rubric", "chain_id", "stage", "temporal_mode", "task_mode", "query_us", "rounds", "unit",
    "rule", "rule_args", "certain", "checks", "pair", "level",
)  # fmt: skip
"""Columns that are read from a row."""


SHOWN, ALSO = "shown_us", "also"
"""Entries of ``slots`` that are not names of a template: the times of the images that are shown,
and further values that a ranking accepts in first place."""


@dataclass(frozen=True)
class ProofRow:
    """One row of ``data/`` with its program and stage.

    Attributes:
        row: the columns of :data:`COLUMNS`.
        value: the answer's value by field (column ``answer_value``).
        slots: values of the template's names.
        args: the column ``rule_args``.
        offered: the value of each option, in order.
    """

    program: Program
    stage: Stage
    row: Mapping[str, Any]
    value: Mapping[str, Any]
    slots: Mapping[str, Any]
    args: Mapping[str, Any]
    offered: Sequence[Any]

    @property
    def id(self) -> str:
        """The id of the item."""
        return str(self.row["item_id"])

    @property
    def answer(self) -> Any:
        """The answer's value, or a list with one value for each of several fields."""
        values = [self.value[name] for name, _ in self.stage.answer]
        return values[0] if len(values) == 1 else values

    def page(self, track_words: Mapping[str, str] | None = None) -> Page:
        """Return the context for printing; seconds of a clip are counted from its start."""
        zero = self.row["start_us"] if self.program.unit.kind == "clip" else 0
        return Page(
            zero, {} if track_words is None else track_words, shown=self.slots.get(SHOWN) or ()
        )

    def known(
        self, said: Mapping[str, str] | None = None, given: Mapping[Node, Any] | None = None
    ) -> RowValues:
        """Return the values from which the texts of the row are printed."""
        row = self.row
        values = dict(self.slots)
        values["window"] = {"start": row["start_us"], "end": row["end_us"]}
        values["video"] = {"procedure": row["procedure"]}
        if row["query_us"] is not None:
            values["now"] = row["query_us"]
        return RowValues(self.program, values, said or {}, given or {}).with_answer(
            self.stage, self.answer
        )


def read_row(program: Program, row: Mapping[str, Any]) -> ProofRow | list[Problem]:
    """Return the parsed row, or a list of errors in its columns.

    Args:
        row: the columns of :data:`COLUMNS`.
    """
    stage = stage_of(program, row)
    if stage is None:
        return [("stage_differs", f"stage {row['stage']!r} of {len(program.stages)}")]
    try:
        value, slots, args = (
            _mapping(row, name) for name in ("answer_value", "slots", "rule_args")
        )
        offered = [orjson.loads(one["value"]) for one in row["options"] or ()]
    except (orjson.JSONDecodeError, TypeError, ValueError) as error:
        return [("slots_malformed", str(error))]
    problems = list(_names(program, stage, value, slots))
    return problems or ProofRow(program, stage, row, value, slots, args, offered)


def stage_of(program: Program, row: Mapping[str, Any]) -> Stage | None:
    """Return the stage that a row asks; None if the template has no stage of this number."""
    number = row["stage"]
    if program.unit.kind != "chain":
        return program.stages[0] if number is None else None
    order = in_order(program)
    return order[number] if isinstance(number, int) and 0 <= number < len(order) else None


def in_order(program: Program) -> list[Stage]:
    """Return a chain's stages in the order of their numbers, the main question (number 0) first.

    If no stage is named "main", the main question is the first stage that has another stage's
    window (``see``), or else the last stage.
    """
    named = [stage for stage in program.stages if stage.name == "main"]
    seeing = [stage for stage in program.stages if stage.see]
    main = (named + seeing + [program.stages[-1]])[0]
    return [main, *(stage for stage in program.stages if stage is not main)]


def _mapping(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    return _object(row[name], name) if name != "rule_args" else _shared(row[name], name)


def _object(text: str, name: str) -> dict[str, Any]:
    found = orjson.loads(text)
    if not isinstance(found, dict):
        raise ValueError(f"{name} is not a JSON object")
    return found


_shared = lru_cache(maxsize=64)(_object)
"""Cached, because most rows of a stage have the same text in this column."""


def _names(
    program: Program, stage: Stage, value: Mapping[str, Any], slots: Mapping[str, Any]
) -> Iterator[Problem]:
    wanted, fields = _named(program, stage)
    if set(slots) != wanted:
        yield "slots_malformed", f"slots {sorted(slots)}, the template names {sorted(wanted)}"
    if set(value) != fields:
        yield "slots_malformed", f"answer fields {sorted(value)}, the template has {sorted(fields)}"


@once_a_question
def _named(program: Program, stage: Stage) -> tuple[set[str], set[str]]:
    """Return the names that a row's ``slots`` must have, and the fields of its answer."""
    slots = {name for step in program.let for name in step.names}
    slots |= {SHOWN} if program.show is not None else set()
    slots |= {ALSO} if stage.ranked is not None and stage.ranked.also is not None else set()
    return slots, {name for name, _ in stage.answer}
