"""Wrong options by exchange: the correct answers of other questions about the same video.

All questions of a template about a video are made first. Then they are grouped into blocks. The
options of each question in a block are the correct answers of all questions in it. A question is
not asked if no other answer in the video is wrong for it: its answer is frequent in the video and
could be guessed for that reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.transforms.algebra.columns.codes import value_codes
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import may_be_one, text_of
from surgqa.transforms.algebra.operators.pools.blocks import Block, ExchangeEntry, dealt, partner
from surgqa.transforms.algebra.tree import Call, Name
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.pools import exchanged, free_of
from surgqa.transforms.questions.printed import Printed
from surgqa.transforms.questions.stages import Putting
from surgqa.transforms.questions.wrong import Choice, excluded, name_of

ALONE = "exchange"
"""Reason code: no other question about the video could exchange answers with this one."""

_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, eq=False)
class Ready:
    """One question, or all questions of one chain, complete but for the exchanged options.

    Attributes:
        putting: the batch in which it was made.
        i: its index in ``putting``.
        row: its index among all fillings (possible questions) of the template.
        ids: for each stage, the id of its item.
        shared: item fields that are the same in all stages.
        texts: for each stage, the printed texts of the batch.
    """

    putting: Putting
    i: int
    row: int
    ids: dict[str, str]
    shared: dict[str, Any]
    texts: dict[str, Printed]

    @property
    def video(self) -> int:
        """Index of the video that the question is about."""
        return int(self.putting.rows.video[self.i])


def answer_codes(program: Program, rows: Rows) -> np.ndarray | None:
    """Return uint64 (n,), a hash of each row's answer.

    None if answers are not exchanged, or if the answer depends on the window of a stage.
    """
    for stage in program.stages:
        node = stage.answer[0][1]
        if exchanged(stage) is not None and (not stage.name or isinstance(node, Name)):
            return value_codes(evaluate(node, rows), rows)
    return None


def exchange(program: Program, ready: Sequence[Ready]) -> set[Ready]:
    """Set the options that questions take from each other, and the options derived from them.

    Returns:
        the questions for which no options were found.
    """
    left: set[Ready] = set()
    for stage in program.stages:
        pool = exchanged(stage)
        for video in sorted({one.video for one in ready}) if pool is not None else ():
            mine = [one for one in ready if one.video == video and one not in left]
            left.update(_Recording(stage.name, pool, mine).exchange())
    return left


class _Recording:
    """All questions of one stage about one video; they exchange their answers."""

    def __init__(self, stage: str, pool: Call, ready: Sequence[Ready]) -> None:
        self.stage, self.pool, self.ready = stage, pool, ready
        self.texts = [one.texts[stage] for one in ready]
        self.cases = [text.put.cases[one.i] for one, text in zip(ready, self.texts, strict=True)]
        self.asks = {key: text.words.of(text.put.stage.ask[0])
                     for key, text in {id(text): text for text in self.texts}.items()}  # fmt: skip
        self.answers = [text_of(case.answer) for case in self.cases]
        self.values = {
            text: case.answer
            for text, case in sorted(zip(self.answers, self.cases, strict=True), key=lambda x: x[0])
        }
        self.wrong = self._wrong()

    def exchange(self) -> list[Ready]:
        """Give the questions of each block their answers as options; return all other questions."""
        blocks = dealt([self._entry(k) for k in range(len(self.ready))], self._fits)
        alone = [k for block in blocks if not self._block(block) for k in block]
        inside = {k for block in blocks for k in block}
        alone += [k for k in range(len(self.ready)) if k not in inside and not self._left_over(k)]
        for k in alone:
            self.texts[k].put.blocks.pop(self.ready[k].i, None)
        return [self.ready[k] for k in alone]

    def _entry(self, k: int) -> ExchangeEntry:
        one, text = self.ready[k], self.texts[k]
        asks = self.asks[id(text)][one.i]
        return ExchangeEntry(
            self.cases[k].key.h64("exchange"), self.answers[k], _NUMBERS.sub("#", asks)
        )

    def _wrong(self) -> list[set[str]]:
        """Return, for each question, the other questions' answers that are certainly wrong."""
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
        """True if questions ``a`` and ``b`` can exchange answers.

        The answer of each must be wrong for the other, and both must be printed differently.
        """
        said = [self.texts[k].right[self.ready[k].i].casefold() for k in (a, b)]
        return (self.answers[a] in self.wrong[b] and self.answers[b] in self.wrong[a]
                and said[0] != said[1])  # fmt: skip

    # -- choices --------------------------------------------------------------------------------

    def _block(self, block: Block) -> bool:
        """Give the questions of a block each other's answers as options (see :func:`partner`).

        False if two of these answers are printed alike.
        """
        block_id = digest("block", *sorted(self.ready[k].ids[self.stage] for k in block))
        fine = True
        for place, k in enumerate(block):
            other = block[partner(place, len(block))]
            rest = [other, *(j for j in block if j not in (k, other))]
            choices = [Choice(self.cases[j].answer, name_of(self.pool)) for j in rest]
            fine &= self._chosen(k, choices, block_id)
        return fine

    def _left_over(self, k: int) -> bool:
        """Set the options of a question from the next entry of the template's ``wrong``, if any.

        This is done only if no other answer in the video is wrong for the question. True if the
        options were set.
        """
        text, one = self.texts[k], self.ready[k]
        if self.wrong[k] or text.put.stage.wrong[-1] is self.pool:
            return False
        choices = text.put.choose(one.i, without=self.pool) or []
        return bool(choices) and self._chosen(k, choices)

    def _chosen(self, k: int, choices: list[Choice], block: str = "") -> bool:
        """Set the options of a question, and of the stages whose options combine them.

        True if the options of each of these questions differ from each other.
        """
        i, texts = self.ready[k].i, self.ready[k].texts.values()
        self.texts[k].put.give(i, choices, block)
        waiting = [text for text in texts if text.put.waits]
        joined = all(text.put.join(i) for text in waiting if exchanged(text.put.stage) is None)
        return joined and all(text.complete(i) for text in waiting)
