"""Read CholecT50: ``labels/VIDnn.json`` and, if they exist, ``videos/VIDnn/000000.png``.

In the full release, all boxes are null.  In the challenge's validation clips, rows have boxes.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Any

import numpy as np

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
from surgqa.transforms.readers.base import frame_records as by_frame
from surgqa.transforms.readers.cholect50.labels import LabelFile

MAPPING = "label_mapping.txt"
POINTER = 'annotations["{frame}"][{row}]'
THING = attrgetter("thing")


class Reader(BaseReader):
    """Reader of CholecT50; the dataset may be incomplete."""

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
        frames, read, kept = by_frame.frames_of(text, ledger, labels.parse, seen=THING)
        numbers = np.array([one.number for one in frames], dtype=np.int64)
        instants, period = instants_of(numbers, labels.fps), period_us(labels.fps)
        phases, codes = labels.concepts("phase"), []
        concepts = sorted({*phases.values()})
        for frame in frames:
            given = [row.phase for row in frame.records]
            phase = by_frame.agreed(frame, given, "phase", ledger)
            codes.append(concepts.index(phases[phase]) if phase != UNKNOWN else UNKNOWN)
        spans = by_frame.spans_by_frame("phase", frames, instants, codes, concepts, period, name)
        things = by_frame.things_by_frame(frames, THING, ledger)
        tools = sorted({*labels.concepts("instrument").values()})
        video = self._record(
            video_id, sources, fps=labels.fps, vocabulary=tools,
            duration_us=int(instants[-1]) + period if frames else 0,
            media=self._pictures(f"videos/{video_id}", numbers[:1].tolist()),
        )  # fmt: skip
        table = table_of_things(instants, numbers, things, tools, POINTER)
        return VideoEvidence(video, table, spans, ledger.entries(), (ledger.books(read, kept),))

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
