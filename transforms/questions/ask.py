"""Asking a template of all units of some recordings: items, and a reason for every unit without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ontology.keys import Key, digest
from ontology.records import Code, Item, Pointer, Rejected, Window
from transforms.algebra.columns.apart import UNNAMEABLE
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.typed import text_of
from transforms.language.program import Program
from transforms.questions.draw import is_ranked_early, leading, ranked
from transforms.questions.exchange import ALONE, Ready, answer_codes, exchange
from transforms.questions.fill import TRIES, UNSEEN, Filled, Filling, among
from transforms.questions.grounds import pointers
from transforms.questions.pools import exchanged
from transforms.questions.printed import printed
from transforms.questions.stages import OUTSIDE, WHOLE, Putting, spans_of, turns
from transforms.questions.told import drawn_of, gates, slots_of
from transforms.questions.units import Units
from transforms.questions.why import reasons
from transforms.questions.windows import Spans
from transforms.timeline.relation import Relation


@dataclass
class Asked:
    """What asking gave.

    Attributes:
        items: for each unit at most one, of a chain one of each stage.
        declined: a reason for every other of the units.
    """

    items: list[Item] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)
    units: int = 0


@dataclass(frozen=True, eq=False)
class Asker:
    """Programs over the units of one kind of a relation."""

    relation: Relation
    clips: Units
    seed: str

    def ask(self, program: Program) -> Asked:
        """One template about every unit."""
        out = Asked()
        for one in self.ask_each(program):
            out = Asked(out.items + one.items, out.declined + one.declined, out.units + one.units)
        return out

    def ask_each(self, program: Program) -> list[Asked]:
        """What one template gives of each recording, which no other recording can change.

        Where the order of a unit's fillings is known before these are looked at, the first of them
        are enough for most units; only the others are asked with all of theirs.
        """
        is_early = is_ranked_early(program) and not any(map(exchanged, program.stages))
        first = partial(leading, program, self.seed) if is_early else None
        filling = Filling(program, self.relation, self.clips)
        done: dict[int, list[Item]] = {}
        why: dict[int, str] = {}
        found: Filled | None = None
        failed: dict[int, str] = {}
        for part in filling.parts():
            found = filling.filled(part, first)
            asking = _Asking(found, self.seed)
            done |= asking.items()
            if found.cut:
                found = filling.filled(np.array([u for u in part.tolist() if u not in done]))
                asking = _Asking(found, self.seed)
                done |= asking.items()
            why |= asking.why
            failed |= found.failed
        if found is None:
            return [Asked() for _ in self.relation.recordings]
        return self._told(replace(found, failed=failed), done, why)

    def _told(
        self, found: Filled, done: Mapping[int, list[Item]], whys: Mapping[int, str]
    ) -> list[Asked]:
        """Of each recording the items of its units, and why the others have none."""
        program = found.program
        unclear = [u for u in found.failed if u not in done and found.failed[u] not in _REASONS]
        because = reasons(program, self.relation, self.clips, found, unclear)
        each = [Asked() for _ in self.relation.recordings]
        for unit, (one, video) in enumerate(zip(found.units.ids, found.units.video.tolist(),
                                                strict=True)):  # fmt: skip
            each[video].units += 1
            each[video].items += done.get(unit, ())
            if unit not in done:
                why = whys.get(unit, "draw")
                told = _REASONS.get(why, because.get(unit, _UNCERTAIN))
                key, code = f"{program.id} {one}", _CODES.get(why, Code.NO_FILLING)
                each[video].declined.append(Rejected("ask", key, code, told, why))
        return each


class _Asking:
    """A template whose fillings are known.

    Attributes:
        why: unit -> why it has no item, of those of which that is known so far.
    """

    def __init__(self, found: Filled, seed: str) -> None:
        self.program, self.found, self.seed = found.program, found, seed
        self.why = dict(found.failed)

    def items(self) -> dict[int, list[Item]]:
        """Unit -> its items; one that is left alone is tried with another answer."""
        if not self.found.rows.n:
            return {}
        order = ranked(self.program, self.seed, self.found)
        codes = answer_codes(self.program, self.found.rows)
        done: dict[int, list[Item]] = {}
        alone: dict[int, Ready] = {}
        while fresh := self._ready(order):
            for unit in alone.keys() & fresh.keys():
                alone[unit].putting.note(alone[unit].i, ALONE)
            alone.update(fresh)
            # What other recordings still have to offer gives nobody another chance.
            again = {one.video for one in fresh.values()}
            ready = {unit: one for unit, one in sorted(alone.items()) if one.video in again}
            left = exchange(self.program, list(ready.values()))
            done.update((unit, _items(one)) for unit, one in ready.items() if one not in left)
            alone = {unit: one for unit, one in alone.items() if unit not in done}
            order = _others(order, self.found.unit, codes, alone)
        for unit, one in alone.items():
            one.putting.note(one.i, ALONE)
            self.why[unit] = ALONE
        return done

    def _ready(self, order: np.ndarray) -> dict[int, Ready]:
        """Unit -> the first of its fillings that can be asked but for exchanged options.

        Where the windows of a chain lie is tried until all is certain, then its next filling.
        """
        ready: dict[int, Ready] = {}
        unit, place = self.found.unit[order], among(self.found.unit[order])
        for some in rounds(int(place.max(initial=-1)) + 1, turns(self.program.stages)):
            left = ~np.isin(unit, list(ready))
            tried = [np.flatnonzero(left & (place == k)) for k, _ in some]
            at = np.concatenate(tried)
            turn = np.repeat([turn for _, turn in some], [len(one) for one in tried])
            by = np.lexsort((turn, place[at], unit[at]))
            if len(by):
                ready.update(self._put(order[at[by]], turn[by]))
        return ready

    def _put(self, row: np.ndarray, turn: np.ndarray) -> dict[int, Ready]:
        """Unit -> its questions, one of each stage, of the first try that gives them.

        Args:
            row: the filling of each try, those of one unit in the order in which they count.
            turn: how many places of its windows were tried before.
        """
        program, (batch, of) = self.program, np.unique(row, return_inverse=True)
        rows, unit = self.found.rows.inside(batch), self.found.unit
        windows = self._windows(rows, unit[batch].tolist())
        drawn = drawn_of(program, rows)
        names = [_identity(program, rows, i, windows, drawn) for i in range(rows.n)]
        putting = Putting(program, rows, [Key(self.seed, *name) for name in names], of, turn)
        putting.put()
        mine = putting.of.tolist()
        made = self._made(putting, [names[i] for i in mine], [windows[i] for i in mine],
                          row[putting.place]) if mine else {}  # fmt: skip
        out: dict[int, Ready] = {}
        for i, (u, why) in enumerate(zip(unit[row].tolist(), putting.reasons(), strict=True)):
            if u not in out and not why:
                out[u] = made[i]
            elif u not in out:
                self.why[u] = self.why.get(u, WHOLE) if why == WHOLE else why
        return out

    def _made(
        self, putting: Putting, names: Sequence[tuple[object, ...]], windows: Sequence[Window],
        row: np.ndarray,
    ) -> dict[int, Ready]:  # fmt: skip
        """Try -> its questions, of those that are left."""
        program, rows = self.program, putting.rows
        alone = program.unit.kind != "chain"  # whose stages have windows of their own
        texts = {
            stage.name: printed(program, put, putting, windows if alone else
                                _placed("chain", put.rows, put.windows))
            for stage in program.stages if (put := putting.done[stage.name])
        }  # fmt: skip
        slots, proofs, kept = slots_of(program, rows), pointers(program, rows), gates(program, rows)
        out: dict[int, Ready] = {}
        for i, at in enumerate(putting.place.tolist()):
            ids = {name: digest(*names[i], *filter(None, [name])) for name in texts}
            shared = {"slots": slots[i], "evidence": proofs[i], "checks": kept[i],
                      "chain_id": None if alone else digest(*names[i])}  # fmt: skip
            out[at] = Ready(putting, i, int(row[i]), ids, shared, texts)
        return out

    def _windows(self, rows: Rows, unit: Sequence[int]) -> list[Window]:
        """What each row's question may see."""
        known = self.found.units.windows
        if known:
            return [known[u] for u in unit]
        spans = spans_of(rows.stretch("window"), rows.base)
        return _placed(self.program.unit.kind, rows, spans)


