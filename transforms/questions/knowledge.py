"""Find the statement of the knowledge bank that fits a question best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surgqa.ontology.knowledge import STAGES, rule_between, statement_for
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.read import read
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Label, One
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.language.program import Program, Stage

RULE = "rule"
"""Key of a stage that names two acts; the statement is then the reason for their order."""


def statements(program: Program, stage: Stage, number: int, rows: Rows) -> list[str]:
    """Return, for each row, the bank's statement that matches most keys; '' if there is none.

    A key of the stage whose value in a row is unknown or null is ignored.

    Args:
        number: number of the stage. If the bank has fewer stages, its last stage is used.
    """
    keys = {key: [_labels(node, rows) for node in nodes] for key, nodes in stage.knowledge}
    place = min(max(number, STAGES[0]), STAGES[-1])
    procedures = [rows.relation.recordings[v].procedure for v in rows.video.tolist()]
    plain = {key: columns[0] for key, columns in keys.items() if key != RULE}
    out = []
    for i, procedure in enumerate(procedures):
        acts = [column[i] for column in keys.get(RULE, ())]
        given = {key: column[i] for key, column in plain.items()}
        given.setdefault("procedure", procedure)
        out.append(_reason(procedure, acts) or statement_for(program.core_task, place, given))
    return out


def _reason(procedure: str, acts: Sequence[str]) -> str:
    """Return why the second act comes after the first; '' if no rule of the bank orders them."""
    if len(acts) != 2 or not all(acts):
        return ""
    first, second = ((*act.split(","), "")[:2] for act in acts)
    found = rule_between(procedure, (first[0], first[1]), (second[0], second[1]))
    return found[0].reason if found is not None and found[1] else ""


def _labels(node: Node, rows: Rows) -> list[str]:
    value = evaluate(node, rows)
    if isinstance(value, One):
        value = read(value, "label", None, rows)
    assert isinstance(value, Label)
    known = np.where(value.ok & ~value.none, value.code, -1)
    return [rows.relation.codes.name(code) for code in known.tolist()]
