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
from surgqa.transforms.readers.base import Ledger, table_of_things, triplet_ids
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.cholect45.lines import (
    KINDS,
    LabelLines,
    TripletColumns,
    lines_of,
    names_of,
)

TASKS = ("triplet", *KINDS)
MAPS = "dict/maps.txt"


class Reader(BaseReader):
    """Reader of CholecT45; the dataset may be incomplete."""

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
        things = [thing for sample, on in enumerate(frames.values())
                  for thing in columns.things(sample, on)]  # fmt: skip
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
        """Return the names of a task's columns; those of triplets may be composed from ids."""
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
) -> dict[int, dict[str, tuple[int, ...]]]:
    """Return the columns that are 1, by frame and task, of the frames that are fully known.

    A frame must be in every file, and its lines must agree; otherwise all of them are rejected.
    """
    known: dict[int, dict[str, tuple[int, ...]]] = {}
    for frame in sorted({frame for one in tasks.values() for frame in one.by_frame}):
        there = [one for one in tasks.values() if frame in one.by_frame]
        lacking = [one.name for one in tasks.values() if frame not in one.by_frame]
        on = {task: one.by_frame[frame].on for task, one in tasks.items()
              if not lacking}  # fmt: skip
        reason = f"frame {frame} has no usable line in {', '.join(lacking)}"
        faults = dict(reversed([*columns.faults(on)]))
        for task, fault in faults.items():
            at = (frame, list(tasks).index(task), tasks[task].by_frame[frame].line)
            ledger.reject(at, *fault, tasks[task].place(frame))
        if faults:
            there = [one for task, one in tasks.items() if task not in faults]
            reason = "another line of this frame was rejected, so the frame is not fully known"
        if (faults or lacking) and there:
            places = ", ".join(one.place(frame) for one in there)
            at = (frame, len(TASKS), 0)
            ledger.reject(at, Code.INCOMPLETE_INSTANT, reason, places, len(there))
        if not faults and not lacking:
            known[frame] = on
    return known
