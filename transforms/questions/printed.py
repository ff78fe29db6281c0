"""Print all texts of one stage (question), for all rows of a batch at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.items import Option
from surgqa.ontology.keys import Key
from surgqa.ontology.records import Window
from surgqa.transforms.algebra.columns.apart import (
    UNNAMEABLE,
    TrackWords,
    instances_in,
    nameable,
    track_words,
)
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import text_of
from surgqa.transforms.algebra.tree import Call, Name, Node
from surgqa.transforms.algebra.walk import names_in, prints
from surgqa.transforms.language.program import Program, Rounds, Stage
from surgqa.transforms.questions.knowledge import statements
from surgqa.transforms.questions.pools import Put
from surgqa.transforms.questions.printers import PrintContext
from surgqa.transforms.questions.rounds import RoundPlan, planned, rounds_of
from surgqa.transforms.questions.row_fields import numbers, shown_times
from surgqa.transforms.questions.rubrics import UNANSWERABLE, rubrics
from surgqa.transforms.questions.stages import Putting
from surgqa.transforms.questions.texts import ANSWER, TextFiller, capital
from surgqa.transforms.questions.wrong import YES_NO, listed

KEYS = "ABCDEFGHIJKLMNOP"


@dataclass(frozen=True)
class Printed:
    """The texts of one stage (question), for all fillings of a batch (possible questions).

    Attributes:
        right: for each filling, the answer as printed among the options.
        says: for each filling, the answer as given in the item, which may be a whole sentence.
        fields: for each item field, one value for each filling. The fields ``options`` and
            ``answer`` are computed later, from the wrong options.
        options: options of each filling; empty until the wrong options are known.
    """

    put: Put
    words: TextFiller
    right: Sequence[str]
    says: Sequence[str]
    fields: Mapping[str, Sequence[Any]]
    options: list[tuple[Option, ...]]

    def complete(self, i: int) -> bool:
        """Print the options of row ``i``; False if two of them are printed alike."""
        made, wrong = _options(self.put, self.words, self.right[i], i), self.put.choices[i]
        self.options[i] = made
        return len(made) == len(wrong) + 1 or not wrong

    def item(self, i: int) -> dict[str, Any]:
        """Return the fields of the item that row ``i`` becomes."""
        return {**{name: column[i] for name, column in self.fields.items()},
                "options": self.options[i], "answer": _lettered(self.says[i], self.options[i]),
                "block": self.put.blocks.get(i)}  # fmt: skip


def printed(program: Program, put: Put, putting: Putting, windows: Sequence[Window]) -> Printed:
    """Print the texts of a stage (question) for each row; record in ``putting`` if that fails.

    Args:
        put: the values of the stage.
        windows: the windows of the stage.
    """
    stage, rows = put.stage, put.rows
    sheets = _sheets(program, put, putting, windows)
    texts = (*stage.texts, stage.rubric.grounds if stage.rubric else ())
    named = {name for piece in prints(texts) for name in names_in(piece.node)}
    before = {name: TextFiller(program, one.rows, sheets).of(one.stage.say)
              for name, one in putting.done.items() if name in named}  # fmt: skip
    words = TextFiller(program, rows, sheets, before)
    right = _unanswerable(stage, put.answers, words.of(stage.say))
    number = numbers(program)[stage.name]
    knowledge = [""] * rows.n
    if stage.knowledge:
        knowledge = statements(program, stage, number or 0, rows)
        putting.note_all([bool(text) for text in knowledge], "knowledge")
    says, rounds = _in_rounds(program, put, putting, words, right)
    fields: dict[str, Sequence[Any]] = {
        "window": windows, "stage": [number] * rows.n, "question": _asked(put, words),
        "answer_value": [{name: column[i] for (name, _), column in
                          zip(stage.answer, put.answers, strict=True)} for i in range(rows.n)],
        "reasoning": [tuple(map(capital, lines)) for lines in
                      zip(*map(words.of, stage.reasoning), strict=True)] or [()] * rows.n,
        "knowledge": [text or None for text in knowledge],
        "clue": [capital(text) or None for text in words.of(stage.clue)],
        "context": [capital(text) or None for text in words.of(stage.context)],
        "extra": _beside(program, put, words, says, rounds),
    }  # fmt: skip
    out = Printed(put, words, right, says, fields, [()] * rows.n)
    for i, why in enumerate(putting.why):
        if not why and not put.waits and not out.complete(i):
            putting.note(i, "wrong")
    return out


def _asked(put: Put, words: TextFiller) -> list[str]:
    """Return, for each row, one of the question's wordings, drawn by the row's hash key."""
    names = [f"ask[{k}]" for k in range(len(put.stage.ask))]
    drawn = [case.key.extended("wording").choose(names) for case in put.cases]
    return [*map(capital, words.one_of(put.stage.ask, drawn))]


def _in_rounds(
    program: Program, put: Put, putting: Putting, words: TextFiller, says: Sequence[str]
) -> tuple[Sequence[str], Sequence[Any]]:
    """Return each row's answer and rounds (times of asking); None if the template has no rounds."""
    if program.rounds is None:
        return says, [None] * put.rows.n
    plans = planned(program, put.rows, [case.key for case in put.cases])
    putting.note_all([plan is not None for plan in plans], "rounds")
    says = _silent(program.rounds, plans, says)
    return says, rounds_of(program, plans, put.rows, words.sheets, says)


