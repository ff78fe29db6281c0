"""Read CholecT50: ``labels/VIDnn.json`` and, if they exist, ``videos/VIDnn/000000.png``.

There are two forms.  In the full release, all boxes are null.  In the challenge's validation clips,
rows have instrument boxes, and there are gaps between the frames.
"""

from __future__ import annotations

import re
from typing import Any

from surgqa.ontology.errors import SourceMissing
from surgqa.ontology.files import listed, read_text
from surgqa.ontology.records import InstrumentTable, Source, Video, VideoEvidence
from surgqa.ontology.times import period_us
from surgqa.transforms.readers.base import Ledger, read_json, split_group, triplet_ids
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.cholect.header import LabelHeader, annotations_of, header_of
from surgqa.transforms.readers.base.cholect.instances import evidence_of
from surgqa.transforms.readers.base.cholect.rows import count_rows, rows_of

MAPPING = "label_mapping.txt"


class Reader(BaseReader):
    """Reader of CholecT50; the dataset may be incomplete."""

    name = "cholect50"
    version = 1
    replayable = True
    span_kinds = ("phase",)

    def found(self) -> list[str]:
        """Return the videos that have a label file."""
        folder = self.root / "labels"
        files = listed(folder) if folder.is_dir() else []
        return [path.stem for path in files if re.fullmatch(r"VID\d+\.json", path.name)]

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        name = f"labels/{video_id}.json"
        data, source = self._source(name)
        text = read_json(data, name)
        triplets, sources = self._mapping(text.data, [source])
        number = int(re.sub(r"\D", "", video_id) or 0)
        header = header_of(text, number, triplets)
        annotations = annotations_of(text)
        copies = text.repeated.get("annotations", {})
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        odd = b"true" in data or b"false" in data
        rows = rows_of(annotations, copies, odd, ledger, name)
        table, spans, kept = evidence_of(rows, header, ledger, source)
        books = ledger.books(count_rows(annotations, copies), kept)
        video = self._video(video_id, header, table, tuple(sources))
        return VideoEvidence(video, table, spans, ledger.entries(), (books,))

    def _mapping(
        self, data: dict[str, Any], sources: list[Source]
    ) -> tuple[dict[int, tuple[int, ...]], list[Source]]:
        """Return triplets of the root's mapping file, for label files that contain none."""
        categories = data.get("categories")
        if isinstance(categories, dict) and categories.get("triplet"):
            return {}, sources
        try:
            table, source = self._source(MAPPING)
        except SourceMissing:
            return {}, sources
        return triplet_ids(read_text(table, MAPPING), MAPPING), [*sources, source]

    def _video(
        self,
        video_id: str,
        header: LabelHeader,
        table: InstrumentTable,
        sources: tuple[Source, ...],
    ) -> Video:
        period = period_us(header.fps)
        last = int(table.instants_us[-1]) + period if table.instants_us.size else 0
        return Video(
            dataset=self.name,
            video_id=video_id,
            procedure=self.card.procedure,
            specialty=self.card.specialty,
            fps=header.fps,
            period_us=period,
            duration_us=last,
            media=self._pictures(f"videos/{video_id}", table.frames[:1].tolist()),
            split_group=split_group(self.name, video_id),
            licence=self.card.licence,
            label_source="original_annotation",
            sources=sources,
            vocabulary=header.instrument.concepts,
        )
