"""A study, in which people rate generated videos: its raters, videos, and each rater's order.

Raters see a code of each video, which does not reveal its prompt. The key file of the study
explains the codes and is not given to raters. A rater's sheet can also be a CSV file with one row
for each score.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology.continuations import (
    ASKED,
    BASELINE,
    DIMENSIONS,
    PROMPTS,
    STAGE_AWARE,
    TIMES_S,
    scale,
)
from surgqa.ontology.errors import (
    RowTwice,
    SourceBroken,
    UnknownName,
    UserError,
    ValueInvalid,
)
from surgqa.ontology.guarded import ErrorOf, read_as
from surgqa.ontology.keys import Key
from surgqa.ontology.spreadsheets import MARK, guarded, sheet_rows, unguarded

FORMAT = "surgqa/surgveo-study-v1"
FOLDER, SUFFIX = "videos", ".mp4"
HEX = 12
NO_STUDY = ErrorOf(
    "not the file of a study",
    f"format {FORMAT}",
    "give the file that was written with the sheets",
    SourceBroken,
)


@dataclass(frozen=True, slots=True)
class StudySample:
    """The part of a sample that a rater may know.

    Attributes:
        context: words about the operation and its stage.
    """

    sample_id: str
    track: str
    context: str


@dataclass(frozen=True, slots=True)
class RatedClip:
    """One generated video, and the reference (real video) that it is compared with.

    Attributes:
        code: 'v' and twelve hexadecimal characters; the letter prevents spreadsheets from reading
            the code as a number.
        generated, reference: paths relative to the sheets; they reveal neither sample nor prompt.
    """

    code: str
    sample_id: str
    track: str
    prompt: str
    context: str
    generated: str
    reference: str


@dataclass(frozen=True, slots=True)
class Study:
    """All videos and raters of a study.

    Attributes:
        raters: for each track, the names of its raters.
        clips: the generated videos, sorted by sample and prompt.
    """

    name: str
    seed: str
    raters: Mapping[str, tuple[str, ...]]
    clips: tuple[RatedClip, ...]

    @property
    def everybody(self) -> tuple[str, ...]:
        """All raters, sorted."""
        return tuple(sorted({one for who in self.raters.values() for one in who}))


def make_study(
    name: str,
    seed: str,
    samples: Sequence[StudySample],
    raters: Mapping[str, Sequence[str]],
) -> Study:
    """Return a study with a code for every video.

    Args:
        seed: key of the codes and orders; raters must not know it, because they could compute
            codes.

    Raises:
        UserError: a sample occurs twice, or a track has no raters or the same rater twice.
    """
    seen: set[str] = set()
    clips = []
    for sample in samples:
        _check(sample, seen, raters)
        seen.add(sample.sample_id)
        reference = _code(name, seed, sample.sample_id, "reference")
        for prompt in PROMPTS:
            code = _code(name, seed, sample.sample_id, prompt)
            clips.append(RatedClip(
                code, sample.sample_id, sample.track, prompt, sample.context,
                f"{FOLDER}/{code}{SUFFIX}", f"{FOLDER}/{reference}{SUFFIX}",
            ))  # fmt: skip
    tracks = dict.fromkeys(one.track for one in samples)
    return Study(name, seed, {one: tuple(raters[one]) for one in tracks}, tuple(clips))


def _code(name: str, seed: str, sample_id: str, what: str) -> str:
    return f"v{Key('surgveo/code', name, seed, sample_id).h64(what):016x}"[: HEX + 1]


def _check(sample: StudySample, seen: set[str], raters: Mapping[str, Sequence[str]]) -> None:
    who = raters.get(sample.track, ())
    if sample.sample_id in seen:
        raise RowTwice("a sample is listed twice", expected="every sample listed once",
                       found=sample.sample_id, fix="remove one of the two entries")  # fmt: skip
    names = {one.strip() for one in who} - {""}
    if not who or len(names) < len(who):
        raise ValueInvalid(
            f"track {sample.track!r} needs raters, each named once", expected="different names",
            found=", ".join(who) or "none", fix="name the raters of every track",
        )  # fmt: skip


def sheet_name(study: Study, rater: str) -> str:
    """Return the name of a rater's sheet, which is written into each of its rows."""
    return f"{study.name}-{rater}"


