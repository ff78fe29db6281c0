"""Read CholecT45: a text file per video and task, and the names of its columns.

Either ``triplet/VID01.txt`` or ``instrument/VID01.txt`` is enough.  The verb and target files
only confirm the triplets.
"""

from __future__ import annotations

import re

from surgqa.ontology.files import listed, read_text
from surgqa.ontology.records import InstrumentTable, Source, Video, VideoEvidence
from surgqa.ontology.times import period_us
from surgqa.transforms.places import below
from surgqa.transforms.readers.base import Ledger, split_group, triplet_ids
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.cholect.binary import FPS, KINDS, concepts_of, evidence_of
from surgqa.transforms.readers.base.cholect.columns import columns_of, names_of

TASKS = ("triplet", *KINDS)
MAPS = "dict/maps.txt"


class Reader(BaseReader):
    """Reader of CholecT45; the dataset may be incomplete."""

    name = "cholect45"
    replayable = True
    version = 1

    def found(self) -> list[str]:
        """Return the videos that have a triplet or an instrument file."""
        folders = [self.root / task for task in ("triplet", "instrument")]
        files = [path for folder in folders if folder.is_dir() for path in listed(folder)]
        return sorted({path.stem for path in files if re.fullmatch(r"VID\d+\.txt", path.name)})

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        there = [task for task in TASKS if below(self.root, f"{task}/{video_id}.txt").is_file()]
        if not {"triplet", "instrument"} & set(there):
            self._source(f"triplet/{video_id}.txt")
        sources: list[Source] = []
        names = {task: self._task_names(task, sources) for task in there}
        ledger = Ledger(f"{self.name}/{video_id}", "label rows")
        tasks = {}
        for place, task in enumerate(there):
            data, source = self._source(f"{task}/{video_id}.txt")
            sources.insert(place, source)
            tasks[task] = columns_of(data, source.path, len(names[task]), ledger, place)
        concepts = concepts_of(names, names.get("triplet", ()))
        table, kept = evidence_of(tasks, concepts, ledger)
        books = ledger.books(sum(columns.read for columns in tasks.values()), kept)
        video = self._video(video_id, table, tuple(sources))
        return VideoEvidence(video, table, (), ledger.entries(), (books,))

    def _task_names(self, task: str, sources: list[Source]) -> list[str]:
        """Return the names of a task's columns; those of triplets may be composed from ids."""
        name = f"dict/{task}.txt"
        by_ids = task == "triplet" and not (self.root / name).is_file()
        if by_ids and (self.root / MAPS).is_file():
            data, source = self._source(MAPS)
            parts = [self._task_names(kind, sources) for kind in KINDS]
            _add(sources, source)
            ids = triplet_ids(read_text(data, MAPS), MAPS)
            return [
                ",".join(names[i] if i < len(names) else "?" for names, i in
                         zip(parts, ids.get(number, (10**6,) * 3), strict=True))
                for number in range(max(ids, default=-1) + 1)
            ]  # fmt: skip
        data, source = self._source(name)
        _add(sources, source)
        return names_of(data, name)

    def _video(self, video_id: str, table: InstrumentTable, sources: tuple[Source, ...]) -> Video:
        period = period_us(FPS)
        return Video(
            dataset=self.name,
            video_id=video_id,
            procedure=self.card.procedure,
            specialty=self.card.specialty,
            fps=FPS,
            period_us=period,
            duration_us=int(table.instants_us[-1]) + period if table.instants_us.size else 0,
            media=self._pictures(f"data/{video_id}", table.frames[:1].tolist()),
            split_group=split_group(self.name, video_id),
            licence=self.card.licence,
            label_source="original_annotation",
            sources=sources,
            vocabulary=table.labels,
        )


def _add(sources: list[Source], source: Source) -> None:
    if source not in sources:
        sources.append(source)
