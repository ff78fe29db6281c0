"""The one world in which just some deeds were done, to hold items against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surgqa.transforms.algebra.worlds.draw import Drawer
from surgqa.transforms.algebra.worlds.world import FIELDS, TrueFact, World
from surgqa.transforms.timeline.relation import NONE, Relation
from tests.transforms.questions.item_worlds import knowledge

HELD = ("instrument", "interaction", "phase")
"""Kinds of facts that deeds are."""

Deed = tuple[str, str, str, str, int, int]
"""Kind, label, instrument, structure, from, to in microseconds."""


def rows_of(known: Relation, deed: Deed) -> list[int]:
    """The facts that tell of a deed: of its kind, of nothing else, and at its time."""
    kind, label, tool, target, start, end = deed
    facts, name = known.facts, known.codes.name
    out = []
    for k in range(len(facts)):
        if name(facts.kind[k]) != kind:
            continue
        told = [name(c) if c != NONE else "" for c in (facts.label[k], facts.subject[k])]
        on = name(facts.target[k]) if facts.target[k] != NONE else ""
        who = {"phase": label, "instrument": label, "interaction": tool}[kind]
        same = (told[0] in (label, "") and on == target
                and (kind == "phase" or told[1] in (who, "")))  # fmt: skip
        within = facts.x0[k] <= start <= facts.s1[k] and facts.e0[k] <= end <= facts.x1[k]
        if same and within:
            out.append(k)
    return out


def untrue(known: Relation, deeds: Sequence[Deed]) -> set[int]:
    """Facts of the kinds that are held which tell of no deed."""
    told = {k for deed in deeds for k in rows_of(known, deed)}
    name = known.codes.name
    return {k for k in range(len(known.facts)) if name(known.facts.kind[k]) in HELD} - told


def world(known: Relation, deeds: Sequence[Deed]) -> World:
    """The one in which just these deeds were done; boxes are the detector's."""
    codes, drawn = known.codes, Drawer(known, 0)
    out = []
    for deed in deeds:
        kind, label, tool, target, start, end = deed
        rows = rows_of(known, deed)
        told = {"kind": kind, "label": label, "subject": tool, "target": target,
                "verb": label if kind == "interaction" else ""}  # fmt: skip
        fields: dict[str, Any] = dict.fromkeys(FIELDS, NONE)
        fields |= {key: codes.code(value) for key, value in told.items() if value}
        if rows:
            fields["track"] = int(known.facts.track[rows[0]])
        proofs = frozenset(int(known.facts.proof[k]) for k in rows)
        out.append(TrueFact(**fields, s=start, e=end, rows=proofs))
    boxes = {(sample.track, sample.s): box for sample, box in drawn.samples}
    return World(0, (*out, *knowledge(known, 0)), tuple(one for one, _ in drawn.samples), boxes,
                 tuple(known.instants[0].tolist()))  # fmt: skip
