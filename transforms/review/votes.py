"""Check the returned sheets against the sample, and decide about each question.

Each sheet must contain each question once, with valid values. A question is left out if more than
half of the raters call it not valid. If exactly half do, the question is kept and counts as
disputed. If more than half of the raters choose the same wrong option, the question is contested.
Raters do not see which option is correct.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surgqa.ontology import errors
from surgqa.transforms.review.sample import Sampled
from surgqa.transforms.review.sheets import NOT_DONE, read_sheet
from surgqa.transforms.review.terms import NO, PHRASES, YES, Flaw, ReviewEntry

_VALID = {YES: True, "y": True, NO: False, "n": False}
_FLAWS = {
    **{phrase.casefold(): flaw for flaw, phrase in PHRASES.items()},
    **{str(flaw): flaw for flaw in PHRASES},
}
_LETTER = re.compile(r"([A-Za-z])(?:[).:]\s?.*)?", re.DOTALL)

Options = Mapping[str, Sequence[str]]
"""Item id -> letters of its options; empty for an open question."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One rater's answer to a question and judgement of it.

    Attributes:
        reviewer: name of the rater.
        answer: the letter of an option; for an open question, free text or ''.
        valid: whether the rater calls the question valid.
        flaws: what the rater calls wrong, in the order of :class:`~transforms.review.terms.Flaw`.
    """

    reviewer: str
    answer: str
    valid: bool
    flaws: tuple[Flaw, ...]
    comment: str


Votes = dict[str, dict[str, Vote]]
"""Reviewer -> item id -> vote; reviewers are sorted by name."""


def votes_of(sampled: Sampled, sheets: Mapping[str, Path], options: Options) -> Votes:
    """Return the votes of all reviewers.

    Args:
        sheets: for each reviewer, the file.
        options: for each item of the sample, the letters of its options.

    Raises:
        SourceMissing: a file does not exist.
        SourceBroken: a file is not a sheet.
        UserError: entries are missing, repeated, invalid or of another sample; the message lists
            all problems.
    """
    problems: list[errors.UserError] = []
    votes: Votes = {}
    raters: dict[str, Path] = {}
    for reviewer, path in sorted(sheets.items()):
        entries = read_sheet(path)
        rater = _rater(sampled, path, entries, problems)
        if rater in raters:
            problems.append(errors.RowTwice(
                f"the sheet of rater {rater} is given twice", where=str(path),
                found=str(raters[rater]), expected="one file for each rater",
                fix="name every sheet once",
            ))  # fmt: skip
        elif rater is not None:
            raters[rater] = path
        votes[reviewer] = _votes(reviewer, path, entries, options, problems)
    if problems:
        raise errors.together(problems, "in the sheets", "correct the sheets and import them again")
    return votes


def _rater(
    sampled: Sampled, path: Path, entries: Sequence[ReviewEntry], problems: list[errors.UserError]
) -> str | None:
    """Return whose sheet the entries are from; None if no row names a rater of the sample."""
    marks = {sampled.sheet(rater): rater for rater in sampled.raters}
    first = next((one.sheet for one in entries if one.sheet in marks), None)
    for one in entries:
        if one.sheet not in marks:
            problems.append(errors.Mismatched(
                "the row is of another sample", where=one.where,
                expected=first or f"{sampled.name}-RATER", found=one.sheet or "nothing",
                fix="import only sheets of this sample, and name the output that it was drawn from",
            ))  # fmt: skip
        elif one.sheet != first:
            problems.append(errors.Mismatched(
                "the row is of another rater's sheet", where=one.where, expected=first,
                found=one.sheet, fix="use a separate file for each rater's sheet",
            ))  # fmt: skip
    if not entries:
        problems.append(errors.RowsMissing(f"{path.name} has no rows", where=str(path)))
    return marks[first] if first else None


def _votes(
    reviewer: str, path: Path, entries: Sequence[ReviewEntry], options: Options,
    problems: list[errors.UserError],
) -> dict[str, Vote]:  # fmt: skip
    votes: dict[str, Vote] = {}
    seen: dict[str, str] = {}
    for one in entries:
        if one.item_id not in options:
            problems.append(errors.Mismatched(
                "the question is not in the sample", where=one.where,
                expected="an id of this sample", found=one.item_id or "nothing",
                fix="restore the ids of the rows as they were written",
            ))  # fmt: skip
        elif one.item_id in seen:
            problems.append(errors.RowTwice(
                "the question is answered twice", where=one.where, expected="one row a question",
                found=f"{one.item_id}, also in {seen[one.item_id]}", fix="keep one of the rows",
            ))  # fmt: skip
        else:
            seen[one.item_id] = one.where
            vote = _vote(reviewer, one, options[one.item_id], problems)
            votes |= {one.item_id: vote} if vote else {}
    missing = sorted(set(options) - set(seen))
    if missing:
        problems.append(errors.RowsMissing(
            f"{len(missing)} question(s) of the sample have no row", where=str(path),
            expected=f"{len(options)} rows", found=f"none for {', '.join(missing[:3])}",
            fix="ask the rater to fill in the missing rows: only complete sheets are imported",
        ))  # fmt: skip
    return votes


def _vote(
    reviewer: str, one: ReviewEntry, letters: Sequence[str], problems: list[errors.UserError]
) -> Vote | None:
    found = len(problems)
    if one.valid == NOT_DONE:
        problems.append(_out_of_range(one, "the task has no annotation", "a submitted one", ""))
        return None
    answer = _answer(one, letters, problems)
    valid = _VALID.get(one.valid.casefold())
    if valid is None:
        problems.append(_out_of_range(one, "valid is not filled in", f"{YES} or {NO}", one.valid))
    flaws = {_FLAWS.get(text.casefold()): text for text in one.wrong}
    if None in flaws:
        known = "; ".join(PHRASES.values())
        problems.append(_out_of_range(one, "the flaw is not in the list", known, flaws[None]))
    if valid is False and not flaws:
        expected = f"what is wrong: {'; '.join(PHRASES.values())}"
        problems.append(_out_of_range(one, "not valid, and nothing is said to be wrong", expected,
        ""))  # fmt: skip
    if len(problems) > found:
        return None
    ordered = tuple(flaw for flaw in Flaw if flaw in flaws)
    return Vote(reviewer, answer, bool(valid), ordered, one.comment)


def _answer(one: ReviewEntry, letters: Sequence[str], problems: list[errors.UserError]) -> str:
    if not letters:
        return one.answer
    match = _LETTER.fullmatch(one.answer)
    letter = match[1].upper() if match else ""
    if letter not in letters:
        what = "the answer is not one of the options" if one.answer else "the answer is missing"
        expected = f"a letter: {', '.join(letters)}"
        problems.append(_out_of_range(one, what, expected, one.answer))
    return letter


def _out_of_range(one: ReviewEntry, what: str, expected: str, found: str) -> errors.UserError:
    return errors.RowInvalid(
        what, where=one.where, expected=expected, found=found or "nothing",
        fix="fill the field in and import again",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one question.

    Attributes:
        reason: why the question is left out, '' if it is kept.
        disputed: True if exactly half of the raters call the question not valid.
        contested: True if more than half of the raters choose the same wrong option.
        untouched: True if every rater called the question valid and reported no flaw.
    """

    keep: bool
    reason: str
    disputed: bool
    contested: bool
    untouched: bool


