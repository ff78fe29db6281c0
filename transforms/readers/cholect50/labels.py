"""The label file of a video: names by id, and 15 numbers for each instrument and frame.

-1 is null in all columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, NamedTuple

from surgqa.ontology.concepts import label_map
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import IDLE, UNKNOWN, Code, Pair
from surgqa.transforms.readers.base import JsonText, Thing, concept_of
from surgqa.transforms.readers.base.frame_header import (
    broken,
    names_of,
    part_of,
    rate_of,
    refuse_repeated,
)
from surgqa.transforms.readers.base.frame_records import Note, part_box, row_fault

KINDS = ("instrument", "verb", "target")
COLUMNS = {"triplet": 0, "instrument": 1, "verb": 7, "target": 8, "phase": 14}
IDS = itemgetter(*COLUMNS.values())
SCORE, BOX = 2, slice(3, 7)
"""Score and box (x, y, width, height) of the instrument's tip; columns 9 to 13 are the target's."""
WIDTH = 15
NOTHING = "a verb, target or box without an instrument"

Meaning = tuple[str, tuple[Pair, ...] | None, int, tuple[tuple[Code, str], ...]]
"""(instrument or "", its interaction, id of the phase, notes)."""


class TripletRow(NamedTuple):
    """A parsed row: an instrument or None, and the id of the phase."""

    thing: Thing | None
    phase: int


class LabelFile:
    """The parts of a label file that hold for all its rows, and the parser of a row.

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
        self._known: dict[tuple[float, ...], Meaning] = {}

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

    def parse(self, row: Any, place: int, note: Note) -> TripletRow:
        """Return a parsed row.

        Raises:
            Unfit: the row is invalid.
        """
        if fault := row_fault(row, WIDTH):
            raise Unfit(Code.BAD_ROW, fault)
        ids = IDS(row)
        if ids not in self._known:
            self._known[ids] = self._meaning(dict(zip(COLUMNS, ids, strict=True)))
        label, pairs, phase, notes = self._known[ids]
        for code, reason in notes:
            note(code, reason)
        if not label:
            if min(row[BOX][2:]) > 0:
                raise Unfit(Code.CONTRADICTION, NOTHING)
            return TripletRow(None, phase)
        score = row[SCORE] if 0 <= row[SCORE] <= 1 else 1.0
        if row[SCORE] not in (score, -1):
            note(Code.BAD_ROW, f"the score {row[SCORE]:g} is not between 0 and 1; 1 is used")
        box = part_box(row[BOX], note, measured=True)
        return TripletRow(Thing(0, label, box, pairs, place, score=float(score)), phase)

    def _meaning(self, ids: Mapping[str, float]) -> Meaning:
        """Return what the ids of a row mean.

        Raises:
            Unfit: an id is unknown, or the ids contradict each other.
        """
        for kind, value in ids.items():
            if value != int(value):
                raise Unfit(Code.BAD_ROW, f"{kind} id {value:g} is not a whole number")
        label, verb, target = (self._concept(kind, ids[kind]) for kind in KINDS)
        self._agree(ids, verb, target)
        phase, notes = UNKNOWN, []
        try:
            phase = int(ids["phase"]) if self._concept("phase", ids["phase"]) else UNKNOWN
        except Unfit as unknown:
            notes.append((unknown.code, f"{unknown.reason}; the phase counts as not annotated"))
        if label and bool(verb) != bool(target):
            reason = "only one of verb and target is given; the interaction counts as not annotated"
            notes.append((Code.BAD_ROW, reason))
        pairs = ((verb, target),) if verb and target else None
        return label, pairs, phase, tuple(notes)

    def _concept(self, kind: str, number: float) -> str:
        """Return the concept of an id, '' for -1."""
        if number == -1:
            return ""
        concept = self.meant.get(kind, {}).get(int(number))
        if isinstance(concept, str):
            return concept
        reason = f"{kind} id {number:g} is not in the list of names"
        raise Unfit(*(concept or (Code.UNKNOWN_LABEL, reason)))

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
