"""Options by exchange: what is right at other times of the same recording.

All questions of a template about a recording are known before any of them gets such options.
They are dealt into blocks; who finds no partner is asked only if its answer has no order among
others, for a number or a set would be told by its place among the options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ontology.keys import digest
from transforms.algebra.columns.codes import value_codes
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.operators.exchange.blocks import Block, Entry, dealt, partner
from transforms.algebra.tree import Call, Name
from transforms.language.program import Program
from transforms.questions.pools import exchanged, free_of, joined
from transforms.questions.printed import Printed
from transforms.questions.stages import Putting
from transforms.questions.wrong import (
    WRONG,
    Choice,
    excluded,
    may_be_one,
    name_of,
    options_of,
    text_of,
)

ALONE = "exchange"
"""Why a filling is not asked: no other question to exchange its answer with."""

NOMINAL = ("label", "act", "word")
"""Types of answers that have no order and no middle: their options may be asked more than once."""

_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, eq=False)
class Ready:
    """One filling that can be asked, but for options that come by exchange.

    Attributes:
        i: its place among those of the putting; ``row``: among all fillings of the template.
        ids: stage -> id of its item.
        shared: fields that the items of all stages have.
        texts: stage -> what its item says.
    """

    putting: Putting
    i: int
    row: int
    ids: dict[str, str]
    shared: dict[str, Any]
    texts: dict[str, Printed]

    @property
    def video(self) -> int:
        """Place of its recording in the relation."""
        return int(self.putting.rows.video[self.i])


def answer_codes(program: Program, rows: Rows) -> np.ndarray | None:
    """uint64 (n,): of each filling a code of the answer that is exchanged.

    None where none is, or where it rests on a window of its own.
    """
    for stage in program.stages:
        node = stage.answer[0][1]
        if exchanged(stage) is not None and (not stage.name or isinstance(node, Name)):
            return value_codes(evaluate(node, rows), rows)
    return None


def exchange(program: Program, ready: Sequence[Ready]) -> set[Ready]:
    """Give options by exchange, and what is made of them, to all that wait for some.

    Returns:
        those that find none.
    """
    left: set[Ready] = set()
    for stage in program.stages:
        pool = exchanged(stage)
        for video in sorted({one.video for one in ready}) if pool is not None else ():
            mine = [one for one in ready if one.video == video and one not in left]
            left.update(_Recording(stage.name, pool, mine).exchange())
    return left


class _Recording:
    """The questions of one stage about one recording."""

    def __init__(self, stage: str, pool: Call, ready: Sequence[Ready]) -> None:
        self.stage, self.pool, self.ready = stage, pool, ready
        self.texts = [one.texts[stage] for one in ready]
        self.cases = [text.put.cases[one.i] for one, text in zip(ready, self.texts, strict=True)]
        self.answers = [text_of(case.answer) for case in self.cases]
        self.values = {
            text: case.answer
            for text, case in sorted(zip(self.answers, self.cases, strict=True), key=lambda x: x[0])
        }
        self.wrong = self._wrong()

    def exchange(self) -> list[Ready]:
        """Deal blocks, then find options for who is left over; those that have none."""
        blocks = dealt([self._entry(k) for k in range(len(self.ready))], self._fits)
        alone = [k for block in blocks if not self._block(block) for k in block]
        inside = {k for block in blocks for k in block}
        alone += [k for k in range(len(self.ready)) if k not in inside and not self._left_over(k)]
        for k in alone:
            self.texts[k].put.blocks.pop(self.ready[k].i, None)
        return [self.ready[k] for k in alone]

    def _entry(self, k: int) -> Entry:
        one, text = self.ready[k], self.texts[k]
        asks = text.words.of(text.put.stage.ask[0])[one.i]
        return Entry(self.cases[k].key.h64("exchange"), self.answers[k], _NUMBERS.sub("#", asks))

    def _wrong(self) -> list[set[str]]:
        """Of each question the other answers that are certainly wrong for it."""
        out: list[set[str]] = [set() for _ in self.ready]
        for putting in {id(one.putting): one.putting for one in self.ready}.values():
            put = putting.done[self.stage]
            mine = {one.i: k for k, one in enumerate(self.ready) if one.putting is putting}
            tried = [list(self._others(mine[i])) if i in mine else []
                     for i in range(len(put.cases))]  # fmt: skip
            free = free_of(self.pool, tried, put)
            for i, k in mine.items():
                out[k] = {text_of(value) for value in free[i]}
        return out

    def _others(self, k: int) -> Iterator[Any]:
        case = self.cases[k]
        unfit = {text_of(one) for one in excluded(self.pool, case)}
        for text, value in self.values.items():
            if text not in unfit and not may_be_one(value, case.answer):
                yield value

    def _fits(self, a: int, b: int) -> bool:
        """Whether each of two answers is wrong where the other is right, and says so."""
        said = [self.texts[k].right[self.ready[k].i].casefold() for k in (a, b)]
        return (self.answers[a] in self.wrong[b] and self.answers[b] in self.wrong[a]
                and said[0] != said[1])  # fmt: skip

    # -- choices --------------------------------------------------------------------------------

    def _block(self, block: Block) -> bool:
        """All of a block offer its answers; first the partner's, which stands for all others.

        False where some of these are said in the same words.
        """
        own = sorted(self.ready[k].ids[self.stage] for k in block)
        fine = True
        for place, k in enumerate(block):
            other = block[partner(place, len(block))]
            rest = [other, *(j for j in block if j not in (k, other))]
            self.texts[k].put.blocks[self.ready[k].i] = digest("block", *own)
            fine &= self._chosen(k, [Choice(self.cases[j].answer, name_of(self.pool))
                                     for j in rest])  # fmt: skip
        return fine

    def _left_over(self, k: int) -> bool:
        """Other answers of the recording; where it has none, values of the next pool, if any."""
        text, one = self.texts[k], self.ready[k]
        stage, case = text.put.stage, self.cases[k]
        choices = []
        if stage.answer[0][1].type.name in NOMINAL:
            order = case.key.extended(name_of(self.pool)).ordered(sorted(self.wrong[k]))
            choices = [Choice(self.values[name], name_of(self.pool)) for name in order[:WRONG]]
        if not choices and not self.wrong[k] and stage.wrong[-1] is not self.pool:
            rest = replace(stage, wrong=tuple(p for p in stage.wrong if p is not self.pool))
            choices = options_of(rest, case, text.put.offered[one.i]) or []
        return bool(choices) and self._chosen(k, choices)

    def _chosen(self, k: int, choices: list[Choice]) -> bool:
        """Give a question its options, and the stages that join them theirs; whether all differ."""
        one = self.ready[k]
        self.texts[k].put.choices[one.i] = choices
        for text in one.texts.values():
            put = text.put
            if put.waits and exchanged(put.stage) is None:
                offered = {**put.offered[one.i], **joined(put, one.i)}
                put.choices[one.i] = options_of(put.stage, put.cases[one.i], offered) or []
                if not put.choices[one.i]:
                    return False
        return all(text.complete(one.i) for text in one.texts.values() if text.put.waits)
