"""Read AIxSuture: eight OSATS items, scored by three raters for each five-minute video."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from surgqa.ontology.concepts import label_map
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.ratings import rating
from surgqa.ontology.records import Code, Media, VideoEvidence, VideoLabel
from surgqa.ontology.times import SECOND_US, round_half_up
from surgqa.transforms.readers.base import DelimitedLine, Ledger, MediaRecord, number, read_json
from surgqa.transforms.readers.base.gallery import GalleryReader
from surgqa.transforms.readers.base.lines import Grouped, grouped, no_row
from surgqa.transforms.readers.base.seconds import exact_us
from surgqa.transforms.readers.base.sheets import read_sheet

TABLES = ("OSATS.xlsx", "OSATS_MICCAI_trainset.xlsx")
MEASURES = "video_meta_full.json"
TOTAL = "GLOBA_RATING_SCORE"
"""Column of the total; some files spell it GLOBAL_RATING_SCORE."""
Rows = Sequence[tuple[DelimitedLine, str]]


def ratings_of(data: bytes, name: str) -> Grouped:
    """Return the rows of each video, one for each rater."""
    columns = ("STUDENT", "SUTURES", "VIDEO", "INVESTIGATOR", *label_map("aixsuture")["rating"])
    table = read_sheet(data, name, columns, aliases={"globalratingscore": TOTAL})
    return grouped(table, lambda row: _stem(row["video"]), "the video's name, such as P54M")


def measures_of(data: bytes, name: str) -> Mapping[str, tuple[int, int, Fraction, int]]:
    """Return width, height, frame rate and length (us) by video, from a file of ffprobe's output.

    Raises:
        SourceBroken: an entry has another structure; the message names it.
    """
    files = read_json(data, name).data.get("files")
    found = {}
    for file, probed in files.items() if isinstance(files, dict) else ():
        try:
            length = exact_us(str(probed["duration"])) or 0
            # The file rounds the rate; the number of frames gives it back exactly.
            pictures = round_half_up(Fraction(str(probed["fps"])) * Fraction(length, SECOND_US))
            if pictures < 1 or min(probed["width"], probed["height"]) < 1:
                raise ValueError("a video without frames")
            rate = Fraction(pictures * SECOND_US, length)
            found[_stem(file)] = int(probed["width"]), int(probed["height"]), rate, length
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise SourceBroken(
                f"{name} has an invalid entry", expected="width, height, fps, duration",
                found=f"{type(error).__name__}: {error}", where=f"{name}:1 {file}",
                fix="download the file again, or delete it",
            ) from None  # fmt: skip
    return found


class Reader(GalleryReader):
    """Reader of AIxSuture, or of the challenge's table, which has the same columns."""

    name = "aixsuture"
    version = 1
    label_kinds = ("count", "experience", "rating")
    replayable = True

    def found(self) -> list[str]:
        """Return the videos with a rating or with a known length."""
        return sorted({video_id for _, table, _ in self._tables() for video_id in table})

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        tables = self._tables()
        sources = [source for _, _, source in tables]
        if not any(video_id in table for _, table, _ in tables):
            raise no_row(self._source(TABLES[0])[1], video_id)
        ledger = Ledger(f"{self.name}/{video_id}", "rating rows")
        rows = [row for parse, table, _ in tables if parse is ratings_of
                for row in table.get(video_id, ())]  # fmt: skip
        measured = [table[video_id] for parse, table, _ in tables
                    if parse is measures_of and video_id in table]  # fmt: skip
        names = [f"{folder}{video_id}.mp4" for folder in ("", "video/", "videos/")]
        film = self._recording(*names, probed=not measured)
        for width, height, rate, length in measured:
            size = (width, height) if film.media.path else ()
            film = MediaRecord(Media(film.media.kind, film.media.path, *size), rate, length)
        kept = dict(_kept(rows, ledger))
        labels = [one for own in kept.values() for one in own]
        labels += _constants([rows[at] for at in kept], ledger)
        students = sorted({rows[at][0]["student"] for at in kept} - {""})
        group = f"{self.name}/student{students[0]}" if students else f"{self.name}/{video_id}"
        video = self._whole(video_id, sources, film, split_group=group)
        labels.sort(key=lambda label: (label.kind, label.label, label.rater))
        books = ledger.books(len(rows), len(kept))
        return VideoEvidence(video, None, (), ledger.entries(), (books,), tuple(labels))

    def _tables(self) -> list[tuple[Any, Any, Any]]:
        files = [(ratings_of, (name,)) for name in TABLES]
        return self._tables_of([*files, (measures_of, (MEASURES,))])


