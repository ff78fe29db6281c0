"""Read one entry of a list at a time: times, words and boxes, with a ledger of all entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

from surgqa.ontology.anomalies import check_onset
from surgqa.ontology.concepts import label_map, load_data
from surgqa.ontology.moments import Moment
from surgqa.ontology.published import Box, Unfit, box_xywh, frame_number, number, unit_box, word
from surgqa.ontology.records import Code
from surgqa.ontology.times import SECOND_US, frame_to_us, round_half_up
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.unified.header import UnifiedHeader
from surgqa.transforms.readers.base.words import fitting, fold, names_of

T = TypeVar("T")
STARTS = (("onset_frame", "onset_time"), ("start_frame", "start_time"), ("frame", "time"),
          ("", "start"))  # fmt: skip
ENDS = (("end_frame", "end_time"), ("", "end"))
ORIGINS = ("annotated", "imported", "speech", "tracks", "speech and tracks")
_MICRO = -6


@dataclass(frozen=True, slots=True)
class When:
    """A stretch of time. An instant has equal start and end."""

    start_us: int
    end_us: int
    resolution_us: int


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One object of a list in the file, such as an action or an utterance.

    Attributes:
        file: path of the file.
        pointer: the entry's place in the file.
        note: function that records a change in the ledger.
    """

    data: Mapping[str, Any]
    file: str
    pointer: str
    header: UnifiedHeader
    note: Callable[[Code, str], None]

    def instant(self, names: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
        """Return time and accuracy in microseconds; None if the entry has none of the fields.

        A frame number is accurate to one frame; seconds are accurate to their last digit.

        Args:
            names: pairs of fields, one for the frame number and one for the seconds.

        Raises:
            Unfit: a value is not a number or below 0, or frame and time differ by more than half a
                frame.
        """
        for of_frame, of_time in names:
            frame, stated = self.data.get(of_frame), self.data.get(of_time)
            if frame is None and stated is None:
                continue
            seconds = None if stated is None else number(stated, of_time)
            if seconds is not None and seconds < 0:
                raise Unfit(Code.BAD_TIME, f"{of_time} lies before the recording")
            if frame is not None:
                return self._of_frame(frame_number(frame, of_frame), seconds)
            assert seconds is not None
            return round_half_up(seconds * SECOND_US), self._fineness(stated)
        return None

    def _of_frame(self, frame: int, seconds: Fraction | None) -> tuple[int, int]:
        fps = self.header.fps
        if seconds is not None and not check_onset(frame, fps, seconds):
            raise Unfit(
                Code.CONTRADICTION,
                f"frame {frame} at {float(fps):g} fps is {float(frame / fps):.3f} s, "
                f"more than half a frame from the stated {float(seconds):g} s",
            )
        return frame_to_us(frame, fps), self.header.period_us

    def _fineness(self, stated: Any) -> int:
        digits = Decimal(stated).as_tuple().exponent
        exponent = digits if isinstance(digits, int) else 0
        step = 10 ** (min(exponent, 0) - _MICRO) if exponent > _MICRO else 1
        return max(step, self.header.period_us)

    def when(self) -> When:
        """Return the stretch of time of an entry, cut to the recording.

        Raises:
            Unfit: the entry has no start, or lies outside the recording.
        """
        both = self.data.get("time_range", self.data.get("interval"))
        if isinstance(both, list) and len(both) == 2:
            start, end = (self._replaced("start", value).instant(STARTS[-1:]) for value in both)
        else:
            start, end = self.instant(STARTS), self.instant(ENDS)
        if start is None:
            raise Unfit(Code.BAD_TIME, "the entry has no time")
        return self._checked(start, (end or start)[0])

    def _replaced(self, name: str, value: Any) -> ListEntry:
        return ListEntry({name: value}, self.file, self.pointer, self.header, self.note)

    def _checked(self, start: tuple[int, int], end_us: int) -> When:
        start_us, fineness = start
        length = self.header.duration_us
        if start_us >= length:
            raise Unfit(Code.BAD_TIME, "it starts after the recording's end")
        if end_us < start_us:
            raise Unfit(Code.BAD_TIME, "it ends before it starts")
        if end_us > length:
            self.note(Code.BAD_TIME, "it ends after the recording: cut")
        if self.data.get("resolution") is not None:
            fineness = round_half_up(number(self.data["resolution"], "resolution") * SECOND_US)
            if not 0 < fineness <= length:
                raise Unfit(Code.BAD_VALUE, "resolution is not part of the recording")
        return When(start_us, min(end_us, length), fineness)

    def concept(self, kind: str, field: str, needed: bool = False) -> str:
        """Return the concept of a field's word, '' without the field.

        Raises:
            Unfit: the word is not known, or is needed and missing.
        """
        return self.meant(kind, self.data.get(field), field, needed)

    def meant(self, kind: str, found: Any, field: str, needed: bool = False) -> str:
        """Return the concept of the word ``found``; ``field`` is its field, for messages."""
        name = word(found, field)
        if name is None:
            if needed:
                raise Unfit(Code.BAD_ROW, f"{field} is missing")
            return ""
        return fitting(concept_of(kind, name))

    def known(self, kind: str, field: str) -> str:
        """Return the result of :meth:`concept`, but '' with a note for an unknown word."""
        try:
            return self.concept(kind, field)
        except Unfit as unfit:
            self.note(unfit.code, f"{unfit.reason}: kept without its {field}")
            return ""

    def flag(self, field: str) -> bool:
        """Return whether a field is true; False without the field.

        Raises:
            Unfit: the value is neither true nor false.
        """
        found = self.data.get(field)
        if found is not None and not isinstance(found, bool):
            raise Unfit(Code.BAD_VALUE, f"{field} is neither true nor false")
        return bool(found)

    def choice(self, field: str, known: Mapping[str, str]) -> str:
        """Return the value in ``known`` for a field's word; case, blanks and dashes are ignored.

        Raises:
            Unfit: the word is missing, or none of these.
        """
        name = word(self.data.get(field), field)
        if name is None:
            raise Unfit(Code.BAD_ROW, f"{field} is missing")
        plain = name.strip().casefold().replace(" ", "_").replace("-", "_")
        if plain not in known:
            reason = f"{field} {name!r} is none of {', '.join(dict.fromkeys(known.values()))}"
            raise Unfit(Code.UNKNOWN_LABEL, reason)
        return known[plain]

    def effect(self, verb: str) -> str:
        """Return the id of the stated effect on the tissue, or that of the verb if none is stated.

        The effects are those of ``ontology/knowledge/effects.yaml``.

        Raises:
            Unfit: the word is unknown, or there is neither a word nor a verb with an effect.
        """
        name = word(self.data.get("effect"), "effect")
        found = effects().get(f"verb {verb}" if name is None else fold(name))
        if found:
            return found
        if name is None:
            raise Unfit(Code.BAD_ROW, "neither an effect nor an action that has one is told")
        known = ", ".join(sorted(set(effects().values())))
        raise Unfit(Code.UNKNOWN_LABEL, f"effect {name!r} is none of {known}")

    def box(self, field: str = "bbox") -> Box | None:
        """Return corners in [0, 1]; None with a note if the box cannot be used."""
        found = self.data.get(field)
        if found is None:
            return None
        if self.header.size is None:
            reason = "the size of the pictures is not known: kept without its box"
            self.note(Code.BAD_BOX, reason)
            return None
        if whole := _whole(found, *self.header.size):
            return whole
        try:
            box, cut = box_xywh(found, *self.header.size)
        except Unfit as unfit:
            self.note(Code.BAD_BOX, f"{unfit.reason}: kept without its box")
            return None
        if cut:
            self.note(Code.BAD_BOX, "the box leaves the picture: cut at its edge")
        return unit_box(box, *self.header.size)

    def origin(self) -> str:
        """Return how the entry was made, such as ``speech``; ``annotated`` if it does not say."""
        if self.data.get("origin") is None:
            return ORIGINS[0]
        return self.choice("origin", {one.replace(" ", "_"): one for one in ORIGINS})

    def moment(self, kind: str, label: str, when: When | None = None, **more: Any) -> Moment:
        """Return the moment of this entry; ``more`` are further fields of :class:`Moment`."""
        at = when or self.when()
        fields: dict[str, Any] = {"origin": self.origin()}
        for name in ("group", "text"):
            fields[name] = word(self.data.get(name), name) or ""
        if self.data.get("value") is not None:
            fields["value"] = float(number(self.data["value"], "value"))
        return Moment(
            kind, label, at.start_us, at.end_us, at.resolution_us, self.file, self.pointer,
            **{**fields, **more},
        )  # fmt: skip


class Intake:
    """Reads the lists of one file and keeps the ledger, which counts entries.

    Args:
        file: path of the file, for messages.
    """

    def __init__(self, file: str, header: UnifiedHeader, ledger: Ledger) -> None:
        self.file, self.header, self.ledger = file, header, ledger
        self.read = self.kept = 0

    def all(self, found: Any, pointer: str, parse: Callable[[ListEntry], Iterable[T]]) -> list[T]:
        """Return the results of ``parse`` for every entry of a list; a missing list counts as
        empty.

        An entry that ``parse`` cannot use (:class:`Unfit`) is rejected. Notes about an entry are
        recorded in the ledger if the entry is kept.
        """
        if found is None:
            return []
        if not isinstance(found, list):
            self.read += 1
            self._reject(pointer, Unfit(Code.BAD_ROW, f"{found!r:.40} is not a list of entries"))
            return []
        out: list[T] = []
        before: set[str] = set()
        for place, data in enumerate(found):
            out += self._one(data, f"{pointer}[{place}]", parse, before)
        return out

    def _one(
        self, data: Any, pointer: str, parse: Callable[[ListEntry], Iterable[T]], before: set[str]
    ) -> list[T]:
        self.read += 1
        notes: list[tuple[Code, str]] = []
        try:
            if not isinstance(data, Mapping):
                raise Unfit(Code.BAD_ROW, f"an entry is {data!r:.40} and no object")
            if (plain := repr(sorted(data.items(), key=lambda pair: pair[0]))) in before:
                raise Unfit(Code.DUPLICATE_FRAME, "the same entry stands there twice")
            before.add(plain)
            entry = ListEntry(data, self.file, pointer, self.header,
                          lambda code, why: notes.append((code, why)))  # fmt: skip
            out = list(parse(entry))
        except Unfit as unfit:
            self._reject(pointer, unfit)
            return []
        self.kept += 1
        for code, why in notes:
            self.ledger.repair((self.read,), code, why, f"{self.file} {pointer}")
        return out

    def lose(self, pointer: str, unfit: Unfit, count: int) -> None:
        """Record entries that are rejected together with the object to which they belong."""
        self.read += count
        self._reject(pointer, unfit, count)

    def _reject(self, pointer: str, unfit: Unfit, count: int = 1) -> None:
        place = f"{self.file} {pointer}"
        self.ledger.reject((self.read,), unfit.code, unfit.reason, place, count)


def _whole(found: Any, width: int, height: int) -> Box | None:
    """Return corners in [0, 1] of a box of whole pixels (nearly all are) in the image, or None."""
    if type(found) is not list or len(found) != 4 or any(type(side) is not int for side in found):
        return None
    x, y, w, h = found
    if x < 0 or y < 0 or w <= 0 or h <= 0 or x + w > width or y + h > height:
        return None
    return x / width, y / height, (x + w) / width, (y + h) / height


@cache
def effects() -> Mapping[str, str]:
    """Return the id of each effect by its names, and by keys such as ``verb clip``."""
    out: dict[str, str] = {}
    for key, entry in load_data("knowledge", "effects")["effects"].items():
        out |= {fold(name): key for name in entry["synonyms"]}
        out |= {fold(key): key} | {f"verb {verb}": key for verb in entry["verbs"]}
    return out


MAP = "unified"


def concept_of(kind: str, name: str) -> str | tuple[Code, str]:
    """Return the concept of a word, or rejection code and reason if it has none.

    Args:
        kind: ``instrument``, ``verb``, ``target``, ``phase`` or ``event``.
    """
    own: Mapping[str, Any] = label_map(MAP).get(kind, {})
    entry = own.get(name, own.get(fold(name).replace(" ", "_")))
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Mapping):
        return Code.DROPPED_LABEL, f"{kind} {name!r} is left out: {entry.get('drop')}"
    meant = names_of(kind).get(fold(name), ())
    if len(meant) == 1:
        return meant[0]
    hint = f"; it may mean {' or '.join(meant)}" if meant else ""
    return Code.UNKNOWN_LABEL, f"{kind} {name!r} is not known{hint}"