def verdict(votes: Sequence[Vote], reference: str | None, drop_contested: bool) -> Verdict:
    """Return the decision about one question from the votes of all raters.

    Args:
        reference: the correct letter, None for an open question.
        drop_contested: whether contested questions are left out as well.
    """
    against = sum(not vote.valid for vote in votes)
    other = _agreed_on_other(votes, reference)
    invalid = 2 * against > len(votes)
    dropped = invalid or (drop_contested and other is not None)
    reasons = _flaws(votes) if invalid else []
    if dropped and other is not None:
        chosen = sum(vote.answer == other for vote in votes)
        reasons.append(f"{chosen} of {len(votes)} answer {other}, which is not the reference")
    return Verdict(
        keep=not dropped,
        reason="; ".join(reasons),
        disputed=not dropped and 2 * against == len(votes),
        contested=other is not None,
        untouched=not dropped and all(vote.valid and not vote.flaws for vote in votes),
    )


def _agreed_on_other(votes: Sequence[Vote], reference: str | None) -> str | None:
    if reference is None:
        return None
    letter, count = Counter(vote.answer for vote in votes).most_common(1)[0]
    return letter if 2 * count > len(votes) and letter != reference else None


def _flaws(votes: Sequence[Vote]) -> list[str]:
    """Return the flaws that raters report who call the question not valid, most frequent first."""
    counts = Counter(flaw for vote in votes if not vote.valid for flaw in vote.flaws)
    order = list(PHRASES)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], order.index(pair[0])))
    return [f"{PHRASES[flaw]} ({count} of {len(votes)})" for flaw, count in ranked]


def verdicts(
    votes: Mapping[str, Mapping[str, Vote]], references: Mapping[str, str | None],
    drop_contested: bool,
) -> dict[str, Verdict]:  # fmt: skip
    """Return the decision about each item.

    Args:
        votes: for each reviewer and item, the vote; each reviewer has voted on every item.
        references: for each item, the correct letter, or None.
    """
    return {
        item: verdict([mine[item] for mine in votes.values()], reference, drop_contested)
        for item, reference in sorted(references.items())
    }
