"""Read CholecT50: ``labels/VIDnn.json`` and, if they exist, ``videos/VIDnn/000000.png``.

In the full release, all boxes are null.  In the challenge's validation clips, rows have boxes.
"""

from __future__ import annotations

import re
from typing import Any

from surgqa.ontology.files import read_text
from surgqa.ontology.records import UNKNOWN, Source, VideoEvidence
from surgqa.ontology.times import period_us
from surgqa.transforms.readers.base import (
    Ledger,
    instants_of,
    read_json,
    table_of_things,
    triplet_ids,
)
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.frame_records import known_frames
from surgqa.transforms.readers.cholect50.labels import LabelFile

MAPPING = "label_mapping.txt"
POINTER = 'annotations["{frame}"][{row}]'


class Reader(BaseReader):
    """Reader of CholecT50; the folder may hold only some of its videos."""

    name = "cholect50"
    version = 1
    replayable = True
    span_kinds = ("phase",)

    def found(self) -> list[str]:
        """Return the videos that have a label file."""
        names = self._listing("labels")
        return [name[:-5] for name in names if re.fullmatch(r"VID\d+\.json", name)]

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        name = f"labels/{video_id}.json"
        data, source = self._source(name)
        text = read_json(data, name)
        triplets, sources = self._mapping(text.data, [source])
        labels = LabelFile(text, int(re.sub(r"\D", "", video_id) or 0), triplets)
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        frames = known_frames(text, ledger, labels, strict=True)
        numbers = frames.numbers
        instants, period = instants_of(numbers, labels.fps), period_us(labels.fps)
        named = labels.concepts("phase")
        concepts = sorted({*named.values()})
        codes = {UNKNOWN: UNKNOWN, **{one: concepts.index(name) for one, name in named.items()}}
        phases = [codes[one] for one in frames.agreed(int, "phase", ledger)]
        spans = frames.spans("phase", instants, phases, concepts, period)
        tools = sorted({*labels.concepts("instrument").values()})
        video = self._record(
            video_id, sources, fps=labels.fps, vocabulary=tools,
            duration_us=int(instants[-1]) + period if numbers.size else 0,
            media=self._pictures(f"videos/{video_id}", numbers[:1].tolist()),
        )  # fmt: skip
        table = table_of_things(instants, numbers, frames.things, tools, POINTER)
        return VideoEvidence(
            video, table, spans, ledger.entries(), (ledger.books(frames.read, frames.kept),)
        )

    def _mapping(
        self, data: dict[str, Any], sources: list[Source]
    ) -> tuple[dict[int, tuple[int, ...]], list[Source]]:
        """Return triplets of the root's mapping file, for label files that contain none."""
        categories = data.get("categories")
        named = isinstance(categories, dict) and categories.get("triplet")
        there = None if named else self._optional(MAPPING)
        if there is None:
            return {}, sources
        return triplet_ids(read_text(there[0], MAPPING), MAPPING), [*sources, there[1]]
