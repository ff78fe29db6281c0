"""Convert images and shapes of one video, from any format, to instrument and region tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from surgqa.ontology.records import UNKNOWN, Clock, Code, InstrumentTable
from surgqa.ontology.times import SECOND_US, frame_to_us
from surgqa.transforms.media import masks
from surgqa.transforms.media.found import MediaRecord
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import Thing, table_by_frame
from surgqa.transforms.readers.base.shapes import AnnotatedFilm, AnnotatedPicture, Shape
from surgqa.transforms.readers.base.tables.lines import cut_box
from surgqa.transforms.readers.base.tables.sorts import FILE
from surgqa.transforms.readers.base.tables.timing import Timing
from surgqa.transforms.readers.exports.plan import KINDS, ExportPlan

KEYFRAME, AREA = "keyframe", "area"
"""Further columns: 1 if the shape was drawn, 0 if interpolated; the shape's share of the image."""
At = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture of a video.

    Attributes:
        place: number of the export that lists the image, by which the ledger sorts.
        frame: frame number from 0; 0 for a still image.
        labels: all names that the file could use.
    """

    place: int
    frame: int
    picture: AnnotatedPicture
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeptShape:
    """A shape that becomes a row of a table."""

    frame: int
    track: tuple[int, str]
    thing: Thing
    drawn: bool


@dataclass(slots=True)
class BuiltVideo:
    """The contents of the exports about one video.

    Attributes:
        read, kept: how many drawn shapes were read, and how many became rows of a table.
        frames: for each kind, the frames that were annotated for it.
        words: for each kind, the concepts whose names the exports could use.
    """

    plan: ExportPlan
    ledger: Ledger
    read: int = 0
    frames: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    words: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    found: dict[str, list[KeptShape]] = field(default_factory=lambda: defaultdict(list))
    unknown: dict[tuple[int, str, Code], list[str]] = field(default_factory=dict)
    meanings: dict[str, tuple[str, str] | str | None] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        """Number of drawn shapes that became rows of a table."""
        return sum(one.drawn for found in self.found.values() for one in found)

    def add(self, seen: Sequence[ShownPicture], length: int) -> None:
        """Add pictures of a video of ``length`` frames; the ledger records what is left out."""
        kinds = {labels: self._kinds(labels) for labels in {one.labels for one in seen}}
        met: set[tuple] = set()
        for one in seen:
            self.read += sum(shape.drawn for shape in one.picture.shapes)
            if one.frame >= (stop := min(one.picture.stop, length)):
                reason = f"frame {one.frame} lies outside the video, which has {stop} frames"
                for shape in one.picture.shapes:
                    self._without(one.place, shape, Code.BAD_FRAME, reason)
                continue
            if one.picture.reviewed:
                for kind, concepts in kinds[one.labels].items():
                    self.frames[kind].add(one.frame)
                    self.words[kind] |= concepts
            for row, shape in enumerate(one.picture.shapes):
                self._add_shape(one, shape, (one.place, one.frame, row), met)
        for (place, _, code), (reason, where, *more) in self.unknown.items():
            self.ledger.reject((place, 0, 0), code, reason, where, 1 + len(more))

    def leave_out(self, place: int, label: str, reason: str, where: str) -> None:
        """Reject an annotation of a video that is neither a box, a mask nor a track."""
        self.read += 1
        self.ledger.reject((place, 0, 0), Code.DROPPED_LABEL, f"{label!r}: {reason}", where)

    def _kinds(self, labels: Iterable[str]) -> dict[str, set[str]]:
        out: dict[str, set[str]] = defaultdict(set)
        for label in labels:
            meaning = self.plan.meaning(label)
            if isinstance(meaning, tuple):
                out[meaning[0]].add(meaning[1])
        return out

    def _add_shape(self, one: ShownPicture, shape: Shape, at: At, met: set[tuple]) -> None:
        if shape.label not in self.meanings:
            self.meanings[shape.label] = self.plan.meaning(shape.label)
        meaning = self.meanings[shape.label]
        if not one.picture.reviewed:
            reason = "nobody has reviewed the picture that it is on"
            self._without(one.place, shape, Code.EXCLUDED, reason)
        elif meaning is None:
            self._without(one.place, shape, Code.UNKNOWN_LABEL, self._strange(shape.label))
        elif isinstance(meaning, str):
            reason = f"{shape.label!r} is left out: {meaning}"
            self._without(one.place, shape, Code.DROPPED_LABEL, reason)
        else:
            kind, concept = meaning
            thing = self._thing(shape, concept, at)
            key = one.frame, kind, concept, thing.box_xyxy, thing.mask, shape.track
            if key in met and (thing.box_xyxy or thing.mask):
                if shape.drawn:
                    reason = f"the same {concept} stands on this picture twice"
                    self.ledger.reject(at, Code.BAD_ROW, reason, shape.where)
                return
            met.add(key)
            track = (one.place, shape.track)
            self.found[kind].append(KeptShape(one.frame, track, thing, shape.drawn))

    def _without(self, place: int, shape: Shape, code: Code, reason: str) -> None:
        if shape.drawn:
            label = "" if code == Code.EXCLUDED else shape.label
            entry = self.unknown.setdefault((place, label, code), [reason])
            entry.append(shape.where)

    def _strange(self, label: str) -> str:
        kinds = self.plan.kinds()
        near = list(dict.fromkeys(name for words in kinds.values() for name in words.near(label)))
        hint = f"; near: {', '.join(near[:3])}" if near else ""
        return f"{label!r} is no {' or '.join(kinds)} in the labels of {FILE}{hint}"

    def _thing(self, shape: Shape, concept: str, at: At) -> Thing:
        box, problem = cut_box(shape.box) if shape.box else (None, shape.problem)
        if problem and shape.drawn:
            what = "is kept" if box else "has no box, only that it is there is kept"
            self.ledger.repair(at, Code.BAD_BOX, f"{shape.label!r} {what}: {problem}", shape.where)
        attributes = dict(shape.attributes)
        mask = shape.outline() if shape.outline else ""
        if not mask:
            if shape.outline:
                reason = f"the mask of {shape.label!r} is {'empty' if mask == '' else 'damaged'}"
                self.ledger.repair(at, Code.BAD_MASK, f"{reason}: it is left out", shape.where)
            return Thing(0, concept, box, None, at[2], UNKNOWN, shape.score, "", attributes)
        attributes[AREA] = masks.area_of(mask)
        box = box or masks.box_of(mask)
        return Thing(0, concept, box, None, at[2], UNKNOWN, shape.score, mask, attributes)

    def tables(self, fps: Fraction, pointer: str) -> dict[str, InstrumentTable]:
        """Return instrument and region tables by kind."""
        return {
            kind: self._table(kind, fps, pointer)
            for kind in KINDS
            if kind in self.frames or kind in self.found
        }

    def _table(self, kind: str, fps: Fraction, pointer: str) -> InstrumentTable:
        found = self.found[kind]
        tracks = _tracks({one.track for one in found if one.track[1]})
        between = any(not one.drawn for one in found)
        words = {name for one in found for name, value in one.thing.attributes.items()
                 if isinstance(value, str)}  # fmt: skip
        by_frame: dict[int, list[Thing]] = {frame: [] for frame in self.frames[kind]}
        for one in found:
            attributes = _columns(one.thing.attributes, words)
            if between:
                attributes[KEYFRAME] = float(one.drawn)
            track = tracks.get(one.track, UNKNOWN)
            thing = replace(one.thing, track=track, attributes=attributes)
            by_frame.setdefault(one.frame, []).append(thing)
        labels = self.words[kind] | {one.thing.label for one in found}
        origin = "interpolated" if between else "manual"
        return table_by_frame(by_frame, fps, labels, pointer, origin)


def _columns(attributes: Mapping[str, float | str], words: set[str]) -> dict[str, float | str]:
    """Return the attributes; a number becomes text if the attribute also has text values."""
    if not words:
        return dict(attributes)
    return {name: f"{value:g}" if name in words and isinstance(value, float) else value
            for name, value in attributes.items()}  # fmt: skip


def _tracks(names: set[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """Return each track's number: its id, if all tracks are from one file with whole numbers."""
    ordered = sorted(names, key=lambda one: (one[0], len(one[1]), one[1]))
    plain = len({place for place, _ in names}) == 1
    if plain and all(name.isdecimal() and int(name) < 2**31 for _, name in ordered):
        return {(place, name): int(name) for place, name in ordered}
    return {one: number for number, one in enumerate(ordered)}


