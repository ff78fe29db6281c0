"""All four questions of a chain against one another and against the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transforms.checks.chains.anomalies import ANOMALIES
from transforms.checks.chains.base import (
    Q1,
    SECOND_US,
    STAGES,
    TASKS,
    Chain,
    Missing,
    Row,
    Task,
    Truth,
    meets,
)
from transforms.checks.chains.cues import CUES
from transforms.checks.chains.effects import EFFECTS
from transforms.checks.chains.instants import instant_problems
from transforms.checks.chains.order import ORDER
from transforms.checks.chains.rows import stage_problems
from transforms.checks.chains.segments import segment_problems
from transforms.checks.chains.texts import text_problems
from transforms.checks.chains.times import measure_problems, scale_problems, window_problems
from transforms.checks.chains.transitions import TRANSITIONS
from transforms.checks.chains.whole import main_problems
from transforms.checks.compare import difference
from transforms.checks.evidence import VideoView
from transforms.checks.rules.base import BadSlot, Undecided

BY_TASK: Mapping[str, Task] = dict(
    zip(TASKS, (ORDER, CUES, EFFECTS, TRANSITIONS, ANOMALIES), strict=True)
)
UNREADABLE = (
    "rule_missing",
    "slots_malformed",
    "stage_differs",
    "stage_texts",
    "options_malformed",
)
"""What is wrong with a question by itself, so that its chain cannot be looked at."""

Problem = tuple[str, str, str]
Part = tuple[Row, Mapping[str, Any] | None, Mapping[str, Any] | None]


def chain_problems(
    parts: Sequence[Part], video: VideoView, *, whole: bool = True
) -> Iterator[Problem]:
    """What is wrong with a chain beside its questions by themselves (code, item id, detail).

    Args:
        parts: (row, answer value, slots) of all rows of one chain, in any order.
        whole: all rows were read; otherwise a chain that is not complete proves nothing.
    """
    ranked = sorted(parts, key=lambda part: str(part[0]["stage"]))
    stages = [row["stage"] for row, _, _ in ranked]
    first = ranked[0][0]
    if stages != list(range(len(STAGES))):
        if whole:
            yield "chain_incomplete", first["item_id"], f"{first['chain_id']}: stages {stages}"
        return
    if any(_broken(part, video) for part in ranked):
        return
    chain = Chain([part[0] for part in ranked], [dict(part[1] or {}) for part in ranked],
                  ranked[0][2] or {}, video)  # fmt: skip
    mixed = [*_mixed(chain, [part[2] or {} for part in ranked])]
    if mixed:
        yield from (("chain_mixed", first["item_id"], detail) for detail in mixed)
        return
    _against(chain)
    for code, stage, detail in chain.problems:
        yield code, chain.rows[stage]["item_id"], detail


def _broken(part: Part, video: VideoView) -> bool:
    return any(code in UNREADABLE for code, _ in stage_problems(*part, video))


def _mixed(chain: Chain, slots: list[Mapping[str, Any]]) -> Iterator[str]:
    """Where the questions are not about one event of one template."""
    for name in ("template_id", "benchmark", "split"):
        values = sorted({str(row[name]) for row in chain.rows})
        if len(values) > 1:
            yield f"{name}: {values}"
    tasks = {row["task"].partition("/")[0] for row in chain.rows}
    if len(tasks) > 1:
        yield f"tasks: {sorted(tasks)}"
    for stage, own in enumerate(slots):
        if own != slots[0]:
            yield f"slots of {STAGES[stage]} are not those of the main question"
    named = slots[0].get("chain")
    if isinstance(named, dict):
        if named.get("task") not in tasks:
            yield f"slot 'chain' names the task {named.get('task')!r}"
        for stage, row in enumerate(chain.rows):
            if named.get("event") not in {pointer["id"] for pointer in row["evidence"] or ()}:
                yield f"{STAGES[stage]} does not point to the event {named.get('event')!r}"


def _against(chain: Chain) -> None:
    """Answer every stage again from the evidence, and note what differs."""
    try:
        task = BY_TASK[chain.task]
        truth = task.truth(chain)
        _what(chain, truth, task)
        segment_problems(chain, truth)
        instant_problems(chain, truth)
        main_problems(chain, truth, task)
        window_problems(chain, truth)
        scale_problems(chain, truth)
        measure_problems(chain, truth)
        text_problems(chain, truth, task)
    except BadSlot as error:
        chain.note("slots_malformed", Q1, str(error))
    except Undecided as error:
        chain.note("answer_undecided", Q1, str(error))
    except Missing as error:
        chain.note("event_missing", Q1, str(error))


def _what(chain: Chain, truth: Truth, task: Task) -> None:
    """Q1: its answer, its options, and nothing else in its window that has the same name."""
    wrong = difference(chain.values[Q1], truth.what)
    if wrong:
        chain.note("answer_differs", Q1, wrong)
    meanings = []
    for text, is_right in chain.texts(Q1):
        value = task.read(chain, truth, text)
        if value is None:
            chain.note("option_unreadable", Q1, repr(text))
            continue
        true = task.holds(chain, truth, value)
        chain.note("option_false", Q1, f"{text}: the truth is {truth.what}", is_right and not true)
        chain.note("option_true", Q1, text, true and not is_right)
        meanings.append(str(value))
    same = len(set(meanings)) != len(meanings)
    chain.note("options_malformed", Q1, f"two options mean the same: {meanings}", same)
    window = chain.window(Q1)
    twins = [list(one) for one in truth.twins if meets(one, window)]
    told = [[edge / SECOND_US for edge in one] for one in twins]
    chain.note("not_unique", Q1, f"what is asked about is there again at {told} s", bool(twins))
