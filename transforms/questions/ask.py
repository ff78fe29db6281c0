"""Make the items of a template for some videos.

A unit, such as a clip, gets at most one item. For every unit without an item, the reason is
recorded. The package's docstring explains the terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from surgqa.ontology.items import Item, Pointer
from surgqa.ontology.keys import Key, digest
from surgqa.ontology.records import Code, Rejected, Window
from surgqa.transforms.algebra.columns.apart import UNNAMEABLE
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import text_of
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.draw import in_order, is_ranked_early, leading, needs_sides, ranked
from surgqa.transforms.questions.exchange import ALONE, Ready, answer_codes, exchange
from surgqa.transforms.questions.fill import TRIES, UNSEEN, Filled, Filling, among, pieces
from surgqa.transforms.questions.grounds import pointers
from surgqa.transforms.questions.pools import exchanged
from surgqa.transforms.questions.printed import printed
from surgqa.transforms.questions.row_fields import drawn_of, gates, slots_of
from surgqa.transforms.questions.stages import OUTSIDE, WHOLE, Putting, spans_of, turns
from surgqa.transforms.questions.unannotated import Unannotated, unannotated
from surgqa.transforms.questions.units import Units
from surgqa.transforms.questions.why import reasons
from surgqa.transforms.questions.windows import Spans
from surgqa.transforms.timeline.relation import Relation


@dataclass
class Asked:
    """The items that one template gave.

    Attributes:
        items: at most one for each unit (such as a clip), or one for each question of a chain.
        declined: for every unit without an item, the reason.
    """

    items: list[Item] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)
    units: int = 0


@dataclass(frozen=True, eq=False)
class Asker:
    """Asks parsed templates about the videos of a relation (a table of facts)."""

    relation: Relation
    clips: Units
    seed: str

    def ask(self, program: Program) -> Asked:
        """Return the items of one template, for all videos together."""
        out = Asked()
        for one in self.ask_each(program):
            out = Asked(out.items + one.items, out.declined + one.declined, out.units + one.units)
        return out

    def ask_each(self, program: Program) -> list[Asked]:
        """Return the items of one template, separately for each video.

        The result for a video does not depend on the other videos.

        A unit (such as a clip) may have many possible questions. If their order can be drawn before
        they are evaluated, only the first few are evaluated, and more only for units without an
        item.
        """
        without = unannotated(program, self.relation)
        filling = Filling(program, self.relation, self.clips, without)
        done: dict[int, list[Item]] = {}
        why: dict[int, str] = {}
        failed: dict[int, int] = {}
        found = filling.begun
        for part in filling.parts():
            asking = _Asking(filling, filling.drawn(part), self.seed)
            done |= asking.items()
            found, why, failed = asking.found, why | asking.why, failed | asking.failed
        found = replace(found, failed=failed)
        return self._by_video(found, done, found.why() | why, without)

    def _by_video(
        self, found: Filled, done: Mapping[int, list[Item]], whys: Mapping[int, str],
        without: Mapping[int, Unannotated],
    ) -> list[Asked]:  # fmt: skip
        """Return, for each video, its items, and the reason for each unit (such as a clip) without
        one.

        Args:
            found: the units.
            done: index of a unit -> its items.
            whys: index of a unit -> the reason found so far.
            without: the videos that the template cannot ask about.
        """
        program, videos = found.program, found.units.video
        unclear = [u for u, what in found.why().items() if u not in done and what not in _REASONS]
        because = reasons(program, self.relation, self.clips, found, unclear)
        whys = {**whys, **{u: without[v].where for u, v in enumerate(videos.tolist())
                           if v in without}}  # fmt: skip
        each = [Asked() for _ in self.relation.recordings]
        for unit, (one, video) in enumerate(zip(found.units.ids, found.units.video.tolist(),
                                                strict=True)):  # fmt: skip
            each[video].units += 1
            each[video].items += done.get(unit, ())
            if unit not in done:
                why = whys.get(unit, "draw")
                reason = (without[video].reason if video in without
                          else _REASONS.get(why, because.get(unit, _UNCERTAIN)))  # fmt: skip
                key, code = f"{program.id} {one}", _CODES.get(why, Code.NO_FILLING)
                each[video].declined.append(Rejected("ask", key, code, reason, why))
        return each


class _Asking:
    """Asks a template about some units, trying their fillings (possible questions) in drawn order.

    Attributes:
        found: of the fillings evaluated last, those with a certain answer.
        failed: for each unit without such a filling so far, the test that removed its last one, as
            in :class:`Filled`.
        why: for each unit, the reason why its last certain filling did not become an item.
        before: int64 (units,), number of certain fillings of each unit in earlier batches.
    """

    def __init__(self, filling: Filling, drawn: Filled, seed: str) -> None:
        self.filling, self.drawn, self.found, self.seed = filling, drawn, drawn, seed
        self.program = drawn.program
        self.failed: dict[int, int] = {}
        self.why: dict[int, str] = {}
        self.before = np.zeros(len(drawn.units.ids), np.int64)
        self.certain: set[int] = set()

    def items(self) -> dict[int, list[Item]]:
        """Return the items by the index of their unit (such as a clip)."""
        if not is_ranked_early(self.program) or any(map(exchanged, self.program.stages)):
            self._evaluate(None)
            return self._exchanged()
        done: dict[int, list[Item]] = {}
        for rows, best in self._batches(done):
            self._evaluate(rows)
            if not self.found.rows.n:  # the later steps have no values yet
                continue
            order = ranked(self.program, self.seed, self.found, best)
            ready = self._ready(order)
            self.before += np.bincount(self.found.unit[order], minlength=len(self.before))
            done.update((unit, _items(one)) for unit, one in ready.items())
        return done

    def _batches(self, done: Mapping[int, Any]) -> Iterator[tuple[np.ndarray, bool]]:
        """Yield the fillings (possible questions) to evaluate next, int64 (k,), in batches.

        The first batches hold the first few fillings of each unit, and later batches the others,
        unit after unit. With each batch comes a flag: True if only fillings on the drawn side (such
        as those answered with Yes) may become items. If a unit has no filling on that side, all its
        fillings are evaluated again for both sides, in one batch.

        Args:
            done: the units that already have an item; the caller adds to it between batches.
        """
        drawn, unit, has_sides = self.drawn, self.drawn.unit, needs_sides(self.program)
        left, seen = np.ones(len(drawn.units.ids), bool), np.zeros(drawn.rows.n, bool)
        for count in COUNTS:
            some = leading(self.program, self.seed, drawn, count, left)
            some = some[~seen[some]]
            seen[some] = True
            yield some, has_sides
            left[list(done)] = False
        if has_sides:
            self.before[:] = 0
            seen[:] = False
        if not (rest := np.flatnonzero(left[unit] & ~seen)).size:
            return
        ordered = [rest] if has_sides else pieces(in_order(self.program, self.seed, drawn, rest))
        for some in ordered:
            left[list(done)] = False
            left &= self.before < TRIES
            if (some := some[left[unit[some]]]).size:
                yield np.sort(some), False

    def _evaluate(self, rows: np.ndarray | None) -> None:
        """Find the certain possible questions and, for units without one, the failed test."""
        found = self.found = self.filling.finished(self.drawn, rows)
        self.certain |= set(found.unit.tolist())
        for unit, place in found.failed.items():
            self.failed[unit] = max(place, self.failed.get(unit, place))
        for unit in self.certain & self.failed.keys():
            del self.failed[unit]

    def _exchanged(self) -> dict[int, list[Item]]:
        """Return the items by unit (such as a clip), if options are the answers of other questions.

        If no other question fits a unit's question, another possible question of the unit is tried.
        """
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
            # Options stay within a video, so further fillings of other videos cannot help.
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
        """Return the first possible question of each unit that lacks nothing but exchanged options.

        For a chain, several window positions are tried before the unit's next possible question.

        Args:
            order: indices of the possible questions (fillings), best first, unit after unit.
        """
        ready: dict[int, Ready] = {}
        unit = self.found.unit[order]
        place = among(unit) + self.before[unit]
        asked = np.zeros(len(self.found.units.ids), bool)
        for some in rounds(int(place.max(initial=-1)) + 1, turns(self.program.stages)):
            asked[list(ready)] = True
            left = ~asked[unit]
            tried = [np.flatnonzero(left & (place == k)) for k, _ in some]
            at = np.concatenate(tried)
            turn = np.repeat([turn for _, turn in some], [len(one) for one in tried])
            by = np.lexsort((turn, place[at], unit[at]))
            if len(by):
                ready.update(self._put(order[at[by]], turn[by]))
        return ready

    def _put(self, row: np.ndarray, turn: np.ndarray) -> dict[int, Ready]:
        """Return, for each unit (such as a clip), the questions of the first try that succeeds.

        A try is a possible question (filling) with windows at certain positions.

        Args:
            row: the filling of each try; within a unit, in order of preference.
            turn: for each try, how many window positions of its filling were tried before.
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
        """Return the questions that were tried and did not fail, by their index in ``putting``."""
        program, rows = self.program, putting.rows
        alone = program.unit.kind != "chain"  # stages of a chain have their own windows
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
        """Return, for each row, the part of the video that its question may use (its window)."""
        known = self.found.units.windows
        if known:
            return [known[u] for u in unit]
        spans = spans_of(rows.stretch("window"), rows.base)
        return _placed(self.program.unit.kind, rows, spans)


