"""Build the table of a video from single boxes, masks and presence labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from surgqa.ontology.boxes import Box
from surgqa.ontology.records import UNKNOWN, Attribute, InstrumentTable, Pair
from surgqa.transforms.readers.base.table import instants_of

_NOWHERE: Box = (float("nan"),) * 4


@dataclass(frozen=True, slots=True)
class Thing:
    """One instance of an instrument, a lesion or a structure at one instant.

    Attributes:
        sample: index into the video's instants.
        label: concept id.
        box_xyxy: corners in [0, 1], None if no box was annotated.
        pairs: interactions of the instance, sorted; None if not annotated.
        row: position of the instance within its instant in the source.
        mask: see :class:`~ontology.records.InstrumentTable`.
        attributes: further numbers or words by name; a name is absent if not annotated.
        origin: origin of the box, if it differs between the instances of a table.
    """

    sample: int
    label: str
    box_xyxy: Box | None = None
    pairs: tuple[Pair, ...] | None = None
    row: int = 0
    track: int = UNKNOWN
    score: float = 1.0
    mask: str = ""
    attributes: Mapping[str, float | str] = field(default_factory=dict)
    origin: str = ""


@dataclass(frozen=True, slots=True)
class PlacedThings:
    """N instances whose places are arrays; equal instances share one description.

    Attributes:
        kinds: the descriptions; their sample, box, score and row are not used.
        kind: int64 (N,), index into the descriptions.
        sample: int64 (N,), index into the video's instants.
        box_xyxy: float64 (N, 4), NaN where no box was annotated.
        score: float64 (N,).
        row: int64 (N,).
    """

    kinds: Sequence[Thing]
    kind: np.ndarray
    sample: np.ndarray
    box_xyxy: np.ndarray
    score: np.ndarray
    row: np.ndarray

    @classmethod
    def of(cls, things: Sequence[Thing]) -> PlacedThings:
        """Return the same instances as arrays; no two of them share a description."""
        return cls(
            kinds=things,
            kind=np.arange(len(things)),
            sample=np.array([thing.sample for thing in things], dtype=np.int64),
            box_xyxy=np.array([one.box_xyxy or _NOWHERE for one in things], float).reshape(-1, 4),
            score=np.array([thing.score for thing in things], dtype=np.float64),
            row=np.array([thing.row for thing in things], dtype=np.int64),
        )

    @classmethod
    def grouped(
        cls, instants: Sequence[Hashable], things: Callable[[Any], Iterable[Thing]]
    ) -> PlacedThings:
        """Return the instances of all instants.

        Args:
            instants: for each instant, a value that determines its instances.
            things: function that returns the instances for such a value.
        """
        code = {known: place for place, known in enumerate(dict.fromkeys(instants))}
        groups = [[*things(known)] for known in code]
        one = cls.of([thing for group in groups for thing in group])
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        there = np.array([code[known] for known in instants], dtype=np.int64)
        sample = np.repeat(np.arange(there.size), sizes[there])
        back = np.cumsum(sizes[there])[sample] - np.arange(sample.size)
        kind = np.cumsum(sizes)[there[sample]] - back
        return cls(one.kinds, kind, sample, one.box_xyxy[kind], one.score[kind], one.row[kind])

    def joined(self, other: PlacedThings) -> PlacedThings:
        """Return the instances of this object and of another one."""
        columns = [
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("sample", "box_xyxy", "score", "row")
        ]
        kind = np.concatenate([self.kind, other.kind + len(self.kinds)])
        return PlacedThings([*self.kinds, *other.kinds], kind, *columns)

    def each(self, value: Callable[[Thing], float]) -> np.ndarray:
        """Return one number for each instance (N,), taken from its description."""
        return np.array([value(kind) for kind in self.kinds], dtype=np.float64)[self.kind]


def table_of_things(
    instants_us: np.ndarray,
    frames: np.ndarray,
    things: Sequence[Thing] | PlacedThings,
    labels: Sequence[str],
    pointer: str,
    box_origin: str = "manual",
) -> InstrumentTable:
    """Return the table of one video, with rows sorted by (sample, label, box, row).

    Args:
        instants_us: int64 (T,), strictly ascending.
        frames: int64 (T,).
        labels: sorted concept ids of everything that the dataset annotates.
        pointer: format string for a place in the source, with ``{frame}`` and ``{row}``.
    """
    every = things if isinstance(things, PlacedThings) else PlacedThings.of(things)
    used, kind = np.unique(every.kind, return_inverse=True)
    every = replace(every, kinds=[every.kinds[code] for code in used.tolist()], kind=kind)
    label_code = {label: code for code, label in enumerate(labels)}
    label = every.each(lambda kind: label_code[kind.label])
    boxless = np.isnan(every.box_xyxy[:, 0])
    corners = np.where(boxless[:, None], 0.0, every.box_xyxy).T[::-1]
    order = np.lexsort((every.row, *corners, boxless, label, every.sample))
    every = PlacedThings(every.kinds, *(column[order] for column in (
        kind, every.sample, every.box_xyxy, every.score, every.row)))  # fmt: skip
    pair_sets = sorted({kind.pairs for kind in every.kinds if kind.pairs})
    set_code = {pairs: code for code, pairs in enumerate(pair_sets)}
    pairs = every.each(lambda kind: set_code.get(kind.pairs or (), UNKNOWN))
    masks = tuple(every.kinds[code].mask for code in every.kind.tolist())
    origins = tuple(every.kinds[code].origin for code in every.kind.tolist())
    return InstrumentTable(
        instants_us=np.asarray(instants_us, dtype=np.int64),
        frames=np.asarray(frames, dtype=np.int64),
        sample=every.sample.astype(np.int32),
        label=label[order].astype(np.int16),
        box_xyxy=every.box_xyxy,
        score=every.score,
        pairs=pairs.astype(np.int16),
        track=every.each(lambda kind: kind.track).astype(np.int32),
        row=every.row.astype(np.int32),
        labels=tuple(labels),
        pair_sets=tuple(pair_sets),
        box_origin="none" if boxless.all() else origins if any(origins) else box_origin,
        pointer=pointer,
        attributes=_attributes(every),
        masks=masks if any(masks) else (),
    )


def table_by_frame(
    by_frame: Mapping[int, Iterable[Thing]], fps: Fraction, labels: Iterable[str], pointer: str,
    box_origin: str = "manual",
) -> InstrumentTable:  # fmt: skip
    """Return the table of the annotated frames of one video, see :func:`table_of_things`.

    Args:
        by_frame: for each annotated frame, its instances, whose sample is not used.
        fps: rate of the frame numbers.
        labels: all concepts that were annotated, in any order; empty to use those of the instances.
    """
    frames = sorted(by_frame)
    groups = [[*by_frame[frame]] for frame in frames]
    things = [thing for group in groups for thing in group]
    sample = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    known = sorted({*labels} or {thing.label for thing in things})
    numbers = np.array(frames, dtype=np.int64)
    placed = replace(PlacedThings.of(things), sample=sample)
    return table_of_things(instants_of(numbers, fps), numbers, placed, known, pointer, box_origin)


def _attributes(things: PlacedThings) -> tuple[Attribute, ...]:
    out = []
    for name in sorted({name for kind in things.kinds for name in kind.attributes}):
        given = [kind.attributes.get(name) for kind in things.kinds]
        words = tuple(sorted({value for value in given if isinstance(value, str)}))
        codes: dict[object, float] = {word: float(code) for code, word in enumerate(words)}
        codes[None] = float("nan")
        values = np.array([codes.get(value, value) for value in given], dtype=np.float64)
        out.append(Attribute(name, values[things.kind], words))
    return tuple(out)
