"""The scores that a study needs (its *design*), and the file of scores.

Every rater of a track scores each of its samples for both prompts, at each time, in each dimension.
The file is CSV with nine columns and one score in each row.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from surgqa.ontology.continuations import (
    DIMENSIONS,
    ERROR_TYPES,
    FIELDS,
    HIGHEST,
    LOWEST,
    PROMPTS,
    RATERS_PER_TRACK,
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
from surgqa.ontology.spreadsheets import guarded, sheet_rows, unguarded

PER_SAMPLE = len(PROMPTS) * len(TIMES_S) * len(DIMENSIONS)
"""Number of scores that one rater gives to one sample."""
Place = tuple[str, str, str, int, str]
"""(sample, prompt, rater, time, dimension), which identify one score."""


@dataclass(frozen=True, slots=True)
class ScoredSample:
    """A sample of a study; ``stage`` (of the operation) is None if it is unknown."""

    sample_id: str
    track: str
    stage: str | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """All scores that a study needs.

    Attributes:
        samples: samples by sample id.
        raters: for each track, the raters who score all of its samples, sorted.
    """

    samples: Mapping[str, ScoredSample]
    raters: Mapping[str, tuple[str, ...]]

    def places(self) -> Iterator[Place]:
        """Yield the keys of all scores that are needed, in a fixed order."""
        for sample in sorted(self.samples.values(), key=lambda one: (one.track, one.sample_id)):
            for prompt in PROMPTS:
                for rater in self.raters[sample.track]:
                    for time_s in TIMES_S:
                        for dimension in DIMENSIONS:
                            yield sample.sample_id, prompt, rater, time_s, dimension

    @property
    def size(self) -> int:
        """The number of scores that are needed."""
        return sum(PER_SAMPLE * len(self.raters[one.track]) for one in self.samples.values())


@dataclass(frozen=True, slots=True)
class Missing:
    """Scores that one rater has not given in one track.

    Attributes:
        of: number of scores that the rater has to give in the track.
    """

    track: str
    rater_id: str
    places: tuple[Place, ...]
    of: int


def design_of(rows: Iterable[ScoreRow], stages: Mapping[str, str] | None = None) -> Design:
    """Return the smallest design that needs all scores in the rows.

    Args:
        stages: for each sample, the stage of the operation.

    Raises:
        UserError: a sample is in two tracks.
    """
    samples: dict[str, ScoredSample] = {}
    raters: dict[str, set[str]] = {}
    for row in rows:
        stage = (stages or {}).get(row.sample_id)
        known = samples.setdefault(row.sample_id, ScoredSample(row.sample_id, row.track, stage))
        if known.track != row.track:
            raise _other_track(row, known)
        raters.setdefault(row.track, set()).add(row.rater_id)
    return Design(samples, {track: tuple(sorted(who)) for track, who in sorted(raters.items())})


def place_of(row: ScoreRow) -> Place:
    """Return the key of a row's score."""
    return row.sample_id, row.prompt, row.rater_id, row.time_s, row.dimension


def missing(rows: Iterable[ScoreRow], design: Design) -> list[Missing]:
    """Return the missing scores of each rater in each track; [] if none are missing."""
    given = {place_of(row) for row in rows}
    out: dict[tuple[str, str], list[Place]] = {}
    for place in design.places():
        if place not in given:
            out.setdefault((design.samples[place[0]].track, place[2]), []).append(place)
    each = Counter(one.track for one in design.samples.values())
    return [
        Missing(track, rater, tuple(places), each[track] * PER_SAMPLE)
        for (track, rater), places in sorted(out.items())
    ]


def require_complete(
    rows: Sequence[ScoreRow], design: Design, raters_per_track: int = RATERS_PER_TRACK
) -> None:
    """Raise an error unless each score that is needed occurs once, and no other score occurs.

    Raises:
        UserError: scores are missing, repeated, or of an unknown sample or rater, or a track has a
            wrong number of raters; one error lists all problems.
    """
    problems: list[UserError] = [
        RowsMissing(f"track {track!r} has another number of raters", where=_file_of(rows),
                    expected=f"{raters_per_track} raters", found=", ".join(who) or "none",
                    fix="give the sheets of all raters and of no others, or their number: --raters")
        for track, who in sorted(design.raters.items()) if len(who) != raters_per_track
    ]  # fmt: skip
    problems += _strangers(rows, design)
    problems += _doubled(rows)
    problems += [_gap(one, rows) for one in missing(rows, design)]
    if problems:
        raise together(problems, "in the scores", "correct the rows and score again")


def _strangers(rows: Sequence[ScoreRow], design: Design) -> Iterator[UserError]:
    for row in rows:
        sample = design.samples.get(row.sample_id)
        if sample is None:
            yield Mismatched(
                "the sample is not in the design", expected=f"one of {len(design.samples)} samples",
                found=row.sample_id, where=row.where, fix="remove the row",
            )  # fmt: skip
        elif sample.track != row.track:
            yield _other_track(row, sample)
        elif row.rater_id not in design.raters[row.track]:
            yield Mismatched(
                f"not a rater of track {row.track!r}",
                expected=", ".join(design.raters[row.track]),
                found=row.rater_id, where=row.where,
                fix="remove the row, or add the rater to the design",
            )  # fmt: skip


