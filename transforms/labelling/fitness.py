"""Measure when the absence of a detection means that the instrument is absent.

Reviewed frames of the held-out part are grouped into blocks of time, because neighbouring frames
are nearly equal. A block is against a class if, on one of its reviewed frames, the class is in view
but the detector did not see it within the guard time. Absence is allowed if the upper bound of this
share (Clopper and Pearson, one-sided) is at most the risk.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from surgqa.ontology.fitness import CONTACT, ClassFitness, Fitness
from surgqa.ontology.times import SECOND_US

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Entitling:
    """Settings of when absence may be concluded.

    Attributes:
        risk: largest accepted share of blocks in which a claimed absence is wrong, (0, 1).  Our
            choice.
        confidence: confidence level of the one-sided bound.
        block_us: length of a block, within which frames count once, in microseconds: the longest
            clip.
        guards_us: guard times. They are tried from the widest for which there are enough blocks,
            until one is not allowed. Testing in a fixed order needs no correction for multiple
            tests.
    """

    risk: float = 0.005
    confidence: float = 0.95
    block_us: int = 30 * SECOND_US
    guards_us: tuple[int, ...] = tuple(
        round(s * SECOND_US) for s in (10, 7, 5, 4, 3, 2.5, 2, 1.5, 1, 0.5, 0)
    )


@dataclass(frozen=True, eq=False)
class ReviewedVideo:
    """One video: the detector's output without corrections, and the reviewed frames.

    Attributes:
        name: the video.
        times_us: int64 (T,), observed instants.
        seen: for each class, int64 (T,), number of detections.
        reviewed: int64 (R,), indices of the reviewed instants.
        true: for each class, int64 (R,), number in view.
    """

    name: str
    times_us: np.ndarray
    seen: Mapping[str, np.ndarray]
    reviewed: np.ndarray
    true: Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class BlockShare:
    """Numbers of blocks with a claim (such as "absent") and of blocks against it, and their share's
    upper bound.
    """

    blocks: int
    against: int
    bound: float


class Reviewed:
    """The N reviewed frames of all videos, as arrays with one value for each frame.

    Args:
        films: videos with or without reviewed frames.
    """

    def __init__(self, films: Sequence[ReviewedVideo], settings: Entitling) -> None:
        self.films, self.settings = films, settings
        blocks, dense = [], []
        for number, film in enumerate(films):
            cell = film.times_us // settings.block_us
            mine = cell[film.reviewed]
            samples = np.bincount(cell, minlength=1) if len(cell) else np.zeros(1, np.int64)
            whole = np.bincount(mine, minlength=len(samples)) == samples
            blocks.append(mine + (number << 32))
            dense.append(whole[mine] if len(mine) else np.zeros(0, bool))
        self.block = np.concatenate([np.zeros(0, np.int64), *blocks])
        self.dense = np.concatenate([np.zeros(0, bool), *dense])

    @cached_property
    def labels(self) -> list[str]:
        """Classes that are in view in some frame."""
        return sorted({name for film in self.films for name, n in film.true.items() if n.any()})

    def true(self, label: str) -> np.ndarray:
        """Return int64 (N,), number of the class in view."""
        return self._joined(
            [film.true.get(label, np.zeros(len(film.reviewed), np.int64)) for film in self.films]
        )

    def seen(self, label: str) -> np.ndarray:
        """Return int64 (N,), number of detections of the class."""
        return self._joined([
            film.seen[label][film.reviewed] if label in film.seen
            else np.zeros(len(film.reviewed), np.int64) for film in self.films
        ])  # fmt: skip

    def away(self, label: str) -> np.ndarray:
        """Return int64 (N,), time to the nearest instant with a detection of the class."""
        return self._joined([_away(film, label) for film in self.films])

    def share(self, against: np.ndarray, of: np.ndarray) -> BlockShare:
        """Count the blocks with a frame in ``of``, and those also with one in ``against``."""
        blocks = len(np.unique(self.block[of]))
        wrong = len(np.unique(self.block[of & against]))
        return BlockShare(blocks, wrong, upper(wrong, blocks, self.settings.confidence))

    def _joined(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.int64), *parts])


def _away(film: ReviewedVideo, label: str) -> np.ndarray:
    times = film.times_us[film.reviewed]
    seen = film.times_us[film.seen[label] > 0] if label in film.seen else times[:0]
    if not len(seen):
        return np.full(len(times), NEVER)
    place = np.searchsorted(seen, times)
    before = np.abs(times - seen[np.maximum(place - 1, 0)])
    return np.minimum(before, np.abs(seen[np.minimum(place, len(seen) - 1)] - times))


def upper(wrong: int, of: int, confidence: float) -> float:
    """One-sided upper bound of a share (Clopper and Pearson); 1 without any block."""
    from scipy.special import betaincinv

    return 1.0 if wrong >= of else float(betaincinv(wrong + 1, of - wrong, confidence))


def lower(wrong: int, of: int, confidence: float) -> float:
    """One-sided lower bound of a share; 0 without any block."""
    from scipy.special import betaincinv

    return 0.0 if wrong == 0 else float(betaincinv(wrong, of - wrong + 1, 1 - confidence))


@dataclass(frozen=True, slots=True)
class Measure:
    """How reliably the detector finds one class.

    Attributes:
        recall: share of the frames with the class in which it was detected; NaN without any.
        frames: number of frames with the class in view.
        missed: blocks without a detection within the guard time (the widest, if none is allowed);
            the blocks against show the class.
        more: blocks with a detection; the blocks against show more instances than were detected.
        false: lower bound of the share of blocks with a detection in which the class was absent.
    """

    recall: float
    frames: int
    missed: BlockShare
    more: BlockShare
    false: float
    fitness: ClassFitness


@dataclass(frozen=True, slots=True)
class MeasuredFitness:
    """Fitness of a detector, with the measurements behind it.

    Attributes:
        together: all reviewed blocks; in the blocks against, an instrument in view would be
            concluded to be absent.
        dense: the same for blocks whose instants were all reviewed.
    """

    fitness: Fitness
    classes: Mapping[str, Measure]
    together: BlockShare
    dense: BlockShare


def fitness_of(
    films: Sequence[ReviewedVideo], classes: Collection[str], made_by: str,
    settings: Entitling = Entitling(),
) -> MeasuredFitness:  # fmt: skip
    """Return what may be concluded from missing detections.

    Args:
        classes: instruments that the detector knows.
        made_by: see :func:`ontology.fitness.made_by`.
    """
    frames = Reviewed(films, settings)
    found = {name: _of_class(frames, name) for name in sorted(classes)}
    wrong = {name: _wrongly_gone(frames, name, one) for name, one in found.items()}
    allowed = [name for name, one in found.items() if one.fitness.guard_us is not None]
    strange = np.zeros(len(frames.block), bool)
    for name in set(frames.labels) - set(classes):
        strange |= frames.true(name) > 0
    every = np.ones(len(frames.block), bool)
    while allowed and frames.share(_any(wrong, allowed, ~every), every).bound > settings.risk:
        allowed.remove(max(allowed, key=lambda name: (found[name].missed.against, name)))
    complete = frames.share(_any(wrong, allowed, strange), every).bound <= settings.risk
    against = _any(wrong, allowed, strange if complete else ~every)
    dense = frames.share(against, frames.dense)
    reach = int(settings.block_us * settings.risk / dense.bound)
    by_class = {name: one.fitness if name in allowed else replace(one.fitness, guard_us=None)
            for name, one in found.items()}  # fmt: skip
    fitness = Fitness(made_by, by_class, complete, reach if dense.bound <= settings.risk else 0)
    return MeasuredFitness(fitness, found, frames.share(against, every), dense)


def _any(wrong: Mapping[str, np.ndarray], names: Sequence[str], more: np.ndarray) -> np.ndarray:
    return np.logical_or.reduce([more, *(wrong[name] for name in names)])


def _wrongly_gone(frames: Reviewed, name: str, one: Measure) -> np.ndarray:
    """Return bool (N,), True where the class is in view but would be concluded to be absent."""
    guard = one.fitness.guard_us
    return (frames.true(name) > 0) & (frames.away(name) > (NEVER - 1 if guard is None else guard))


def _of_class(frames: Reviewed, name: str) -> Measure:
    settings = frames.settings
    true, seen, away = frames.true(name), frames.seen(name), frames.away(name)
    guard, missed = None, frames.share(true > 0, away > settings.guards_us[0])
    for wanted in settings.guards_us:
        tried = frames.share(true > 0, away > wanted)
        if upper(0, tried.blocks, settings.confidence) > settings.risk:
            continue  # too few blocks are this far from a detection
        if tried.bound > settings.risk:
            break
        guard, missed = wanted, tried
    more = frames.share(true > seen, seen > 0)
    false = frames.share(true == 0, seen > 0)
    least = lower(false.against, false.blocks, settings.confidence)
    # Contacts are exempt: a box near a tissue does not mean that the instrument touches it.
    believed = name == CONTACT or least <= settings.risk
    fitness = ClassFitness(guard, more.bound <= settings.risk, believed)
    there = int((true > 0).sum())
    recall = float((seen[true > 0] > 0).mean()) if there else float("nan")
    return Measure(recall, there, missed, more, least, fitness)
