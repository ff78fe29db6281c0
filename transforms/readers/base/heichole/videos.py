"""The HeiChole operations, under whichever name a benchmark knows them."""

from __future__ import annotations

import re
from fractions import Fraction

from ontology.errors import SourceBroken
from ontology.records import Clock, Source, VideoEvidence
from ontology.times import SECOND_US, frame_to_us
from transforms.readers.base.contract import Reader
from transforms.readers.base.digits import read_digits
from transforms.readers.base.heichole.labels import (
    KINDS,
    RATED,
    checked,
    instruments,
    ratings,
    spans,
)  # fmt: skip
from transforms.readers.base.intervals import sorted_spans
from transforms.readers.base.ledger import Ledger
from transforms.readers.base.media import Recording

FIFTY = (16, 17, 18, 19, 20, 23, 24)
"""Videos of 50 frames a second; the other public ones have 25."""
LAST_PUBLIC = 24
File = tuple[bytes, Source]
FILMS = ("Videos/Full", "Videos/Full/HD", "Videos")
SLACK_US = 2 * SECOND_US
"""By so much labels may outlast their film before they can't belong to it."""


class HeiCholeReader(Reader):
    """All label files that are there: of phases, instruments, actions and skill."""

    version = 1
    replayable = True
    span_kinds = ("action", "phase", "rating")
    label_kinds = ("rating",)

    def found(self) -> list[str]:
        """Videos that have any label file."""
        endings = "|".join((*(kind.ending for kind in KINDS.values()), *RATED))
        pattern = re.compile(rf"hei-?chole0*(\d{{1,3}})_({endings})\.csv", re.IGNORECASE)
        folders = ("Action", "Instrument", "Phase", "Skill")
        names = (name for folder in folders for name in self._names(f"Annotations/{folder}"))
        numbers = {int(match[1]) for match in map(pattern.fullmatch, names) if match}
        return sorted(f"Hei-Chole{number}" for number in numbers)

    def read(self, video_id: str) -> VideoEvidence:
        """All that the dataset says of one video."""
        number = int(re.sub(r"\D", "", video_id) or 0)
        there, rated = self._files(number)
        if not there and not rated:
            self._source(f"Annotations/Phase/{video_id}_Annotation_Phase.csv")
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        every = {
            name: read_digits(
                data, source.path, KINDS[name].width, KINDS[name].highest, ledger, place
            )
            for place, (name, (data, source)) in enumerate(there.items())
        }
        tables = checked(every, ledger)
        film = self._film_of(number)
        last = max((int(t.frames[-1]) for t in tables.values() if t.frames.size), default=0)
        fps, clock = self._rate(number, film, last if tables else None)
        found = list(spans(tables, fps))
        table = instruments(tables, fps)
        labels, scored, read = ratings(rated, found, ledger)
        kept = sum(t.frames.size for t in tables.values()) + (len(labels) + len(scored)) // 5
        video = self._record(
            video_id,
            [source for _, source in (*there.values(), *rated.values())],
            fps=fps,
            clock=clock,
            duration_us=max(frame_to_us(last + 1, fps), film.duration_us or 0),
            media=film.media,
            vocabulary=table.labels if table else (),
            split_group=f"heichole/{number:02d}",
        )
        books = ledger.books(sum(t.read for t in every.values()) + read, int(kept))
        return VideoEvidence(
            video, table, sorted_spans([*found, *scored]), ledger.entries(), (books,),
            tuple(labels),
        )  # fmt: skip

    def _files(self, number: int) -> tuple[dict[str, File], dict[str, File]]:
        """Kind -> file with a line a frame; ending -> file of scores.

        Categories of instruments follow from the types, so that their file is left alone
        where that of types is.
        """
        files = {name: self._told(kind.folder, number, kind.ending)
                 for name, kind in KINDS.items()}  # fmt: skip
        if files["type"]:
            files["category"] = None
        scores = {ending: self._told("Skill", number, ending) for ending in RATED}
        return ({name: told for name, told in files.items() if told},
                {ending: told for ending, told in scores.items() if told})  # fmt: skip

    def _told(self, folder: str, number: int, ending: str) -> File | None:
        """A label file, however its name is written."""
        pattern = re.compile(rf"hei-?chole0*{number}_{ending}\.csv", re.IGNORECASE)
        there = filter(pattern.fullmatch, self._names(f"Annotations/{folder}"))
        name = next(there, f"Hei-Chole{number}_{ending}.csv")
        return self._optional(f"Annotations/{folder}/{name}")

    def _film_of(self, number: int) -> Recording:
        pattern = re.compile(rf"hei-?chole0*{number}\.mp4", re.IGNORECASE)
        names = [f"{folder}/{name}" for folder in FILMS
                 for name in filter(pattern.fullmatch, self._names(folder))]  # fmt: skip
        return self._recording(*names, probed=True)

    def _rate(self, number: int, film: Recording, last: int | None) -> tuple[Fraction, Clock]:
        """Frames a second: the user's, the film's, or the known ones; else only their order."""
        known = Fraction(50 if number in FIFTY else 25) if 0 < number <= LAST_PUBLIC else None
        rate = self.rate or film.fps or known
        if last is None and not film.duration_us:
            return rate or Fraction(1), Clock.WHOLE
        if rate is None:
            return Fraction(1), Clock.ORDER
        told = film.duration_us
        if not self.rate and told and last and frame_to_us(last, rate) > told + SLACK_US:
            raise SourceBroken(
                f"{self.name}: Hei-Chole{number} has labels for more than its film",
                expected=f"{last + 1} frames at {rate} a second",
                found=f"a film of {told // SECOND_US} s",
                where=film.media.path,
                fix="use the released film, or tell the original's rate",
            )
        return rate, Clock.TIME
