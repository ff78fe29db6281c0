"""Asking a template of all units of some recordings: items, and a reason for every unit without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from ontology.keys import Key, digest
from ontology.records import Code, Item, Pointer, Rejected, Window
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.typed import typed
from transforms.algebra.columns.values import One
from transforms.algebra.tree import Name
from transforms.language.program import Program
from transforms.questions.draw import ranked
from transforms.questions.exchange import ALONE, Ready, answer_codes, exchange
from transforms.questions.fill import UNSEEN, Filled, filled
from transforms.questions.printed import printed
from transforms.questions.stages import OUTSIDE, Putting, spans_of, turns
from transforms.questions.told import gates, more_slots
from transforms.questions.units import Units
from transforms.questions.why import reasons
from transforms.questions.windows import Span
from transforms.timeline.relation import Relation

TRIES = 16
"""Fillings of a unit that are tried for one that can be named and has enough options."""


@dataclass
class Asked:
    """What asking gave.

    Attributes:
        items: for each unit at most one, of a chain one of each stage.
        declined: a reason for every other unit.
        units: how many units there were.
    """

    items: list[Item] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)
    units: int = 0


class Asker:
    """Programs over the units of one kind of a relation."""

    def __init__(self, relation: Relation, units: Units, seed: str) -> None:
        self.relation = relation
        self.clips = units
        self.seed = seed

    def ask(self, program: Program) -> Asked:
        """One template about every unit."""
        found = filled(program, self.relation, self.clips)
        ids = found.units.ids
        order = ranked(program, found, self.seed, ids)
        why = dict(found.failed)
        done = self._exchanged(program, found, order, why)
        because = reasons(program, self.relation, self.clips, found)
        return Asked(
            [item for unit in sorted(done) for item in done[unit]],
            [_declined(program, ids[unit], why.get(unit, "draw"), because.get(unit, _UNCERTAIN))
             for unit in range(len(ids)) if unit not in done],
            len(ids),
        )  # fmt: skip

    def _exchanged(
        self, program: Program, found: Filled, order: np.ndarray, why: dict[int, str]
    ) -> dict[int, list[Item]]:
        """Unit -> its items; one that is left alone is tried with another answer."""
        codes = answer_codes(program, found.rows)
        done: dict[int, list[Item]] = {}
        alone: dict[int, Ready] = {}
        while fresh := self._ready(program, found, order, why):
            for unit in alone.keys() & fresh.keys():
                alone[unit].putting.note(alone[unit].i, ALONE)
            ready = dict(sorted({**alone, **fresh}.items()))
            left = exchange(program, list(ready.values()))
            done.update((unit, _items(program, one)) for unit, one in ready.items()
                        if one not in left)  # fmt: skip
            alone = {unit: one for unit, one in ready.items() if one in left}
            order = _others(order, found.unit, codes, alone)
        for unit, one in alone.items():
            one.putting.note(one.i, ALONE)
            why[unit] = ALONE
        return done

    def _ready(
        self, program: Program, found: Filled, order: np.ndarray, why: dict[int, str]
    ) -> dict[int, Ready]:
        """Unit -> the first of its fillings that can be asked but for exchanged options."""
        ready: dict[int, Ready] = {}
        for batch in _batches(found.unit[order], order):
            batch = batch[~np.isin(found.unit[batch], list(ready))]
            ready.update(self._tried(program, found, batch, why))
        return ready

    # -- one batch: at most one filling of each unit ---------------------------------------------

    def _tried(
        self, program: Program, found: Filled, batch: np.ndarray, why: dict[int, str]
    ) -> dict[int, Ready]:
        """Unit -> its items; where the windows of a chain lie is tried until all is certain."""
        done: dict[int, Ready] = {}
        for turn in range(turns(program.stages)):
            left = batch[~np.isin(found.unit[batch], list(done))]
            done.update(self._put(program, found, left, why, turn) if len(left) else {})
        return done

    def _put(
        self, program: Program, found: Filled, batch: np.ndarray, why: dict[int, str], turn: int
    ) -> dict[int, Ready]:
        """Unit -> its items, one of each stage."""
        rows, unit = found.rows.inside(batch), found.unit[batch]
        slots, windows = self._slots(program, rows), self._windows(program, found.units, rows, unit)
        names = [self._identity(program, rows, i, windows, slots) for i in range(rows.n)]
        keys = [Key(self.seed, *name) for name in names]
        putting = Putting(program, rows, keys, turn)
        puts = putting.put()
        alone = program.unit.kind != "chain"  # whose stages have windows of their own
        texts = {name: printed(program, put, putting, windows if alone else
                               _placed("chain", put.rows, put.windows))
                 for name, put in puts.items()}  # fmt: skip
        proofs, kept = self._pointers(program, rows), gates(program, rows)
        out: dict[int, Ready] = {}
        for i, u in enumerate(unit.tolist()):
            if putting.why[i]:
                why[u] = putting.why[i]
                continue
            ids = {name: digest(*names[i], *filter(None, [name])) for name in texts}
            chain = None if alone else digest(*names[i])
            shared = {"slots": slots[i], "evidence": proofs[i], "checks": kept[i],
                      "chain_id": chain}  # fmt: skip
            out[u] = Ready(putting, i, int(batch[i]), ids, shared, texts)
        return out

    def _windows(
        self, program: Program, units: Units, rows: Rows, unit: np.ndarray
    ) -> list[Window]:
        """What each row's question may see."""
        if units.windows:
            return [units.windows[u] for u in unit.tolist()]
        return _placed(program.unit.kind, rows, spans_of(rows.stretch("window"), rows.base))

    def _slots(self, program: Program, rows: Rows) -> list[dict[str, Any]]:
        names = [(name, step.node.type) for step in program.let for name in step.names]
        out = more_slots(program, rows)
        for name, of in names:
            for slots, value in zip(out, typed(Name(of, name), rows), strict=True):
                slots[name] = value
        return out

    def _identity(
        self, program: Program, rows: Rows, i: int, windows: list[Window],
        slots: list[dict[str, Any]],
    ) -> tuple[object, ...]:  # fmt: skip
        """What makes a filling this one: nothing that others or other videos could change.

        Windows of a chain follow from its filling.
        """
        drawn = {name: slots[i][name] for name in program.drawn}
        text = orjson.dumps(drawn, option=orjson.OPT_SORT_KEYS).decode()
        video = self.relation.recordings[int(rows.video[i])].key
        place = () if program.unit.kind == "chain" else (windows[i].window_id,)
        return program.id, program.version, video, *place, text

    # -- items ----------------------------------------------------------------------------------

    def _pointers(self, program: Program, rows: Rows) -> list[tuple[Pointer, ...]]:
        """The evidence rows of the facts that the names stand for, up to the window's end."""
        out: list[dict[Pointer, None]] = [{} for _ in range(rows.n)]
        for step in program.let:
            for name in step.names:
                value = rows.name(name)
                if not isinstance(value, One):
                    continue
                for i, proof in enumerate(value.columns["proof"].tolist()):
                    if value.ok[i] and proof >= 0:
                        table, marks = self.relation.proofs[proof]
                        out[i].update(dict.fromkeys(Pointer(table, row, t, t) for t, row in marks))
        return [tuple(sorted(found, key=lambda p: (p.kind, p.start_us, p.id))) for found in out]


