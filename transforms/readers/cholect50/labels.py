"""The label file of a video: names by id, and 15 numbers for each instrument and frame.

-1 is null in all columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from surgqa.ontology.concepts import label_map
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import IDLE, UNKNOWN, Code
from surgqa.transforms.readers.base import JsonText, Thing, concept_of
from surgqa.transforms.readers.base.frame_bulk import FrameRecord, Note, RecordColumns
from surgqa.transforms.readers.base.frame_header import (
    broken,
    matrix,
    names_of,
    part_of,
    rate_of,
    refuse_repeated,
    row_fault,
)
from surgqa.transforms.readers.base.frame_records import part_box
from surgqa.transforms.readers.base.words import fitting

KINDS = ("instrument", "verb", "target")
COLUMNS = {"triplet": 0, "instrument": 1, "verb": 7, "target": 8, "phase": 14}
IDS = itemgetter(*COLUMNS.values())
SCORE, BOX = 2, slice(3, 7)
"""Score and box (x, y, width, height) of the instrument's tip; columns 9 to 13 are the target's."""
WIDTH = 15
NOTHING = "a verb, target or box without an instrument"


class LabelFile:
    """The lists of names in a label file, by which its rows are parsed.

    Args:
        text: the parsed label file.
        number: the video's number, from the file's name.
        triplets: for each triplet id, (instrument, verb, target) id of ``label_mapping.txt``,
            used where the file lists no triplets of its own.

    Raises:
        SourceBroken: a part is missing or of the wrong kind, or the file is another video's.
    """

    def __init__(self, text: JsonText, number: int, triplets: Mapping[int, tuple[int, ...]]):
        refuse_repeated(text, ("annotations", "info", "licenses"))
        said = text.data.get("video", number)
        if type(said) is bool or said not in (number, str(number)):
            raise broken(text, "video", f"video {number}", f"video {said!r:.40}")
        raw, known = part_of(text, "categories"), label_map("cholect50")
        self.names = {kind: names_of(text, kind) for kind in (*KINDS, "phase", "triplet")
                      if kind in KINDS or kind in raw}  # fmt: skip
        self.meant = {kind: {one: concept_of(kind, name, known) for one, name in names.items()}
                      for kind, names in self.names.items() if kind != "triplet"}  # fmt: skip
        self.triplets = dict(triplets)
        if named := self.names.get("triplet"):
            self.triplets = {one: self._members(name) for one, name in named.items()}
        self.fps = rate_of(text)

    def concepts(self, kind: str) -> dict[int, str]:
        """Return the concepts of a kind by id, without ids that have none."""
        found = self.meant.get(kind, {}).items()
        return {one: concept for one, concept in found if isinstance(concept, str)}

    def _members(self, triplet: str) -> tuple[int, ...]:
        """Return the ids of instrument, verb and target that a triplet names, -2 for none."""
        parts = (*triplet.split(","), "", "")[:3] if triplet.count(",") == 2 else ("", "", "")
        return tuple(
            next((one for one, name in self.names[kind].items() if name == part), -2)
            for kind, part in zip(KINDS, parts, strict=True)
        )

    def columns(self, records: list[Any]) -> RecordColumns:
        """Return the values of all rows of the file."""
        values = matrix(records, WIDTH)
        scores = np.where(values[:, SCORE] == -1, 1.0, values[:, SCORE])
        return RecordColumns(values[:, [*COLUMNS.values()]], values[:, BOX], scores)

    def parse(self, record: Any, row: int, note: Note) -> FrameRecord[int]:
        """Return a row.

        Raises:
            Unfit: the row is invalid.
        """
        if fault := row_fault(record, WIDTH):
            raise Unfit(Code.BAD_ROW, fault)
        thing, phase = self.meaning(IDS(record), note)
        if thing is None:
            if min(record[BOX][2:]) > 0:
                raise Unfit(Code.CONTRADICTION, NOTHING)
            return FrameRecord(None, phase)
        score = record[SCORE] if 0 <= record[SCORE] <= 1 else 1.0
        if record[SCORE] not in (score, -1):
            note(Code.BAD_ROW, f"the score {record[SCORE]:g} is not between 0 and 1; 1 is used")
        box = part_box(record[BOX], note, measured=True)
        return FrameRecord(replace(thing, box_xyxy=box, score=float(score), row=row), phase)

    def meaning(self, ids: Sequence[float], note: Note) -> FrameRecord[int]:
        """Return a row without its box and score.

        Raises:
            Unfit: an id is unknown, or the ids contradict each other.
        """
        of = dict(zip(COLUMNS, ids, strict=True))
        for kind, value in of.items():
            if value % 1:
                raise Unfit(Code.BAD_ROW, f"{kind} id {value:g} is not a whole number")
        label, verb, target = (self._concept(kind, of[kind]) for kind in KINDS)
        self._agree(of, verb, target)
        try:
            phase = int(of["phase"]) if self._concept("phase", of["phase"]) else UNKNOWN
        except Unfit as unknown:
            note(unknown.code, f"{unknown.reason}; the phase counts as not annotated")
            phase = UNKNOWN
        if label and bool(verb) != bool(target):
            reason = "only one of verb and target is given; the interaction counts as not annotated"
            note(Code.BAD_ROW, reason)
        pairs = ((verb, target),) if verb and target else None
        return FrameRecord(Thing(0, label, pairs=pairs) if label else None, phase)

    def _concept(self, kind: str, number: float) -> str:
        """Return the concept of an id, '' for -1."""
        if number == -1:
            return ""
        concept = self.meant.get(kind, {}).get(int(number))
        reason = f"{kind} id {number:g} is not in the list of names"
        return fitting(concept or (Code.UNKNOWN_LABEL, reason))

    def _agree(self, ids: Mapping[str, float], verb: str, target: str) -> None:
        """Check that the ids of a row do not contradict each other."""
        triplet, parts = ids["triplet"], tuple(ids[kind] for kind in KINDS)
        if self.triplets and triplet != -1:
            if triplet not in self.triplets:
                reason = f"triplet id {triplet:g} is not in the list of names"
                raise Unfit(Code.UNKNOWN_LABEL, reason)
            if self.triplets[int(triplet)] != parts:
                shown = ", ".join(f"{number:g}" for number in parts)
                reason = f"triplet {triplet:g} is not instrument, verb, target {shown}"
                raise Unfit(Code.CONTRADICTION, reason)
        if parts[0] == -1 and (triplet >= 0 or parts[1:] != (-1, -1)):
            raise Unfit(Code.CONTRADICTION, NOTHING)
        if verb == IDLE[0] and target not in ("", IDLE[1]):
            raise Unfit(Code.CONTRADICTION, "idle, but with a target")
