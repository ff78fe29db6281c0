"""How far a detector's silence may be believed, from frames that people reviewed.

Frames of the part held out are grouped into blocks of time, since neighbouring frames show the
same.  A block speaks against a class if, on one of its reviewed frames, the class is in view and
nothing of it was seen within the guard.  Absence is allowed where the upper end of the interval
of that share (Clopper and Pearson, one-sided) is at most the risk.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontology.fitness import CONTACT, ClassFitness, Fitness
from ontology.times import SECOND_US

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Entitling:
    """When absence may be concluded.

    Attributes:
        risk: largest share of blocks in which a claim of absence is wrong, (0, 1).  Our choice.
        confidence: of the interval's one-sided bound.
        block_us: time within which frames count once, microseconds: the longest clip.
        guards_us: guards that are tried, from the widest of which enough blocks can tell, as
            long as each is allowed; testing in a fixed order needs no correction for trying
            several.
    """

    risk: float = 0.005
    confidence: float = 0.95
    block_us: int = 30 * SECOND_US
    guards_us: tuple[int, ...] = tuple(
        round(s * SECOND_US) for s in (10, 7, 5, 4, 3, 2.5, 2, 1.5, 1, 0.5, 0)
    )


@dataclass(frozen=True, eq=False)
class Film:
    """One video as its detector saw it, without any correction, and as people saw some of it.

    Attributes:
        name: the video.
        times_us: int64 (T,), instants that were looked at.
        seen: class -> int64 (T,), how many of it the detector saw.
        reviewed: int64 (R,), which instants people reviewed.
        true: class -> int64 (R,), how many of it were in view.
    """

    name: str
    times_us: np.ndarray
    seen: Mapping[str, np.ndarray]
    reviewed: np.ndarray
    true: Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Share:
    """Blocks that were reviewed, those that speak against a claim, and the share's bound."""

    blocks: int
    against: int
    bound: float


class Reviewed:
    """Reviewed frames of all videos: arrays (N,).

    Args:
        films: videos with reviewed frames, or without.
    """

    def __init__(self, films: Sequence[Film], settings: Entitling) -> None:
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
        """Classes that are in view on some frame."""
        return sorted({name for film in self.films for name, n in film.true.items() if n.any()})

    def true(self, label: str) -> np.ndarray:
        """int64 (N,): how many of the class are in view."""
        return self._joined(
            [film.true.get(label, np.zeros(len(film.reviewed), np.int64)) for film in self.films]
        )

    def seen(self, label: str) -> np.ndarray:
        """int64 (N,): how many of the class the detector saw."""
        return self._joined([
            film.seen[label][film.reviewed] if label in film.seen
            else np.zeros(len(film.reviewed), np.int64) for film in self.films
        ])  # fmt: skip

    def away(self, label: str) -> np.ndarray:
        """int64 (N,): how far the nearest instant is at which the detector saw the class."""
        return self._joined([_away(film, label) for film in self.films])

    def share(self, against: np.ndarray, of: np.ndarray) -> Share:
        """Of the blocks with a frame of some those with a frame against."""
        blocks = len(np.unique(self.block[of]))
        wrong = len(np.unique(self.block[of & against]))
        return Share(blocks, wrong, upper(wrong, blocks, self.settings.confidence))

    def _joined(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.int64), *parts])


def _away(film: Film, label: str) -> np.ndarray:
    times = film.times_us[film.reviewed]
    seen = film.times_us[film.seen[label] > 0] if label in film.seen else times[:0]
    if not len(seen):
        return np.full(len(times), NEVER)
    place = np.searchsorted(seen, times)
    before = np.abs(times - seen[np.maximum(place - 1, 0)])
    return np.minimum(before, np.abs(seen[np.minimum(place, len(seen) - 1)] - times))


def upper(wrong: int, of: int, confidence: float) -> float:
    """One-sided upper bound of a share, by Clopper and Pearson; 1 of nothing."""
    from scipy.special import betaincinv

    return 1.0 if wrong >= of else float(betaincinv(wrong + 1, of - wrong, confidence))


def lower(wrong: int, of: int, confidence: float) -> float:
    """One-sided lower bound of a share; 0 of nothing."""
    from scipy.special import betaincinv

    return 0.0 if wrong == 0 else float(betaincinv(wrong, of - wrong + 1, 1 - confidence))


@dataclass(frozen=True, slots=True)
class Measure:
    """What was found of one class.

    Attributes:
        recall: share of the frames with the class on which it was seen; NaN of none.
        frames: with the class in view.
        missed: blocks beyond the guard, or beyond the widest where none is allowed.
        more: blocks with the class seen; against: more of it were in view than were seen.
        false: least share of blocks with the class seen in which it was not there.
    """

    recall: float
    frames: int
    missed: Share
    more: Share
    false: float
    fitness: ClassFitness


@dataclass(frozen=True, slots=True)
class Measured:
    """Fitness of a detector, with what it rests on.

    Attributes:
        together: blocks with a reviewed frame; against: an instrument that is not known to be
            missed seldom enough was concluded to be absent.
        dense: the same of blocks of which every instant was reviewed.
    """

    fitness: Fitness
    classes: Mapping[str, Measure]
    together: Share
    dense: Share


def fitness_of(
    films: Sequence[Film], classes: Collection[str], made_by: str,
    settings: Entitling = Entitling(),
) -> Measured:  # fmt: skip
    """What may be concluded from what a detector does not see.

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
    told = {name: one.fitness if name in allowed else _without(one.fitness)
            for name, one in found.items()}  # fmt: skip
    fitness = Fitness(made_by, told, complete, reach if dense.bound <= settings.risk else 0)
    return Measured(fitness, found, frames.share(against, every), dense)


def _any(wrong: Mapping[str, np.ndarray], names: Sequence[str], more: np.ndarray) -> np.ndarray:
    return np.logical_or.reduce([more, *(wrong[name] for name in names)])


def _without(known: ClassFitness) -> ClassFitness:
    return ClassFitness(None, known.alone, known.believed)


def _wrongly_gone(frames: Reviewed, name: str, one: Measure) -> np.ndarray:
    """bool (N,): the class is in view where it would be concluded to be absent."""
    guard = one.fitness.guard_us
    return (frames.true(name) > 0) & (frames.away(name) > (NEVER - 1 if guard is None else guard))


def _of_class(frames: Reviewed, name: str) -> Measure:
    settings = frames.settings
    true, seen, away = frames.true(name), frames.seen(name), frames.away(name)
    guard, missed = None, frames.share(true > 0, away > settings.guards_us[0])
    for wanted in settings.guards_us:
        tried = frames.share(true > 0, away > wanted)
        if upper(0, tried.blocks, settings.confidence) > settings.risk:
            continue  # too few blocks are so far from a sighting to tell
        if tried.bound > settings.risk:
            break
        guard, missed = wanted, tried
    more = frames.share(true > seen, seen > 0)
    false = frames.share(true == 0, seen > 0)
    least = lower(false.against, false.blocks, settings.confidence)
    believed = name == CONTACT or least <= settings.risk  # that boxes are near claims no touch
    fitness = ClassFitness(guard, more.bound <= settings.risk, believed)
    there = int((true > 0).sum())
    recall = float((seen[true > 0] > 0).mean()) if there else float("nan")
    return Measure(recall, there, missed, more, least, fitness)