def _others(
    order: np.ndarray, unit: np.ndarray, codes: np.ndarray | None, alone: Mapping[int, Ready]
) -> np.ndarray:
    """The fillings, in their order, of units left alone that have another answer than was tried.

    Args:
        codes: of the answer of each filling; None: which cannot be told before it is put.
        alone: unit -> what was tried.
    """
    if codes is None or not alone:
        return order[:0]
    order = order[np.isin(unit[order], list(alone))]
    tried = np.array([alone[one].row for one in unit[order].tolist()], np.int64)
    return order[codes[order] != codes[tried]]


def _items(program: Program, one: Ready) -> list[Item]:
    """The items of a filling, one of each stage."""
    out = []
    for name, text in one.texts.items():
        fields = {**one.shared, **text.item(one.i)}
        fields["evidence"] = fields["evidence"] or (_whole(fields["window"]),)
        out.append(Item(item_id=one.ids[name], template_id=program.id, **fields))
    return out


def _placed(kind: str, rows: Rows, spans: Sequence[Span]) -> list[Window]:
    """The windows of some rows, named by their recording and place."""
    keys = [rows.relation.recordings[v].key for v in rows.video.tolist()]
    return [Window(kind, digest(kind, key, *span), *span)
            for key, span in zip(keys, spans, strict=True)]  # fmt: skip


def _declined(program: Program, unit: str, why: str, because: str) -> Rejected:
    code = _CODES.get(why, Code.NO_FILLING)
    return Rejected("ask", f"{program.id} {unit}", code, _REASONS.get(why, because), why)


_UNCERTAIN = "no filling of the template is certain beyond this"
_CODES = {"wrong": Code.TOO_FEW_OPTIONS, ALONE: Code.UNPAIRED, "knowledge": Code.NO_KNOWLEDGE,
          OUTSIDE: Code.INCOHERENT}  # fmt: skip
_REASONS = {
    "knowledge": "the knowledge bank has no statement for this event",
    "rounds": "there is no room for as many rounds as the template asks for",
    OUTSIDE: OUTSIDE,
    UNSEEN: "what the answer or a text rests on may lie outside what the question may see",
    "wrong": "too few values are certainly wrong and could be offered",
    ALONE: "too few questions about the recording have another answer that is wrong here: this "
    "one would be told by how often it is right",
    "unnameable": "nothing that can be seen tells the instance from others of its class",
    "draw": "the side that the draw asks for does not occur",
}


def _batches(unit: np.ndarray, order: np.ndarray) -> Iterator[np.ndarray]:
    """First fillings of all units, then second ones, and so on; ``unit`` is ascending."""
    size = np.bincount(unit) if len(unit) else np.zeros(0, np.int64)
    place = np.arange(len(unit)) - (np.cumsum(size) - size)[unit] if len(unit) else unit
    for k in range(min(TRIES, int(size.max(initial=0)))):
        yield order[place == k]


def _whole(window: Window) -> Pointer:
    return Pointer("window", window.window_id, window.start_us, window.end_us)
