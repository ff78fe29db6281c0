"""Tables of fillings over made-up videos, and their rows in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from tests.transforms.questions.plain import Plain
from tests.transforms.timeline.videos import made_up, windows_over
from transforms.language.operators import Role
from transforms.language.schema import arguments_model
from transforms.language.template import Call
from transforms.questions.candidates import Candidates
from transforms.questions.evaluate import Evaluator
from transforms.questions.facts import Facts
from transforms.windows import view_windows

SEEDS = tuple(range(30))
"""Videos that the tests look at; more of them take proportionally longer."""


@cache
def evaluator(seed: int) -> Evaluator:
    """One made-up video over its windows."""
    made = made_up(seed)
    return Evaluator(Facts(view_windows(made, windows_over(made))))


@cache
def plain(seed: int) -> tuple[Plain, ...]:
    """Its windows, looked at in plain loops."""
    made = made_up(seed)
    return tuple(Plain(made, window) for window in windows_over(made))


def call(role: Role, name: str, **arguments: Any) -> Call:
    """An operator's call as the parser makes it: defaults filled in, lists as tuples."""
    model = arguments_model(role, name).model_validate(arguments)
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in model}
    if role == "slot" and name == "interval" and isinstance(values["of"], str):
        values["of"] = (values["of"],)
    return Call(name, values)


def slots(**needs: Mapping[str, Any]) -> dict[str, Call]:
    """``slots(tool={"kind": "instrument"})``: the slots of a template."""
    return {
        name: call("slot", spec["kind"], **{k: v for k, v in spec.items() if k != "kind"})
        for name, spec in needs.items()
    }


def some_rows(table: Candidates, most: int) -> list[int]:
    """At most so many rows, spread over the table."""
    return np.unique(np.linspace(0, len(table) - 1, min(most, len(table))).astype(int)).tolist()


def bound(table: Candidates, row: int) -> dict[str, Any]:
    """Slot -> time, (start, end), track id, label, listed value, point or box of one row."""
    view = table.view
    timeline, w = view.timeline, int(table.window[row])
    names = {
        "instrument_class": timeline.video.vocabulary,
        "verb": timeline.verbs,
        "target": timeline.targets,
    }
    out: dict[str, Any] = {}
    for slot, spec in table.calls.items():
        value = table.columns[slot][row]
        if spec.op in ("instant", "change"):
            out[slot] = int(view.time[w, value])
        elif spec.op == "interval":
            out[slot] = tuple(view.time[w, value].tolist())
        elif spec.op == "instrument":
            out[slot] = timeline.tracks.ids[view.track[value]]
        elif spec.op == "choice":
            out[slot] = spec.args["from"][value]
        elif spec.op == "point":
            out[slot] = tuple((value / 1000).tolist())
        elif spec.op == "box":
            out[slot] = tuple(timeline.table.box_xyxy[value].tolist())
        else:
            out[slot] = names[spec.op][value]
    return out


def resolved(spec: Call, params: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a condition with slots replaced by what they hold; bounds left out."""
    out = {}
    for name, param in params.items():
        given = spec.args[name]
        if name in ("at_least", "at_most", "above", "below"):
            continue
        out[name] = values[given] if param.type == "slot" and given else given
    return out


def stored(spec: Call, value: Any) -> Any:
    """A slot's value in an item, as :func:`bound` gives it."""
    if spec.op in ("instant", "change"):
        return value["time_us"]
    if spec.op == "interval":
        return value["start_us"], value["end_us"]
    if spec.op == "point":
        return value["x"], value["y"]
    if spec.op == "box":
        return tuple(value["box_xyxy"])
    if spec.op == "choice":
        return value
    return value["track_id"] if spec.op == "instrument" else value["label"]