COUNTS = (3, 40)
"""How many fillings of a unit are evaluated if hash keys alone decide their order: first the
smaller number, which is enough for most units."""

TRIED = (range(1), range(1, 2), range(2, 4), range(4, TRIES))
"""Fillings of a unit that are tried together; most succeed, so the first batches are small."""


def rounds(fillings: int, turns: int) -> Iterator[list[tuple[int, int]]]:
    """Yield batches of pairs (possible question, turn) that are tried together.

    ``turn`` is the index of a window position. A batch holds new questions at their first position,
    and the questions of earlier batches at all their other positions.
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
    """Return values that identify one item of a template, whatever the other items are.

    The windows of a chain are left out, because they follow from its other values.
    """
    video = rows.relation.recordings[int(rows.video[i])].key
    place = () if program.unit.kind == "chain" else (windows[i].window_id,)
    return program.id, program.version, video, *place, text_of(drawn[i])


def _others(
    order: np.ndarray, unit: np.ndarray, codes: np.ndarray | None, alone: Mapping[int, Ready]
) -> np.ndarray:
    """Return possible questions that may replace a unit's question without options, best first.

    The unit's question found no other question to exchange answers with. A possible question with
    another answer may find such a question.

    Args:
        order: indices of the possible questions (fillings); ``unit``: the unit of each.
        codes: a hash of the answer of each filling; None if it is not known yet.
        alone: for each such unit, the question that was tried.
    """
    if codes is None or not alone:
        return order[:0]
    order = order[np.isin(unit[order], list(alone))]
    tried = np.array([alone[one].row for one in unit[order].tolist()], np.int64)
    return order[codes[order] != codes[tried]]


def _items(one: Ready) -> list[Item]:
    """Return the items of one filled template: one, or for a chain one for each stage."""
    out, program = [], one.putting.program
    for name, text in one.texts.items():
        fields = {**one.shared, **text.item(one.i)}
        window = fields["window"]
        whole = Pointer("window", window.window_id, window.start_us, window.end_us)
        fields["evidence"] = fields["evidence"] or (whole,)
        out.append(Item(item_id=one.ids[name], template_id=program.id, **fields))
    return out


def _placed(kind: str, rows: Rows, spans: Spans) -> list[Window]:
    """Return a window for each row, with an id made from the video and the interval."""
    keys = [rows.relation.recordings[v].key for v in rows.video.tolist()]
    return [Window(kind, digest(kind, key, *span), *span)
            for key, span in zip(keys, spans.tolist(), strict=True)]  # fmt: skip


_UNCERTAIN = "no filling of the template is certain beyond this"
_CODES = {"wrong": Code.TOO_FEW_OPTIONS, ALONE: Code.UNPAIRED, "knowledge": Code.NO_KNOWLEDGE,
          OUTSIDE: Code.INCOHERENT}  # fmt: skip
_REASONS = {
    "knowledge": "the knowledge bank has no statement for this event",
    "rounds": "the window is too short for as many rounds as the template asks for",
    OUTSIDE: OUTSIDE,
    UNSEEN: "the answer or a text may depend on evidence outside what the question may see",
    "wrong": "too few values are certainly wrong answers that could be offered as options",
    ALONE: "too few questions about this recording have another answer that is wrong here; the "
    "answer could be guessed from how often it is correct",
    UNNAMEABLE: "nothing visible distinguishes this instance from others of its class",
    "draw": "no value of the kind that the draw asks for occurs here",
}
