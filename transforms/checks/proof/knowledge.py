"""Checks that an item's statement of knowledge is one of the bank about the question's event.

The bank (``docs/knowledge.md``) is a list of statements about instruments, actions and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from surgqa.ontology.concepts import load_data
from surgqa.transforms.algebra.sql.lookup import named_in, ordering
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.checks.proof.gates import name_of
from surgqa.transforms.checks.proof.printing import named_by
from surgqa.transforms.checks.proof.reading import RowValues, Unread, value_of
from surgqa.transforms.checks.proof.rows import Problem, ProofRow, in_order
from surgqa.transforms.checks.proof.terms import reasons
from surgqa.transforms.language.program import Stage

FILES = ("anatomy", "actions", "anomalies", "operations")
STAGES = (1, 3)
"""First and last stage of chains that the bank has statements for."""

ORDER = (
    ("verb", "target"), ("verb",), ("anomaly", "target"), ("anomaly",), ("target",), ("phase",),
    ("procedure",), (),
)  # fmt: skip
"""Combinations of keys that statements are about, the most specific first."""


@dataclass(frozen=True, slots=True)
class BankStatement:
    """One statement of the bank.

    Attributes:
        tasks: the statement is for questions of these tasks.
        stage: the statement is for this stage of their chains.
        about: key, such as "instrument" -> the id that the statement is about.
    """

    tasks: frozenset[str]
    stage: int
    about: Mapping[str, str]


def looked_up_nodes(stage: Stage) -> list[Node]:
    """Return the expressions that select a stage's statement and whose values no row contains."""
    return [node for _, nodes in stage.knowledge for node in nodes if name_of(node) is None]


def knowledge_problems(asked: ProofRow, given: Mapping[Node, Any]) -> Iterator[Problem]:
    """Yield (code, detail) for errors in an item's statement of knowledge.

    Args:
        given: the values of :func:`looked_up_nodes` according to the evidence, if they are certain.
    """
    stage, text = asked.stage, asked.row["knowledge"]
    if bool(stage.knowledge) != bool(text):
        yield "stage_texts", f"knowledge: {text!r}"
        return
    if not text:
        return
    keys = dict(_keys(asked, given))
    reason = _reason(asked, keys)
    if reason:
        if text != reason:
            yield "knowledge_differs", f"{text!r}, expected the ordering rule {reason!r}"
        return
    fitting = [found for found in _for(asked) if _is_about(found[1], keys)]
    places = [_place(one) for said, one in fitting if said == text]
    if not places:
        what = (
            "is about another event or question" if text in _statements() else "is not in the bank"
        )
        yield "knowledge_differs", f"{text!r} {what}: {keys}"
    elif min(places) > _place(fitting[0][1]):
        yield "knowledge_differs", f"{text!r}, a more specific one exists: {fitting[0][0]!r}"


def _reason(asked: ProofRow, keys: Mapping[str, list[Any]]) -> str:
    """Return the sentence why one action follows another; '' if the template needs none."""
    acts = [act for act in keys.get("rule", ()) if isinstance(act, tuple)]
    if len(acts) != 2:
        return ""
    first, second = ((verb, target or "") for verb, target in acts)
    found = ordering(asked.row["procedure"] or "", first, second)
    return reasons()[found[0]] if found is not None else ""


def _place(one: BankStatement) -> int:
    return ORDER.index(tuple(one.about))


def _keys(asked: ProofRow, given: Mapping[Node, Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the keys by which the template selects a statement, with their known values."""
    known = asked.known(given=given)
    for name, nodes in asked.stage.knowledge:
        try:
            values = [_id(node, known) for node in nodes]
            yield name, [named_in(one) if name == "procedure" else one for one in values]
        except (Unread, KeyError, TypeError, AttributeError):
            continue
    if all(name != "procedure" for name, _ in asked.stage.knowledge):
        yield "procedure", [named_in(asked.row["procedure"] or "")]


def _id(node: Node, known: RowValues) -> Any:
    value = value_of(node, known)
    if isinstance(value, Mapping) and node.type.name == "act":
        return (value["verb"], value.get("target"))
    return named_by(value) if value is not None else None


def _for(asked: ProofRow) -> Sequence[tuple[str, BankStatement]]:
    """Return the statements for a question's task and stage, the most specific first."""
    number = max(in_order(asked.program).index(asked.stage), STAGES[0])
    return _for_stage(asked.program.core_task, min(number, STAGES[1]))


@cache
def _for_stage(task: str, stage: int) -> tuple[tuple[str, BankStatement], ...]:
    every = [(text, one) for text, many in _statements().items() for one in many]
    known = any(task in one.tasks for _, one in every)
    mine = (found for found in every
            if found[1].stage == stage and (task in found[1].tasks or not known))  # fmt: skip
    return tuple(sorted(mine, key=lambda found: (_place(found[1]), found[0])))


def _is_about(one: BankStatement, keys: Mapping[str, list[Any]]) -> bool:
    return all(name in keys and keys[name][0] == wanted for name, wanted in one.about.items())


@cache
def _statements() -> Mapping[str, tuple[BankStatement, ...]]:
    out: dict[str, tuple[BankStatement, ...]] = {}
    for file in FILES:
        for section in load_data("knowledge", file)["sections"].values():
            for key, entry in section["texts"].items():
                text = entry["text"] if isinstance(entry, Mapping) else entry
                values = key.split() if section["by"] else ()
                about = dict(zip(section["by"], values, strict=True))
                statement = BankStatement(frozenset(section["tasks"]), section["stage"], about)
                out[text] = (*out.get(text, ()), statement)
    return out
