"""Parse a record: an instrument in a frame, and labels of the instrument and of the frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surgqa.ontology.concepts import label_map
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import IDLE, UNKNOWN, Code, Pair
from surgqa.transforms.readers.base import JsonText, Thing, concept_of
from surgqa.transforms.readers.base.delimited import fold
from surgqa.transforms.readers.base.frame_bulk import FrameRecord, Note, RecordColumns
from surgqa.transforms.readers.base.frame_header import LARGEST, listed_names, matrix, whole
from surgqa.transforms.readers.base.frame_records import part_box
from surgqa.transforms.readers.base.triplets import TARGETS, TRIPLETS, VERBS
from surgqa.transforms.readers.base.words import fitting

CONDITIONS = ("bleeding", "blurred", "crowded", "occluded", "reflection", "smoke",
              "stainedlens", "undercoverage")  # fmt: skip
ATTRIBUTES = ("crowded", "intracorporeal_track", "occluded", "visibility", "visibility_track",
              "visible")  # fmt: skip
NUMBERED = (*dict.fromkeys((
    *CONDITIONS, *ATTRIBUTES, "instrument", "verb", "target", "triplet", "phase", "operator",
    "intraoperative_track")),)  # fmt: skip
INVALID = -3
BOX, NO_BOX = "tool_bbox", [-1, -1, -1, -1]
FIELDS = {*NUMBERED, BOX, "score", "area", "iscrowd"}
OPERATORS = {
    "null": "", "mainsurgeonlefthand": "main_surgeon_left_hand",
    "mainsurgeonrighthand": "main_surgeon_right_hand",
    "assistantsurgeonrighthand": "assistant_surgeon_right_hand"}  # fmt: skip
"""Start of a name in lower case without separators -> our name; null means none."""


class FrameState(NamedTuple):
    """Labels of the whole frame in a record: the phase's id, and conditions such as smoke."""

    phase: int
    conditions: frozenset[str]


class Records:
    """Parser for the records of one file."""

    def __init__(self, text: JsonText) -> None:
        self.tools = listed_names(text, "tools")
        self.operators = listed_names(text, "operators")
        self.known = label_map("cholectrack20")

    def columns(self, records: list[Any]) -> RecordColumns:
        """Return the values of all records of the file."""
        objects = [one if isinstance(one, dict) else {} for one in records]
        ids = [[one.get(field, UNKNOWN) for field in NUMBERED] for one in objects]
        for row, record in zip(ids, records, strict=True):
            plain = isinstance(record, dict) and {*map(type, row)} == {int}
            if not plain or not -2 <= min(row) <= max(row) < LARGEST:
                row[:] = [INVALID] * len(NUMBERED)
        boxes = matrix(
            [NO_BOX if one.get(BOX) is None else one[BOX] for one in objects], len(NO_BOX)
        )
        return RecordColumns(np.array(ids).reshape(-1, len(NUMBERED)), boxes, np.ones(len(ids)))

    def parse(self, record: Any, row: int, note: Note) -> FrameRecord[FrameState]:
        """Return a record.

        Raises:
            Unfit: the record is invalid.
        """
        if not isinstance(record, dict):
            raise Unfit(Code.BAD_ROW, f"a record is {record!r:.40} and no object")
        ids = [record.get(field, UNKNOWN) for field in NUMBERED]
        thing, frame = self.meaning(ids, note)
        if thing:
            thing = replace(thing, box_xyxy=part_box(record.get(BOX), note), row=row)
        return FrameRecord(thing, frame)

    def meaning(self, ids: Sequence[Any], note: Note) -> FrameRecord[FrameState]:
        """Return a record without its box.

        Raises:
            Unfit: the record is invalid.
        """
        record = dict(zip(NUMBERED, ids, strict=True))
        conditions = frozenset(field for field in CONDITIONS if whole(record, field) == 1)
        thing = self._thing(record, note) if whole(record, "instrument") != UNKNOWN else None
        return FrameRecord(thing, FrameState(whole(record, "phase"), conditions))

    def _thing(self, record: Mapping[str, Any], note: Note) -> Thing:
        tool = self.tools.get(whole(record, "instrument"), "an id that is not in the list")
        label = fitting(concept_of("instrument", tool, self.known))
        numbers = {field: whole(record, field) for field in ATTRIBUTES}
        attributes: dict[str, float | str] = {k: float(v) for k, v in numbers.items() if v >= 0}
        operator = self._operator(whole(record, "operator"), note)
        if operator:
            attributes["operator"] = operator
        pair = self._pair(record, tool, note)
        track = max(whole(record, "intraoperative_track"), UNKNOWN)
        pairs = (pair,) if pair else None
        return Thing(0, label, pairs=pairs, track=track, attributes=attributes)

    def _operator(self, number: int, note: Note) -> str:
        name = "null" if number == UNKNOWN else self.operators.get(number, "")
        for start, word in OPERATORS.items():
            if fold(name).startswith(start):
                return word
        note(Code.UNKNOWN_LABEL, f"operator {number} {name!r} is not known and counts as none")
        return ""

    def _pair(self, record: Mapping[str, Any], tool: str, note: Note) -> Pair | None:
        """Return verb and target if both are annotated and do not contradict the triplet."""
        verb, target, triplet = (whole(record, field) for field in ("verb", "target", "triplet"))
        if verb == target == UNKNOWN:
            return None
        if UNKNOWN in (verb, target):
            code, reason = Code.BAD_ROW, "only one of verb and target is given"
        elif not (0 <= verb < len(VERBS) and 0 <= target < len(TARGETS)):
            code, reason = Code.UNKNOWN_LABEL, f"verb {verb} or target {target} has no name"
        else:
            said = [tool, VERBS[verb], TARGETS[target]]
            fits = triplet < 0 or list(TRIPLETS[triplet : triplet + 1]) == [tuple(said)]
            if fits and (said[1] != IDLE[0] or said[2] == IDLE[1]):
                return self.known["verb"][said[1]], self.known["target"][said[2]]
            code = Code.CONTRADICTION
            reason = f"triplet {triplet} is not, or can't be, {', '.join(said)}"
        note(code, f"{reason}; the interaction counts as not annotated")
        return None
