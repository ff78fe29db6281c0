"""Read HyperKvasir: still images and videos, each with a class, some with boxes and masks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import Media, Source, VideoEvidence
from surgqa.ontology.times import frame_to_us
from surgqa.transforms.media.masks import area_of, white, within
from surgqa.transforms.readers.base import (
    DelimitedLine,
    Ledger,
    MediaRecord,
    number,
    parsed_once,
    whole_number,
)
from surgqa.transforms.readers.base.framed import Framed, framed_regions, picture_box
from surgqa.transforms.readers.base.gallery import GalleryReader
from surgqa.transforms.readers.base.lines import Grouped, no_row
from surgqa.transforms.readers.base.whole import NamedLabel, Stated, folded, named, whole_labels
from surgqa.transforms.readers.hyper_kvasir import tables as t

KINDS = ("finding", "landmark", "condition", "structure")
Rows = Mapping[str, Sequence[tuple[DelimitedLine, str]]]


class Reader(GalleryReader):
    """Reader of HyperKvasir; the folder may hold only some of its videos."""

    name = "hyper_kvasir"
    version = 1
    label_kinds = KINDS
    region_kinds = ("finding",)
    replayable = True

    @property
    def splits(self) -> Mapping[str, Mapping[str, str]]:
        """Return the official folds whose files exist; each split uses one fold as its test set."""
        out: dict[str, Mapping[str, str]] = {}
        for name in t.FOLDS:
            rows = self._tables(name).get(name, ({}, None))[0]
            fold = {key: own[0][0]["splitindex"] for key, own in rows.items()}
            for test in sorted(set(fold.values())):
                sides = {key: "test" if one == test else "train" for key, one in fold.items()}
                out[f"{name.split('/')[1][0]}-fold-{test}"] = sides
        return out

    def found(self) -> list[str]:
        """Return the ids of the still images and videos that occur in a table."""
        return sorted({key for table, _ in self._tables().values() for key in table})

    def missing(self) -> list[str]:
        """Return missing files of the release, including the masks of stills with boxes."""
        boxes = self._tables(t.BOXES).get(t.BOXES, ({}, None))[0]
        masks = [_mask(rows[0][0]["filename"]) for rows in boxes.values() if rows]
        return sorted({*super().missing(), *(m for m in masks if not (self.root / m).is_file())})

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one still image or video."""
        tables = self._tables()
        sources = [source for _, source in tables.values()]
        rows = {name: table[video_id] for name, (table, _) in tables.items() if video_id in table}
        if not any(rows.values()):
            raise no_row(self._source(t.IMAGES)[1], video_id)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        labels, kept = whole_labels(_stated(rows), label_map(self.name), KINDS, ledger)
        boxed = list(self._boxed(rows.get(t.BOXES, ()), sources, ledger))
        pointer = f"{t.BOXES} {video_id}[{{row}}], picture {{frame}}"
        region = framed_regions(boxed, [0], Fraction(1), ["polyp"], pointer)
        video = self._whole(video_id, sources, self._recorded(rows))
        read = sum(map(len, rows.values()))
        return VideoEvidence(
            video, None, (), ledger.entries(), (ledger.books(read, kept + len(boxed)),), labels,
            {"finding": region} if boxed else {},
        )  # fmt: skip

    def _tables(self, *names: str) -> dict[str, tuple[Grouped, Source]]:
        """Return the parsed tables by name, without tables whose file does not exist.

        Of the tables that list every still image, only the first that exists is returned.
        """
        found: dict[str, tuple[Grouped, Source]] = {}
        for name in names or (t.IMAGES, *t.FOLDS, t.BOXES, t.FILMS, t.MEASURES):
            needed = names or name not in t.FOLDS or not found
            there = self._optional(name) if needed else None
            if there:
                found[name] = parsed_once(*there, t.rows_of), there[1]
        return found

    def _boxed(
        self, rows: Sequence[tuple[DelimitedLine, str]], sources: list[Source], ledger: Ledger
    ) -> Iterator[Framed]:
        """Yield polyps of a segmented image; each polyp's mask is the part inside its box."""
        masks = [self._optional(_mask(row["filename"])) for row, _ in rows[:1]]
        sources += [there[1] for there in masks if there]
        shapes = [white(data, source.path) for data, source in filter(None, masks)]
        for at, (row, where) in enumerate(rows, 10**6):
            name = named(folded(row["label"]), label_map(self.name), KINDS)
            if not isinstance(name, NamedLabel):
                ledger.reject((at,), *name, where)
                continue
            size = whole_number(row["width"]) or 0, whole_number(row["height"]) or 0
            box = picture_box([number(row[side]) for side in t.SIDES], size, ledger, (at,), where)
            mask = within(shapes[0], box) if box and shapes else ""
            area = {"area": area_of(mask)} if mask else {}
            yield Framed(0, *name, box, row.line, where, mask, area)

    def _recorded(self, rows: Rows) -> MediaRecord:
        """Return the media record; a video's size and length are from its table, if that exists."""
        file = next(iter(rows.values()))[0][0]["filename"]
        if not {t.FILMS, t.MEASURES} & set(rows):
            folders = [*self._folders("labeled-images", 3), "segmented-images/images"]
            return MediaRecord(self._still(*(f"{one}/{t.stem_of(file)}.jpg" for one in folders)))
        measures = rows[t.MEASURES][0][0].cells if t.MEASURES in rows else {}
        cells = [measures.get(c, "") for c in ("numberofframes", "fps", "width", "height")]
        frames, rate, *size = (
            n if 0 < (n or 0) < 10**8 else None for n in map(whole_number, cells)
        )
        names = [f"{folder}/{t.stem_of(file)}{suffix}" for suffix in (".avi", ".mp4", ".mpg")
                 for folder in self._folders("labeled-videos", 3)]  # fmt: skip
        film = self._recording(*names, probed=not frames or not rate)
        if not frames or not rate:
            return film
        media = Media(film.media.kind, film.media.path, *(size if film.media.path else ()))
        return MediaRecord(media, Fraction(rate), frame_to_us(frames, Fraction(rate)))


def _mask(stem: str) -> str:
    return f"segmented-images/masks/{t.stem_of(stem)}.jpg"


def _stated(rows: Rows) -> Iterator[Stated]:
    """Yield the labels of each row; a free text about a video counts if it has no other row."""
    for name, own in rows.items():
        silent = name == t.MEASURES and t.FILMS in rows
        for row, where in own if name != t.BOXES else ():
            labels = [folded(row.cells.get(c, "")) for c in t.LABELS if not silent]
            place = where.rpartition(":")[0]
            yield Stated([one for one in labels if one], place, where, name == t.MEASURES)
