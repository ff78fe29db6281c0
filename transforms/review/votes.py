"""Check the returned sheets against the sample: complete, each question once, valid values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontology.errors import UserError, together
from transforms.review import label_studio, spreadsheet
from transforms.review.entries import Entry
from transforms.review.record import Sampled
from transforms.review.terms import NO, PHRASES, YES, Flaw

_VALID = {YES: True, "y": True, NO: False, "n": False}
_FLAWS = {
    **{phrase.casefold(): flaw for flaw, phrase in PHRASES.items()},
    **{str(flaw): flaw for flaw in PHRASES},
}
_LETTER = re.compile(r"([A-Za-z])(?:[).:]\s?.*)?", re.DOTALL)

Options = Mapping[str, Sequence[str]]
"""Item -> letters that may be chosen; none for an open question."""


@dataclass(frozen=True, slots=True)
class Vote:
    """The entries of one rater about one question.

    Attributes:
        reviewer: name of the rater.
        answer: a letter; for an open question free text or ''.
        valid: whether the question may stay.
        flaws: in the order of the closed list.
    """

    reviewer: str
    answer: str
    valid: bool
    flaws: tuple[Flaw, ...]
    comment: str


Votes = dict[str, dict[str, Vote]]
"""Reviewer -> item -> vote; reviewers sorted by name."""


def read_sheet(path: Path) -> list[Entry]:
    """The rows of a sheet in either format.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: it is not a sheet.
    """
    return (label_studio if path.suffix == ".json" else spreadsheet).read(path)


def votes_of(sampled: Sampled, sheets: Mapping[str, Path], options: Options) -> Votes:
    """The votes of all reviewers.

    Args:
        sheets: reviewer -> file.
        options: letters of every item of the sample.

    Raises:
        SourceMissing: a file does not exist.
        SourceBroken: a file is not a sheet.
        UserError: entries are missing, repeated, invalid or of another sample; the message lists
            all problems.
    """
    problems: list[UserError] = []
    votes: Votes = {}
    raters: dict[str, Path] = {}
    for reviewer, path in sorted(sheets.items()):
        entries = read_sheet(path)
        rater = _rater(sampled, path, entries, problems)
        if rater in raters:
            problems.append(_twice_read(rater, path, raters[rater]))
        elif rater is not None:
            raters[rater] = path
        votes[reviewer] = _votes(reviewer, path, entries, options, problems)
    if problems:
        raise together(problems, "in the sheets", "correct the sheets and import them again")
    return votes


def _rater(
    sampled: Sampled, path: Path, entries: Sequence[Entry], problems: list[UserError]
) -> str | None:
    """The rater of a sheet, None if unknown."""
    marks = {sampled.sheet(rater): rater for rater in sampled.raters}
    first = next((one.sheet for one in entries if one.sheet in marks), None)
    for one in entries:
        if one.sheet not in marks:
            problems.append(UserError(
                "the row is of another sample", where=one.where,
                expected=first or f"{sampled.name}-RATER", found=one.sheet or "nothing",
                fix="import the sheets of this sample, with the output they were drawn from",
            ))  # fmt: skip
        elif one.sheet != first:
            problems.append(UserError(
                "the row is of another rater's sheet", where=one.where, expected=first,
                found=one.sheet, fix="give each rater's sheet as a file of its own",
            ))  # fmt: skip
    if not entries:
        problems.append(UserError(f"{path.name} has no rows", where=str(path)))
    return marks[first] if first else None


def _twice_read(rater: str, path: Path, before: Path) -> UserError:
    return UserError(
        f"the sheet of rater {rater} is given twice", where=str(path), found=str(before),
        expected="one file for each rater", fix="name every sheet once",
    )  # fmt: skip


def _votes(
    reviewer: str, path: Path, entries: Sequence[Entry], options: Options,
    problems: list[UserError],
) -> dict[str, Vote]:  # fmt: skip
    votes: dict[str, Vote] = {}
    seen: dict[str, str] = {}
    for one in entries:
        if one.item_id not in options:
            problems.append(UserError(
                "the question is not in the sample", where=one.where,
                expected="an id of this sample", found=one.item_id or "nothing",
                fix="take the rows as they were written, ids unchanged",
            ))  # fmt: skip
        elif one.item_id in seen:
            problems.append(UserError(
                "the question is answered twice", where=one.where, expected="one row a question",
                found=f"{one.item_id}, also in {seen[one.item_id]}", fix="keep one of the rows",
            ))  # fmt: skip
        else:
            seen[one.item_id] = one.where
            vote = _vote(reviewer, one, options[one.item_id], problems)
            votes |= {one.item_id: vote} if vote else {}
    missing = sorted(set(options) - set(seen))
    if missing:
        problems.append(UserError(
            f"{len(missing)} question(s) of the sample have no row", where=str(path),
            expected=f"{len(options)} rows", found=f"none for {', '.join(missing[:3])}",
            fix="have the missing rows filled in; a sheet is imported whole",
        ))  # fmt: skip
    return votes


def _vote(
    reviewer: str, one: Entry, letters: Sequence[str], problems: list[UserError]
) -> Vote | None:
    found = len(problems)
    if one.valid == label_studio.NOT_DONE:
        problems.append(_out_of_range(one, "the task has no annotation", "a submitted one", ""))
        return None
    answer = _answer(one, letters, problems)
    valid = _VALID.get(one.valid.casefold())
    if valid is None:
        problems.append(_out_of_range(one, "valid is not filled in", f"{YES} or {NO}", one.valid))
    flaws = {_FLAWS.get(text.casefold()): text for text in one.wrong}
    if None in flaws:
        known = "; ".join(PHRASES.values())
        problems.append(_out_of_range(one, "not in the list of what is wrong", known, flaws[None]))
    if valid is False and not flaws:
        expected = f"what is wrong: {'; '.join(PHRASES.values())}"
        problems.append(_out_of_range(one, "not valid, and nothing is said to be wrong", expected,
                                      ""))  # fmt: skip
    if len(problems) > found:
        return None
    ordered = tuple(flaw for flaw in Flaw if flaw in flaws)
    return Vote(reviewer, answer, bool(valid), ordered, one.comment)


def _answer(one: Entry, letters: Sequence[str], problems: list[UserError]) -> str:
    if not letters:
        return one.answer
    match = _LETTER.fullmatch(one.answer)
    letter = match[1].upper() if match else ""
    if letter not in letters:
        what = "the answer is not one of the options" if one.answer else "the answer is missing"
        expected = f"a letter: {', '.join(letters)}"
        problems.append(_out_of_range(one, what, expected, one.answer))
    return letter


def _out_of_range(one: Entry, what: str, expected: str, found: str) -> UserError:
    return UserError(
        what, where=one.where, expected=expected, found=found or "nothing",
        fix="fill the field in and import again",
    )  # fmt: skip