def pointer_of(paths: Sequence[str]) -> str:
    """Return the text that locates a shape in these files, for messages and evidence."""
    shown = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    plain = shown.replace("{", "(").replace("}", ")")
    return f"{plain}, frame {{frame}}, shape {{row}}"


@dataclass(frozen=True, slots=True)
class PictureClock:
    """Rate and length of a video, and the meaning of its times.

    Attributes:
        period_us: time between two annotated pictures.
    """

    clock: Clock
    timing: Timing
    period_us: int


@dataclass(slots=True)
class Gathered:
    """The parts of all files that concern one video.

    Attributes:
        stills: paths of pictures without a frame number.
    """

    seen: list[ShownPicture] = field(default_factory=list)
    films: list[AnnotatedFilm] = field(default_factory=list)
    stills: list[str] = field(default_factory=list)
    patients: set[str] = field(default_factory=set)


def clock_of_pictures(
    mine: Gathered, rate: Fraction | None, stills: bool, media: MediaRecord
) -> PictureClock:
    """Return the clock of a video: with times if a rate is known, else only with an order.

    Args:
        mine: the images, at least one.
        stills: True if all images are stills without a frame number.
    """
    if stills:
        return PictureClock(Clock.WHOLE, Timing(Fraction(1), SECOND_US), SECOND_US)
    fps = rate or Fraction(1)
    frames = sorted({one.frame for one in mine.seen if one.frame < one.picture.stop})
    period = Timing(fps, None).period(frames, None)
    ends = [frame_to_us(film.frames.stop, fps) for film in mine.films]
    ends.append(frame_to_us(max(frames, default=0), fps) + period)
    end = media.duration_us if rate and media.duration_us else max(ends)
    return PictureClock(Clock.TIME if rate else Clock.ORDER, Timing(fps, end), period)
