"""Items that were changed with care: texts printed anew and ids computed anew, values false."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from surgqa.transforms.checks.proof.head import digest
from surgqa.transforms.checks.proof.options import canonical
from surgqa.transforms.checks.proof.prove import problems
from surgqa.transforms.checks.proof.rows import ProofRow, read_row
from surgqa.transforms.checks.proof.texts import expected
from surgqa.transforms.language.program import Program
from tests.transforms.checks.proof.made import text_of
from tests.transforms.checks.proof.opened import Output

S = 1_000_000
ASKED = tuple(f"surgstu/{name}" for name in (
    "classes", "counting_distinct", "first_action", "locate", "existence_local_inst",
    "movement_status", "closest", "idle_duration", "target_interaction"))  # fmt: skip
TOLD = {f"{name}-{k}": "" for name in ("grasper", "hook", "scissors", "clipper", "irrigator",
                                       "bipolar") for k in range(1, 9)}  # fmt: skip

Values = dict[str, Any]


def resealed(program: Program, row: dict[str, Any], slots: Values, value: Values) -> ProofRow:
    """A row with other values whose texts and ids are right for them."""
    row = {**row, "slots": text_of(slots), "answer_value": text_of(value)}
    drawn = canonical({name: slots[name] for name in program.drawn})
    video = f"{row['dataset']}/{row['video_id']}"
    row["item_id"] = digest(program.id, str(program.version), video, row["window_id"], drawn)
    one = read_row(program, row)
    assert isinstance(one, ProofRow)
    known, page = one.known(), one.page(TOLD)
    row["question"] = expected(one.stage.ask[0], known, page)
    row["answer"] = expected(one.stage.say, known, page)
    row["reasoning"] = [expected(line, known, page) for line in one.stage.reasoning]
    if row["options"]:
        row["options"] = _options(row["options"], row["answer"], canonical(one.answer))
        right = next(o for o in row["options"] if o["is_answer"])
        row["answer_key"], row["answer"] = right["key"], f"{right['key']}) {right['text']}"
    again = read_row(program, row)
    assert isinstance(again, ProofRow)
    return again


def _options(options: list[dict[str, Any]], text: str, value: str) -> list[dict[str, Any]]:
    """Another right option; the old one becomes a wrong one of the pool that it took."""
    known = {one["value"]: one for one in options}
    out = []
    for one in options:
        if value in known and one["value"] == value:
            one = {**one, "is_answer": True, "kind": "answer"}
        elif one["is_answer"] and value in known:
            one = {**one, "is_answer": False, "kind": known[value]["kind"]}
        elif one["is_answer"]:
            one = {**one, "text": text, "value": value}
        out.append(one)
    return out


def codes(output: Output, name: str, change: Callable[[Values, Values], None]) -> set[str]:
    """What is found of the first item of a template after a change of its slots and answer."""
    program = output.programs[f"surgstu.{name}"]
    row = next(row for row in output.rows if row["template_id"] == program.id)
    slots, value = (orjson.loads(row[column]) for column in ("slots", "answer_value"))
    change(slots, value)
    one = resealed(program, row, slots, value)
    return {code for _, code, _ in problems(output.con, program, [one], whole=False)}


def nothing(_slots: Values, _value: Values) -> None:
    """No change."""


@pytest.mark.parametrize("name", ["classes", "counting_distinct", "first_action", "closest"])
def test_resealing_alone_changes_nothing(output: Output, name: str):
    assert codes(output, name, nothing) - {"words_differ"} == set()


def _set(**values: Any) -> Callable[[Values, Values], None]:
    def change(slots: Values, value: Values) -> None:
        for name, one in values.items():
            slots[name] = one
            if name in value:
                value[name] = one

    return change


def _moved(slots: Values, value: Values) -> None:
    slots["moment"] += 1


def _later(slots: Values, value: Values) -> None:
    act = slots["act"]
    act["start_us"] += S
    act["end_us"] += S
    value["act.start"]["time_us"] += S
    value["act.start"]["latest_us"] += S


def _box(slots: Values, value: Values) -> None:
    for values in (slots, value):
        for name, one in values.items():
            if isinstance(one, list) and len(one) == 4:
                values[name] = [one[0] + 0.1, one[1], one[2] + 0.1, one[3]]


def _flipped(slots: Values, value: Values) -> None:
    for values in (slots, value):
        for name, one in values.items():
            if isinstance(one, bool):
                values[name] = not one


def _number(slots: Values, value: Values) -> None:
    for values in (slots, value):
        values["number"] += 1


CHANGES: list[tuple[str, Callable[[Values, Values], None], set[str]]] = [
    ("classes", _set(seen=["grasper"]), {"answer_differs", "slot_differs"}),
    ("classes", _moved, {"draw_inadmissible"}),
    ("counting_distinct", _number, {"answer_differs", "slot_differs"}),
    ("first_action", _later, {"answer_differs", "slot_differs"}),
    ("locate", _box, {"answer_differs", "slot_differs"}),
    ("existence_local_inst", _flipped, {"answer_differs", "slot_differs"}),
    ("idle_duration", _set(rest=S), {"answer_differs", "slot_differs"}),
    ("movement_status", _set(pace="fast"), {"answer_differs", "slot_differs"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "wanted"), CHANGES)
def test_a_false_value_is_noticed_whatever_its_texts(
    output: Output, name: str, change: Callable[[Values, Values], None], wanted: set[str]
):
    assert wanted <= codes(output, name, change)