TRIED = (range(1), range(1, 2), range(2, 4), range(4, TRIES))
"""Fillings of a unit that are put together: most are fine, so that few are put in vain."""


def rounds(fillings: int, turns: int) -> Iterator[list[tuple[int, int]]]:
    """(filling, turn) pairs that are tried together, until all of them were.

    With the next fillings at their first places come those before at all of their others.
    """
    for before, now in pairwise((range(0), *TRIED)):
        first = range(turns if now is TRIED[-1] else 1)
        some = [(k, turn) for k in before for turn in range(1, turns)]
        some += [(k, turn) for k in now for turn in first]
        if known := [one for one in some if one[0] < fillings]:
            yield known


def _identity(
    program: Program, rows: Rows, i: int, windows: list[Window], drawn: list[dict[str, Any]]
) -> tuple[object, ...]:
    """What makes a filling this one: nothing that others or other videos could change.

    Windows of a chain follow from its filling.
    """
    video = rows.relation.recordings[int(rows.video[i])].key
    place = () if program.unit.kind == "chain" else (windows[i].window_id,)
    return program.id, program.version, video, *place, text_of(drawn[i])


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


def _items(one: Ready) -> list[Item]:
    """The items of a filling, one of each stage."""
    out, program = [], one.putting.program
    for name, text in one.texts.items():
        fields = {**one.shared, **text.item(one.i)}
        window = fields["window"]
        whole = Pointer("window", window.window_id, window.start_us, window.end_us)
        fields["evidence"] = fields["evidence"] or (whole,)
        out.append(Item(item_id=one.ids[name], template_id=program.id, **fields))
    return out


def _placed(kind: str, rows: Rows, spans: Spans) -> list[Window]:
    """The windows of some rows, named by their recording and place."""
    keys = [rows.relation.recordings[v].key for v in rows.video.tolist()]
    return [Window(kind, digest(kind, key, *span), *span)
            for key, span in zip(keys, spans.tolist(), strict=True)]  # fmt: skip


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
    UNNAMEABLE: "nothing that can be seen tells the instance from others of its class",
    "draw": "the side that the draw asks for does not occur",
}
