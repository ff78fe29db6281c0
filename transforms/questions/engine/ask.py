"""Asking a template of all units of some recordings: items, and a reason for every unit without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from ontology.keys import Key, digest
from ontology.records import Code, Item, Option, Pointer, Rejected, Window
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import One, Stretch
from transforms.algebra.tree import Call, Name, Node, Print, Text
from transforms.language.program.program import Program, Stage
from transforms.questions.engine.codes import value_codes
from transforms.questions.engine.draw import ranked
from transforms.questions.engine.fill import Filled, filled
from transforms.questions.engine.instances import Told, told_apart
from transforms.questions.engine.printers import Sheet, printer
from transforms.questions.engine.rounds import rounds_of
from transforms.questions.engine.texts import capital, texts
from transforms.questions.engine.told import told_fields
from transforms.questions.engine.typed import typed
from transforms.questions.engine.units import Units
from transforms.questions.engine.wrong import Case, Choice, options_of, pool_values
from transforms.timeline.relation import SHIFT, Relation

TRIES = 16
"""Fillings of a unit that are tried for one that can be named and has enough options."""

KEYS = "ABCDEFGHIJKLMNOP"


@dataclass
class Asked:
    """What asking gave.

    Attributes:
        items: one for each unit at most.
        declined: a reason for every other unit.
    """

    items: list[Item] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)


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
        done: dict[int, Item] = {}
        why = dict(found.failed)
        for batch in _batches(found.unit[order], order):
            batch = batch[~np.isin(found.unit[batch], list(done))]
            done.update(self._tried(program, found, batch, why))
        return Asked(
            [done[unit] for unit in sorted(done)],
            [_declined(program, ids[unit], why.get(unit, "draw"))
             for unit in range(len(ids)) if unit not in done],
        )  # fmt: skip

    # -- one batch: at most one filling of each unit ---------------------------------------------

    def _tried(
        self, program: Program, found: Filled, batch: np.ndarray, why: dict[int, str]
    ) -> dict[int, Item]:
        if not len(batch):
            return {}
        rows, unit = found.rows.inside(batch), found.unit[batch]
        stage = program.stages[0]
        windows = self._windows(program, found.units, rows, unit)
        shown = _instances_shown(program)
        told = told_apart(rows) if shown else [{}] * rows.n
        named = [_can_be_named(shown, rows, i, told[i]) for i in range(rows.n)]
        answers = [typed(node, rows) for _, node in stage.answer]
        slots = self._slots(program, rows)
        cases = self._cases(program, found, batch, rows, answers, slots, windows)
        made: list[list[Choice] | None] = [
            options_of(stage, c) if stage.wrong else [] for c in cases
        ]
        good = [i for i in range(len(batch)) if named[i] and made[i] is not None]
        for i, u in enumerate(unit.tolist()):
            if i not in good:
                why[u] = "unnameable" if not named[i] else "wrong"
        if not good:
            return {}
        kept = rows.inside(np.array(good))
        zero = [windows[i].start_us if program.unit.kind == "clip" else 0 for i in good]
        items = self._items(
            program, kept, [windows[i] for i in good], [cases[i] for i in good],
            [made[i] or [] for i in good], [slots[i] for i in good],
            [[column[i] for column in answers] for i in good],
            [Sheet(start, told[i]) for start, i in zip(zero, good, strict=True)],
        )  # fmt: skip
        return {int(unit[i]): item for i, item in zip(good, items, strict=True)}

    def _windows(
        self, program: Program, units: Units, rows: Rows, unit: np.ndarray
    ) -> list[Window]:
        """What each row's question may see."""
        if units.windows:
            return [units.windows[u] for u in unit.tolist()]
        window = rows.name("window")
        assert isinstance(window, Stretch)
        base = rows.video.astype(np.int64) << SHIFT
        out = []
        for video, a, b in zip(rows.video.tolist(), (window.start.at - base).tolist(),
                               (window.end.at - base).tolist(), strict=True):  # fmt: skip
            key = self.relation.recordings[video].key
            out.append(Window(program.unit.kind, digest(program.unit.kind, key, a, b), a, b))
        return out

    def _slots(self, program: Program, rows: Rows) -> list[dict[str, Any]]:
        names = [name for step in program.let for name in step.names]
        nodes = [Name(step.node.type, name) for step in program.let for name in step.names]
        columns = [typed(node, rows) for node in nodes]
        return (
            [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
            if names
            else [{}] * rows.n
        )

    def _cases(
        self, program: Program, found: Filled, batch: np.ndarray, rows: Rows,
        answers: list[list[Any]], slots: list[dict[str, Any]], windows: list[Window],
    ) -> list[Case]:  # fmt: skip
        pools = pool_values(program, rows)
        others = self._others(program, found, batch)
        out = []
        for i in range(rows.n):
            video = self.relation.recordings[int(rows.video[i])].key
            key = Key(self.seed, *_identity(program, video, windows[i], slots[i]))
            answer = answers[0][i] if len(answers) == 1 else [column[i] for column in answers]
            out.append(Case(answer, key, pools[i], others[i]))
        return out

    def _others(
        self, program: Program, found: Filled, batch: np.ndarray
    ) -> list[dict[str, list[Any]]]:
        """Answers of the same template with one name filled anew and the others as they are."""
        wanted = {pool.get("of").name for stage in program.stages for pool in stage.wrong
                  if isinstance(pool, Call) and pool.op == "exchange"}  # fmt: skip
        out: list[dict[str, list[Any]]] = [{} for _ in batch]
        if not wanted:
            return out
        rows = found.rows
        answer = typed(program.stages[0].answer[0][1], rows)
        for name in sorted(wanted):
            fixed = found.unit.astype(np.uint64)
            for other in program.drawn:
                if other != name:
                    fixed = fixed ^ value_codes(rows.name(other), rows)
            for i, row in enumerate(batch.tolist()):
                alike = np.flatnonzero(fixed == fixed[row]).tolist()
                out[i][name] = [answer[k] for k in alike]
        return out

    # -- items ----------------------------------------------------------------------------------

    def _items(
        self, program: Program, rows: Rows, windows: list[Window], cases: list[Case],
        made: list[list[Choice]], slots: list[dict[str, Any]], answers: list[list[Any]],
        sheets: list[Sheet],
    ) -> list[Item]:  # fmt: skip
        stage = program.stages[0]
        asks = [texts(wording, rows, sheets) for wording in stage.ask]
        says = texts(stage.say, rows, sheets)
        steps = [texts(line, rows, sheets) for line in stage.reasoning]
        parts = _say_parts(stage.say, rows, sheets)
        proofs = self._pointers(program, rows)
        told = told_fields(program, stage)
        streams = (
            rounds_of(program.rounds, rows, [c.key for c in cases], says) if program.rounds else []
        )
        out = []
        for i, window in enumerate(windows):
            wording = (
                cases[i].key.extended("wording").choose([f"ask[{k}]" for k in range(len(asks))])
            )
            options = _options(stage, cases[i], made[i], parts[i], says[i], sheets[i])
            key = next((o.key for o in options if o.is_answer), None)
            said = capital(says[i])
            video = self.relation.recordings[int(rows.video[i])].key
            out.append(Item(
                item_id=digest(*_identity(program, video, window, slots[i])),
                template_id=program.id, window=window,
                question=capital(asks[wording][i]), answer=f"{key}) {said}" if key else said,
                options=options,
                answer_value=dict(zip([name for name, _ in stage.answer], answers[i], strict=True)),
                slots=slots[i], evidence=proofs[i] or (_whole(window),), checks=(),
                reasoning=tuple(capital(line[i]) for line in steps),
                extra={**told, **({"rounds": streams[i]} if streams else {})},
            ))  # fmt: skip
        return out

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


def _identity(
    program: Program, video: str, window: Window, slots: dict[str, Any]
) -> tuple[object, ...]:
    """What makes an item this one: nothing that other items or other videos could change."""
    drawn = {name: slots[name] for name in program.drawn}
    text = orjson.dumps(drawn, option=orjson.OPT_SORT_KEYS).decode()
    return program.id, program.version, video, window.window_id, text


def _declined(program: Program, unit: str, why: str) -> Rejected:
    code = Code.TOO_FEW_OPTIONS if why == "wrong" else Code.NO_FILLING
    return Rejected("ask", f"{program.id} {unit}", code, _REASONS.get(why, _UNCERTAIN), why)


_UNCERTAIN = "no filling of the template is certain beyond this"
_REASONS = {
    "wrong": "too few values are certainly wrong and could be offered",
    "unnameable": "nothing that can be seen tells the instance from others of its class",
    "draw": "the side that the draw asks for does not occur",
}


def _batches(unit: np.ndarray, order: np.ndarray) -> Iterator[np.ndarray]:
    """First fillings of all units, then second ones, and so on; ``unit`` is ascending."""
    size = np.bincount(unit) if len(unit) else np.zeros(0, np.int64)
    place = np.arange(len(unit)) - (np.cumsum(size) - size)[unit] if len(unit) else unit
    for k in range(min(TRIES, int(size.max(initial=0)))):
        yield order[place == k]


def _instances_shown(program: Program) -> list[Node]:
    """Nodes of instances that some text names."""
    stage = program.stages[0]
    pieces = [p for text in (*stage.ask, stage.say, *stage.reasoning) for p in text]
    return [p.node for p in pieces if isinstance(p, Print) and p.filter in ("the", "name")
            and p.node.type.name in ("fact", "track")]  # fmt: skip


def _can_be_named(nodes: list[Node], rows: Rows, i: int, told: Told) -> bool:
    """Whether every instance that a text prints can be told from the others of its class."""
    for node in nodes:
        value = evaluate(node, rows)
        if not isinstance(value, One) or value.columns["track"][i] < 0:
            continue
        if rows.relation.codes.name(int(value.columns["track"][i])) not in told:
            return False
    return True


def _say_parts(say: Text, rows: Rows, sheets: Sequence[Sheet]) -> list[list[str | Print]]:
    """Of each row the pieces of the answer's words; what is not the answer itself is printed."""
    return [list(say) for _ in sheets]


def _options(
    stage: Stage, case: Case, made: list[Choice], say: list[str | Print], right: str, sheet: Sheet
) -> tuple[Option, ...]:
    """Right and wrong options in the order of their keys."""
    if not made:
        return ()
    answer = stage.answer[0][1]
    texts_ = {right: (True, "answer", case.answer)}
    for choice in made:
        shown = _as_said(say, answer, choice.value, sheet)
        texts_.setdefault(shown, (False, choice.kind, choice.value))
    order = case.key.extended("order").ordered(sorted(texts_))
    return tuple(Option(KEYS[k], capital(text), *texts_[text]) for k, text in enumerate(order))


def _as_said(say: list[str | Print], answer: Node, value: Any, sheet: Sheet) -> str:
    """A wrong value in the answer's words."""
    shown = Sheet(sheet.zero_us, sheet.told, answer.type.of)
    return "".join(
        piece
        if isinstance(piece, str)
        else printer(piece.filter, piece.node.type.name)(value, shown)
        for piece in say
    )


def _whole(window: Window) -> Pointer:
    return Pointer("window", window.window_id, window.start_us, window.end_us)
