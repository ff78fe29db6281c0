"""Prints every text of an item again, and compares the row's texts with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from surgqa.transforms.algebra.tree import Node, Text
from surgqa.transforms.checks.proof.printing import Page
from surgqa.transforms.checks.proof.reading import RowValues
from surgqa.transforms.checks.proof.rows import Problem, ProofRow
from surgqa.transforms.checks.proof.texts import Unprintable, expected, says


def word_problems(
    asked: ProofRow,
    track_words: Mapping[str, str] | None = None,
    said: Mapping[str, str] | None = None,
    given: Mapping[Node, Any] | None = None,
) -> Iterator[Problem]:
    """Yield (code, detail) for each text of a row that differs from its template's text.

    Args:
        track_words: for each track, the words that distinguish it from others of its class within
            the window.
        said: for each stage of a chain, the text of its answer.
        given: values that no column of the row contains.
    """
    row, stage, page, known = (
        asked.row,
        asked.stage,
        asked.page(track_words),
        asked.known(said, given),
    )
    yield from _one_of("question", stage.ask, row["question"], known, page)
    silence = silence_of(asked)
    if silence and row["answer"] != silence:
        yield "words_differ", f"answer {row['answer']!r}, expected {silence!r}"
    elif not silence and not row["options"]:
        yield from _one_of("answer", (stage.say,), row["answer"], known, page)
    for option, value in zip(row["options"] or (), asked.offered, strict=True):
        what = f"option {option['key']}"
        yield from _one_of(what, (stage.say,), option["text"],
                           _in_place(asked, known, value), page)  # fmt: skip
    yield from _reasoning(asked, known, page)
    for name, text in (("context", stage.context), ("clue", stage.clue)):
        if bool(text) != bool(row[name]):
            yield "stage_texts", f"{name}: {row[name]!r}"
        elif text:
            yield from _one_of(name, (text,), row[name], known, page)


def silence_of(asked: ProofRow) -> str:
    """Return the expected reply if an item has no answer, such as "Unanswerable"; otherwise ''."""
    rounds = asked.program.rounds
    if asked.row["options"]:
        return ""
    if asked.answer == "unanswerable":
        return "Unanswerable"
    if rounds is None or rounds.due is None:
        return ""
    comes = any(one["answerable"] for one in asked.row["rounds"] or ())
    return "" if comes else rounds.otherwise


def _in_place(asked: ProofRow, known: RowValues, value: object) -> RowValues:
    """Return the values for printing an option: the option's value takes the answer's place."""
    fields = len(asked.stage.answer)
    if fields > 1 and not (isinstance(value, list) and len(value) == fields):
        return known
    return known.with_answer(asked.stage, value)


def _reasoning(asked: ProofRow, known: RowValues, page: Page) -> Iterator[Problem]:
    wanted, found = asked.stage.reasoning, asked.row["reasoning"] or []
    if len(wanted) != len(found):
        yield "words_differ", f"reasoning has {len(found)} lines, the template {len(wanted)}"
        return
    for i, (text, line) in enumerate(zip(wanted, found, strict=True)):
        yield from _one_of(f"reasoning {i + 1}", (text,), line, known, page)


def _one_of(
    what: str, texts: tuple[Text, ...], found: str, known: RowValues, page: Page
) -> Iterator[Problem]:
    try:
        if any(says(text, found or "", known, page) for text in texts):
            return
        shown = expected(texts[0], known, page)
    except Unprintable as error:
        yield "words_differ", f"{what}: {error}"
        return
    more = f" (or one of {len(texts) - 1} other wordings)" if len(texts) > 1 else ""
    yield "words_differ", f"{what} {found!r}, expected {shown!r}{more}"