def _beside(
    program: Program, put: Put, words: TextFiller, says: Sequence[str], rounds: Sequence[Any]
) -> list[dict[str, Any]]:
    """Return the other fields of each item: query time, rubric, and rounds (repeated questions)."""
    rows, stage = put.rows, put.stage
    grounds = words.of(stage.rubric.grounds if stage.rubric else ())
    judged = rubrics(stage, rows, put.answers, grounds, says)
    return [
        {"query_us": at, **({"rounds": again} if again is not None else {}),
         **({"rubric": rubric} if rubric is not None else {})}
        for at, again, rubric in zip(_query_times(program, rows), rounds, judged, strict=True)
    ]  # fmt: skip


def _lettered(text: str, options: Sequence[Option]) -> str:
    said = capital(text)
    return next((f"{one.key}) {said}" for one in options if one.is_answer), said)


def _silent(rounds: Rounds, plans: Sequence[RoundPlan | None], says: Sequence[str]) -> list[str]:
    """Return the answers; a stream whose event never comes gets ``otherwise``, such as silence."""
    return [rounds.otherwise if rounds.due is not None and plan is not None and plan.due is None
            else said for plan, said in zip(plans, says, strict=True)]  # fmt: skip


def _unanswerable(stage: Stage, answers: Sequence[Sequence[Any]], says: list[str]) -> list[str]:
    """Return the printed answers; ``UNANSWERABLE`` where no answer exists."""
    if stage.wrong or len(answers) != 1:
        return says
    return [UNANSWERABLE if value == UNANSWERABLE else said
            for value, said in zip(answers[0], says, strict=True)]  # fmt: skip


def _query_times(program: Program, rows: Rows) -> list[int | None]:
    """Return the time of each question in microseconds; None for clips and chains."""
    if program.unit.kind not in ("now", "stream"):
        return [None] * rows.n
    now = rows.time("now")
    return (now.at - rows.base).tolist()


# -- instances ----------------------------------------------------------------------------------


def _sheets(
    program: Program, put: Put, putting: Putting, windows: Sequence[Window]
) -> list[PrintContext]:
    """Return, for each row, what printing needs, such as words that tell instruments apart."""
    rows, shown = put.rows, instances_in(put.stage.texts)
    words: list[TrackWords] = track_words(rows) if shown else [{}] * rows.n
    for node in shown:
        putting.note_all(nameable(node, rows).tolist(), UNNAMEABLE)
    clip = program.unit.kind == "clip"
    pictures = shown_times(program, rows)
    return [PrintContext(window.start_us if clip else 0, words[i], shown=pictures[i])
            for i, window in enumerate(windows)]  # fmt: skip


# -- options ------------------------------------------------------------------------------------


def _options(put: Put, words: TextFiller, right: str, i: int) -> tuple[Option, ...]:
    """Return the options of one row, ordered by hash key; options printed alike become one.

    Questions that have each other's answers as options list them in the same order, so each letter
    is right once.
    """
    if not put.choices[i]:
        return ()
    stage, case = put.stage, put.cases[i]
    found = {right: Option("", "", True, "answer", case.answer)}
    for choice in put.choices[i]:
        text = words.with_values(stage.say, i, _in_place(stage, choice.value))
        found.setdefault(text, Option("", "", False, choice.kind, choice.value))
    key = Key("block", put.blocks[i]) if i in put.blocks else case.key
    order = key.extended("order").ordered(sorted(found))
    fixed = _places(put, i)
    if fixed:  # the template states the order
        order = sorted(order, key=lambda text: fixed.get(text_of(found[text].value), len(fixed)))
    known = [(KEYS[k], text, found[text]) for k, text in enumerate(order)]
    return tuple(Option(key, capital(text), one.is_answer, one.kind, one.value)
                 for key, text, one in known)  # fmt: skip


def _places(put: Put, i: int) -> dict[str, int]:
    """Return the position of each option if the template fixes the order, else nothing.

    The order is also fixed for Yes and No.
    """
    if put.stage.form == YES_NO:
        return {text_of(True): 0, text_of(False): 1}
    values = [value for pool in put.stage.wrong
              if isinstance(pool, Call) and pool.get("order") == "fixed"
              for value in listed(pool, put.cases[i].pools.get(pool, []))]  # fmt: skip
    return {text_of(value): place for place, value in enumerate(values)}


def _in_place(stage: Stage, value: Any) -> dict[Node, Any]:
    """Return the values of the wrong option ``value`` for the expressions of the answer's text."""
    nodes = [node for _, node in stage.answer]
    if len(nodes) > 1:
        return dict(zip(nodes, value, strict=True))
    return {nodes[0]: value, Name(nodes[0].type, ANSWER): value}
