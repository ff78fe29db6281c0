"""Converts filled-in sheets to rows of scores, and checks that each score occurs exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from surgqa.ontology.continuations import (
    DIMENSIONS,
    ERROR_TYPES,
    HIGHEST,
    LOWEST,
    PROMPTS,
    TIMES_S,
    ScoreRow,
)
from surgqa.ontology.errors import (
    Mismatched,
    RowInvalid,
    RowsMissing,
    RowTwice,
    UserError,
    together,
)
from surgqa.transforms.exports.surgveo.sheets import (
    RatedClip,
    SheetEntry,
    Study,
    order,
    read_table,
    sheet_name,
)
from surgqa.transforms.exports.surgveo.sheets.page import read_saved

_SCORES = {str(one): one for one in range(LOWEST, HIGHEST + 1)}
_TIMES = {str(one): one for one in TIMES_S}
_FIX = "correct the field and import again"


def take_in(study: Study, paths: Sequence[Path]) -> list[ScoreRow]:
    """Return the scores of all raters, sorted by track, sample, prompt, rater, time and dimension.

    Args:
        paths: a file for every rater, as CSV or as saved by the page (``.json``).

    Raises:
        SourceMissing: a file is missing.
        SourceBroken: a file is not a sheet.
        UserError: scores are missing, repeated, out of range or from another study; one error lists
            all problems.
    """
    problems: list[UserError] = []
    rows: list[ScoreRow] = []
    given: dict[str, Path] = {}
    for path in paths:
        entries = (read_saved if path.suffix == ".json" else read_table)(path)
        rater = _rater(study, path, entries, problems)
        if rater is None:
            continue
        if rater in given:
            problems.append(RowTwice(
                f"the sheet of rater {rater!r} is given twice", expected="one file a rater",
                found=str(given[rater]), where=str(path), fix="name every sheet once",
            ))  # fmt: skip
            continue
        given[rater] = path
        rows += _rows(study, rater, path, entries, problems)
    for rater in study.everybody:
        if rater not in given:
            problems.append(RowsMissing(
                f"the sheet of rater {rater!r} is missing", found=f"{len(paths)} file(s)",
                expected=f"sheets of {', '.join(study.everybody)}", where=sheet_name(study, rater),
                fix="give the sheets of all raters",
            ))  # fmt: skip
    if problems:
        raise together(problems, "in the sheets", "correct the sheets and import them again")
    return sorted(rows, key=_order)


def _order(row: ScoreRow) -> tuple[str, str, int, str, int, int]:
    dimension = list(DIMENSIONS).index(row.dimension)
    prompt = PROMPTS.index(row.prompt)
    return row.track, row.sample_id, prompt, row.rater_id, row.time_s, dimension


def _rater(
    study: Study, path: Path, entries: Sequence[SheetEntry], problems: list[UserError]
) -> str | None:
    """Return whose sheet the entries are from; None if no entry names a rater."""
    marks = {sheet_name(study, rater): rater for rater in study.everybody}
    first = next((one.sheet for one in entries if one.sheet in marks), None)
    for one in entries:
        if one.sheet not in marks or one.sheet != first:
            problems.append(Mismatched(
                "the row belongs to another sheet", expected=first or ", ".join(marks),
                found=one.sheet or "nothing", where=one.where,
                fix="give the sheets of this study, one file per rater",
            ))  # fmt: skip
    if not entries:
        problems.append(RowsMissing(f"{path.name} has no rows", expected="a filled-in sheet",
                                    found="nothing", where=str(path), fix=_FIX))  # fmt: skip
    return marks[first] if first else None


def _rows(
    study: Study, rater: str, path: Path, entries: Sequence[SheetEntry], problems: list[UserError]
) -> list[ScoreRow]:
    clips = {one.code: one for one in order(study, rater)}
    awaited = {(code, time_s, d): None for code in clips for time_s in _TIMES for d in DIMENSIONS}
    seen: dict[tuple[str, str, str], str] = {}
    rows = []
    for one in entries:
        place = (one.code, one.time_s, one.dimension)
        if place not in awaited:
            problems.append(_unknown(one, clips))
        elif place in seen:
            problems.append(RowTwice(
                "the score is given twice", expected="one row", fix="keep one of the rows",
                found=f"{_place_text(*place)}, also in {seen[place]}", where=one.where,
            ))  # fmt: skip
        else:
            seen[place] = one.where
            row = _row(one, clips[one.code], rater, problems)
            rows += [row] if row else []
    gone = [place for place in awaited if place not in seen]
    if gone:
        problems.append(RowsMissing(
            f"{len(gone)} row(s) of the sheet are missing", expected=f"{len(awaited)} rows",
            found=f"none for {_place_text(*gone[0])}", where=str(path),
            fix="fill in the missing rows; only complete sheets are imported",
        ))  # fmt: skip
    return rows


def _row(
    one: SheetEntry, clip: RatedClip, rater: str, problems: list[UserError]
) -> ScoreRow | None:
    found = len(problems)
    if one.score not in _SCORES:
        what = "score out of range" if one.score else "the score is missing"
        problems.append(_wrong(one, what, f"{LOWEST} to {HIGHEST}", one.score))
    for name in one.error_types:
        if name not in ERROR_TYPES:
            problems.append(_wrong(one, "unknown type of error", ", ".join(ERROR_TYPES), name))
    if len(problems) > found:
        return None
    return ScoreRow(
        clip.sample_id,
        clip.track,
        clip.prompt,
        rater,
        _TIMES[one.time_s],
        one.dimension,
        _SCORES[one.score],
        tuple(name for name in ERROR_TYPES if name in one.error_types),
        one.comment,
        one.where,
    )


def _unknown(one: SheetEntry, clips: dict[str, RatedClip]) -> UserError:
    if one.code not in clips:
        return _wrong(one, "the video is not on this sheet", "a code of this sheet", one.code)
    if one.time_s not in _TIMES:
        return _wrong(one, "unknown time", ", ".join(_TIMES), one.time_s)
    return _wrong(one, "unknown dimension", ", ".join(DIMENSIONS), one.dimension)


def _wrong(one: SheetEntry, what: str, expected: str, found: str) -> UserError:
    place = _place_text(one.code, one.time_s, one.dimension)
    found = f"{found or 'nothing'} for {place}"
    return RowInvalid(what, expected=expected, found=found, where=one.where, fix=_FIX)


def _place_text(code: str, time_s: str, dimension: str) -> str:
    return f"{code}, {dimension or 'no dimension'} at {time_s or '?'} s"
