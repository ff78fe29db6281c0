"""Asking: templates against one view, at most one item per template and window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import orjson

from ontology.keys import Key
from ontology.records import Check, Code, Item, Rejected
from ontology.rows import SCHEMA_VERSION
from transforms.language.template import Condition, Template
from transforms.questions.bound import Filling, bind
from transforms.questions.candidates import Candidates
from transforms.questions.draw import draw
from transforms.questions.evaluate import (
    Evaluator,
    Verdict,
    alive,
    describe,
    is_lazy,
    lazy_leaf,
    top_level,
)
from transforms.questions.facts import Facts
from transforms.questions.stage import StageAsker
from transforms.windows import View


@dataclass
class Asked:
    """What asking gave: items, and for every (template, window) without one, why."""

    items: list[Item] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)


def ask(view: View, templates: Sequence[Template], seed: str) -> Asked:
    """Ask every template about every window.

    Args:
        templates: any order; each template's items depend on it alone.
        seed: the run's seed.
    """
    out = Asked()
    if not view.windows:
        return out
    evaluator = Evaluator(Facts(view))
    for template in templates:
        Asker(evaluator, template, seed, out).run()
    return out


class Asker:
    """One template over one view."""

    def __init__(self, evaluator: Evaluator, template: Template, seed: str, out: Asked) -> None:
        self.evaluator = evaluator
        self.facts = evaluator.facts
        self.view = evaluator.facts.view
        self.template = template
        self.out = out
        shared = Key(SCHEMA_VERSION, seed, template.benchmark, template.id)
        self.keys = [shared.extended(window.window_id) for window in self.view.windows]
        many = len(template.stages) > 1
        self.stages = [StageAsker(template, s, i, many) for i, s in enumerate(template.stages)]
        self.verdicts: list[Verdict] = []
        self.lazy: list[Condition] = []

    def run(self) -> None:
        table, key = self.evaluator.table(dict(self.template.needs))
        undecided = np.ones(len(self.view.windows), dtype=bool)
        for slot, left in self.evaluator.windows_left(dict(self.template.needs)):
            self._decline(undecided & ~left, Code.NO_FILLING, slot)
            undecided &= left
        passed = np.ones(len(table), dtype=bool)
        for node in top_level(self.template.where):
            if is_lazy(node):
                self.lazy.append(node)
                continue
            passed &= self._condition(table, key, node)
            left = alive(table, passed)
            self._decline(undecided & ~left, Code.GATE, describe(node))
            undecided &= left
        self._items(table, key, passed, undecided)

    def _condition(self, table: Candidates, key: bytes, node: Condition) -> np.ndarray:
        if node.leaf is not None:
            verdict = self.evaluator.verdict(table, key, node.leaf)
        else:
            mask = self.evaluator.mask(table, key, node)
            verdict = Verdict(node.path, mask, mask.astype(np.float64), "true")
        self.verdicts.append(verdict)
        return verdict.passed

    def _items(self, table, key, passed, undecided) -> None:
        preferred = [self.evaluator.mask(table, key, node) for node in self.template.prefer]
        keys = np.array([key.h64("draw") for key in self.keys], np.uint64)
        accept = self._accept(table) if self.lazy else None
        drawn = draw(table, passed, keys, self.template.first, preferred, accept)
        for w in np.flatnonzero(undecided).tolist():
            if w not in drawn:
                self._decline_one(w, Code.GATE, describe(self.lazy[-1]))
        rows = [drawn[w] for w in sorted(drawn)]
        if rows:
            checks = self._checks(table, rows)
            for filling, passed_gates in zip(
                bind(self.template, table, rows, self.facts), checks, strict=True
            ):
                self._ask_one(filling, passed_gates)

    def _checks(self, table: Candidates, rows: list[int]) -> list[tuple[Check, ...]]:
        """The gates of each drawn filling, with their values."""
        columns = [verdict.checks(np.array(rows)) for verdict in self.verdicts]
        for node in self.lazy:
            assert node.leaf is not None
            found = [lazy_leaf(table, self.facts, node.leaf, row) for row in rows]
            columns.append([Check(node.leaf.op, value, limit) for _, value, limit in found])
        return list(zip(*columns, strict=True)) if columns else [()] * len(rows)

    def _accept(self, table: Candidates):
        return lambda row: all(
            lazy_leaf(table, self.facts, node.leaf, row)[0] for node in self.lazy if node.leaf
        )

    def _ask_one(self, filling: Filling, checks: tuple[Check, ...]) -> None:
        slots = {name: value.value() for name, value in filling.slots.items()}
        identity = self._identity(filling, slots)
        key = self.keys[filling.w]
        items = [stage.item(filling, slots, identity, checks, key) for stage in self.stages]
        if any(item is None for item in items):
            self._decline_one(filling.w, Code.TOO_FEW_OPTIONS, "options")
            return
        self.out.items += [item for item in items if item]
        self.out.asked[self.template.id] += 1

    def _identity(self, filling: Filling, slots: dict) -> tuple:
        template = self.template
        text = orjson.dumps(slots, option=orjson.OPT_SORT_KEYS).decode()
        return (SCHEMA_VERSION, template.id, template.version, self.view.timeline.video.key,
                filling.window.window_id, text)  # fmt: skip

    def _decline(self, windows: np.ndarray, code: Code, name: str) -> None:
        for w in np.flatnonzero(windows).tolist():
            self._decline_one(w, code, name)

    def _decline_one(self, w: int, code: Code, name: str) -> None:
        window = self.view.windows[w]
        key = f"{self.template.id} {self.view.timeline.video.key} {window.window_id}"
        reason = {
            Code.NO_FILLING: f"nothing in the window can fill the slot {name!r}",
            Code.GATE: f"no filling passes {name!r}",
            Code.TOO_FEW_OPTIONS: "too few wrong options that are certainly wrong",
        }[code]
        self.out.declined.append(Rejected("ask", key, code, reason, name))
