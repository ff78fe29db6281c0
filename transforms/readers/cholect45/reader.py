"""Read CholecT45: a text file per video and task, and the names of its columns.

Either ``triplet/VID01.txt`` or ``instrument/VID01.txt`` is enough.  The verb and target files
only confirm the triplets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from surgqa.ontology.files import read_text
from surgqa.ontology.records import Code, Source, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.places import below
from surgqa.transforms.readers.base import Ledger, PlacedThings, table_of_things, triplet_ids
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.cholect45.lines import (
    KINDS,
    LabelLines,
    On,
    TripletColumns,
    lines_of,
    names_of,
)

TASKS = ("triplet", *KINDS)
MAPS = "dict/maps.txt"


class Reader(BaseReader):
    """Reader of CholecT45; the folder may hold only some of its videos."""

    name = "cholect45"
    replayable = True
    version = 1

    def found(self) -> list[str]:
        """Return the videos that have a triplet or an instrument file."""
        names = [name for task in ("triplet", "instrument") for name in self._listing(task)]
        return sorted({name[:-4] for name in names if re.fullmatch(r"VID\d+\.txt", name)})

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        there = [task for task in TASKS if below(self.root, f"{task}/{video_id}.txt").is_file()]
        if not {"triplet", "instrument"} & set(there):
            self._source(f"triplet/{video_id}.txt")
        listed: dict[str, Source] = {}
        names = {task: self._task_names(task, listed) for task in there}
        ledger, columns = Ledger(f"{self.name}/{video_id}", "label rows"), TripletColumns(names)
        tasks, sources = {}, []
        for place, task in enumerate(there):
            data, source = self._source(f"{task}/{video_id}.txt")
            sources.append(source)
            tasks[task] = lines_of(data, source.path, len(names[task]), ledger, place)
        frames = _known_frames(tasks, columns, ledger)
        things = PlacedThings.grouped([*frames.values()], columns.things)
        numbers = np.array([*frames], dtype=np.int64)
        first = {"triplet": 0, "instrument": len(columns.triplets)}
        legend = ", ".join(f"{task} columns from {first[task]}" for task in first if task in tasks)
        pointer = f"frame {{frame}}, label {{row}} ({legend})"
        table = table_of_things(numbers * SECOND_US, numbers, things, columns.tools, pointer)
        video = self._record(
            video_id, [*sources, *listed.values()], fps=Fraction(1), vocabulary=columns.tools,
            duration_us=(max(frames, default=-1) + 1) * SECOND_US,
            media=self._pictures(f"data/{video_id}", numbers[:1].tolist()),
        )  # fmt: skip
        books = ledger.books(sum(one.read for one in tasks.values()), len(frames) * len(tasks))
        return VideoEvidence(video, table, (), ledger.entries(), (books,))

    def _task_names(self, task: str, listed: dict[str, Source]) -> list[str]:
        """Return the names of a task's columns; :data:`MAPS` gives those of triplets if need be."""
        name = f"dict/{task}.txt"
        by_ids = task == "triplet" and not (self.root / name).is_file()
        if by_ids and (self.root / MAPS).is_file():
            parts = [self._task_names(kind, listed) for kind in KINDS]
            data, listed[MAPS] = self._source(MAPS)
            ids = triplet_ids(read_text(data, MAPS), MAPS)
            return [
                ",".join(names[i] if i < len(names) else "?" for names, i in
                         zip(parts, ids.get(number, (10**6,) * 3), strict=True))
                for number in range(max(ids, default=-1) + 1)
            ]  # fmt: skip
        data, listed[name] = self._source(name)
        return names_of(data, name)


def _known_frames(
    tasks: Mapping[str, LabelLines], columns: TripletColumns, ledger: Ledger
) -> dict[int, On]:
    """Return the columns that are 1, by frame, of the frames that are fully known.

    A frame must be in every file, and its lines must agree; otherwise all of them are rejected.
    """
    known: dict[int, On] = {}
    for frame in sorted({frame for one in tasks.values() for frame in one.by_frame}):
        there = {task: one for task, one in tasks.items() if frame in one.by_frame}
        on = tuple(one.by_frame[frame][1] for one in there.values())
        faults = columns.faults(on) if len(there) == len(tasks) else {}
        for task, fault in faults.items():
            at = (frame, list(tasks).index(task), tasks[task].by_frame[frame][0])
            ledger.reject(at, *fault, tasks[task].place(frame))
        if not faults and len(there) == len(tasks):
            known[frame] = on
        elif others := [one.place(frame) for task, one in there.items() if task not in faults]:
            lacking = ", ".join(one.name for task, one in tasks.items() if task not in there)
            reason = f"frame {frame} has no usable line in {lacking}"
            if faults:
                reason = "another line of this frame was rejected, so the frame is not fully known"
            at, places = (frame, len(TASKS), 0), ", ".join(others)
            ledger.reject(at, Code.INCOMPLETE_INSTANT, reason, places, len(others))
    return known