def _other_track(row: ScoreRow, sample: ScoredSample) -> UserError:
    return Mismatched(
        f"sample {row.sample_id!r} is in another track", expected=sample.track, found=row.track,
        where=row.where, fix="correct the track",
    )  # fmt: skip


def _doubled(rows: Sequence[ScoreRow]) -> Iterator[UserError]:
    first: dict[Place, ScoreRow] = {}
    for row in rows:
        other = first.setdefault(place_of(row), row)
        if other is not row:
            yield RowTwice(
                "the same score occurs twice", expected="one row", where=row.where,
                found=f"{place_in_words(place_of(row))}, also in {other.where}",
                fix="keep one of the rows",
            )  # fmt: skip


def _gap(one: Missing, rows: Sequence[ScoreRow]) -> UserError:
    counts = Counter(place[1] for place in one.places)
    split = ", ".join(f"{n} of {prompt}" for prompt, n in sorted(counts.items()))
    return RowsMissing(
        f"{len(one.places)} score(s) of rater {one.rater_id!r} in track {one.track!r} are missing",
        expected="a score at each time, in each dimension, of every video",
        found=f"none for {place_in_words(one.places[0])} ({split})",
        where=_file_of(rows, one.rater_id) or _file_of(rows),
        fix="have the missing scores filled in; only complete designs are averaged",
    )  # fmt: skip


def place_in_words(place: Place) -> str:
    """Return the key of a score as a phrase for messages."""
    sample, prompt, rater, time_s, dimension = place
    return f"{sample}, {prompt}, {dimension} at {time_s} s by {rater}"


def _file_of(rows: Sequence[ScoreRow], rater: str | None = None) -> str | None:
    """Return the file of a rater's first row, or of the first row of all."""
    for row in rows:
        if row.where and rater in (None, row.rater_id):
            return row.where.rpartition(":")[0] or row.where
    return None


_MAY_BE_EMPTY = ("error_types", "comment")
_FIX = "correct the row and score again"
_KNOWN = {
    "prompt": PROMPTS, "dimension": tuple(DIMENSIONS), "time_s": tuple(map(str, TIMES_S)),
    "score": tuple(map(str, range(LOWEST, HIGHEST + 1))), "error_types": tuple(ERROR_TYPES),
}  # fmt: skip
"""Column -> its possible values."""


def read_rows(path: Path) -> list[ScoreRow]:
    """Return the rows of a file, each with its line number.

    Raises:
        SourceMissing: the file does not exist.
        SourceBroken: it is not a CSV file with the nine columns.
        UserError: a row is not a score from 1 to 5 with a known dimension, time and prompt; one
            error lists all such rows.
    """
    problems: list[UserError] = []
    found = sheet_rows(path, FIELDS, f"{path.name} holds no scores: a column is missing",
                       f"give the file a first row with {','.join(FIELDS)}")  # fmt: skip
    rows = [_row({name: unguarded(cell) for name, cell in cells.items()}, where, problems)
            for where, cells in found]  # fmt: skip
    if problems:
        raise together(problems, "in the scores", "correct the rows and score again")
    return [row for row in rows if row is not None]


def write_rows(rows: Iterable[ScoreRow]) -> bytes:
    """Return the rows, in the given order, as the bytes of a CSV file."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(FIELDS)
    for row in rows:
        cells = [getattr(row, name) for name in FIELDS]
        cells[FIELDS.index("error_types")] = ";".join(row.error_types)
        cells[FIELDS.index("comment")] = guarded(row.comment)
        writer.writerow(cells)
    return sink.getvalue().encode()


def _row(cells: Mapping[str, str], where: str, problems: list[UserError]) -> ScoreRow | None:
    before = len(problems)
    for name in FIELDS:
        if name not in _MAY_BE_EMPTY and not cells[name]:
            problems.append(RowInvalid(f"no {name}", expected=_expected(name), found="nothing",
                                       where=where, fix=_FIX))  # fmt: skip
    types = tuple(part.strip() for part in cells["error_types"].split(";") if part.strip())
    problems += [
        RowInvalid(f"{name} out of range", expected=_expected(name), found=value, where=where,
                   fix=_FIX)
        for name, known in _KNOWN.items()
        for value in (types if name == "error_types" else (cells[name],))
        if value and value not in known
    ]  # fmt: skip
    if len(problems) > before:
        return None
    return ScoreRow(
        cells["sample_id"], cells["track"], cells["prompt"], cells["rater_id"],
        int(cells["time_s"]), cells["dimension"], int(cells["score"]),
        tuple(name for name in ERROR_TYPES if name in types), cells["comment"], where,
    )  # fmt: skip


def _expected(name: str) -> str:
    return ", ".join(_KNOWN.get(name, ())) or "a name"