def _stem(file: str) -> str:
    return re.sub(r"\.(mp4|avi|mov)$", "", file.strip(), flags=re.IGNORECASE)


def _kept(rows: Rows, ledger: Ledger) -> Iterator[tuple[int, list[VideoLabel]]]:
    """Yield position and labels of one valid row of each rater; other rows are rejected."""
    done: set[str] = set()
    for at, (row, where) in enumerate(rows):
        stated = row["investigator"]
        alone = re.findall(r"(?<![A-Za-z])[ABC](?![A-Za-z])", stated)
        raters = set(alone or re.findall("[ABC]", stated))
        rater = "".join(sorted(raters))
        scores = {column: number(row[column.replace("_", "").lower()])
                  for column in label_map("aixsuture")["rating"]}  # fmt: skip
        bad = [column for column, score in scores.items() if not _possible(column, score)]
        if len(raters) != 1 or bad:
            what = bad[0] if bad else "INVESTIGATOR"
            found = row[what.replace("_", "").lower()]
            ledger.reject((at,), Code.BAD_VALUE, f"{what} can't be {found!r}", where)
        elif rater in done:
            reason = f"rater {rater} has another row for this video already"
            ledger.reject((at,), Code.DUPLICATE_FRAME, reason, where)
        else:
            done.add(rater)
            yield at, list(_labels(scores, rater, where, ledger, at))


def _possible(column: str, score: float | None) -> bool:
    scale = rating(label_map("aixsuture")["rating"][column])
    return score is not None and score.is_integer() and scale.low <= score <= scale.high


def _labels(
    scores: Mapping[str, float | None], rater: str, where: str, ledger: Ledger, at: int
) -> Iterator[VideoLabel]:
    """Yield a label for each item's score, and one for the total if the items add up to it."""
    items = sum(score or 0 for column, score in scores.items() if column != TOTAL)
    for column, score in scores.items():
        if column == TOTAL and score != items:
            reason = f"the items sum to {items:g} and not to {score:g}: sum left out"
            ledger.repair((at,), Code.CONTRADICTION, reason, where)
            continue
        concept = label_map("aixsuture")["rating"][column]
        yield VideoLabel("rating", concept, score, rater, where.rpartition(":")[0], where)


def _constants(rows: Rows, ledger: Ledger) -> Iterator[VideoLabel]:
    """Yield the number of sutures and the time (before or after the course), if all rows agree."""
    for column, kind in (("sutures", "count"), ("time", "experience")):
        stated = {row.cells.get(column, "") for row, _ in rows} - {""}
        if not stated:
            continue
        where, known, text = rows[0][1], label_map("aixsuture")[kind], sorted(stated)[0]
        value = number(text) if kind == "count" else None
        hits = ["SUTURES"] if value is not None and value >= 0 else []
        hits = hits if kind == "count" else [word for word in known if word in text.upper()]
        if len(stated) == 1 and len(hits) == 1:
            source = where.rpartition(":")[0]
            yield VideoLabel(kind, known[hits[0]], value, "", source, where)
        else:
            reason = f"{column.upper()} is {' and '.join(map(repr, sorted(stated)))}: left out"
            code = Code.CONTRADICTION if len(stated) > 1 else Code.UNKNOWN_LABEL
            ledger.repair((len(rows),), code, reason, where)