def order(study: Study, rater: str) -> list[RatedClip]:
    """Return a rater's videos in the order in which they are shown.

    One video of each sample is in the first half, the other one in the second half. In the first
    half, both prompts alternate, so that neither is seen first. The two videos of a sample never
    follow each other.

    Raises:
        UserError: the study has no such rater.
    """
    if rater not in study.everybody:
        raise UnknownName("the study has no rater of this name", found=rater or "nothing",
                          expected=", ".join(study.everybody),
                          fix="name one of the study's raters")  # fmt: skip
    mine = {(one.sample_id, one.prompt): one for one in study.clips
            if rater in study.raters[one.track]}  # fmt: skip
    key = Key("surgveo/order", study.name, study.seed, rater)
    samples = {sample for sample, _ in mine}
    first = key.extended("first").ordered(samples)
    second = key.extended("second").ordered(samples)
    if len(second) > 1 and second[0] == first[-1]:
        second = [*second[1:], second[0]]
    start = key.h64("start") % 2
    early = {one: PROMPTS[(start + k) % 2] for k, one in enumerate(first)}
    late = {BASELINE: STAGE_AWARE, STAGE_AWARE: BASELINE}
    return [mine[one, early[one]] for one in first] + [mine[one, late[early[one]]]
                                                       for one in second]  # fmt: skip


def study_to_dict(study: Study) -> dict[str, Any]:
    """Return the content of the study's key file as plain data."""
    return {"format": FORMAT, **asdict(study)}


def study_from_dict(data: Any, where: str) -> Study:
    """Return the study that a key file describes (see :func:`study_to_dict`).

    The codes are computed again and compared, so that an edited file is refused.

    Raises:
        SourceBroken: the file is not a key file, or was changed.
    """
    study = read_as(Study, orjson.dumps(data), where, NO_STUDY)
    if data.get("format") != FORMAT:
        raise NO_STUDY.wrong(f"format {data.get('format')}", where)
    samples = {
        one.sample_id: StudySample(one.sample_id, one.track, one.context) for one in study.clips
    }
    try:
        made = make_study(study.name, study.seed, list(samples.values()), study.raters)
    except UserError as problem:
        raise NO_STUDY.wrong(problem.summary, where) from None
    if made != study:
        raise NO_STUDY.wrong("clips or raters that were changed since it was written", where)
    return study


HEADER = (
    "sheet", "number", "video", "generated", "reference", "operation", "time_s", "dimension",
    "question", "scale", "score", "error_types", "comment",
)  # fmt: skip
READ = ("sheet", "video", "time_s", "dimension", "score", "error_types", "comment")
"""Columns that are read back; raters may hide, move or delete all other columns."""


def write_table(study: Study, rater: str) -> bytes:
    """Return a rater's empty sheet, which does not reveal the prompts of videos."""
    sink = io.StringIO()
    sink.write(MARK)
    writer = csv.writer(sink, lineterminator="\r\n")
    writer.writerow(HEADER)
    for number, clip in enumerate(order(study, rater), 1):
        for time_s in TIMES_S:
            for dimension in DIMENSIONS:
                cells = (sheet_name(study, rater), str(number), clip.code, clip.generated,
                         clip.reference, clip.context, str(time_s), dimension, ASKED[dimension],
                         scale(dimension), "", "", "")  # fmt: skip
                writer.writerow([guarded(cell) for cell in cells])
    return sink.getvalue().encode()


def read_table(path: Path) -> list[SheetEntry]:
    """Return the entries of a sheet, whose separators may be commas, semicolons or tabs.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file is not a score sheet.
    """
    found = sheet_rows(
        path,
        READ,
        f"{path.name} is not a score sheet",
        "keep the first row as it was written, and save the sheet as CSV",
    )
    return [_entry({name: unguarded(cell) for name, cell in cells.items()}, where)
            for where, cells in found]  # fmt: skip


def _entry(cells: Mapping[str, str], where: str) -> SheetEntry:
    types = tuple(part.strip() for part in cells["error_types"].replace(",", ";").split(";"))
    return SheetEntry(
        where, *(cells[name] for name in ("sheet", "video", "time_s", "dimension", "score")),
        tuple(part for part in types if part), cells["comment"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """The score of one video at one time in one dimension, as written in a sheet.

    Attributes:
        where: file and line.
        time_s, dimension, score: the texts as written, '' if a field is empty.
    """

    where: str
    sheet: str
    code: str
    time_s: str
    dimension: str
    score: str
    error_types: tuple[str, ...]
    comment: str
