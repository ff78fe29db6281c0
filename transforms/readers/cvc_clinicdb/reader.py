"""Read CVC-ClinicDB: numbered still images, and for each a mask of its polyps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ontology.concepts import label_map
from ontology.records import Code, Media, MediaKind, Source, VideoEvidence
from transforms.readers.base import Ledger, Recording, Row, read_delimited, whole_number
from transforms.readers.base.blobs import blobs, white
from transforms.readers.base.framed import Framed, framed_regions
from transforms.readers.base.gallery import GalleryReader
from transforms.readers.base.grouped import Grouped, grouped
from transforms.readers.base.masks import area_of, box_of

LAYOUTS = (("PNG/", ".png"), ("", ".png"), ("TIF/", ".tif"), ("", ".tif"))
"""Folder of ``Original`` and ``Ground Truth``, and suffix; the first one that exists is used."""
SEQUENCES = "metadata.csv"
SMALLEST = 10
"""White regions with fewer pixels are specks, not polyps."""
FIRSTS = (
    1, 26, 51, 68, 79, 104, 127, 152, 178, 200, 206, 228, 253, 278, 298, 318, 343, 364, 384, 409,
    429, 448, 467, 479, 504, 529, 547, 572, 592,
)  # fmt: skip
"""First images of the 29 sequences, used if no table states them."""


def sequences_of(data: bytes, name: str) -> Grouped:
    """Rows of ``metadata.csv`` by image."""
    table = read_delimited(data, name, ("png_image_path", "sequence_id"))
    return grouped(table, _still_of, "PNG/Original/1.png and the number of its sequence")


class Reader(GalleryReader):
    """Reader of CVC-ClinicDB in its original layout or in the common re-release."""

    name = "cvc_clinicdb"
    version = 1
    region_kinds = ("finding",)
    replayable = True

    def found(self) -> list[str]:
        """Still images that have a mask."""
        masks = [name for top, suffix in LAYOUTS for name in self._names(f"{top}Ground Truth")
                 if name.endswith(suffix)]  # fmt: skip
        stems = {name.rpartition(".")[0] for name in masks}
        return sorted(stem for stem in stems if re.fullmatch(r"[1-9]\d{0,4}", stem))

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one still image.

        Raises:
            SourceMissing: the image has no mask.
        """
        tables = self._tables_of([(sequences_of, (SEQUENCES,))])
        masks = [f"{top}Ground Truth/{video_id}{suffix}" for top, suffix in LAYOUTS]
        there = next((found for name in masks if (found := self._optional(name))), None)
        data, source = there or self._source(masks[0])
        mask = white(data, source.path)
        ledger = Ledger(f"{self.name}/{video_id}", "mask regions")
        regions = blobs(mask, SMALLEST)
        polyps = list(_polyps(regions, source, ledger))
        path = source.path.replace("Ground Truth/", "Original/")
        media = self._recording(path).media
        if media.path:
            media = Media(MediaKind.IMAGE, path, mask.shape[1], mask.shape[0])
        rows = [row for _, table, _ in tables for row, _ in table.get(video_id, ())]
        number = int(rows[0]["sequenceid"]) if rows else sum(n <= int(video_id) for n in FIRSTS)
        video = self._whole(
            video_id, [*(table for _, _, table in tables), source], Recording(media),
            split_group=f"{self.name}/sequence{number:02d}",
        )  # fmt: skip
        labels = label_map(self.name)["finding"].values()
        pointer = f"{source.path}: picture {{frame}}, region {{row}}"
        books = ledger.books(max(1, len(regions)), len(polyps))
        region = framed_regions(polyps, [0], Fraction(1), labels, pointer)
        return VideoEvidence(
            video, None, (), ledger.entries(), (books,), regions={"finding": region}
        )


def _polyps(regions: list[tuple[str, int]], source: Source, ledger: Ledger) -> Iterator[Framed]:
    concept = label_map("cvc_clinicdb")["finding"]["polyp"]
    if not regions:
        reason = "the mask shows no polyp, although every still has one"
        ledger.reject((0,), Code.BAD_MASK, reason, source.path)
    for row, (text, pixels) in enumerate(regions):
        if not text:
            reason = f"a white region of {pixels} pixels is a speck and no polyp"
            ledger.reject((row,), Code.BAD_MASK, reason, source.path)
        else:
            area = {"area": area_of(text)}
            yield Framed(0, "finding", concept, box_of(text), row, source.path, text, area)


def _still_of(row: Row) -> str | None:
    match = re.search(r"(?:^|[\\/])0*(\d{1,5})\.png$", row["pngimagepath"])
    return match[1] if match and whole_number(row["sequenceid"]) is not None else None
